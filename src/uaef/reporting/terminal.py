"""Results as text for a terminal: a bad turn can be seen from two metres away."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable, Iterator, Sequence

from rich.box import Box
from rich.cells import cell_len
from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from uaef.models.results import EvaluationResult, Verdict
from uaef.reporting.breakdown import apart, break_down, line_of, totals
from uaef.reporting.judges import judged_by
from uaef.reporting.plain import CROSS, one_line
from uaef.reporting.rows import Breakdown, Cell, DimensionRow, Line, Note, Row, State
from uaef.text.numbers import counted

WIDTH = 100
NARROWEST = 24
DETAILED = 20
"""Of more conversations than this, only those that did not pass are listed, and so many of them shown in full."""
LISTED = 200
"""How many of them at most."""

_STYLES = {
    State.GOOD: "green",
    State.LOW: "bold red",
    State.PLAIN: "",
    State.NOT_APPLICABLE: "dim",
    State.FAILED: "bold magenta",
}
VERDICTS = {"passed": "bold green", "failed": "bold red", "scored": "bold yellow", "no verdict": "bold yellow"}
_INDENT = "  "
_GAP = "  "
_HEADING = 12
"""How wide a column's heading gets before its words go on the next line."""
_WHY = 120
"""How many characters of a reason the overview shows."""


def render_results(results: Sequence[EvaluationResult], *, width: int | None = None, colour: bool = False) -> str:
    """The report on ``results``: turns, dimensions and reasons of each conversation, then a summary of all.

    Recorded text cannot drive the terminal: control characters are shown as escapes, markup as it stands.

    Args:
        results: what was found, one result per conversation.
        width: no line is wider, in columns, at least 24; left out, 100.
        colour: whether to colour it by terminal escapes.
    """
    return rendered(lambda room: _report(results, room), width=width, colour=colour)


def rendered(
    parts: Callable[[int], Iterable[RenderableType]], *, width: int | None = None, colour: bool = False
) -> str:
    """The parts of a report as text.

    Args:
        parts: from the number of columns there are to what is shown, one below the other.
        width: no line is wider, in columns, at least 24; left out, 100.
        colour: whether to colour it by terminal escapes.
    """
    console = Console(
        file=io.StringIO(),
        width=max(width or WIDTH, NARROWEST),
        force_terminal=colour,
        color_system="standard" if colour else None,
        force_jupyter=False,
        no_color=not colour,
        markup=False,
        emoji=False,
        highlight=False,
        legacy_windows=False,
        _environ={},
    )
    with console.capture() as captured:
        console.print(Group(*parts(console.width)))
    return "\n".join(line.rstrip() for line in captured.get().rstrip().split("\n")) + "\n"


def _report(results: Sequence[EvaluationResult], width: int) -> Iterator[RenderableType]:
    yield from conversations(results, width)
    yield total_line(results)


def conversations(results: Sequence[EvaluationResult], width: int) -> Iterator[RenderableType]:
    """Each conversation, those that did not pass first in line if there are many; then an overview of them."""
    chosen = [r for r in results if len(results) <= DETAILED or not r.passed]
    shown, common = apart([break_down(result) for result in chosen[:DETAILED]])
    for found in shown:
        yield from _conversation(found, width)
        yield text("")
    yield from _summary(results, chosen, common)


def _conversation(found: Breakdown, width: int) -> Iterator[RenderableType]:
    yield _title(found)
    for start, stop in _fitting(found, width - len(_INDENT)):
        rows = [(row, row.cells[start:stop]) for row in found.rows]
        yield _indented(_turns(found.metrics[start:stop], rows))
    if found.dimensions:
        yield _indented(_dimensions(found.dimensions))
    if found.notes:
        yield text("")
    for note in found.notes:
        yield _note(note, _INDENT)


def _title(found: Breakdown) -> Text:
    title = text(one_line(found.name), "bold")
    title.append("  ").append(found.verdict.upper(), VERDICTS[found.verdict])
    title.append(f"  overall {found.overall}" if found.overall else "")
    if found.low_turn:
        title.append("  ").append(found.low_turn, "bold yellow" if found.verdict == Verdict.PASSED else "bold red")
    return title


def _fitting(found: Breakdown, width: int) -> Iterator[tuple[int, int]]:
    """The metrics in as many tables as it takes for each to fit into ``width``."""
    room = width - max(len("turn"), *(len(_window(row)) for row in found.rows)) if found.rows else width
    start, used = 0, 0
    for place, name in enumerate(found.metrics):
        texts = [*_heading(name), *(_shown(row.cells[place]) for row in found.rows)]
        needed = len(_GAP) + max(map(cell_len, texts))
        if used + needed > room and place > start:
            yield start, place
            start, used = place, 0
        used += needed
    if found.metrics:
        yield start, len(found.metrics)


def _turns(metrics: Sequence[str], rows: Iterable[tuple[Row, Sequence[Cell | None]]]) -> Table:
    found = table()
    found.add_column(text("turn"), justify="right", no_wrap=True)
    for name in metrics:
        found.add_column(text("\n".join(_heading(name))), justify="right", overflow="fold")
    for row, cells in rows:
        window = text(_window(row), "bold red" if row.marked else "")
        found.add_row(window, *(text(_shown(c), _STYLES[c.state] if c else "") for c in cells))
    return found


def _window(row: Row) -> str:
    return f"> {row.window}" if row.marked else row.window


def _heading(name: str) -> list[str]:
    """A metric's name, broken after underscores into short lines."""
    lines = [""]
    for word in one_line(name).replace("_", "_\0").split("\0"):
        if lines[-1] and len(lines[-1]) + len(word) > _HEADING:
            lines.append("")
        lines[-1] += word
    return lines


def _shown(cell: Cell | None) -> str:
    if cell is None:
        return ""
    return f"{cell.text}{CROSS if cell.state is State.LOW else ' '}"


def _dimensions(rows: Iterable[DimensionRow]) -> Table:
    found = table()
    found.add_column(text("dimension"), overflow="fold")
    for name in ("score", "threshold", "weight"):
        found.add_column(text(name), justify="right", overflow="fold")
    found.add_column(text(""), overflow="fold")
    for row in rows:
        style = _STYLES[State.LOW if row.outcome in ("missed", "not decided") else row.score.state]
        found.add_row(
            text(one_line(row.name)),
            text(row.score.text, style),
            text(row.threshold),
            text(row.weight),
            text(row.outcome, style),
        )
    return found


def _note(note: Note, indent: str) -> RenderableType:
    line = Table.grid(padding=(0, 1, 0, 0))
    line.add_column(no_wrap=True)
    line.add_column(overflow="fold")
    style = _STYLES[note.state]
    line.add_row(text(f"{indent}{note.label}:", style), text("; ".join(map(one_line, note.texts))))
    return line


def _summary(
    results: Sequence[EvaluationResult], listed: Sequence[EvaluationResult], common: Sequence[Note]
) -> Iterator[RenderableType]:
    if len(results) > 1 and listed:
        yield _overview(map(line_of, listed[:LISTED]))
        yield text("")
    for note in common:
        yield _note(note, "")
    if common:
        yield text("")
    if len(results) > DETAILED:
        more = f" {len(listed) - LISTED} more did not pass." if len(listed) > LISTED else ""
        yield text(f"Conversations that passed are not listed; at most {DETAILED} are shown in full.{more}")
    for sentence in judged_by(results):
        yield text(sentence, "dim")


def total_line(results: Sequence[EvaluationResult]) -> Text:
    """How many conversations there are, or plays of them, and how many have which verdict."""
    what = counted(len(results), "conversation")
    if any(result.trial for result in results):
        names = {result.name for result in results}
        what = f"{counted(len(results), 'play')} of {counted(len(names), 'conversation')}"
    line = text(f"{what}: ", "bold")
    for place, (word, count) in enumerate(totals(results).items()):
        line.append(", " if place else "").append(f"{count} {word}", VERDICTS[word] if count else "dim")
    return line


def _overview(lines: Iterable[Line]) -> Table:
    lines = list(lines)
    graded = any(line.overall for line in lines)
    found = table()
    for name in ("conversation", "verdict", *(["overall"] if graded else []), "broke at", "why"):
        found.add_column(text(name), justify="right" if name == "overall" else "left", overflow="fold")
    for line in lines:
        found.add_row(
            text(one_line(line.name)),
            text(line.verdict, VERDICTS[line.verdict]),
            *([text(line.overall)] if graded else []),
            text(one_line(line.broke), "bold red"),
            text(one_line(line.why, _WHY)),
        )
    return found


def table() -> Table:
    """An empty table with one rule below its head."""
    ruled = Box("    \n    \n -- \n    \n    \n    \n    \n    \n", ascii=True)
    return Table(box=ruled, header_style="", padding=(0, len(_GAP) - 1, 0, 0), pad_edge=False, show_edge=False)


def _indented(shown: Table) -> RenderableType:
    return Padding(shown, (1, 0, 0, len(_INDENT)), expand=False)


def text(content: str, style: str = "") -> Text:
    """``content`` as it stands, folded where it is too long."""
    return Text(content, style, overflow="fold")
