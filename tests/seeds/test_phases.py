"""The workflow page's two phases: which metric is measured on each turn, which on the whole, and on what."""

from __future__ import annotations

import pytest

from uaef.api import evaluate
from uaef.metrics import each_turn, get_metric, whole
from uaef.metrics.scopes import Outline
from uaef.models import GroundTruth, ToolCall
from uaef.testing import ScriptedJudge

PER_TURN = {
    "Tool Calling": [
        "tool_selection_accuracy",
        "tool_sequence_correctness",
        "parameter_quality",
        "mcp_compliance",
    ],
    "Response Quality": ["answer_relevance", "completeness", "hallucination_score", "accuracy"],
    "Responsible AI": ["safety_score", "bias_score", "prompt_injection_detection", "toxicity_score"],
    "Reasoning": [
        "chain_of_thought_coherence",
        "logical_consistency",
        "reasoning_step_correctness",
        "fallacy_detection",
    ],
    "Performance": ["latency_score", "token_efficiency", "cost_efficiency", "throughput"],
    "Multi-Agent": [
        "agent_utilization",
        "delegation_quality",
        "workflow_completion",
        "coordination_efficiency",
    ],
}
FULL_TRACE = [
    "context_retention",
    "coherence",
    "conversation_completeness",
    "turn_efficiency",
    "role_adherence",
    "holistic_llm_judge",
    "user_satisfaction",
    "sentiment",
    "agent_tone",
    "naturalness",
    "instruction_compliance",
    "optimum_turns",
]
OUTLINE = Outline(numbers=(1, 2, 3), tags=((), (), ()))


@pytest.mark.parametrize(
    ("dimension", "name"), [(dimension, name) for dimension, names in PER_TURN.items() for name in names]
)
def test_per_turn_metrics_are_measured_on_each_turn(dimension, name):
    """Every metric that the page lists for the per-turn phase belongs to its dimension and goes turn by turn."""
    metric = get_metric(name)
    assert dimension == metric.dimension
    assert each_turn(OUTLINE) == metric.scope(OUTLINE)


@pytest.mark.parametrize("name", FULL_TRACE)
def test_full_trace_metrics_are_measured_on_the_whole(name):
    """Every metric that the page lists for the full-trace phase is of Multi-Turn and measured once."""
    assert ("Multi-Turn", whole) == (get_metric(name).dimension, get_metric(name).scope)


def test_judge_metrics_are_asked_once_per_turn_or_once(session):
    """The judge of a per-turn metric sees each turn, that of a full-trace metric the conversation."""
    judge = ScriptedJudge({"answer_relevance": [0.9, 0.6, 0.3], "coherence": 0.8})
    result = evaluate(session, metrics=["coherence", "answer_relevance"], judge=judge)
    assert [
        ("answer_relevance", "tandem#1"),
        ("answer_relevance", "tandem#2"),
        ("answer_relevance", "tandem#3"),
        ("coherence", "tandem"),
    ] == sorted(judge.asked)
    assert {"answer_relevance": 0.6} == pytest.approx(result.metadata["per_turn_averages"])


def test_multi_agent_metrics_skip_a_single_agent(session):
    """They have no score on an ``AgentTrace``, and that is no failure."""
    result = evaluate(session, GroundTruth(expected_output="x"), PER_TURN["Multi-Agent"], judge=ScriptedJudge({}))
    [dimension] = result.dimension_results
    assert [(None, "not_applicable")] * 4 == [(s.score, s.metadata["warning"]) for s in dimension.metric_scores]


def test_each_turn_has_its_own_ground_truth(session):
    """A turn is judged by its own entry of the two arrays; one without an entry by the overall output."""
    seen = {}

    def reads(window):
        seen[window.numbers] = window.expected.expected_output
        return 1.0

    ground_truth = GroundTruth(
        expected_output="the tandem is repaired",
        expected_arguments={
            "per_turn_expected": ["an appointment", "an honest word about the brakes"],
            "per_turn_tools": [[ToolCall(name="look_up")], [ToolCall(name="inspect")]],
        },
    )
    result = evaluate(
        session, ground_truth, ["accuracy", "tool_selection_accuracy"], judge=ScriptedJudge({"accuracy": reads})
    )
    assert {
        (1,): "an appointment",
        (2,): "an honest word about the brakes",
        (3,): "the tandem is repaired",
    } == seen
    assert [0.2, 1.0, None] == [
        turn["metric_scores"]["tool_selection_accuracy"] for turn in result.metadata["per_turn"]
    ]


def test_missing_scores_leave_the_average(turn):
    """A turn without a score is not counted as zero: it is not counted."""
    turns = [turn(1, "It creaks.", "Where?", latency=4.0), turn(2, "At the crank.", "Monday, then.")]
    result = evaluate({"per_turn_traces": turns}, metrics=["latency_score"])
    assert [0.5, None] == [t["metric_scores"]["latency_score"] for t in result.metadata["per_turn"]]
    assert 0.5 == result.metadata["per_turn_averages"]["latency_score"]


@pytest.mark.parametrize(
    ("dependent", "source", "where"),
    [
        ("token_efficiency", "answer_relevance", "per turn"),
        ("cost_efficiency", "accuracy", "per turn"),
        ("turn_efficiency", "conversation_completeness", "on the whole"),
    ],
)
def test_dependent_metrics_know_what_they_need(turn, dependent, source, where):
    """They read the scores that were measured beside them, in whatever order they were named."""
    figures = {"input_tokens": 10, "output_tokens": 10, "cost": 0.001}
    session = {"per_turn_traces": [turn(n, f"Question {n}", f"Answer {n}", **figures) for n in (1, 2)]}
    judge = ScriptedJudge({source: [0.5, 0.25]})
    result = evaluate(session, GroundTruth(expected_output="x"), [dependent, source], judge=judge)
    found = {m.turns: m.score.score for m in result.measurements if m.metric == dependent}
    assert {"per turn": {(1,): 0.5, (2,): 0.25}, "on the whole": {(1, 2): 0.5}}[where] == found


def test_quality_score_in_metadata_is_honoured_and_never_written(turn):
    """A quality score that the caller recorded is used; one that was measured is not written to the trace."""
    figures = {"input_tokens": 10, "output_tokens": 10}
    given = turn(1, "Hm?", "Ok.", metadata={"quality_score": 0.7}, **figures)
    assert 0.7 == evaluate(given, metrics=["token_efficiency"]).overall_score
    plain = turn(1, "Hm?", "Ok.", **figures)
    judge = ScriptedJudge({"answer_relevance": 0.4})
    result = evaluate(plain, metrics=["token_efficiency", "answer_relevance"], judge=judge)
    assert 0.4 == result.metadata["quality_score"] == result.metadata["per_turn"][0]["quality_score"]
    assert {"turn_id": 1} == plain.metadata
