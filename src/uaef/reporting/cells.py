"""One number of a report: how it is shown, and whether it is enough."""

from __future__ import annotations

from collections.abc import Mapping

from uaef.models.results import EvaluationResult
from uaef.models.scores import MetricScore, ScoreStatus
from uaef.reporting.rows import Cell, State
from uaef.text.numbers import shown, shown_below


def thresholds(result: EvaluationResult) -> Mapping[str, float]:
    """The bars of a result, by dimension."""
    found = result.metadata.get("thresholds")
    return found if isinstance(found, dict) else {}


def cell(score: MetricScore, threshold: float | None) -> Cell:
    """A score, measured by the threshold of its dimension; without one, a check of yes or no has to be yes."""
    if score.status is ScoreStatus.FAILED:
        return Cell("FAILED", State.FAILED)
    return number(score.score, 1.0 if threshold is None and score.metadata.get("check") else threshold)


def number(score: float | None, bar: float | None) -> Cell:
    """A number, measured by what it has to reach."""
    if score is None:
        return Cell(shown(None), State.NOT_APPLICABLE)
    if bar is None:
        return Cell(shown(score), State.PLAIN)
    if score >= bar:
        return Cell(shown(score), State.GOOD)
    return Cell(shown_below(score, bar, digits=2)[0], State.LOW)
