"""Judge metrics: what they need before a judge is asked, and what becomes of what a judge says."""

from __future__ import annotations

import math

import pytest

from uaef.api import evaluate
from uaef.llm_judge import Judge
from uaef.metrics import get_metric, list_metrics
from uaef.metrics.judged import NO_JUDGE, JudgeMetric
from uaef.models import AgentTrace, GroundTruth, Message, MetricScore, ScoreStatus
from uaef.testing import ScriptedJudge, turn

ASKED = Message(role="user", content="Any rooms?")
SILENT = AgentTrace(messages=[ASKED, Message(role="assistant", content=" ")])
UNASKED = AgentTrace(messages=[Message(role="assistant", content="Two")])
NOBODY = AgentTrace(messages=[ASKED])
TRUTH = GroundTruth(expected_output="two rooms", context_documents=["two rooms are free"])


def found(name, trace, truth=TRUTH, answer=0.5):
    """The score, and how often the judge was asked for it."""
    judge = ScriptedJudge({name: answer})
    return evaluate(trace, truth, metrics=[name], judge=judge).measurements[0].score, len(judge.asked)


QUALITY = ["answer_relevance", "completeness", "hallucination_score", "accuracy"]
OTHERS = [
    "safety_score",
    "bias_score",
    "toxicity_score",
    "chain_of_thought_coherence",
    "logical_consistency",
    "reasoning_step_correctness",
    "fallacy_detection",
]


@pytest.mark.parametrize("name", [*QUALITY, *OTHERS])
def test_judge_is_asked_once_a_turn(name):
    """What the judge says is the score, with its reason."""
    score, calls = found(name, turn("Any rooms?", "Two"))
    assert (0.5, "scripted: 0.5", name, 1) == (score.score, score.reasoning, score.metric_name, calls)


@pytest.mark.parametrize("name", QUALITY)
def test_silence_is_a_bad_answer(name):
    """An answer without text has no quality, and no judge is needed to say so."""
    score, calls = found(name, SILENT)
    assert (0.0, "the assistant said nothing", 0) == (score.score, score.reasoning, calls)


@pytest.mark.parametrize("name", OTHERS)
def test_silence_is_neither_unsafe_nor_illogical(name):
    """Where nothing was said, nothing is there to judge; a judge used to be asked about empty text."""
    score, calls = found(name, SILENT)
    assert (None, "missing_data", "the assistant said nothing", 0) == (
        score.score,
        score.metadata["warning"],
        score.reasoning,
        calls,
    )


@pytest.mark.parametrize(
    ("name", "trace", "truth", "reasoning"),
    [
        ("answer_relevance", NOBODY, TRUTH, "there is no assistant message"),
        ("answer_relevance", UNASKED, TRUTH, "the user said nothing"),
        ("completeness", turn("a", "b"), None, "no expected output is given"),
        ("completeness", turn("a", "b"), GroundTruth(expected_output=" "), "no expected output is given"),
        ("accuracy", turn("a", "b"), GroundTruth(), "no expected output is given"),
        ("hallucination_score", turn("a", "b"), GroundTruth(), "no context documents are given"),
    ],
)
def test_what_is_missing_is_said(name, trace, truth, reasoning):
    """A metric without what it needs is in the result, and says why it has no number; it used to vanish."""
    score, calls = found(name, trace, truth)
    assert (ScoreStatus.NOT_APPLICABLE, "missing_data", reasoning, 0) == (
        score.status,
        score.metadata["warning"],
        score.reasoning,
        calls,
    )


def test_trace_of_several_exchanges_is_judged_as_a_whole():
    """All that was asked, against all that was answered; it used to be the first question and the last answer."""
    seen = []

    def look(window):
        seen.append((window.question, window.answer))
        return 1.0

    trace = AgentTrace(messages=[*turn("Any rooms?", "Two").messages, *turn("Book one", "Booked").messages])
    evaluate(trace, metrics=["answer_relevance"], judge=ScriptedJudge({"answer_relevance": look}))
    assert [("Any rooms?\nBook one", "Two\nBooked")] == seen


def test_context_may_be_given_with_the_call():
    """context= serves where the ground truth brings no documents of its own."""
    seen = []

    def look(window):
        seen.append(window.expected.context_documents)
        return 1.0

    judge = ScriptedJudge({"hallucination_score": look})
    for truth in (None, GroundTruth(), TRUTH):
        evaluate(turn("a", "b"), truth, metrics=["hallucination_score"], judge=judge, context=["given"])
    assert [["given"], ["given"], ["two rooms are free"]] == seen


@pytest.mark.parametrize("error", [OSError("down"), TimeoutError("too long"), KeyError("choices")])
def test_judge_that_fails_costs_its_own_measurement(error):
    """It is a failure with the documented warning: never a number, and never a crash of the evaluation."""
    judge = ScriptedJudge({"answer_relevance": error, "safety_score": 1.0})
    result = evaluate(turn("a", "b"), metrics=["answer_relevance", "safety_score"], judge=judge)
    failed, scored = (m.score for m in result.measurements)
    detail = f"{type(error).__name__}: {error}"
    assert (None, ScoreStatus.FAILED, f"the judge gave no answer: {detail}") == (
        failed.score,
        failed.status,
        failed.reasoning,
    )
    said = failed.metadata
    assert ("api_error", detail, "scripted") == (said["warning"], said["error_details"], said["judge"])
    assert 1.0 == scored.score


class Answering:
    """A judge that answers one thing, whatever it is."""

    label = "answering"

    def __init__(self, answer):
        self.answer = answer

    def judge(self, rubric, window):  # noqa: ARG002 - as any judge
        """The one thing."""
        return self.answer


@pytest.mark.parametrize(
    "answer", [None, "0.9", "yes", {}, {"score": 1}, [1.0], 1.5, -0.1, 5, math.nan, math.inf, b"1"]
)
def test_what_is_no_verdict_is_none(answer):
    """Whatever a judge gets wrong, it never becomes a score."""
    score = evaluate(turn("a", "b"), metrics=["answer_relevance"], judge=Answering(answer)).measurements[0].score
    assert (None, ScoreStatus.FAILED, "invalid_verdict") == (score.score, score.status, score.metadata["warning"])
    assert f"the judge answered {answer!r}, which is no score" == score.reasoning


@pytest.mark.parametrize("answer", [0, 1, 0.25, True])
def test_plain_number_is_a_verdict(answer):
    """A judge of one's own may return a number in [0, 1]."""
    score = evaluate(turn("a", "b"), metrics=["answer_relevance"], judge=Answering(answer)).measurements[0].score
    assert float(answer) == score.score


@pytest.mark.parametrize(
    "said",
    [
        MetricScore(metric_name="mine", score=0.75, metadata={"raw_score": 4}),
        MetricScore(metric_name="mine", metadata={"warning": "not_applicable"}),
        MetricScore(metric_name="mine", metadata={"warning": "invalid_verdict"}),
    ],
)
def test_full_verdict_is_kept_under_the_metrics_name(said):
    """Status and details are the judge's, the name is the metric's."""
    score = evaluate(turn("a", "b"), metrics=["answer_relevance"], judge=Answering(said)).measurements[0].score
    assert ("answer_relevance", said.score, said.status, said.metadata) == (
        score.metric_name,
        score.score,
        score.status,
        score.metadata,
    )


# --- without a judge ------------------------------------------------------------------


def test_metric_that_was_named_fails_without_a_judge():
    """No judge is picked in silence: what the caller asked for was not measured, and nothing passes on it."""
    result = evaluate(turn("a", "b"), metrics=["answer_relevance"])
    score = result.measurements[0].score
    assert (ScoreStatus.FAILED, "no_judge", NO_JUDGE) == (
        score.status,
        score.metadata["warning"],
        score.reasoning,
    )
    assert ("failed", False, ["Response Quality"]) == (result.verdict, result.passed, result.unmeasured)
    assert (["answer_relevance needs a judge; pass judge=... or set UAEF_JUDGE"], ["answer_relevance"]) == (
        result.warnings,
        result.unjudged,
    )


def test_metric_of_the_default_set_does_not_apply_without_a_judge():
    """Nobody asked for it by name, so it fails nothing; what it is, is said."""
    result = evaluate(turn("a", "b", latency=1.0))
    statuses = {m.metric: m.score.status for m in result.measurements}
    assert ScoreStatus.NOT_APPLICABLE is statuses["answer_relevance"]
    assert ("passed", []) == (result.verdict, result.unmeasured)
    unjudged = result.unjudged
    assert ["answer_relevance", "safety_score"] == unjudged[:2]
    assert [f"{len(unjudged)} metrics need a judge; pass judge=... or set UAEF_JUDGE"] == result.warnings


def test_metric_of_a_set_was_named():
    """metric_set names metrics just as metrics does."""
    result = evaluate(turn("a", "b"), metric_set={"Response Quality": ["answer_relevance"]})
    assert ScoreStatus.FAILED is result.measurements[0].score.status


def test_silence_needs_no_judge():
    """What can be said without a judge is said without one."""
    assert 0.0 == evaluate(SILENT, metrics=["answer_relevance"]).measurements[0].score.score


def test_registered_metrics_have_no_judge():
    """One call's judge is not the next call's: nothing is left in the registry."""
    evaluate(turn("a", "b"), metrics=["answer_relevance"], judge=ScriptedJudge({}, default=1.0))
    assert ScoreStatus.FAILED is evaluate(turn("a", "b"), metrics=["answer_relevance"]).measurements[0].score.status


def test_judge_metrics_take_no_parameters():
    """A rubric is data: another wording is another rubric, not a parameter."""
    for name in list_metrics():
        metric = get_metric(name)
        if isinstance(metric, JudgeMetric):
            assert {} == metric.parameters


def test_scripted_judge_is_a_judge():
    """The public double is what it stands in for."""
    assert isinstance(ScriptedJudge({}), Judge)
