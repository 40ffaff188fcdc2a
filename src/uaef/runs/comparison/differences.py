"""Numbers of both runs, paired by conversation: what changed, how sure that is, and what could have been seen."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from uaef.evaluation.derived import mean
from uaef.models.base import replaced
from uaef.runs import statistics
from uaef.runs.comparison.cells import Cell
from uaef.runs.comparison.cohorts import ALL, Cohort, Where
from uaef.runs.comparison.passing import Outcome
from uaef.runs.comparison.records import Difference, Reading, SliceComparison
from uaef.runs.comparison.slices import Slice

TURNS = "turns"
"""Stands for the share of turns that pass, beside the keys of metrics."""
FEWEST = 20
"""Below so many conversations an interval would promise more than it knows."""
_TRIALS = 3
"""Of a turn with fewer trials in one of the runs no test says anything."""


class _Point(NamedTuple):
    """One number on one window: its mean over the trials of each run."""

    conversation: str
    window: str
    before: float | None
    after: float | None
    was: float | None
    """``before``, also where the later run has nothing to compare, and ..."""
    at_worst: float | None
    """... ``after`` with 0 for everything that failed to be measured."""


class _Series(NamedTuple):
    """One number on all windows of a cohort."""

    what: str
    cohort: str
    kind: str
    gated: bool
    points: list[_Point]
    failed: int = 0
    skipped: int = 0


def differences(
    found: Sequence[Slice], where: Sequence[Where], by: Sequence[Cohort], alpha: float
) -> list[Difference]:
    """The differences per metric and per cohort, those that are gated corrected for each other.

    What so few conversations have that no change of it could be significant is not gated, as long as something else
    is: it would only weaken the correction of the others (Tarone 1990).

    Args:
        found: the windows of both runs.
        where: what each of them is known by.
        by: the cohorts.
        alpha: the level of the tests, all that are gated together.
    """
    series = [*_all(found), *(each for cohort in by for each in _by(cohort, found, where))]
    paired = [each for each in series if any(map(_is_paired, each.points))]
    if any(each.gated and _is_testable(each, alpha) for each in paired):
        paired = [each._replace(gated=each.gated and _is_testable(each, alpha)) for each in paired]
    level = alpha / max(sum(each.gated for each in paired), 1)
    made = [_difference(each, level) for each in paired]
    return _corrected(made)


def _is_testable(series: _Series, alpha: float) -> bool:
    """Whether a test could be significant if every conversation changed, and all one way."""
    n = len({point.conversation for point in series.points if _is_paired(point)})
    return 2.0 ** (1 - n) <= alpha


def _all(found: Sequence[Slice]) -> Iterator[_Series]:
    """The share of turns that pass, and each metric; gated are those that something is required of, else all."""
    metrics = list(_metrics(found, ALL))
    passing = [each for each in metrics if each.gated]
    turns = _turns(found, ALL, gated=True)
    if turns.points:
        yield turns
    yield from metrics if passing else [each._replace(gated=True) for each in metrics]


def _by(cohort: Cohort, found: Sequence[Slice], where: Sequence[Where]) -> Iterator[_Series]:
    """The same of each cohort; gated is the share of turns that pass or, where nothing says so, each metric."""
    groups: dict[str, list[Slice]] = {}
    for each, known in zip(found, where, strict=True):
        for label in cohort.labels(known):
            groups.setdefault(label, []).append(each)
    for label, members in sorted(groups.items(), key=lambda group: natural(group[0])):
        turns = _turns(members, label, gated=True)
        if turns.points:
            yield turns
        yield from (each._replace(gated=not turns.points) for each in _metrics(members, label))


def natural(label: str) -> tuple[tuple[int, int, str], ...]:
    """A key that sorts labels as people do: ``turn:9`` before ``turn:10``."""
    parts = "".join(c if c.isdecimal() else f"\0{c}\0" for c in label).split("\0")
    return tuple((0, int(part), "") if part.isdecimal() else (1, 0, part) for part in parts if part)


def _turns(found: Sequence[Slice], label: str, *, gated: bool) -> _Series:
    points = [
        _Point(each.shown.conversation, each.shown.name, _rate(each.before), _rate(each.after), *_at_worst(each))
        for each in found
        if each.shown.is_turn and (each.before or each.after or any(cell.shown.gated for cell in each.measured))
    ]
    readings = _readings(each.shown for each in found if each.shown.is_turn)
    failed, skipped = (sum(r.failed for r in readings), sum(r.skipped for r in readings))
    return _Series(TURNS, label, "pass rate", gated, points, failed, skipped)


def _readings(shown: Iterable[SliceComparison]) -> list[Reading]:
    return [r for s in shown for c in s.cells for r in (c.before, c.after) if r is not None]


def _rate(passed: Mapping[int, bool | None]) -> float | None:
    return mean(float(each) for each in passed.values() if each is not None)


def _at_worst(found: Slice) -> tuple[float | None, float | None]:
    """How often a turn passed, and passes if what failed to be measured fails; by its worst metric."""
    gated = [cell for cell in found.measured if cell.shown.gated]
    if not any(each.is_open for cell in gated for each in cell.after):
        return _rate(found.before), _rate(found.after)
    before = [rate for cell in gated if (rate := mean(_number(o, gated=True) for o in cell.before)) is not None]
    after = [rate for cell in gated if (rate := mean(_with_open_as_0(cell.after))) is not None]
    return min(before, default=None), min(after, default=None)


def _with_open_as_0(outcomes: Iterable[Outcome]) -> list[float | None]:
    return [0.0 if each.is_open else _number(each, gated=True) for each in outcomes]


def _metrics(found: Sequence[Slice], label: str) -> Iterator[_Series]:
    """Each metric: how often it passes, where something says what passes, else its mean."""
    by_key: dict[str, list[tuple[SliceComparison, Cell]]] = {}
    for each in found:
        for cell in each.measured:
            by_key.setdefault(cell.shown.metric, []).append((each.shown, cell))
    for key in sorted(by_key):
        known = by_key[key]
        gated = any(cell.shown.gated for _, cell in known)
        points = [_point(shown, cell, gated=gated) for shown, cell in known]
        readings = [r for _, c in known for r in (c.shown.before, c.shown.after) if r is not None]
        failed, skipped = sum(r.failed for r in readings), sum(r.skipped for r in readings)
        yield _Series(key, label, "pass rate" if gated else "mean", gated, points, failed, skipped)


def _point(shown: SliceComparison, cell: Cell, *, gated: bool) -> _Point:
    before, after = [_number(o, gated=gated) for o in cell.before], [_number(o, gated=gated) for o in cell.after]
    at_worst = [0.0 if each.is_open else number for each, number in zip(cell.after, after, strict=True)]
    return _Point(shown.conversation, shown.name, mean(before), mean(after), mean(before), mean(at_worst))


def _number(each: Outcome, *, gated: bool) -> float | None:
    if not gated:
        return each.value
    return None if each.passed is None else float(each.passed)


def _is_paired(point: _Point) -> bool:
    return point.before is not None and point.after is not None


def _difference(series: _Series, level: float) -> Difference:
    """The difference, its interval and its tests; the conversation is the unit, however many turns it has.

    The test flips signs; where each conversation has one yes or no, that is McNemar's exact test.
    """
    paired = [point for point in series.points if _is_paired(point)]
    numbers = _by_conversation(
        (p.conversation, p.before, p.after) for p in paired if p.before is not None and p.after is not None
    )
    changes = [after - before for before, after in numbers]
    known = [(p, p.was, p.at_worst) for p in series.points if p.was is not None and p.at_worst is not None]
    at_worst = [(point.conversation, was, lowest) for point, was, lowest in known]
    is_open = any(lowest != point.after for point, _, lowest in known)
    made = Difference(
        what=series.what,
        cohort=series.cohort,
        kind=series.kind,
        n=len(changes),
        n_changed=sum(change != 0 for change in changes),
        before=mean(before for before, _ in numbers) or 0.0,
        after=mean(after for _, after in numbers) or 0.0,
        gated=series.gated,
        failed=series.failed,
        skipped=series.skipped,
        worst=_worst(paired),
    )
    if not statistics.is_installed():
        return made
    interval = (
        statistics.cluster_bootstrap([[c] for c in changes], differences=True) if len(changes) >= FEWEST else None
    )
    return replaced(
        made,
        interval=None if interval is None else (interval.low, interval.high),
        p=statistics.sign_flip(changes),
        detectable=statistics.smallest_detectable(changes, level),
        worst_p=_worst_p(at_worst) if is_open else None,
    )


def _by_conversation(pairs: Iterable[tuple[str, float, float]]) -> list[tuple[float, float]]:
    """Both numbers of each conversation, each the mean over its windows."""
    found: dict[str, list[tuple[float, float]]] = {}
    for name, before, after in pairs:
        found.setdefault(name, []).append((before, after))
    return [(mean(b for b, _ in both) or 0.0, mean(a for _, a in both) or 0.0) for _, both in sorted(found.items())]


def _worst_p(at_worst: Iterable[tuple[str, float, float]]) -> float | None:
    """The test if everything that failed to be measured had scored 0; ``None`` where even that is no fall."""
    changes = [after - before for before, after in _by_conversation(at_worst)]
    return statistics.sign_flip(changes) if math.fsum(changes) < 0 else None


def _worst(points: Iterable[_Point]) -> str | None:
    """The window with the largest fall; ``None`` where nothing fell."""
    falls = [((p.after or 0.0) - (p.before or 0.0), natural(p.window), p.window) for p in points]
    change, _, name = min(falls)
    return name if change < 0 else None


def _corrected(found: Sequence[Difference]) -> list[Difference]:
    gated = [place for place, each in enumerate(found) if each.gated and each.p is not None]
    adjusted = statistics.benjamini_hochberg([found[place].p or 0.0 for place in gated])
    by_place = dict(zip(gated, adjusted, strict=True))
    return [replaced(each, adjusted=by_place.get(place)) for place, each in enumerate(found)]


def tested_turns(found: Sequence[Slice], alpha: float) -> list[SliceComparison]:
    """The windows, each turn with at least three trials in both runs by Fisher's exact test for a fall.

    They are corrected together, but for those that passed or failed so often in all that no split of it could be a
    fall beyond chance: as with differences, these would only weaken the correction of the others (Tarone 1990).
    """
    tests: dict[int, float] = {}
    corrected: list[int] = []
    for place, each in enumerate(found):
        before, after = each.shown.before, each.shown.after
        if before and after and each.shown.is_turn and each.cells and min(before.decided, after.decided) >= _TRIALS:
            tests[place] = statistics.fisher_exact(
                before.passed, before.decided, after.passed, after.decided, "worse"
            )
            if _least_p(before.passed + after.passed, before.decided, after.decided) <= alpha:
                corrected.append(place)
    ps = statistics.benjamini_hochberg([tests[place] for place in corrected])
    adjusted = dict(zip(corrected, ps, strict=True))
    return [replaced(s.shown, p=tests.get(i), adjusted=adjusted.get(i)) for i, s in enumerate(found)]


def _least_p(passed: int, n_before: int, n_after: int) -> float:
    """The test of the steepest fall there could be with so many passes in both runs together."""
    now = max(0, passed - n_before)
    return statistics.fisher_exact(passed - now, n_before, now, n_after, "worse")


def is_significant(adjusted: float | None, alpha: float) -> bool:
    """Whether a corrected p is below the level."""
    return adjusted is not None and adjusted <= alpha


def regressed(found: Iterable[Difference], alpha: float) -> list[Difference]:
    """The gated differences that are falls beyond chance."""
    return [each for each in found if each.gated and each.change < 0 and is_significant(each.adjusted, alpha)]
