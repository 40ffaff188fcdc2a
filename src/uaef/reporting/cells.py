"""One number of a report: how it is shown, and whether it is enough."""

from __future__ import annotations

from typing import NamedTuple

from uaef.models.measurement import Measurement
from uaef.models.results import EvaluationResult
from uaef.models.scores import MetricScore, ScoreStatus
from uaef.reporting.rows import Cell, State
from uaef.text.numbers import shown, shown_below


class Range(NamedTuple):
    """What a number has to lie in."""

    least: float = 0.0
    most: float = 1.0

    def within(self, other: Range) -> Range:
        """What lies in both."""
        return Range(max(self.least, other.least), min(self.most, other.most))


_YES = Range(1.0)


class Bars:
    """What the numbers of a result have to be: by the claims on a metric, else by that on its dimension."""

    def __init__(self, result: EvaluationResult) -> None:
        self.dimensions = {c.name: Range(c.at_least) for c in result.claims if c.of_dimension}
        slices: dict[str, set[str]] = {}
        for m in result.measurements:
            slices.setdefault(m.metric, set()).add(m.slice_name)
        self._metrics: dict[tuple[str, str], Range] = {}
        for claim in result.claims:
            measured = slices.get(claim.name, set()) if not claim.of_dimension else set()
            # A claim is about the window of its name or, where that was not measured, about all the turns in it.
            for where in {claim.slice_name} if claim.slice_name in measured else measured:
                before = self._metrics.get((claim.name, where), Range())
                self._metrics[claim.name, where] = before.within(Range(claim.at_least, claim.at_most))

    def required(self, measurement: Measurement) -> Range | None:
        """What is required of one measurement, by a claim on its metric or on its dimension."""
        bar = self._metrics.get((measurement.metric, measurement.slice_name))
        return self.dimensions.get(measurement.dimension) if bar is None else bar

    def cell(self, measurement: Measurement) -> Cell:
        """A measurement as it is shown; where nothing is required, a check of yes or no has to be yes."""
        bar = self.required(measurement)
        return cell(measurement.score, _YES if bar is None and measurement.score.metadata.get("check") else bar)


def cell(score: MetricScore, bar: Range | None) -> Cell:
    """A score, measured by what it has to be."""
    if score.status is ScoreStatus.FAILED:
        return Cell("FAILED", State.FAILED)
    return number(score.score, bar)


def number(score: float | None, bar: Range | None) -> Cell:
    """A number, measured by what it has to be."""
    if score is None:
        return Cell(shown(None), State.NOT_APPLICABLE)
    if bar is None:
        return Cell(shown(score), State.PLAIN)
    if score < bar.least:
        return Cell(shown_below(score, bar.least, digits=2)[0], State.LOW)
    if score > bar.most:
        return Cell(shown_below(bar.most, score, digits=2)[1], State.LOW)
    return Cell(shown(score), State.GOOD)
