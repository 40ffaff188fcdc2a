"""Metrics for contact centres. Opt-in: ``register_use_case_specific_metrics()`` adds them."""

from __future__ import annotations

from uaef.llm_judge.rubric import Scale
from uaef.metrics.judged import JudgeMetric
from uaef.metrics.scopes import whole

DIMENSION = "Multi-Turn"

containment = JudgeMetric(
    "containment",
    "Was the conversation settled without being handed over to a person? 1 means that it was.",
    DIMENSION,
    scale=Scale.YES_NO,
    scope=whole,
    needs=("question", "answer"),
)
resolution = JudgeMetric(
    "resolution",
    "Was the user's issue resolved? 1 means that it was.",
    DIMENSION,
    scale=Scale.YES_NO,
    scope=whole,
    needs=("question", "answer"),
)

METRICS = (containment, resolution)
