"""One number of a report: how it is shown, and whether it is enough."""

from __future__ import annotations

from collections.abc import Iterable

from uaef.models.measurement import Measurement
from uaef.models.results import ClaimResult, EvaluationResult
from uaef.models.scores import MetricScore, ScoreStatus
from uaef.reporting.rows import Cell, State
from uaef.text.numbers import shown, shown_below


class Bars:
    """What the numbers of a result have to reach: by the claims on a metric, else by that on its dimension."""

    def __init__(self, result: EvaluationResult) -> None:
        self.dimensions = {c.name: c.at_least for c in result.claims if c.of_dimension}
        self._metrics: dict[tuple[str, str], float] = {}
        for claim in result.claims:
            if not claim.of_dimension:
                for where in _slices(claim, result.measurements):
                    bar = self._metrics.get((claim.name, where), 0.0)
                    self._metrics[claim.name, where] = max(bar, claim.at_least)

    def required(self, measurement: Measurement) -> float | None:
        """What is required of one measurement, by a claim on its metric or on its dimension."""
        bar = self._metrics.get((measurement.metric, measurement.slice_name))
        return self.dimensions.get(measurement.dimension) if bar is None else bar

    def of(self, measurement: Measurement) -> float | None:
        """What one measurement has to reach; where nothing is required, a check of yes or no has to be yes."""
        bar = self.required(measurement)
        return 1.0 if bar is None and measurement.score.metadata.get("check") else bar

    def cell(self, measurement: Measurement) -> Cell:
        """A measurement as it is shown."""
        return cell(measurement.score, self.of(measurement))


def _slices(claim: ClaimResult, measurements: Iterable[Measurement]) -> list[str]:
    """The windows whose measurements a claim bounds: the one it is about or, of a conversation, its turns."""
    found = [m.slice_name for m in measurements if m.metric == claim.name]
    return [claim.slice_name] if claim.slice_name in found else found


def cell(score: MetricScore, bar: float | None) -> Cell:
    """A score, measured by what it has to reach."""
    if score.status is ScoreStatus.FAILED:
        return Cell("FAILED", State.FAILED)
    return number(score.score, bar)


def number(score: float | None, bar: float | None) -> Cell:
    """A number, measured by what it has to reach."""
    if score is None:
        return Cell(shown(None), State.NOT_APPLICABLE)
    if bar is None:
        return Cell(shown(score), State.PLAIN)
    if score >= bar:
        return Cell(shown(score), State.GOOD)
    return Cell(shown_below(score, bar, digits=2)[0], State.LOW)
