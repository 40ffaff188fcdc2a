"""The evaluator for conversations with one agent."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from uaef.evaluation.base_evaluator import BaseEvaluator
from uaef.models.traces import AgentTrace, MultiAgentTrace


class SingleAgentEvaluator(BaseEvaluator):
    """Evaluates ``AgentTrace``s and conversations of them."""

    accepts: ClassVar[tuple[type[AgentTrace | MultiAgentTrace], ...]] = (AgentTrace,)
    dimension_weights: Mapping[str, float] = {
        "Tool Calling": 0.25,
        "Response Quality": 0.25,
        "Responsible AI": 0.20,
        "Performance": 0.10,
        "Multi-Turn": 0.10,
        "Reasoning": 0.10,
    }
    thresholds: Mapping[str, float] = {
        "Tool Calling": 0.7,
        "Response Quality": 0.7,
        "Responsible AI": 0.8,
        "Performance": 0.6,
        "Multi-Turn": 0.6,
        "Reasoning": 0.6,
    }
