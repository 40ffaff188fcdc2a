"""The comparison of two runs as Markdown: what regressed with what was said before and now, and what else changed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from uaef.reporting.evidence import LONGEST
from uaef.reporting.markup import LISTED, SHOWN, code, more, table, told
from uaef.runs.comparison.records import Comparison, Difference, Reading, RunNamed, SliceComparison, Status
from uaef.text.numbers import shown


def regressions(comparison: Comparison) -> Iterator[str]:
    """Every turn and conversation that regressed: why, and the answers before and now."""
    found = comparison.having(Status.REGRESSED)
    if not found:
        return
    yield f"### Regressions ({len(found)})"
    yield from map(_regression, found[:SHOWN])
    rest = [code(each.name) for each in found[SHOWN:][:LISTED]]
    if rest:
        yield f"Also: {', '.join(rest)}{' and others' if len(found) > SHOWN + LISTED else ''}."


def changes(comparison: Comparison) -> Iterator[str]:
    """What it was compared with, how many turns have which status, what changed otherwise, and the differences."""
    counts = ", ".join(f"{n} {status}" for status, n in comparison.counts if n)
    lines = ["### Compared", "", f"With {code(_run(comparison.before))}: {counts or 'nothing in common'}."]
    others = [e for e in comparison.slices if e.status not in (Status.REGRESSED, Status.UNCHANGED)]
    if others:
        rows = [[code(each.name), str(each.status), code(_why(each))] for each in others[:LISTED]]
        lines += ["", table(["what", "is", "why"], rows), *more(others)]
    lines += [line for text in comparison.warnings for line in ("", code(text, LONGEST))]
    yield "\n".join(lines)
    yield from _differences(comparison.differences)


def _regression(each: SliceComparison) -> str:
    lines = [f"#### {code(each.name)}", ""]
    regressed = [cell for cell in each.cells if cell.status is Status.REGRESSED]
    for cell in regressed[:5]:
        numbers = f"{_number(cell.before)} before, {_number(cell.after)} now"
        why = (cell.after.why if cell.after else None) or "no reason was given"
        lines.append(f"- {code(f'{cell.metric}: {numbers}: {why}', LONGEST)}")
    for who, reading in (("before", each.before), ("now", each.after)):
        if reading is not None and reading.answer is not None:
            lines += told(who, reading.answer or "(nothing)")
            if each.before and each.after and each.before.calls != each.after.calls:
                lines += ["", f"called {code(reading.calls or 'no tool', LONGEST)}"]
    return "\n".join(lines)


def _number(reading: Reading | None) -> str:
    """How many trials pass, where that is known; else the score."""
    if reading is None:
        return "not measured"
    if reading.decided > 1:
        return f"{reading.passed} of {reading.decided} trials pass"
    return shown(reading.score)


def _why(each: SliceComparison) -> str:
    rulers = [cell.ruler for cell in each.cells if cell.ruler]
    was = f"it was called {each.was}" if each.was else None
    failed = [
        cell.after.why for cell in each.cells if cell.status is Status.UNMEASURED and cell.after and cell.after.why
    ]
    return each.note or was or next(iter([*rulers, *failed]), "")


def _run(named: RunNamed) -> str:
    return f"{named.label or named.run_id} ({named.started_at})" if named.started_at else named.label or named.run_id


def _differences(found: Sequence[Difference]) -> Iterator[str]:
    """The numbers of both runs, cohort by cohort, the largest fall first."""
    if not found:
        return
    rows = [
        [
            code(each.what),
            code(each.cohort),
            str(each.n),
            shown(each.before),
            shown(each.after),
            f"{each.change:+.2f}",
            "" if each.interval is None else f"{each.interval[0]:+.2f} to {each.interval[1]:+.2f}",
            "" if each.adjusted is None else f"{each.adjusted:.3f}",
        ]
        for each in sorted(found, key=lambda each: each.change)
    ]
    heads = ["what", "cohort", "n", "before", "now", "change", "95%", "p"]
    yield "\n".join(["### Differences by cohort", "", table(heads, rows[:LISTED]), *more(rows)])
