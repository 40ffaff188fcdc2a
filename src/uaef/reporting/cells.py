"""One number of a report: how it is shown, and whether it is enough."""

from __future__ import annotations

import functools
from collections.abc import Iterable

from uaef.evaluation.required import Range, Required
from uaef.models.measurement import Measurement
from uaef.models.results import EvaluationResult
from uaef.models.scores import MetricScore, ScoreStatus
from uaef.reporting.rows import Cell, State
from uaef.text.numbers import shown, shown_below

_YES = Range(1.0)


class Bars:
    """What the numbers of a result have to be, as one range each."""

    def __init__(self, result: EvaluationResult) -> None:
        self._required = Required(result.claims, result.measurements)
        self.dimensions = {name: _together(ranges) for name, ranges in self._required.dimensions.items()}

    def required(self, measurement: Measurement) -> Range | None:
        """What is required of one measurement, by a claim on its metric or on its dimension."""
        ranges = self._required.of(measurement)
        return _together(ranges) if ranges else None

    def cell(self, measurement: Measurement) -> Cell:
        """A measurement as it is shown; where nothing is required, a check of yes or no has to be yes."""
        bar = self.required(measurement)
        return cell(measurement.score, _YES if bar is None and measurement.score.metadata.get("check") else bar)


def _together(ranges: Iterable[Range]) -> Range:
    return functools.reduce(Range.within, ranges)


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
