"""A score: what one metric says of one window. Only ``scored`` carries a number."""

from __future__ import annotations

from enum import StrEnum

from uaef.models.base import DERIVED, Model


class ScoreStatus(StrEnum):
    """Whether there is a number, and if not, why."""

    SCORED = "scored"
    NOT_APPLICABLE = "not_applicable"
    """Nothing to measure here: leaves every denominator."""
    FAILED = "failed"
    """It should have been measured and was not: counted, shown, and keeps claims from being met."""


FAILURE_WARNINGS = frozenset({"no_judge", "api_error", "invalid_verdict", "metric_error", "agent_error"})
"""The values of ``metadata["warning"]`` that mean ``failed``; any other means ``not_applicable``."""


class MetricScore(Model, frozen=True, gc=False):
    """What a metric found.

    Attributes:
        metric_name: the metric's name, not blank.
        score: in [0, 1], or ``None`` where there is no number.
        reasoning: why, for a person to read.
        metadata: details; ``warning`` says why there is no number: ``missing_data``, ``invalid_data``,
            ``not_applicable`` (nothing to measure), ``no_judge``, ``api_error``, ``invalid_verdict``,
            ``metric_error``, ``agent_error`` (should have been measured).
        status: left out, it follows from ``score`` and ``warning``.
    """

    metric_name: str
    score: float | None = None
    reasoning: str | None = None
    metadata: dict[str, object] = {}
    status: ScoreStatus = DERIVED

    def __post_init__(self) -> None:
        super().__post_init__()
        self._not_blank("metric_name")
        score = self.score
        if score is not None and not 0 <= score <= 1:
            self._refuse("score", f"{self.metric_name} must lie in [0, 1], got {score}")
        if self._left_out("status"):
            self._set("status", _status(score, self.metadata.get("warning")))
        elif (score is not None) is not (self.status is ScoreStatus.SCORED):
            self._refuse("status", f"{self.status} and score {score} contradict each other")


def _status(score: float | None, warning: object) -> ScoreStatus:
    if score is not None:
        return ScoreStatus.SCORED
    return ScoreStatus.FAILED if warning in FAILURE_WARNINGS else ScoreStatus.NOT_APPLICABLE
