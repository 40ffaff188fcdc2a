"""Two runs side by side, as text for a terminal: which turns regressed, in sentences, then the numbers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import RenderableType
from rich.table import Table

from uaef.models.results import Decision
from uaef.reporting.plain import brief, one_line
from uaef.reporting.rows import worth_showing
from uaef.reporting.terminal import rendered, table, text
from uaef.runs.comparison.cohorts import ALL
from uaef.runs.comparison.differences import TURNS
from uaef.runs.comparison.records import Comparison, Difference, Reading, RunNamed, SliceComparison, Status
from uaef.runs.gate.deciding import detectable
from uaef.runs.gate.decisions import GateResult
from uaef.runs.gate.evidence import probability, told
from uaef.text.numbers import counted, listed, shown

_TOLD = 20
"""Of more turns that regressed than this, the rest are only named."""
_NAMED = 6
_QUOTED = 160
_QUIET = (
    Status.IMPROVED,
    Status.CONTEXT_CHANGED,
    Status.RENAMED,
    Status.CONTENT_CHANGED,
    Status.NEW,
    Status.REMOVED,
    Status.MEASURED_BEFORE_ONLY,
    Status.MEASURED_NOW_ONLY,
    Status.OTHER_RULER,
    Status.UNMEASURED,
)
_COMPARED = (Status.REGRESSED, Status.IMPROVED, Status.UNCHANGED, Status.CONTEXT_CHANGED, Status.RENAMED)
_STYLES = {
    Status.REGRESSED: "bold red",
    Status.IMPROVED: "green",
    Status.OTHER_RULER: "bold yellow",
    Status.UNMEASURED: "bold magenta",
    Status.CONTENT_CHANGED: "bold yellow",
}
_MEANINGS = {
    Status.CONTEXT_CHANGED: "an earlier turn was edited; unchanged otherwise",
    Status.RENAMED: "the same content under another name",
    Status.CONTENT_CHANGED: "another question under the same name; not compared",
    Status.NEW: "not in the earlier run",
    Status.REMOVED: "not in the later run",
    Status.MEASURED_BEFORE_ONLY: "the later run played a part, or measured other things",
    Status.MEASURED_NOW_ONLY: "the earlier run played a part, or measured other things",
    Status.OTHER_RULER: "measured otherwise; not compared",
    Status.UNMEASURED: "a measurement failed, so nothing can be said",
}


def render_comparison(comparison: Comparison, *, width: int | None = None, colour: bool = False) -> str:
    """The report on a comparison; arguments as for ``render_results``."""
    return rendered(lambda _: _report(comparison), width=width, colour=colour)


def _report(comparison: Comparison) -> Iterator[RenderableType]:
    yield text(f"Compared with {_run(comparison.before)}.", "bold")
    yield from (text(f"warning: {one_line(warning)}", "yellow") for warning in comparison.warnings)
    fell = comparison.having(Status.REGRESSED)
    for each in fell[:_TOLD]:
        yield text("")
        yield from _told(each)
    if len(fell) > _TOLD:
        yield text(f"and {len(fell) - _TOLD} more regressed: {_some([each.name for each in fell[_TOLD:]])}")
    yield text("")
    yield from _others(comparison)
    if comparison.differences:
        yield _differences(comparison.differences)
        yield text("")
    yield from (text(one_line(sentence), "dim") for sentence in sentences(comparison))
    yield _counts(comparison)


def _run(run: RunNamed) -> str:
    label = f" ({one_line(run.label)})" if run.label else ""
    agent = f", agent {one_line(run.agent)}" if run.agent else ""
    return f"run {one_line(run.run_id)}{label}{agent}"


def _told(found: SliceComparison) -> Iterator[RenderableType]:
    """A turn that regressed, with what was said before and now."""
    yield text(one_line(told(found)), _STYLES[Status.REGRESSED])
    if found.before and found.after and (found.before.answer or found.after.answer):
        yield _quoted(found.before, found.after)


def _quoted(before: Reading, after: Reading) -> Table:
    lines = Table.grid(padding=(0, 1, 0, 0))
    lines.add_column(no_wrap=True)
    lines.add_column(overflow="fold")
    for when, reading in (("before", before), ("now", after)):
        lines.add_row(text(f"  {when}:", "dim"), text(brief(reading.answer or "[nothing]", _QUOTED)))
        if before.calls != after.calls:
            lines.add_row("", text(f"called {brief(reading.calls or 'no tool', _QUOTED)}"))
    return lines


def _others(comparison: Comparison) -> Iterator[RenderableType]:
    """Everything else that is not simply unchanged, a line for each status."""
    any_said = False
    for status in _QUIET:
        found = comparison.having(status)
        if found:
            any_said = True
            meaning = f" ({_MEANINGS[status]})" if status in _MEANINGS else ""
            yield text(f"{status}: {_some([_named(each) for each in found])}{meaning}", _STYLES.get(status, ""))
    flagged = [each for each in comparison.having(Status.REGRESSED, Status.IMPROVED) if each.note]
    if flagged:
        any_said = True
        yield text(f"compared, though what they are was edited: {_some([each.name for each in flagged])}", "yellow")
    rulers = _rulers(comparison)
    yield from (text(one_line(sentence), "yellow") for sentence in rulers)
    if any_said or rulers:
        yield text("")


def _named(found: SliceComparison) -> str:
    return f"{found.was} -> {found.name}" if found.was else found.name


def _rulers(comparison: Comparison) -> list[str]:
    """What was measured or bounded otherwise, a sentence for each metric and way."""
    found: dict[str, int] = {}
    for each in comparison.slices:
        for cell in each.cells:
            if cell.ruler:
                sentence = f"{cell.metric}: {cell.ruler}"
                found[sentence] = found.get(sentence, 0) + 1
    return [f"{sentence} ({counted(times, 'place')})" for sentence, times in sorted(found.items())]


def _some(names: Sequence[str]) -> str:
    return listed([one_line(name) for name in names], _NAMED)


def _differences(found: Sequence[Difference]) -> Table:
    """The numbers of both runs: of everything, then of each cohort. Of very many, what did not change is left out."""
    rows = worth_showing(found, lambda each: bool(each.change) or each.what == TURNS, lambda each: each.n > 1)
    made = table()
    made.add_column(text("compared"), overflow="fold")
    made.add_column(text("of"), overflow="fold")
    for name in ("before", "now", "change", "95% interval", "p", "corrected", "n"):
        made.add_column(text(name), justify="right")
    for each in rows:
        made.add_row(
            text(one_line(_what(each))),
            text("" if each.cohort == ALL else one_line(each.cohort)),
            text(shown(each.before)),
            text(shown(each.after)),
            text(_signed(each.change), "bold red" if each.change < 0 else ""),
            text("" if each.interval is None else " to ".join(map(_signed, each.interval))),
            text(_p(each.p)),
            text(_p(each.adjusted)),
            text(str(each.n)),
        )
    if len(found) > len(rows):
        left_out = [each for each in found if each not in rows]
        kind = "" if any(each.change for each in left_out) else ", unchanged"
        made.add_row(text(f"and {len(left_out)} more{kind}"))
    return made


def _p(p: float | None) -> str:
    return "" if p is None else probability(p).removeprefix("= ")


def _what(found: Difference) -> str:
    return "turns that pass" if found.what == TURNS else f"{found.what} ({found.kind})"


def _signed(change: float) -> str:
    return "0.00" if not change else f"{'-' if change < 0 else '+'}{shown(abs(change))}"


def sentences(comparison: Comparison) -> list[str]:
    """What a reader has to know of the numbers."""
    if not comparison.tested:
        return ["Differences alone: for intervals and tests, pip install 'uaef[stats]'."]
    if not comparison.differences:
        return []
    found = detectable(comparison)
    return [f"{found[0].upper()}{found[1:]}."]


def _counts(comparison: Comparison) -> RenderableType:
    counts = dict(comparison.counts)
    n, of_all = sum(counts.get(status, 0) for status in _COMPARED), sum(counts.values())
    said = [(f"{count} {status}", _STYLES.get(Status(status), "")) for status, count in counts.items()]
    some = f"{counted(of_all, 'turn')}, {n} of them compared" if n < of_all else f"{counted(n, 'turn')} compared"
    line = text(some if n else "No turn could be compared", "bold")
    line.append(": " if said else ".")
    for place, (words, style) in enumerate(said):
        line.append(", " if place else "").append(words, style)
    return line


def gate_remarks(result: GateResult) -> list[str]:
    """Which rules decided, with their measurements: missed ones first, met ones in a line."""
    words = {
        Decision.MISSED: "missed",
        Decision.UNMEASURED: "could not be decided",
        Decision.NOT_APPLICABLE: "not applied",
        Decision.MET: "met",
    }
    return [f"gate {word}: {each.rule}: {each.reason}." for d, word in words.items() for each in result.having(d)]
