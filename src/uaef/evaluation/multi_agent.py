"""The evaluator for conversations in which several agents work together."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from uaef.evaluation.base_evaluator import BaseEvaluator
from uaef.models.traces import AgentTrace, MultiAgentTrace


class MultiAgentEvaluator(BaseEvaluator):
    """Evaluates ``MultiAgentTrace``s and conversations of them."""

    accepts: ClassVar[tuple[type[AgentTrace | MultiAgentTrace], ...]] = (MultiAgentTrace,)
    dimension_weights: Mapping[str, float] = {
        "Tool Calling": 0.20,
        "Response Quality": 0.20,
        "Responsible AI": 0.15,
        "Performance": 0.10,
        "Multi-Turn": 0.10,
        "Multi-Agent": 0.20,
        "Reasoning": 0.05,
    }
    thresholds: Mapping[str, float] = {
        "Tool Calling": 0.7,
        "Response Quality": 0.7,
        "Responsible AI": 0.8,
        "Performance": 0.6,
        "Multi-Turn": 0.6,
        "Multi-Agent": 0.7,
        "Reasoning": 0.6,
    }
