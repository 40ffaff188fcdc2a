"""Which judge: the one that was given, else the environment's, else the project's, else none."""

from __future__ import annotations

import pytest
from judged_conversations import RUBRICS, talk

from uaef.api import evaluate
from uaef.errors import DataError, UnknownNameError, UsageError
from uaef.llm.retries import Patience
from uaef.llm_judge import LLMJudge, Panel, judge_for
from uaef.llm_judge.choice import chosen_judge, configured_cache, configured_judge
from uaef.testing import ScriptedJudge

RUBRIC = RUBRICS["0-1"]


def _status(**options) -> tuple[str, object]:
    score = evaluate(talk(), metrics=[RUBRIC], **options).measurements[0].score
    return str(score.status), score.metadata.get("judge") or score.metadata.get("warning")


@pytest.mark.parametrize("wire", ["openai", "anthropic", "bedrock"])
@pytest.mark.usefixtures("providers")
def test_a_judge_is_named_by_provider_and_model(wire):
    """The model's name may hold anything, colons and slashes too."""
    for model in ("m", "org/model:free", "anthropic.claude-3-5-sonnet-20241022-v2:0"):
        judge = judge_for(f"{wire}:{model}")
        assert isinstance(judge, LLMJudge)
        assert f"{wire}:{model}" == judge.label
    assert ("scored", f"{wire}:m") == _status(judge=f"{wire}:m")


def test_a_judge_is_taken_as_it_is():
    """Anything with a label that can judge, wherever a judge may be named."""
    judge = ScriptedJudge({RUBRIC.name: 1.0})
    assert judge is chosen_judge(judge) is judge_for(judge)
    assert "scored" == _status(judge=judge)[0]


@pytest.mark.usefixtures("providers")
def test_the_environment_names_a_judge_and_the_caller_overrules_it(monkeypatch):
    """``UAEF_JUDGE``; "none" is nobody whatever it says."""
    assert ("failed", "no_judge") == _status()
    monkeypatch.setenv("UAEF_JUDGE", " openai:m ")
    assert ("scored", "openai:m") == _status()
    assert ("scored", "anthropic:n") == _status(judge="anthropic:n")
    assert ("failed", "no_judge") == _status(judge="none")
    monkeypatch.setenv("UAEF_JUDGE", "none")
    assert ("failed", "no_judge") == _status()


@pytest.mark.usefixtures("providers")
def test_the_project_names_a_judge_and_the_environment_overrules_it(monkeypatch, tmp_path):
    """``[tool.uaef]`` in the nearest ``pyproject.toml``, from the working folder upwards."""
    (tmp_path / "pyproject.toml").write_text('[tool.uaef]\njudge = "openai:project"\n', "utf-8")
    below = tmp_path / "a" / "b"
    below.mkdir(parents=True)
    monkeypatch.chdir(below)
    assert ("scored", "openai:project") == _status()
    monkeypatch.setenv("UAEF_JUDGE", "openai:m")
    assert ("scored", "openai:m") == _status()
    monkeypatch.delenv("UAEF_JUDGE")
    (tmp_path / "a" / "pyproject.toml").write_text('[project]\nname = "nearer"\n', "utf-8")
    assert configured_judge() is None


@pytest.mark.parametrize("content", ["", "[tool]\n", "tool = 5\n", "[tool]\nuaef = 5\n", '[tool.uaef]\njudge = ""\n'])
def test_a_project_that_says_nothing_says_nothing(tmp_path, content):
    """Whatever else stands there."""
    (tmp_path / "pyproject.toml").write_text(content, "utf-8")
    assert configured_judge() is None


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"[tool.uaef]\njudge = 5\n", r"pyproject\.toml: \[tool\.uaef\] judge must be text, got 5"),
        (b"[tool.uaef\n", r"pyproject\.toml: cannot be read: .*line 1"),
        (b"\xff", r"pyproject\.toml: cannot be read: 'utf-8' codec"),
    ],
)
def test_a_project_that_cannot_be_read_is_a_sentence(tmp_path, content, message):
    """With the file's name."""
    (tmp_path / "pyproject.toml").write_bytes(content)
    with pytest.raises(DataError, match=message):
        configured_judge()


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("opnai:gpt-4.1", "Unknown judge 'opnai:gpt-4.1'. Did you mean 'openai:gpt-4.1'?"),
        ("OpenAI:gpt-4.1", "Unknown judge 'OpenAI:gpt-4.1'. Did you mean 'openai:gpt-4.1'?"),
        ("antropic:claude", "Unknown judge 'antropic:claude'. Did you mean 'anthropic:claude'?"),
        ("locale", "Unknown judge 'locale'. Did you mean 'local'?"),
        (
            "gpt-4.1",
            "Unknown judge 'gpt-4.1'. Available: anthropic:MODEL, bedrock:MODEL, local, openai:MODEL.",
        ),
        ("", "Unknown judge ''. Available: anthropic:MODEL, bedrock:MODEL, local, openai:MODEL."),
    ],
)
def test_a_judge_that_does_not_exist_is_refused(spec, message):
    """With the nearest, or all that there are."""
    with pytest.raises(UnknownNameError) as raised:
        judge_for(spec)
    assert message == str(raised.value)


@pytest.mark.parametrize("make", [judge_for, lambda spec: Panel([spec])])
def test_nobody_cannot_be_made(make):
    """For a run "none" chooses nobody; where a judge is to be made it says so, and does not propose itself."""
    with pytest.raises(DataError) as raised:
        make("none")
    assert "'none' is nobody, and nobody cannot be asked; leave the judge out instead." == str(raised.value)


@pytest.mark.parametrize("make", [judge_for, chosen_judge, lambda spec: Panel([spec])])
def test_a_class_is_no_judge(make):
    """Although it has everything that a judge has; it would be asked without a judge."""
    with pytest.raises(DataError, match="A judge is an object, not a class; make one of <class"):
        make(ScriptedJudge)


@pytest.mark.parametrize("spec", ["openai", "openai:", "openai: ", "bedrock"])
def test_a_judge_without_a_model_is_refused(spec):
    """With the form that is wanted."""
    name = spec.partition(":")[0]
    with pytest.raises(DataError) as raised:
        judge_for(spec)
    assert f"The judge {spec!r} lacks a model; write {name}:MODEL." == str(raised.value)


@pytest.mark.parametrize("spec", [5, 1.5, object(), [], ["openai:m"], {"judge": "openai:m"}])
def test_what_is_no_judge_is_refused(spec):
    """Before anything is measured."""
    with pytest.raises(DataError, match="A judge is 'provider:model', an object with a label and judge"):
        _status(judge=spec)


def test_a_missing_key_is_named_before_anything_is_measured():
    """By its variable."""
    with pytest.raises(DataError, match=r"The judge 'openai:m' needs a key: set OPENAI_API_KEY\."):
        _status(judge="openai:m")
    with pytest.raises(DataError, match=r"The judge 'anthropic:m' needs a key: set ANTHROPIC_API_KEY\."):
        _status(judge="anthropic:m")


def test_the_cache_lies_where_the_environment_says(monkeypatch, tmp_path):
    """A path, ``~`` included; off; or unset, which is for the caller to decide."""
    assert configured_cache() is None
    default = configured_cache(otherwise=True)
    assert tmp_path / "cache" / "uaef" / "replies.sqlite" == default.path
    default.close()
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("UAEF_CACHE", "~/mine.sqlite")
    mine = configured_cache()
    assert tmp_path / "mine.sqlite" == mine.path
    mine.close()
    monkeypatch.setenv("UAEF_CACHE", "off")
    assert configured_cache(otherwise=True) is None


@pytest.mark.parametrize(
    ("cached", "variable", "kept"),
    [
        (None, None, False),
        (None, "mine", True),
        (True, None, True),
        (True, "mine", True),
        (True, "off", False),
        (False, None, False),
        (False, "mine", False),
    ],
)
def test_the_caller_says_whether_answers_are_kept(providers, monkeypatch, tmp_path, cached, variable, kept):
    """Never, unless the environment declines, or as the environment says."""
    if variable:
        monkeypatch.setenv("UAEF_CACHE", "off" if variable == "off" else str(tmp_path / "mine.sqlite"))
    for _ in range(2):
        assert ("scored", "openai:m") == _status(judge=chosen_judge("openai:m", cached=cached))
    assert (1 if kept else 2) == len(providers.asked)


def test_what_an_object_cannot_keep_to_is_refused():
    """A pace that nobody would keep is not accepted in silence."""

    def model(prompt):
        raise AssertionError(prompt)

    message = "patience and limits a minute are for 'provider:model', not for"
    for spec, shown in ((model, "<function"), ("local", "'local'"), (ScriptedJudge({}), "<uaef.testing")):
        for limit in ({"requests_per_minute": 5}, {"tokens_per_minute": 5}, {"patience": Patience()}):
            with pytest.raises(DataError, match=f"{message} {shown}"):
                judge_for(spec, **limit)


@pytest.mark.parametrize("spec", ["openai:m", "local", str])
@pytest.mark.parametrize("limit", ["requests_per_minute", "tokens_per_minute", "timeout_s"])
@pytest.mark.usefixtures("providers")
def test_a_limit_that_is_none_is_refused(spec, limit):
    """By its name, whoever is named."""
    for value in (0, -5, float("nan")):
        with pytest.raises(UsageError, match=f"{limit} must be a finite number above 0, got {value!r}"):
            judge_for(spec, **{limit: value})


@pytest.mark.parametrize("address", ["127.0.0.1:8799/v1", "nonsense", "ftp://example.com/v1", "http://"])
def test_an_address_that_is_none_is_refused_before_anything_is_asked(address, monkeypatch):
    """With the address, and what one looks like."""
    monkeypatch.setenv("OPENAI_BASE_URL", address)
    with pytest.raises(DataError, match="an address begins with http:// or https://") as raised:
        judge_for("openai:m")
    assert repr(address) in str(raised.value)
