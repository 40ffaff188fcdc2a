"""A score: what one metric says of one window. Only ``scored`` carries a number."""

from __future__ import annotations

import math
from collections.abc import Iterable
from enum import StrEnum

from uaef.models.base import DERIVED, Model, replaced


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


def scored(name: str, score: float, reasoning: str | None = None, /, **metadata: object) -> MetricScore:
    """A score of the metric ``name``."""
    return MetricScore(
        metric_name=name, score=float(score), reasoning=reasoning, metadata=metadata, status=ScoreStatus.SCORED
    )


def not_applicable(name: str, reasoning: str, /, **metadata: object) -> MetricScore:
    """No number, because there is nothing to measure; ``warning`` says why where that is not all."""
    said: dict[str, object] = {"warning": "not_applicable", **metadata}
    return MetricScore(metric_name=name, reasoning=reasoning, metadata=said, status=ScoreStatus.NOT_APPLICABLE)


def failed(name: str, reasoning: str, /, **metadata: object) -> MetricScore:
    """No number, although there should be one; ``warning`` says whose fault that is where it is not the metric's."""
    said: dict[str, object] = {"warning": "metric_error", **metadata}
    return MetricScore(metric_name=name, reasoning=reasoning, metadata=said, status=ScoreStatus.FAILED)


def score_of(name: str, found: object) -> MetricScore:
    """What a metric or a judge returned, as a score of the metric ``name``."""
    if isinstance(found, MetricScore):
        return found if found.metric_name == name else replaced(found, metric_name=name)
    reason = None
    if isinstance(found, tuple) and len(found) == 2:  # noqa: PLR2004 - a pair
        found, reason = found
    if hasattr(found, "item"):  # a scalar of an array library
        found = found.item()
    if found is None:
        return not_applicable(name, str(reason) if reason else "the metric found nothing to measure")
    if isinstance(found, int | float) and math.isfinite(found) and 0 <= found <= 1:
        kind = {"check": True} if isinstance(found, bool) else {}
        return scored(name, found, None if reason is None else str(reason), **kind)
    return failed(name, f"{name} returned {found!r}; a score is a number in [0, 1], True, False or None")


def total_if_known(values: Iterable[object]) -> float | None:
    """The sum of what some judgements took, 0 where there were none; ``None`` as soon as one does not say."""
    said = list(values)
    known = [value for value in said if isinstance(value, int | float)]
    return sum(known) if len(known) == len(said) else None
