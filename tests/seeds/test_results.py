"""The workflow page's result: its structure, and every turn's score and reason in two places."""

from __future__ import annotations

import pytest

from uaef.api import evaluate
from uaef.evaluation import SingleAgentEvaluator
from uaef.models import GroundTruth, ToolCall
from uaef.testing import ScriptedJudge

EXPECTED = GroundTruth(
    expected_arguments={
        "per_turn_tools": [
            [ToolCall(name=name) for name in ("look_up", "a", "b", "c")],
            [ToolCall(name=name) for name in ("inspect", "get_statistics")],
            [],
        ]
    }
)
PRINTED = """\
Average across 3 turns:
  Turn 1 (0.80): called unasked d
  Turn 2 (0.50): missed get_statistics
  Turn 3 (1.00): no tool needed, none called"""


@pytest.fixture
def result(session):
    """The result of ``evaluate_multi_turn`` with a metric of each phase."""
    return SingleAgentEvaluator().evaluate_multi_turn(
        session["per_turn_traces"],
        session["full_trace"],
        EXPECTED,
        metrics=["tool_selection_accuracy", "turn_efficiency", "coherence"],
        judge=ScriptedJudge({"coherence": 0.8}),
    )


def score_of(result, name):
    """The one score of a metric, found as the page finds it."""
    return next(
        score
        for dimension in result.dimension_results
        for score in dimension.metric_scores
        if score.metric_name == name
    )


def test_result_has_the_documented_structure(result):
    """The overall score, the verdict, the dimensions, and the three metadata entries."""
    tools, multi_turn = result.dimension_results
    assert ("Tool Calling", "Multi-Turn") == (tools.dimension_name, multi_turn.dimension_name)
    assert (2.3 / 3, 0.9) == pytest.approx((tools.aggregate_score, multi_turn.aggregate_score))
    assert (0.25 * 2.3 / 3 + 0.10 * 0.9) / 0.35 == pytest.approx(result.overall_score)
    assert result.passed is True
    assert result.metadata["is_multi_agent"] is False
    assert {"tool_selection_accuracy": 2.3 / 3} == pytest.approx(result.metadata["per_turn_averages"])
    assert [{"turn", "metric_scores", "reasoning"}] * 3 == [set(e) for e in result.metadata["per_turn"]]


def test_average_lists_every_turn(result):
    """The averaged score carries ``{turn, score, reasoning}`` for each turn."""
    score = score_of(result, "tool_selection_accuracy")
    assert [
        (1, 0.8, "called unasked d"),
        (2, 0.5, "missed get_statistics"),
        (3, 1.0, "no tool needed, none called"),
    ] == [(entry["turn"], entry["score"], entry["reasoning"]) for entry in score.metadata["per_turn"]]


def test_average_prints_every_turn(result):
    """Its reasoning is the same as text, ready to be printed."""
    assert PRINTED == score_of(result, "tool_selection_accuracy").reasoning


def test_both_structured_forms_agree(result):
    """The conversation's ``per_turn`` carries the same scores and reasons as the metric's."""
    by_metric = score_of(result, "tool_selection_accuracy").metadata["per_turn"]
    by_turn = [
        {
            "turn": entry["turn"],
            "score": entry["metric_scores"]["tool_selection_accuracy"],
            "reasoning": entry["reasoning"]["tool_selection_accuracy"],
        }
        for entry in result.metadata["per_turn"]
    ]
    assert by_metric == by_turn


def test_full_trace_metrics_keep_their_own_reasoning(result):
    """A metric that is measured once has no turns to list, and its reasoning is what it said."""
    coherence = score_of(result, "coherence")
    assert "scripted: 0.8" == coherence.reasoning
    assert "per_turn" not in coherence.metadata


def test_turns_are_called_by_their_numbers(turn):
    """A missing turn leaves a gap, and the ground truth of the turns after it stays with them."""
    turns = [
        turn(1, "It creaks.", "Monday.", tools=["look_up"]),
        turn(3, "And the brakes?", "Worn.", tools=["inspect"]),
    ]
    expected = {"expected_arguments": {"per_turn_tools": [["look_up"], ["stock"], ["inspect"]]}}
    result = evaluate({"per_turn_traces": turns}, expected, metrics=["tool_selection_accuracy"])
    assert [(1, {"tool_selection_accuracy": 1.0}), (3, {"tool_selection_accuracy": 1.0})] == [
        (entry["turn"], entry["metric_scores"]) for entry in result.metadata["per_turn"]
    ]
