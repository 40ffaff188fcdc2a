"""Every module, function, class, method and field that the two UAEF pages name can be had where they name it.

Names with a leading underscore and ``FULL_TRACE_ONLY`` are the public system's insides and no API.
"""

from __future__ import annotations

import importlib
from pkgutil import resolve_name

import pytest

from uaef.metrics import list_metrics_by_dimension
from uaef.models import AgentTrace, DimensionResult, EvaluationResult, GroundTruth, MetricScore, MultiAgentTrace

NAMES = {
    "uaef.api": ["evaluate", "batch_evaluate"],
    "uaef.adapters": ["LangGraphAdapter", "AdapterTransformationError"],
    "uaef.adapters.langgraph": ["LangGraphAdapter.transform_to_canonical"],
    "uaef.data.ground_truth": [
        "build_ground_truth",
        "build_multi_turn_ground_truth",
        "parse_ground_truth_row",
    ],
    "uaef.evaluation": [
        "BaseEvaluator",
        "MultiAgentEvaluator",
        "MultiTurnEvaluator",
        "OfflineEvaluator",
        "SingleAgentEvaluator",
    ],
    "uaef.evaluation.base_evaluator": ["BaseEvaluator"],
    "uaef.evaluation.single_agent": [
        "SingleAgentEvaluator.evaluate",
        "SingleAgentEvaluator.evaluate_multi_turn",
    ],
    "uaef.evaluation.multi_agent": [
        "MultiAgentEvaluator.evaluate",
        "MultiAgentEvaluator.evaluate_multi_turn",
    ],
    "uaef.evaluation.multi_turn": [
        "MultiTurnEvaluator.evaluate",
        "MultiTurnEvaluator.evaluate_conversation",
    ],
    "uaef.models": [
        "AgentTrace",
        "DimensionResult",
        "EvaluationResult",
        "GroundTruth",
        "MetricScore",
        "MultiAgentTrace",
    ],
    "uaef.models.ground_truth": ["GroundTruth"],
    "uaef.metrics": ["get_metric", "list_metrics", "register_use_case_specific_metrics", "Metric.get_name"],
    "uaef.metrics.registry": ["get_metric"],
    "uaef.metrics.multi_turn": list_metrics_by_dimension()["Multi-Turn"],
    "uaef.metrics.utils": ["extract_json_from_llm_response"],
}

FIELDS = [
    (AgentTrace(), ["session_id", "messages", "metadata", "latency", "input_tokens", "output_tokens"]),
    (MultiAgentTrace(), ["session_id", "messages", "metadata", "latency", "input_tokens", "output_tokens"]),
    (GroundTruth(), ["expected_output", "expected_arguments", "expected_tool_calls"]),
    (MetricScore(metric_name="m"), ["metric_name", "score", "reasoning", "metadata"]),
    (DimensionResult(dimension_name="d", metric_scores=[]), ["dimension_name", "metric_scores"]),
    (EvaluationResult(trace_id="t"), ["overall_score", "passed", "dimension_results", "metadata"]),
]


@pytest.mark.parametrize("path", [f"{module}:{name}" for module, names in NAMES.items() for name in names])
def test_documented_names_can_be_imported(path):
    """A name that a page puts into a module is in that module."""
    assert resolve_name(path) is not None


@pytest.mark.parametrize("module", NAMES)
def test_documented_modules_can_be_imported(module):
    """A module that a page names is a module, not an attribute that looks like one."""
    assert module == importlib.import_module(module).__name__


@pytest.mark.parametrize(
    ("model", "field"),
    [(model, field) for model, fields in FIELDS for field in fields],
    ids=lambda value: value if isinstance(value, str) else type(value).__name__,
)
def test_documented_fields_exist(model, field):
    """A field that a page reads is there."""
    assert hasattr(model, field)


def test_session_id_is_optional_and_turn_id_no_field():
    """A trace needs no session id, and a turn's number is no field of it."""
    assert AgentTrace().session_id is None
    with pytest.raises(TypeError, match="turn_id"):
        AgentTrace(turn_id=1)
