"""Whether a measurement passes, told from a result alone: by the claims that bound it, or by being yes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from uaef.evaluation.required import Range, passes
from uaef.models.measurement import Measurement
from uaef.models.scores import ScoreStatus


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


def outcome(m: Measurement, ranges: Iterable[Range], *, decides: bool = False) -> Outcome:
    """What ``m`` comes to.

    Args:
        m: the measurement.
        ranges: what it has to lie within.
        decides: whether a number would pass or not even if there are no ranges: it is known to be a check.
    """
    ranges, score = list(ranges), m.score.score
    if score is not None:
        return Outcome(passes(m.score, ranges), score, is_open=False)
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
