"""The public double of a judge, and the builder of turns: what they promise to those who test with them."""

from __future__ import annotations

import pytest

from uaef.api import evaluate
from uaef.llm_judge import Rubric
from uaef.models import Conversation, MessageRole, MetricScore, ToolCall
from uaef.testing import ScriptedJudge, turn

WINDOW = Conversation.of(turn("Any rooms?", "Two"), name="hotel")
RUBRIC = Rubric(name="coherence", text="Is it coherent?")


def test_answers():
    """A number, a function of the window, a whole score: each becomes the score that it stands for."""
    whole = MetricScore(metric_name="coherence", score=0.25, reasoning="mine")
    for script, score, reasoning in (
        (0.5, 0.5, "scripted: 0.5"),
        (1, 1.0, "scripted: 1"),
        (lambda window: len(window.answer) / 10, 0.3, "scripted: 0.3"),
        (whole, 0.25, "mine"),
        (lambda _: whole, 0.25, "mine"),
    ):
        found = ScriptedJudge({"coherence": script}).judge(RUBRIC, WINDOW)
        assert (score, reasoning) == (found.score, found.reasoning)


def test_list_is_one_answer_a_call():
    """Call by call; what is too much to ask is an error that says so."""
    judge = ScriptedJudge({"coherence": [0.5, OSError("down"), 1.0]})
    assert 0.5 == judge.judge(RUBRIC, WINDOW).score
    with pytest.raises(OSError, match=r"^down$"):
        judge.judge(RUBRIC, WINDOW)
    assert 1.0 == judge.judge(RUBRIC, WINDOW).score
    with pytest.raises(LookupError, match=r"^the script has no answer left for hotel$"):
        judge.judge(RUBRIC, WINDOW)


def test_default_answers_what_is_not_in_the_script():
    """It may be anything that an answer may be; without one, an unscripted metric is an error."""
    assert 0.5 == ScriptedJudge({}, default=0.5).judge(RUBRIC, WINDOW).score
    assert 0.0 == ScriptedJudge({}, default=0.0).judge(RUBRIC, WINDOW).score
    assert 0.75 == ScriptedJudge({}, default=[0.75]).judge(RUBRIC, WINDOW).score
    with pytest.raises(LookupError, match=r"^the script has no answer for coherence$"):
        ScriptedJudge({}).judge(RUBRIC, WINDOW)


def test_it_remembers_what_it_was_asked():
    """Metric and slice, call by call, so that a test can count what would be paid for."""
    judge = ScriptedJudge({}, default=0.5)
    turns = [turn("a", "b"), turn("c", "d")]
    session = {"session_id": "hotel", "per_turn_traces": turns}
    evaluate(session, metrics=["answer_relevance", "coherence"], judge=judge)
    assert [("answer_relevance", "hotel#1"), ("answer_relevance", "hotel#2"), ("coherence", "hotel")] == judge.asked


def test_turn_is_a_recorded_exchange():
    """The user's message, the empty one that carries the calls, the answer; and whatever else was recorded."""
    pay = ToolCall(name="pay", arguments={"n": 1})
    made = turn("Any rooms?", "Two", ["find", pay], latency=1.5, session_id="hotel")
    assert [
        (MessageRole.USER, "Any rooms?", 0),
        (MessageRole.ASSISTANT, "", 2),
        (MessageRole.ASSISTANT, "Two", 0),
    ] == [(m.role, m.content, len(m.tool_calls)) for m in made.messages]
    assert ([ToolCall(name="find"), pay], 1.5, "hotel") == (made.tool_calls, made.latency, made.session_id)
    assert 2 == len(turn("Hi", "Hello").messages)
