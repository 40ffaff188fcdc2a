"""What each measurement of a result has to lie within: the one place that tells it from the claims."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

from uaef.models.measurement import Measurement
from uaef.models.results import ClaimResult
from uaef.models.scores import MetricScore


class Range(NamedTuple):
    """What a number has to lie in, both ends included."""

    least: float = 0.0
    most: float = 1.0

    def admits(self, score: float) -> bool:
        """Whether a score lies in it."""
        return self.least <= score <= self.most

    def within(self, other: Range) -> Range:
        """What lies in both."""
        return Range(max(self.least, other.least), min(self.most, other.most))


class Required:
    """What the measurements of one conversation have to lie within.

    Args:
        claims: what became of the claims on it.
        measurements: everything that was measured on it.
    """

    def __init__(self, claims: Iterable[ClaimResult], measurements: Sequence[Measurement]) -> None:
        self.dimensions: dict[str, list[Range]] = {}
        """By dimension, what its score has to lie within."""
        self._windows: dict[tuple[str, tuple[int, ...]], list[Range]] = {}
        for claim in claims:
            bound = Range(claim.at_least, claim.at_most)
            if claim.of_dimension:
                self.dimensions.setdefault(claim.name, []).append(bound)
                continue
            for window in windows_of(claim, measurements):
                self._windows.setdefault((claim.name, window), []).append(bound)

    def of(self, m: Measurement) -> list[Range]:
        """What ``m`` has to lie within: by the claims on its metric, else on its dimension; maybe nothing."""
        return self._windows.get((m.metric, m.turns)) or self.dimensions.get(m.dimension, [])


def windows_of(claim: ClaimResult, measurements: Iterable[Measurement]) -> Collection[tuple[int, ...]]:
    """The windows whose measurements a claim on a metric bounds, each by the numbers of its turns.

    Where the claim does not know them, it is about the window of its name or, where its metric was not measured on
    that, about all those on which it was.
    """
    if claim.windows is not None:
        return claim.windows
    if claim.turn is not None:
        return [(claim.turn,)]
    found = [m for m in measurements if m.metric == claim.name]
    return [m.turns for m in found if m.slice_name == claim.slice_name] or [m.turns for m in found]


def passes(score: MetricScore, ranges: Iterable[Range]) -> bool | None:
    """Whether one measurement passes: ``None`` where there is no number, or nothing to compare it with.

    Where nothing is required, the answer to a question of yes or no passes at yes.
    """
    if score.score is None:
        return None
    ranges = list(ranges)
    if ranges:
        return all(bound.admits(score.score) for bound in ranges)
    return score.score >= 1.0 if score.metadata.get("check") else None
