"""The numbers of one run by cohort, and how many conversations are unbroken after each turn."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from rich.console import RenderableType

from uaef.reporting.plain import one_line
from uaef.reporting.rows import worth_showing
from uaef.reporting.terminal import rendered, table, text
from uaef.runs.comparison.cohorts import ALL
from uaef.runs.comparison.differences import TURNS
from uaef.runs.comparison.summaries import CONVERSATIONS, Summary, Survivors
from uaef.text.numbers import shown

_SHARES = (
    "Each number is the mean of the conversations' own, however many turns each has; n counts what was measured."
)


def render_cohorts(
    found: Sequence[Summary],
    curve: Iterable[Survivors] = (),
    *,
    width: int | None = None,
    colour: bool = False,
) -> str:
    """The report on these numbers; ``width`` and ``colour`` as for ``render_results``."""
    return rendered(lambda _: _cohorts(found, list(curve)), width=width, colour=colour)


def _cohorts(found: Sequence[Summary], curve: Sequence[Survivors]) -> Iterator[RenderableType]:
    """A table of the numbers. Of very many, those in which nothing is less than it can be are left out."""
    rows = worth_showing(found, _stands_out, lambda each: each.n + each.failed + each.skipped > 1)
    made = table()
    made.add_column(text("measured"), overflow="fold")
    made.add_column(text("of"), overflow="fold")
    for name in ("", "95% interval", "n", "conversations", "skipped", "failed"):
        made.add_column(text(name), justify="right")
    made.add_column(text("lowest"), overflow="fold")
    for each in rows:
        made.add_row(
            text(one_line(f"{each.what} ({each.kind})")),
            text("" if each.cohort == ALL else one_line(each.cohort)),
            text(shown(each.value)),
            text("" if each.interval is None else " to ".join(map(shown, each.interval))),
            text(str(each.n)),
            text(str(each.n_conversations)),
            text(str(each.skipped)),
            text(str(each.failed), "bold magenta" if each.failed else ""),
            text("" if each.worst is None else one_line(f"{each.worst} {shown(each.worst_value)}")),
        )
    if len(found) > len(rows):
        made.add_row(text(f"and {len(found) - len(rows)} more"))
    yield made
    if any(each.n != each.n_conversations for each in rows):
        yield text(_SHARES, "dim")
    if curve:
        steps = ", ".join(
            f"{each.at_risk - each.broke} of {each.at_risk} after turn {each.turn} ({each.share:.0%})"
            for each in curve
        )
        yield text("")
        yield text(f"Conversations unbroken so far, of those at risk (of all): {steps}.")


def _stands_out(each: Summary) -> bool:
    """Whether it is of turns or conversations as a whole, or something in it is less than it can be."""
    is_full = each.value is not None and each.value >= 1 and not each.failed
    return each.what in (TURNS, CONVERSATIONS) or not is_full
