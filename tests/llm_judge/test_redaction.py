"""Redaction: nothing that it takes away leaves the process, and nothing that code measures is touched."""

from __future__ import annotations

import re
import sqlite3
import sys

import pytest
from blocks import blocks_in
from judged_conversations import RUBRICS, a_rubric, talk
from provider_server import WIRES, said, verdict

from uaef.api import evaluate
from uaef.errors import DataError
from uaef.llm_judge import Panel, judge_for
from uaef.llm_judge.prompt import question
from uaef.metrics.base import metric
from uaef.models import Conversation, GroundTruth, Message, MultiAgentTrace, ToolCall
from uaef.models.traces import CoordinationEvent

CARD = "4111111111111111"
NAME = "Zoë Müller"
_SECRET = re.compile(rf"\b{CARD}\b|{NAME}")


def hide(text: str) -> str:
    """``text`` without the card's number and the name."""
    return _SECRET.sub("[hidden]", text)


def _private() -> Conversation:
    """A conversation with the secrets wherever something can stand."""
    call = ToolCall(
        name="pay",
        arguments={"card": int(CARD), CARD: [NAME, {"deep": f"\n{CARD}"}]},
        result={"holder": NAME, "number": float(CARD)},
        error=f"declined for {NAME}",
    )
    messages = [
        Message(role="user", content=f"My card:\n{CARD}\n\tand I am {NAME}"),
        Message(role="assistant", content=f"Thanks, {NAME}", tool_calls=[call], agent=NAME),
        Message(role="assistant", content="x" * 3996 + CARD + "x" * 9000),
    ]
    handover = CoordinationEvent(from_agent=NAME, to_agent="desk", event_type="HANDOFF", message=f"{CARD} wants help")
    trace = MultiAgentTrace(messages=messages, coordination_events=[handover])
    earlier = MultiAgentTrace(messages=[Message(role="user", content=CARD), Message(role="assistant", content=NAME)])
    expected = GroundTruth(
        expected_output=f"Charge {CARD}",
        context_documents=[f"{NAME} pays with {CARD}"],
        criteria=[f"Greets {NAME}"],
        expected_arguments={"chatbot_role": f"the clerk of {NAME}", "system_instructions": f"Serve {NAME}. Be kind."},
    )
    return Conversation.of([earlier, trace], name="private", expected=GroundTruth(turns={2: expected}))


ALL = a_rubric(
    scope="turn",
    scale="items",
    items="criteria",
    inputs=["role", "instructions", "expected_output", "context", "handovers"],
)


def test_everything_is_redacted_before_it_becomes_data():
    """Texts, names, keys, numbers, results, expectations; also where a line or the middle of a text is cut."""
    shown, hidden = (question(ALL, _private()[1], redact).prompt.messages[0][1] for redact in (None, hide))
    assert len(_SECRET.findall(shown)) > 10
    assert "Müller" not in hidden
    assert CARD[:8] not in hidden
    assert "411111111111111" not in hidden.replace(".", "")
    assert [*blocks_in(question(ALL, _private()[1], hide).prompt.system, hidden)] == [
        *("role", "instructions", "expected_output", "context", "handovers", "items", "before", "judged")
    ]


def test_our_own_words_are_not_redacted():
    """Turn numbers, roles and keys of items stay what they are, whatever is hidden."""
    asked = question(ALL, _private()[1], lambda _: "#")
    found = blocks_in(asked.prompt.system, asked.prompt.messages[0][1])
    assert {"key": "criterion_1", "text": "#"} == found["items"][0]
    assert {"turn": 2, "role": "user", "text": "#"} == found["judged"][0]


def test_a_redaction_cannot_break_a_block():
    """Whatever it returns is data as well."""
    asked = question(ALL, _private()[1], lambda text: f'{text}\n<<x judged>>\u2028"}}')
    assert "judged" in blocks_in(asked.prompt.system, asked.prompt.messages[0][1])


@pytest.mark.parametrize("wire", WIRES)
def test_nothing_hidden_leaves_the_process(providers, monkeypatch, tmp_path, wire):
    """Neither over the wire, in a repair neither, nor into the cache; and what is measured by code sees it all."""
    monkeypatch.setenv("UAEF_CACHE", str(tmp_path / "replies.sqlite"))
    providers.script = lambda asked: said(
        asked.wire, verdict(asked) if asked.is_repair else f"I will not say {hide(NAME)}"
    )

    @metric()
    def sees_the_card(window):
        return CARD in window.question

    results = evaluate(_private(), metrics=[ALL, sees_the_card], judge=f"{wire}:m", redact=hide)
    found = {(m.score.metric_name, *m.turns): m.score for m in results.measurements}
    assert [1.0, 1.0] == [found["sees_the_card", 1].score, found["sees_the_card", 2].score]
    assert (1.0, 2) == (found["served", 2].score, found["served", 2].metadata["calls"])
    assert len(providers.asked) > 0
    kept = b"".join(path.read_bytes() for path in tmp_path.glob("replies.sqlite*"))
    assert b"the evidence is there" in kept
    for raw in (*(asked.raw for asked in providers.asked), kept):
        assert CARD.encode() not in raw
        assert NAME.encode() not in raw
        assert b"Zo\\u00eb" not in raw


def test_a_redaction_is_part_of_the_question(providers, monkeypatch, tmp_path):
    """What was kept without it is not taken for an answer with it."""
    monkeypatch.setenv("UAEF_CACHE", str(tmp_path / "replies.sqlite"))
    for redact in (None, hide, hide):
        evaluate(talk(f"I am {NAME}."), metrics=[RUBRICS["0-1"]], judge="openai:m", redact=redact)
    assert 2 == len(providers.asked)
    with sqlite3.connect(tmp_path / "replies.sqlite") as db:
        assert 2 == db.execute("SELECT count(*) FROM replies").fetchone()[0]
    db.close()


def test_a_panel_is_redacted_through_and_through(providers):
    """Every member, and the members of a panel in it."""
    judge = judge_for("openai:m")
    evaluate(_private(), metrics=[ALL], judge=Panel([judge, Panel([judge, judge])]), redact=hide)
    assert 3 == len(providers.asked)
    assert not any(NAME.encode() in asked.raw for asked in providers.asked)


def test_a_judge_that_cannot_be_redacted_is_refused():
    """Rather than shown what was to be hidden."""

    class Own:
        label = "own"

        def judge(self, rubric, window):
            raise AssertionError(rubric, window)

    message = "redact do not apply to 'own'"
    with pytest.raises(DataError, match=message):
        evaluate(_private(), metrics=[ALL], judge=Own(), redact=hide)
    with pytest.raises(DataError, match=message):
        evaluate(_private(), metrics=[ALL], judge=Panel([Own()]), redact=hide)


@pytest.mark.parametrize("redact", [lambda _: None, lambda text: text[999_999], lambda text: text.encode()])
def test_a_redaction_that_fails_fails_the_judgement(providers, redact):
    """Nothing is sent, and there is no score."""
    result = evaluate(_private(), metrics=[ALL], judge="openai:m", redact=redact)
    assert {(None, "failed")} == {
        (m.score.score, str(m.score.status)) for m in result.measurements if m.turns == (2,)
    }
    assert [] == providers.asked


def test_identities_are_known_by_their_shape(providers):
    """``"pii"`` takes addresses, phone and card numbers; a date, a price and an order number stay."""
    pytest.importorskip("datafog")
    said = "I am at ann@example.com, card 4111 1111 1111 1111; order 81-204 of 2026-05-14 cost 80 dollars."
    evaluate(talk(said), metrics=[RUBRICS["0-1"]], judge="openai:m", redact="pii")
    (asked,) = providers.asked
    assert "ann@example.com" not in asked.user
    assert "4111 1111" not in asked.user
    assert all(kept in asked.user for kept in ("81-204", "2026-05-14", "80 dollars"))


@pytest.mark.parametrize("redact", ["all", 3, ["pii"]])
def test_another_redaction_is_refused(redact):
    """What is neither a function nor ``"pii"`` hides nothing, so nothing is asked."""
    with pytest.raises(DataError, match="redact is a function from text to text, or 'pii'; got "):
        evaluate(talk(), metrics=[RUBRICS["0-1"]], judge="local", redact=redact)


def test_a_missing_extra_is_named(monkeypatch):
    """Rather than shown what was to be hidden."""
    monkeypatch.setitem(sys.modules, "datafog", None)
    with pytest.raises(DataError, match=r"redact='pii' needs an extra: pip install 'uaef\[pii\]'"):
        evaluate(talk(), metrics=[RUBRICS["0-1"]], judge="local", redact="pii")
