"""A run as text for a terminal: its conversations, what was required of them, the turns that broke, the verdict."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from uaef.evaluation.claims import bounds
from uaef.reporting.breakdown import NO_VERDICT
from uaef.reporting.common_failures import standing_out
from uaef.reporting.plain import one_line
from uaef.reporting.repeated import repeated
from uaef.reporting.terminal import VERDICTS, conversations, rendered, table, text, total_line
from uaef.runs.results import Cascade, ClaimSummary, RunResult, Trials
from uaef.text.numbers import listed, shown

_NAMED = 4
_LISTED = 40
_WHY = 120
_ALL = 12
"""Of more claims than this, those that were met are not listed."""


def render_run(run: RunResult, *, width: int | None = None, colour: bool = False) -> str:
    """The report on a run; arguments as for ``render_results``."""
    return rendered(lambda room: _report(run, room), width=width, colour=colour)


def _report(run: RunResult, width: int) -> Iterator[RenderableType]:
    yield from conversations(run.items, width)
    required = list(_required(run))
    graded = any(kind == "threshold" for kind, _, _ in required)
    few = len(required) <= _ALL or any(claim.passed is False for _, _, claim in required)
    if few and required and (len(run.items) > 1 or graded):
        yield _claims(required)
        yield text("")
    if run.cascades:
        yield _cascades(run.cascades)
        yield text("")
    yield from (text(f"warning: {one_line(warning)}", "yellow") for warning in run.warnings)
    for remark in (standing_out(run.items), repeated(run)):
        if remark:
            yield text(one_line(remark), "bold")
    line = total_line(run.items)
    line.append(f"  ({played_how(run)})", "dim")
    yield line
    yield _verdict(run)


def _verdict(run: RunResult) -> Text:
    """What the run came to, in a line of its own: with trials it is not what the conversations come to one by one."""
    line = text("verdict: ", "bold")
    line.append(str(run.verdict or NO_VERDICT).upper(), VERDICTS[str(run.verdict or NO_VERDICT)])
    if len(run.items) < run.n_planned:
        line.append(f"  (interrupted: {len(run.items)} of {run.n_planned} conversations were played)", "bold yellow")
    return line


def _required(run: RunResult) -> Iterator[tuple[str, str, ClaimSummary]]:
    """Every claim with its kind and what it is about."""
    yield from (("gate", "conversation", claim) for claim in run.gate_results)
    yield from (("threshold", "conversation", claim) for claim in run.threshold_results)
    for turn in run.turn_results:
        yield from (("gate", f"turn {turn.index + 1}", claim) for claim in turn.gate_results)
        yield from (("threshold", f"turn {turn.index + 1}", claim) for claim in turn.threshold_results)


def _claims(required: Iterable[tuple[str, str, ClaimSummary]]) -> Table:
    """What was required and not met; what was met as well, where that is little."""
    found = table()
    for name in ("required", "of", "at"):
        found.add_column(text(name), overflow="fold")
    for name in ("mean", "n"):
        found.add_column(text(name), justify="right")
    found.add_column(text("not met in"), overflow="fold")
    rows = sorted(required, key=lambda row: row[2].passed is not False)
    if len(rows) > _ALL:
        rows = [row for row in rows if row[2].passed is False]
    for kind, where, claim in rows[:_LISTED]:
        style = "bold red" if claim.passed is False else ""
        bound = f"{kind} {bounds(claim.at_least, claim.at_most)}"
        found.add_row(
            text(one_line(claim.key), style),
            text(where),
            text(bound),
            text(shown(claim.score), style),
            text(str(claim.n)),
            text(_some(claim.failed_in), style),
        )
    if len(rows) > _LISTED:
        found.add_row(text(f"and {len(rows) - _LISTED} more"))
    return found


def _cascades(cascades: Sequence[Cascade]) -> Table:
    """Why turns fail: by themselves, or because of what came before."""
    found = table()
    for name in ("turn that fails", "on the expected history", "on what was said", "cause", "why"):
        found.add_column(text(name), overflow="fold")
    words = {True: "passes", False: "fails", None: "undecided"}
    for each in cascades[:_LISTED]:
        found.add_row(
            text(one_line(each.slice_name), "bold red"),
            text(words[each.alone]),
            text(words[each.in_conversation]),
            text(each.cause),
            text(one_line(each.reason or "", _WHY)),
        )
    return found


def _some(names: Sequence[str]) -> str:
    return listed([one_line(name) for name in names], _NAMED)


def played_how(run: RunResult) -> str:
    """How it was played: agent, history, trials."""
    parts = [f"agent {one_line(run.agent)}", f"history: {run.history}"]
    if run.repeat > 1:
        decided = "" if run.trials is Trials.ALL else f", {run.trials} decides"
        parts.append(f"{run.repeat} trials{decided or ', all must hold'}")
    return "; ".join(parts)
