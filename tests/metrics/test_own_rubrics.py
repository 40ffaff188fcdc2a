"""Rubrics of one's own: a file or a few words are a metric, and what is none is a sentence."""

from __future__ import annotations

import pytest

from uaef.api import batch_evaluate, evaluate
from uaef.errors import DataError, MetricError, ModelError, UnknownNameError
from uaef.llm_judge import Rubric
from uaef.metrics.judged import JudgeMetric
from uaef.metrics.registry import register_metric
from uaef.models import AgentTrace, Conversation, Message
from uaef.testing import ScriptedJudge


def _turn(question: str, answer: str) -> AgentTrace:
    return AgentTrace(messages=[Message(role="user", content=question), Message(role="assistant", content=answer)])


TALK = Conversation.of(
    [_turn("Hi.", "Hello."), _turn("Move it.", "Done."), _turn("Thanks.", "Welcome.")], name="talk"
)

MINE = """+++
dimension = "House rules"
scale = "1-5"
inputs = ["role"]
needs = ["answer"]
+++
How warm is the greeting?

1. Look at the first words.
2. Compare them with the role.
"""


def test_a_rubric_file_is_a_metric(tmp_path):
    """In three lines."""
    (tmp_path / "warmth.md").write_text(MINE, "utf-8")
    rubric = Rubric.from_file(tmp_path / "warmth.md")
    result = evaluate(TALK, metrics=[rubric], judge=ScriptedJudge({"warmth": 0.75}), thresholds={"House rules": 0.5})
    assert (["warmth"] * 3, True) == ([m.metric for m in result.measurements], result.passed)
    assert ("How warm is the greeting?", "1") == (rubric.question, rubric.version)
    assert JudgeMetric(rubric).description == rubric.question


def test_a_rubric_in_code_is_a_metric():
    """Asked of the whole, on any scale; registered, it is asked for by name."""
    rubric = Rubric(name="kept_promises_of_test", text="Were promises kept?", scale="0-10", scope="whole")
    results = batch_evaluate([TALK, TALK], metrics=[rubric], judge=ScriptedJudge({}, default=0.3))
    assert [0.3, 0.3] == [r.measurements[0].score.score for r in results]
    assert "Custom" == results[0].measurements[0].dimension


def test_a_rubric_that_judges_items_is_asked_only_where_there_are_any():
    """Its need follows from its items."""
    rubric = Rubric(name="mine", text="Which?", scale="items", items="criteria", scope="whole")
    judge = ScriptedJudge({})
    score = evaluate(TALK, metrics=[rubric], judge=judge).measurements[0].score
    assert ("missing_data", []) == (score.metadata["warning"], judge.asked)


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize("start", ["", "\ufeff", "\n"])
def test_files_of_other_editors_are_read(tmp_path, newline, start):
    """Line ends of Windows, a mark of byte order, a blank line before."""
    (tmp_path / "warmth.md").write_bytes((start + MINE.replace("\n", newline)).encode())
    assert ("warmth", 2) == (Rubric.from_file(tmp_path / "warmth.md").name, len(MINE.split("+++")) - 1)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("How warm is it?", "warmth.md: a rubric begins with its fields in TOML between two lines +++"),
        ("+++\nscale = '0-1'\nHow?", "warmth.md: a rubric begins with its fields in TOML between two lines +++"),
        ("Hello\n+++\nscale = '0-1'\n+++\nHow?", "warmth.md: a rubric begins with its fields in TOML"),
        (
            "+++\nscale = 0-1\n+++\nHow?",
            "warmth.md: Expected newline or end of document after a statement (at line 2",
        ),
        ("+++\nscale = 'stars'\n+++\nHow?", "warmth.md: Rubric: A rubric's scale is a range such as 0-1 or 1-5"),
        ("+++\nscale = 5\n+++\nHow?", "warmth.md: Rubric: Expected str, got int - at $.scale"),
        ("+++\nstars = 5\n+++\nHow?", "warmth.md: Rubric: Object contains unknown field stars"),
        ("+++\ninputs = ['weather']\n+++\nHow?", "warmth.md: Rubric: Invalid enum value 'weather'"),
        ("+++\nscope = 'page'\n+++\nHow?", "warmth.md: Rubric: Invalid enum value 'page'"),
        ("+++\nscale = '0-1'\n+++\n \n", "warmth.md: Rubric.text: must not be blank"),
        ("+++\nitems = 'turns'\n+++\nHow?", "warmth.md: Rubric.items: goes with the scale 'items'"),
        ("+++\nscale = 'items'\n+++\nHow?", "warmth.md: Rubric.items: goes with the scale 'items'"),
        ("+++\nname = ''\n+++\nHow?", "warmth.md: Rubric.name: must not be blank"),
        ("+++\nsilence = 2.0\n+++\nHow?", "warmth.md: Rubric.silence: must lie in [0, 1], got 2.0"),
    ],
)
def test_a_file_that_is_no_rubric_is_a_sentence(tmp_path, content, message):
    """With the file's name and what is wrong with it."""
    (tmp_path / "warmth.md").write_text(content, "utf-8")
    with pytest.raises(DataError) as raised:
        Rubric.from_file(tmp_path / "warmth.md")
    assert str(raised.value).startswith(message)


def test_a_file_that_cannot_be_read_is_a_sentence(tmp_path):
    """It is missing, or no text."""
    with pytest.raises(DataError, match=r"missing\.md: cannot be read: .*No such file"):
        Rubric.from_file(tmp_path / "missing.md")
    (tmp_path / "binary.md").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(DataError, match=r"binary\.md: cannot be read: 'utf-8' codec"):
        Rubric.from_file(str(tmp_path / "binary.md"))


@pytest.mark.parametrize(
    ("fields", "error", "message"),
    [
        ({"name": "no identifier"}, MetricError, "A metric's name has letters, digits and underscores only"),
        ({"needs": ("weather",)}, UnknownNameError, "Unknown need of metric 'mine': 'weather'"),
    ],
)
def test_a_rubric_that_cannot_be_a_metric_is_refused(fields, error, message):
    """Before anything is measured, and before it is registered."""
    rubric = Rubric(**{"name": "mine", "text": "How?", **fields})
    with pytest.raises(error) as raised:
        evaluate(TALK, metrics=[rubric], judge=ScriptedJudge({}))
    assert str(raised.value).startswith(message)
    with pytest.raises(error):
        register_metric(rubric)


@pytest.mark.parametrize("scale", ["stars", "5-1", ""])
def test_a_scale_that_does_not_exist_is_refused_in_code_too(scale):
    """When the rubric is made."""
    with pytest.raises((MetricError, ModelError), match="A rubric's scale is a range such as"):
        Rubric(name="mine", text="How?", scale=scale)
