"""Performance: time, tokens and money, each value worked out by hand."""

from __future__ import annotations

import pytest

from uaef.api import evaluate
from uaef.errors import MetricError
from uaef.metrics import cost_efficiency, latency_score, throughput, token_efficiency
from uaef.models import GroundTruth, MetricScore, MultiAgentTrace, ScoreStatus
from uaef.testing import ScriptedJudge, turn


def found(metric, quality=None, **recorded):
    """The score of a turn with these figures; the quality is one that the caller has written into the metadata."""
    metadata = {} if quality is None else {"quality_score": quality}
    trace = turn("question", "answer", metadata=metadata | recorded.pop("metadata", {}), **recorded)
    return evaluate(trace, metrics=[metric]).measurements[0].score


@pytest.mark.parametrize(
    ("metric", "latency", "score"),
    [
        ("latency_score", 0, 1.0),
        ("latency_score", 0.0, 1.0),
        ("latency_score", 2, 1.0),
        ("latency_score", 4, 0.5),  # 2 / 4
        ("latency_score", 8, 0.25),
        (latency_score(target_s=1), 2, 0.5),
        (latency_score(target_s=10), 8, 1.0),
    ],
)
def test_latency_score(metric, latency, score):
    """1 up to the target of 2 s, target / latency beyond it."""
    assert score == found(metric, latency=latency).score


def test_latency_score_says_what_it_saw():
    """Milliseconds in the metadata, as documented, seconds in the sentence."""
    result = found("latency_score", latency=2.5)
    assert "2.5 s against a target of 2 s" == result.reasoning
    assert {"latency_ms": 2500.0, "threshold_ms": 2000.0, "within_threshold": False} == result.metadata


@pytest.mark.parametrize(
    ("metric", "tokens", "quality", "score"),
    [
        ("token_efficiency", (600, 400), 0.8, 0.8),
        ("token_efficiency", (0, 0), 0.8, 0.8),
        ("token_efficiency", (3000, 1000), 0.8, 0.4),  # 0.8 / (4000 / 1000) ** 0.5
        ("token_efficiency", (600, 400), 0.0, 0.0),  # a quality of 0 is a quality
        (token_efficiency(exponent=1), (3000, 1000), 0.8, 0.2),  # 0.8 / 4
        (token_efficiency(target_tokens=4000), (3000, 1000), 0.8, 0.8),
    ],
)
def test_token_efficiency(metric, tokens, quality, score):
    """Quality up to the target of 1000 tokens, quality / (tokens / target) ** 0.5 beyond it."""
    result = found(metric, quality, input_tokens=tokens[0], output_tokens=tokens[1])
    assert score == pytest.approx(result.score)
    assert (sum(tokens), quality) == (result.metadata["total_tokens"], result.metadata["quality_score"])


@pytest.mark.parametrize(
    ("metric", "cost", "quality", "score"),
    [
        (
            "cost_efficiency",
            0,
            0.9,
            0.9,
        ),  # what costs nothing is known; it used to be unknown
        ("cost_efficiency", 0.0, 0.9, 0.9),
        ("cost_efficiency", 0.01, 0.9, 0.9),
        ("cost_efficiency", 0.09, 0.9, 0.3),  # 0.9 / (0.09 / 0.01) ** 0.5
        (cost_efficiency(target_usd=0.09), 0.09, 0.9, 0.9),
        (cost_efficiency(exponent=1), 0.09, 0.9, 0.1),  # 0.9 / 9
    ],
)
def test_cost_efficiency(metric, cost, quality, score):
    """Quality up to the target of a cent, quality / (cost / target) ** 0.5 beyond it; read from the trace itself."""
    result = found(metric, quality, cost=cost)
    assert score == pytest.approx(result.score)
    assert cost == result.metadata["cost_usd"]


@pytest.mark.parametrize(
    ("metric", "tokens", "latency", "score"),
    [
        ("throughput", 10, 1, 0.5),  # 10 tokens/s of 20
        ("throughput", 40, 2, 1.0),
        ("throughput", 400, 2, 1.0),
        ("throughput", 0, 2, 0.0),
        (throughput(target_tokens_per_s=40), 40, 2, 0.5),
    ],
)
def test_throughput_is_tokens_a_second(metric, tokens, latency, score):
    """min(1, output tokens / latency / 20): latency feeds it; it used to wait for a figure that nothing set."""
    assert score == found(metric, output_tokens=tokens, latency=latency).score


@pytest.mark.parametrize(
    ("metric", "rps", "score"),
    [("throughput", 5, 0.5), ("throughput", 0, 0.0), ("throughput", 30.0, 1.0), (throughput(target_rps=5), 5, 1.0)],
)
def test_throughput_that_the_caller_measured(metric, rps, score):
    """Requests a second in the metadata come first, against their own target of 10."""
    result = found(metric, output_tokens=1, latency=1, metadata={"throughput_rps": rps})
    assert (score, rps) == (result.score, result.metadata["throughput_rps"])


@pytest.mark.parametrize("rps", [True, "5", None, -1])
def test_throughput_that_is_none(rps):
    """What is no rate is not taken for one; the tokens are counted instead."""
    assert 0.5 == found("throughput", output_tokens=10, latency=1, metadata={"throughput_rps": rps}).score


@pytest.mark.parametrize(
    ("metric", "recorded", "reasoning"),
    [
        ("latency_score", {}, "the latency was not recorded"),
        ("token_efficiency", {"quality": 0.5}, "the tokens were not recorded"),
        ("token_efficiency", {"quality": 0.5, "input_tokens": 5}, "the tokens were not recorded"),
        ("token_efficiency", {"quality": 0.5, "output_tokens": 5}, "the tokens were not recorded"),
        ("cost_efficiency", {"quality": 0.5}, "the cost was not recorded"),
        ("throughput", {"latency": 1}, "output tokens and a latency above 0 were not recorded"),
        ("throughput", {"output_tokens": 1}, "output tokens and a latency above 0 were not recorded"),
        ("throughput", {"output_tokens": 1, "latency": 0}, "output tokens and a latency above 0 were not recorded"),
        (
            "token_efficiency",
            {"input_tokens": 5, "output_tokens": 5},
            "no quality score: measure answer_relevance, completeness, accuracy or hallucination_score as well",
        ),
        (
            "cost_efficiency",
            {"cost": 0.5},
            "no quality score: measure answer_relevance, completeness, accuracy or hallucination_score as well",
        ),
        (
            "cost_efficiency",
            {"cost": 0.5, "quality": 5},
            "no quality score: measure answer_relevance, completeness, accuracy or hallucination_score as well",
        ),
    ],
)
def test_what_is_unknown_is_not_measured(metric, recorded, reasoning):
    """Without its figures a metric has no number and says which one is missing; unknown is never 0."""
    result = found(metric, recorded.pop("quality", None), **recorded)
    assert (None, ScoreStatus.NOT_APPLICABLE, "missing_data", reasoning) == (
        result.score,
        result.status,
        result.metadata["warning"],
        result.reasoning,
    )


EFFICIENCY = ["token_efficiency", "cost_efficiency"]
TRACE = turn("question", "answer", input_tokens=1, output_tokens=1, cost=0)
TRUTH = GroundTruth(expected_output="answer", context_documents=["document"])


def qualities(answers, *others, trace=TRACE):
    """What the efficiency metrics saw as quality, when the judge answers like this."""
    judge = ScriptedJudge(answers)
    result = evaluate(trace, TRUTH, metrics=[*EFFICIENCY, *answers, *others], judge=judge)
    return [m.score.score for m in result.measurements if m.metric in EFFICIENCY], judge, result


def test_quality_is_the_mean_of_the_quality_metrics():
    """All four count alike, and grounded is good: a perfect hallucination_score used to lower the quality."""
    answers = {"answer_relevance": 0.5, "completeness": 0.7, "accuracy": 0.8, "hallucination_score": 1.0}
    assert [0.75, 0.75] == qualities(answers)[0]
    assert [1.0, 1.0] == qualities({"hallucination_score": 1.0})[0]
    assert [0.0, 0.0] == qualities({"hallucination_score": 0.0})[0]


def test_quality_is_of_those_that_scored():
    """A quality metric that failed leaves the mean, not the others."""
    assert [0.6, 0.6] == qualities({"answer_relevance": 0.6, "accuracy": OSError("down")})[0]
    assert [None, None] == qualities({"answer_relevance": OSError("down")})[0]


def test_quality_metrics_are_never_run_unasked():
    """A dependency that nobody asked for costs nobody a judge call."""
    scores, judge, _ = qualities({})
    assert ([None, None], []) == (scores, judge.asked)


def test_measured_quality_comes_before_a_recorded_one():
    """What was measured now is newer than what somebody wrote into the metadata, which is left as it is."""
    trace = turn("question", "answer", input_tokens=1, output_tokens=1, cost=0, metadata={"quality_score": 0.1})
    assert [0.9, 0.9] == qualities({"answer_relevance": 0.9}, trace=trace)[0]
    assert {"quality_score": 0.1} == trace.metadata


def test_quality_that_was_used_can_be_seen():
    """The derived value stands beside the scores of its turn and of the whole."""
    result = qualities({"answer_relevance": 0.25, "accuracy": 0.75})[2]
    assert (0.5, 0.5) == (result.metadata["quality_score"], result.metadata["per_turn"][0]["quality_score"])


def test_quality_is_that_of_the_turn():
    """Each turn is held against its own quality, not against the conversation's."""
    turns = [turn(f"question {n}", "answer", input_tokens=1, output_tokens=1) for n in (1, 2)]
    judge = ScriptedJudge({"answer_relevance": [0.2, 0.8]})
    result = evaluate({"per_turn_traces": turns}, metrics=["token_efficiency", "answer_relevance"], judge=judge)
    assert [0.2, 0.8] == [entry["metric_scores"]["token_efficiency"] for entry in result.metadata["per_turn"]]
    assert [0.2, 0.8] == [entry["quality_score"] for entry in result.metadata["per_turn"]]


def test_figures_of_several_agents_count_like_those_of_one():
    """Tokens, cost and latency of a trace of several agents are read by the same metrics."""
    team = MultiAgentTrace(
        messages=TRACE.messages, input_tokens=600, output_tokens=400, total_latency=4, total_cost=0.0
    )
    judge = ScriptedJudge({"answer_relevance": 0.5})
    result = evaluate(team, metrics=["answer_relevance", "latency_score", *EFFICIENCY], judge=judge)
    assert [0.5, 0.5, 0.5, 0.5] == [m.score.score for m in result.measurements]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: latency_score(target_s=0), "latency_score(target_s=0): Expected float > 0.0"),
        (lambda: latency_score(target_s=float("nan")), "latency_score(target_s=nan): Expected float > 0.0"),
        (lambda: latency_score(target_s="2"), "latency_score(target_s='2'): Expected float, got str"),
        (lambda: token_efficiency(exponent=2), "token_efficiency(exponent=2): Expected float <= 1.0"),
        (lambda: throughput(target_rps=-1), "throughput(target_rps=-1): Expected float > 0.0"),
    ],
)
def test_targets_that_cannot_be_are_refused(make, message):
    """A target of nothing would divide by nothing."""
    with pytest.raises(MetricError) as raised:
        make()
    assert message == str(raised.value)


def test_scores_are_scores():
    """What a metric returns is a full score under its own name."""
    result = found("latency_score", latency=1)
    assert isinstance(result, MetricScore)
    assert "latency_score" == result.metric_name
