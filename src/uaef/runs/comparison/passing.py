"""Whether a measurement passes, told from a result alone: by the claims that bound it, or by being yes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple, TypeAlias

from uaef.evaluation.claims import passes
from uaef.models.measurement import Measurement
from uaef.models.results import ClaimResult, EvaluationResult
from uaef.models.scores import ScoreStatus

Range: TypeAlias = tuple[float, float]
"""From the least to the most that is admitted."""


class Outcome(NamedTuple):
    """What one measurement, or several taken together, come to in one trial.

    Attributes:
        passed: whether it is what it has to be; ``None`` where nothing says what that is, or it is not known.
        value: the score; 0 where the agent failed, since a crash must not raise a mean; ``None`` without a number.
        is_open: whether it should have been measured and was not, and the agent is not to blame.
    """

    passed: bool | None
    value: float | None
    is_open: bool


class Ranges:
    """What each measurement of a result has to lie within.

    Of a claim on a conversation whose metric was measured on its turns, those are what it bounds.
    """

    def __init__(self, result: EvaluationResult) -> None:
        self._dimensions: dict[str, list[Range]] = {}
        self._claims: dict[str, list[ClaimResult]] = {}
        for claim in result.claims:
            if claim.of_dimension:
                self._dimensions.setdefault(claim.name, []).append((claim.at_least, claim.at_most))
            else:
                self._claims.setdefault(claim.name, []).append(claim)
        self._measured = {(m.metric, m.slice_name) for m in result.measurements}

    def of(self, m: Measurement) -> list[Range]:
        """The ranges that ``m`` has to lie within: by its metric's claims, else by its dimension's."""
        claims = [c for c in self._claims.get(m.metric, ()) if self._bounds(c, m)]
        return [(c.at_least, c.at_most) for c in claims] or self._dimensions.get(m.dimension, [])

    def _bounds(self, claim: ClaimResult, m: Measurement) -> bool:
        if claim.turn is not None:
            return m.turns == (claim.turn,)
        return m.slice_name == claim.slice_name or (claim.name, claim.slice_name) not in self._measured


def outcome(m: Measurement, ranges: Iterable[Range], *, decides: bool = False) -> Outcome:
    """What ``m`` comes to.

    Args:
        m: the measurement.
        ranges: what it has to lie within.
        decides: whether a number would pass or not even if there are no ranges: it is known to be a check.
    """
    ranges, score = list(ranges), m.score.score
    if score is not None:
        inside = all(low <= score <= high for low, high in ranges)
        return Outcome(inside if ranges else passes(m.score, ()), score, is_open=False)
    if m.score.status is ScoreStatus.NOT_APPLICABLE:
        return Outcome(None, None, is_open=False)
    if by_agent(m):
        return Outcome(False if ranges or decides else None, 0.0, is_open=False)
    return Outcome(None, None, is_open=True)


def by_agent(m: Measurement) -> bool:
    """Whether there is no number because the agent failed."""
    return m.score.status is ScoreStatus.FAILED and m.score.metadata.get("warning") == "agent_error"


def together(outcomes: Iterable[bool | None]) -> bool | None:
    """False if anything is; else open if anything is, or if there is nothing."""
    found = set(outcomes)
    if False in found:
        return False
    return True if found == {True} else None
