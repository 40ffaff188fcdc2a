"""The local judge: deterministic, offline, and silent where words say nothing."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from uaef import evaluate
from uaef.llm_judge import Judge, Rubric
from uaef.llm_judge.choice import chosen_judge, judge_for
from uaef.llm_judge.local import SIGNALS, LocalJudge
from uaef.metrics.judged import JudgeMetric, judged
from uaef.metrics.registry import registered_metrics
from uaef.models.conversation import Conversation
from uaef.models.ground_truth import GroundTruth
from uaef.models.message import Message
from uaef.models.scores import ScoreStatus
from uaef.testing import turn


def talk(*texts, **expected):
    """A conversation of alternating user and assistant texts."""
    roles = ("user", "assistant")
    messages = [Message(role=roles[place % 2], content=text) for place, text in enumerate(texts)]
    return Conversation.from_messages(messages, name="refund", expected=GroundTruth(**expected))


REFUND = talk(
    "Hi, my order number is A1234. Can I return it?",
    "Yes, you can return order A1234 within 30 days.",
    "Great, thanks! When do I get the money?",
    "The refund for A1234 takes 5 days.",
    expected_output="Returns within 30 days. The refund takes 5 days.",
    criteria=['mentions "30 days"', "is polite"],
    context_documents=["Orders can be returned within 30 days. A refund takes 5 days."],
)


def rubric(name):
    """A rubric of that name."""
    return Rubric(name=name, text="How good is it?")


def test_it_is_a_judge():
    """It has a label with its version, and is what judge="local" stands for."""
    assert isinstance(LocalJudge(), Judge)
    assert "local/1" == LocalJudge().label
    assert isinstance(judge_for("local"), LocalJudge)


def test_a_budget_and_redaction_leave_it_as_it_is():
    """It costs nothing and nothing leaves the process, so both are kept to."""
    assert isinstance(chosen_judge("local", max_cost_usd=0.0, redact=str.upper), LocalJudge)
    assert 0.0 == LocalJudge.price.of(1_000_000, 1_000_000)


@pytest.mark.parametrize("name", sorted(SIGNALS))
def test_each_signal_scores_under_the_name_of_its_rubric(name):
    """A score lies in [0, 1] and says who judged by which wording; only the measured signal is not marked."""
    pytest.importorskip("vaderSentiment", reason="the lexicon of sentiment is not installed")
    score = LocalJudge().judge(judged(name).rubric, REFUND)
    assert name == score.metric_name
    assert ScoreStatus.SCORED is score.status
    assert ("local/1", "1") == (score.metadata["judge"], score.metadata["rubric_version"])
    marked = None if name == "hallucination_score" else "uncalibrated"
    assert marked == score.metadata.get("calibration")


def test_signals_have_rubrics():
    """Each signal belongs to a built-in rubric, and the signals answer to no other name."""
    names = {metric.rubric.name for metric in registered_metrics() if isinstance(metric, JudgeMetric)}
    assert set() == SIGNALS.keys() - names


@pytest.mark.parametrize("name", ["answer_relevance", "coherence", "safety_score", "toxicity_score", "my_own"])
def test_what_has_no_signal_needs_an_llm_judge(name):
    """No number, no failure, and how to get one."""
    score = LocalJudge().judge(rubric(name), REFUND)
    assert None is score.score
    assert ScoreStatus.NOT_APPLICABLE is score.status
    assert {"judge": "local/1", "rubric_version": "1", "warning": "not_applicable"} == score.metadata
    assert "needs an LLM judge (openai:MODEL, anthropic:MODEL, bedrock:MODEL): words alone say nothing about it" == (
        score.reasoning
    )


def test_a_signal_serves_each_exchange_too():
    """What is scored on the whole is scored turn by turn under the name of the other flavour."""
    happy = turn("That is wonderful, thank you so much!", "You are welcome.")
    result = evaluate(happy, metrics=["sentiment", "per_turn_sentiment"], judge="local")
    whole, each = (m.score.score for m in result.measurements)
    assert whole is not None
    assert whole == each


def test_it_serves_evaluate():
    """Through the front door its scores arrive in their dimension."""
    result = evaluate(REFUND, metrics=["hallucination_score", "coherence"], judge="local")
    found = {m.metric: m.score.score for m in result.measurements if not m.whole}
    assert 0.7 <= found["hallucination_score"] <= 1.0
    assert "coherence" not in found


@pytest.mark.parametrize("name", sorted(SIGNALS))
def test_it_is_deterministic(name):
    """The same question, the same answer, from another judge too."""
    assert LocalJudge().judge(rubric(name), REFUND) == LocalJudge().judge(rubric(name), REFUND)


@pytest.mark.parametrize("name", sorted(SIGNALS))
@given(texts=st.lists(st.text(), min_size=2, max_size=6), expected=st.text(), document=st.text())
def test_any_text_gets_a_score_in_range_or_none(name, texts, expected, document):
    """Nothing said makes it raise; a score it gives lies in [0, 1]."""
    window = talk(*texts, expected_output=expected, criteria=[expected], context_documents=[document])
    score = LocalJudge().judge(rubric(name), window)
    assert score.status in (ScoreStatus.SCORED, ScoreStatus.NOT_APPLICABLE)


HOSTILE = [
    "",
    "a",
    "-",
    "a-",
    "9",
    "1.",
    "12:30",
    "may 5 ",
    "no ",
    "not valid ",
    '"a" and ',
    "but good ",
    "\U0001f600",
    "e\u0301\u0327",
    "a@",
    "\u200b",
    "please provide your order number: \n- ",
    "The refund takes 5 days. ",
]


@pytest.mark.parametrize("unit", HOSTILE)
def test_time_grows_with_the_length_and_not_with_its_square(unit):
    """Eight times the text takes far less than 64 times as long, whatever the text."""
    short, long = (_seconds(unit, size) for size in (2_000, 16_000))
    assert long < 24 * short + 0.5


def _seconds(unit, size):
    text = (unit * size)[:size]
    window = talk(text, text, text, text + " ok", expected_output=text, criteria=[text], context_documents=[text])
    started = time.process_time()
    for name in SIGNALS:
        LocalJudge().judge(rubric(name), window)
    return time.process_time() - started
