"""What a rule was decided by, in sentences that name the turn."""

from __future__ import annotations

from collections.abc import Iterable

from uaef.runs.comparison.cohorts import ALL
from uaef.runs.comparison.differences import TURNS
from uaef.runs.comparison.records import (
    CellComparison,
    Comparison,
    Difference,
    Identity,
    Reading,
    SliceComparison,
    Status,
)
from uaef.runs.gate.decisions import Evidence
from uaef.text.numbers import counted, shown

_NAMED = 3


def evidence_of(found: SliceComparison) -> Evidence:
    """A turn that regressed: ``refund#3 regressed: includes('office') 1.00 -> 0.00: does not say 'office'``."""
    before, after = (None if r is None else _number(r) for r in (found.before, found.after))
    return Evidence(name=found.name, before=before, after=after, text=told(found))


def told(found: SliceComparison) -> str:
    """What became of a turn or a whole, in a sentence."""
    was = f" (was {found.was})" if found.was else ""
    flag = f" [{found.note}]" if found.note else ""
    cells = "; ".join(map(_cell, _worst(found.cells)))
    passes = _passes(found.before, found.after)
    why = found.after.why if found.after and found.after.why and not found.has_measured else ""
    said = "; ".join(part for part in (passes, cells, why and f"the agent failed: {why}") if part)
    return f"{found.name}{was} {found.status}{flag}" + (f": {said}" if said else "")


def _number(reading: Reading) -> float | None:
    return reading.score if reading.pass_rate is None else reading.pass_rate


def _passes(before: Reading | None, after: Reading | None) -> str:
    """How many trials pass, where there are several."""
    if not before or not after or max(before.n, after.n) == 1 or not (before.decided and after.decided):
        return ""
    return f"passes in {before.passed} of {before.decided} trials before, {after.passed} of {after.decided} now"


def _worst(cells: Iterable[CellComparison]) -> list[CellComparison]:
    """The metrics that fell, the furthest first; where none did, those that changed."""
    changed = [c for c in cells if c.status in (Status.REGRESSED, Status.IMPROVED)]
    fell = [c for c in changed if c.status is Status.REGRESSED]
    return sorted(fell or changed, key=lambda c: (_fall(c), c.metric))[:_NAMED]


def _fall(cell: CellComparison) -> float:
    if cell.before is None or cell.after is None:
        return 0.0
    return (_number(cell.after) or 0.0) - (_number(cell.before) or 0.0)


def _cell(cell: CellComparison) -> str:
    before, after = (None if r is None else r.score for r in (cell.before, cell.after))
    why = f": {cell.after.why}" if cell.after is not None and cell.after.why else ""
    return f"{cell.metric} {shown(before)} -> {shown(after)}{why}"


def difference_told(found: Difference) -> str:
    """A number of both runs in a sentence, with its test."""
    about = "" if found.cohort == ALL else f" of {found.cohort}"
    what = "turns that pass" if found.what == TURNS else f"{found.what}"
    interval = f", 95% interval {found.interval[0]:+.2f} to {found.interval[1]:+.2f}" if found.interval else ""
    p = found.p if found.adjusted is None else found.adjusted
    test = f", p {probability(p)}" if p is not None else ""
    numbers = f"{shown(found.before)} -> {shown(found.after)} over {counted(found.n, 'conversation')}"
    return f"{what}{about}: {numbers}{interval}{test}"


def probability(p: float) -> str:
    """A p-value as people write it."""
    return "< 0.001" if p < 0.001 else f"= {p:.3f}"  # noqa: PLR2004 - three digits


def not_compared(comparison: Comparison) -> str:
    """How many turns no rule looked at, because they are in one run alone or something else is asked there now."""
    turns = [each.identity for each in comparison.slices if each.is_turn]
    apart = {kind: turns.count(kind) for kind in Identity if not kind.is_compared}
    found = ", ".join(f"{count} {kind}" for kind, count in apart.items() if count)
    return f"; turns that were not compared: {found}" if found else ""
