"""Runs that were kept, as text for a terminal: a line each, or everything that is known of one."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Sequence

from rich.console import RenderableType
from rich.table import Table

from uaef.reporting.plain import one_line
from uaef.reporting.terminal import rendered, table, text
from uaef.runs.records import RunInfo, RunStatus
from uaef.runs.store import ListedRun

_STYLES = {RunStatus.RUNNING: "bold", RunStatus.INTERRUPTED: "yellow", RunStatus.COMPLETE: ""}
_LONGEST = 60
_WIDE = 90


def render_list(runs: Sequence[ListedRun], *, width: int | None = None, colour: bool = False) -> str:
    """A table of runs; arguments as for ``render_results``."""
    return rendered(lambda wide: [_table(runs, wide)], width=width, colour=colour)


def render_info(run: ListedRun, *, width: int | None = None, colour: bool = False) -> str:
    """What is known of a run, a line for each thing; arguments as for ``render_results``."""
    return rendered(lambda _: _facts(run), width=width, colour=colour)


def _table(runs: Sequence[ListedRun], width: int) -> Table:
    found = table()
    for name in ("run", "label", "dataset", "state", "verdict"):
        # The name is there to be copied, so where there is room what people have made up is folded before it.
        is_whole = width >= _WIDE and name in ("run", "state", "verdict")
        found.add_column(text(name), overflow="fold", no_wrap=is_whole)
    for name in ("results", "measured", "failed"):
        found.add_column(text(name), justify="right")
    for run in runs:
        info = run.info
        found.add_row(
            text(one_line(info.run_id)),
            text(one_line(info.label or "", _LONGEST)),
            text(one_line(info.dataset, _LONGEST)),
            text(info.status, _STYLES[info.status]),
            text(info.verdict or "-"),
            text(_done(run)),
            text(f"{run.measurements:,}"),
            text(f"{run.failed:,}", "bold red" if run.failed else ""),
        )
    return found


def _done(run: ListedRun) -> str:
    """How many results there are, and of how many where some are missing."""
    planned = run.info.n_planned
    return f"{run.results:,} of {planned:,}" if run.results < planned else f"{run.results:,}"


def _facts(run: ListedRun) -> Iterator[RenderableType]:
    info = run.info
    for name, value in {
        "run": info.run_id,
        "label": info.label,
        "tags": ", ".join(info.tags),
        "state": info.status,
        "verdict": info.verdict,
        "dataset": f"{info.dataset} {info.dataset_hash}".strip(),
        "agent": info.agent,
        "history": info.history,
        "judge": info.judge,
        "trials": f"{info.repeat}, {info.trials} must hold" if info.repeat > 1 else None,
        "began": _moment(info.started_at),
        "took": _took(info),
        "uaef": info.version,
        "commit": " on ".join(filter(None, (info.commit, info.branch))),
        "options": ", ".join(f"{key}={value}" for key, value in info.parameters.items() if value is not None),
        "conversations": _done(run),
        "measurements": f"{run.scored:,} scored, {run.not_applicable:,} not applicable, {run.failed:,} failed",
    }.items():
        if value:
            yield text(f"{name:<13} {one_line(value)}")


def _moment(at: dt.datetime) -> str:
    return f"{at.astimezone(dt.UTC):%Y-%m-%d %H:%M:%S} UTC"


def _took(info: RunInfo) -> str | None:
    if info.finished_at is None:
        return None
    return str(dt.timedelta(seconds=round((info.finished_at - info.started_at).total_seconds())))
