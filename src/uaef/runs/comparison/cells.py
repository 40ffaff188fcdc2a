"""One metric on one window in both runs: whether the two can be compared, and what became of it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from uaef.evaluation.derived import mean
from uaef.evaluation.required import Range
from uaef.models.measurement import Measurement
from uaef.models.scores import ScoreStatus
from uaef.runs.comparison.passing import Outcome, by_agent, outcome
from uaef.runs.comparison.records import CellComparison, Reading, Status
from uaef.runs.comparison.sides import Place, Side, Trial

_NOISE = 1e-9
"""A difference of scores below this is one of arithmetic."""


class Cell(NamedTuple):
    """One metric on one window, trial by trial: what is needed beside the record for tests."""

    shown: CellComparison
    before: Sequence[Outcome]
    after: Sequence[Outcome]


def cells(before: Side, was: Place, after: Side, now: Place) -> list[Cell]:
    """Every metric on a window that both runs have, those of the later run first."""
    ours, theirs = _found(before, was), _found(after, now)
    is_lost = before.is_lost or after.is_lost
    return [_cell(ours.get(key, []), theirs.get(key, []), is_lost) for key in dict.fromkeys((*theirs, *ours))]


_Found = tuple[Trial, Measurement]


def _found(side: Side, place: Place) -> dict[str, list[_Found]]:
    found: dict[str, list[_Found]] = {}
    for trial in side.trials:
        for key, m in trial.measured.get(place, {}).items():
            found.setdefault(key, []).append((trial, m))
    return found


def _cell(before: list[_Found], after: list[_Found], is_lost: bool) -> Cell:  # noqa: FBT001 - one of a list
    """The two are read by what the later run requires; where it lacks the metric, by what the earlier one did."""
    newest = after or before
    ranges = next(iter(sorted(trial.required.of(m) for trial, m in newest)), [])
    decides = bool(ranges) or any(m.score.metadata.get("check") for _, m in (*before, *after))
    ours, theirs = ([outcome(m, ranges, decides=decides) for _, m in found] for found in (before, after))
    ruler = None if is_lost else _other_ruler(before, after)
    readings = [_reading(found, outcomes) for found, outcomes in ((before, ours), (after, theirs))]
    m = newest[0][1]
    shown = CellComparison(
        metric=m.metric,
        dimension=m.dimension,
        status=Status.OTHER_RULER if ruler else Status.UNMEASURED if is_lost else _status(*readings),
        before=readings[0],
        after=readings[1],
        gated=decides,
        ruler=ruler or _other_bounds(before, ranges),
    )
    return Cell(shown, ours, theirs)


def _other_ruler(before: Iterable[_Found], after: Iterable[_Found]) -> str | None:
    """How the two were measured otherwise, in a sentence; ``None`` where they were not."""
    if not before or not after:
        return f"measured in the {'later' if after else 'earlier'} run alone"
    ours, theirs = _rulers(before), _rulers(after)
    if not ours or not theirs or ours == theirs:
        return None
    for place, what in enumerate(("rubric version", "judge")):
        old, new = ({ruler[place] for ruler in rulers} for rulers in (ours, theirs))
        if old != new:
            return f"another {what}: {_listed(old)} before, {_listed(new)} now"
    return "measured by other pairs of rubric version and judge"


def _rulers(found: Iterable[_Found]) -> set[tuple[str, str]]:
    """By what a metric was measured, where it gave a number."""
    facts = (m.score.metadata for _, m in found if m.score.score is not None)
    return {(str(each.get("rubric_version", "none")), str(each.get("judge", "none"))) for each in facts}


def _listed(names: Iterable[str]) -> str:
    return " and ".join(sorted(names))


def _other_bounds(before: Iterable[_Found], ranges: Sequence[Range]) -> str | None:
    """What is said where the earlier run required something else."""
    was = next((trial.required.of(m) for trial, m in before), None)
    if was is None or sorted(was) == sorted(ranges):
        return None
    return "what is required of it changed; both runs are read by what the later one requires"


def _reading(found: Sequence[_Found], outcomes: Sequence[Outcome]) -> Reading | None:
    if not found:
        return None
    lowest = min(range(len(found)), key=lambda i: (_rank(outcomes[i]), i))
    decided = [each.passed for each in outcomes if each.passed is not None]
    return Reading(
        n=len(found),
        decided=len(decided),
        passed=sum(decided),
        score=mean(each.value for each in outcomes),
        failed=sum(m.score.status is ScoreStatus.FAILED and not by_agent(m) for _, m in found),
        skipped=sum(m.score.status is ScoreStatus.NOT_APPLICABLE for _, m in found),
        why=found[lowest][1].score.reasoning,
    )


def _rank(each: Outcome) -> float:
    return 2.0 if each.value is None else each.value


def _status(before: Reading | None, after: Reading | None) -> Status:
    if before is None or after is None or before.score is None or after.score is None:
        failed = any(each is not None and each.failed for each in (before, after))
        return Status.UNMEASURED if failed else Status.UNCHANGED
    return became(before, after)


def became(before: Reading, after: Reading) -> Status:
    """What became of something: by how often it passes; where nothing says what passes, by its score."""
    old, new = before.pass_rate, after.pass_rate
    if old is None or new is None:
        old, new = before.score, after.score
    if old is None or new is None:
        return Status.UNMEASURED
    if abs(new - old) <= _NOISE:
        return Status.UNCHANGED
    return Status.IMPROVED if new > old else Status.REGRESSED
