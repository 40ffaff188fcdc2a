"""The workflow page's table of default weights, the thresholds beside it, and how a caller changes them."""

from __future__ import annotations

import pytest

from uaef.api import evaluate
from uaef.evaluation import MultiAgentEvaluator, MultiTurnEvaluator, SingleAgentEvaluator

WEIGHTS = [
    # dimension, single-agent, multi-agent, multi-turn
    ("Tool Calling", 0.25, 0.20, None),
    ("Response Quality", 0.25, 0.20, None),
    ("Responsible AI", 0.20, 0.15, None),
    ("Performance", 0.10, 0.10, None),
    ("Multi-Turn", 0.10, 0.10, 1.0),
    ("Multi-Agent", None, 0.20, None),
    ("Reasoning", 0.10, 0.05, None),
]
THRESHOLDS = [
    ("Tool Calling", 0.7, 0.7, None),
    ("Response Quality", 0.7, 0.7, None),
    ("Responsible AI", 0.8, 0.8, None),
    ("Performance", 0.6, 0.6, None),
    ("Multi-Turn", 0.6, 0.6, 0.7),
    ("Multi-Agent", None, 0.7, None),
    ("Reasoning", 0.6, 0.6, None),
]
EVALUATORS = [SingleAgentEvaluator, MultiAgentEvaluator, MultiTurnEvaluator]
SLOW_BUT_RIGHT = {"metrics": ["tool_selection_accuracy", "latency_score"]}


@pytest.mark.parametrize("column", range(3), ids=[e.__name__ for e in EVALUATORS])
def test_defaults_are_those_of_the_tables(column):
    """Each evaluator has the weights and thresholds of its column, and no others."""
    evaluator = EVALUATORS[column]()
    for table, actual in ((WEIGHTS, evaluator.dimension_weights), (THRESHOLDS, evaluator.thresholds)):
        assert {row[0]: row[column + 1] for row in table if row[column + 1] is not None} == actual


@pytest.fixture
def slow(turn):
    """A turn that calls the right tool (1.0) and takes four times the target (0.25)."""
    return turn(1, "A tyre?", "28 inches.", tools=["stock"], latency=8.0)


RIGHT_TOOL = {"expected_tool_calls": [{"name": "stock"}]}


def test_defaults_are_applied(slow):
    """The overall score is weighted, and a dimension under its threshold fails the result."""
    result = evaluate(slow, RIGHT_TOOL, **SLOW_BUT_RIGHT)
    assert {"Tool Calling": 0.25, "Performance": 0.10} == {
        d.dimension_name: d.weight for d in result.dimension_results
    }
    assert (0.25 * 1.0 + 0.10 * 0.25) / 0.35 == pytest.approx(result.overall_score)
    assert ["Performance: score 0.250 below threshold 0.600"] == result.failures
    assert not result.passed


def test_defaults_can_be_overridden_per_call(slow):
    """Weights and thresholds given for a call are laid over the defaults."""
    result = evaluate(
        slow,
        RIGHT_TOOL,
        **SLOW_BUT_RIGHT,
        dimension_weights={"Performance": 0.75},
        thresholds={"Performance": 0.2},
    )
    assert 0.25 * 1.0 + 0.75 * 0.25 == pytest.approx(result.overall_score)
    assert {"Tool Calling": 0.7, "Performance": 0.2} == result.metadata["thresholds"]
    assert result.passed


@pytest.mark.parametrize("option", ["dimension_weights", "thresholds"])
def test_dimensions_go_by_their_exact_names(slow, option):
    """A key in another spelling is an error that names the right one."""
    with pytest.raises(ValueError, match="Did you mean 'Tool Calling'"):
        evaluate(slow, RIGHT_TOOL, **SLOW_BUT_RIGHT, **{option: {"tool_calling": 0.5}})


def test_empty_dimensions_do_not_count(slow):
    """A dimension in which nothing scored has no score, and the overall score leaves it out."""
    result = evaluate(slow, metrics=[*SLOW_BUT_RIGHT["metrics"], "agent_utilization"])
    assert {"Tool Calling": None, "Performance": 0.25, "Multi-Agent": None} == {
        d.dimension_name: d.aggregate_score for d in result.dimension_results
    }
    assert 0.25 == result.overall_score
