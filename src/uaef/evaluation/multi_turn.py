"""A conversation-first evaluator: it takes messages and weighs the Multi-Turn dimension alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Unpack

from uaef.evaluation.base_evaluator import BaseEvaluator, Expected
from uaef.evaluation.settings import MetricNames, Options
from uaef.metrics.base import Metric
from uaef.metrics.registry import registered_metrics
from uaef.models.base import replaced
from uaef.models.conversation import Conversation
from uaef.models.ground_truth import GroundTruth
from uaef.models.message import Message
from uaef.models.results import EvaluationResult


class MultiTurnEvaluator(BaseEvaluator):
    """Evaluates any conversation by its Multi-Turn metrics."""

    dimension_weights: Mapping[str, float] = {"Multi-Turn": 1.0}
    thresholds: Mapping[str, float] = {"Multi-Turn": 0.7}

    def available_metrics(self) -> list[Metric]:
        """Every registered metric of the Multi-Turn dimension."""
        return [m for m in registered_metrics() if m.dimension in self.dimension_weights]

    def evaluate_conversation(
        self,
        messages: Sequence[Message | Mapping[str, object]],
        goal: str | None = None,
        ground_truth: Expected = None,
        metrics: MetricNames | None = None,
        **options: Unpack[Options],
    ) -> EvaluationResult:
        """The result for a list of messages, ours or in the shape of OpenAI's chat API, or both.

        Args:
            messages: in order; a new turn begins at each user message.
            goal: what the user wants to have achieved; the expected output, unless the ground truth gives one.
            ground_truth: what else was expected.
            metrics: what to measure.
            **options: see ``Options``.

        Raises:
            ValueError: an option is wrong, or a message cannot be read; its position is named.
        """
        expected = GroundTruth.of(ground_truth)
        if goal is not None and not (expected and expected.expected_output):
            expected = replaced(expected or GroundTruth(), expected_output=goal)
        conversation = Conversation.from_messages(messages)
        return self.evaluate(conversation, expected, metrics, **options)
