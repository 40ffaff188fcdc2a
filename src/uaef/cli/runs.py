"""``uaef runs``: what was kept of runs, listed, shown, written out, removed."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import closing
from functools import partial
from typing import TYPE_CHECKING

import click

from uaef.cli.exits import OK, complain
from uaef.cli.keeping import store_option
from uaef.cli.output import STDOUT, check_writable, emit, emit_rendered, emit_run, write_pieces
from uaef.errors import UsageError

if TYPE_CHECKING:
    from uaef.runs.store import ListedRun, Store

_AT_ONCE = 1_000


@click.group(no_args_is_help=False)
def command() -> None:
    """List, show, export and delete the runs that were kept.

    A RUN is named by its name, by the beginning of it, by its label, or by latest.

    \b
    Examples:
      uaef runs list --tag nightly
      uaef runs show latest
      uaef runs export nightly --format parquet -o nightly.parquet
      uaef runs delete 20261201T061852
    """  # noqa: D301 - the mark of click for lines to be left as they are


@command.command("list")
@click.option("--dataset", metavar="NAME", help="Runs of this dataset alone.")
@click.option("--branch", metavar="NAME", help="Runs on this branch of the code alone.")
@click.option("--label", metavar="LABEL", help="Runs with this label alone.")
@click.option("--tag", metavar="TAG", help="Runs with this tag alone.")
@click.option("--limit", type=click.IntRange(min=1), default=20, metavar="N", help="At most so many, the newest; 20.")
@click.option("--json", "as_json", is_flag=True, help="Write them as JSON, with everything that is known of them.")
@store_option
def list_runs(*, store: str | None, limit: int, as_json: bool, **wanted: str | None) -> int:
    """List runs, the newest first: how far they came, their verdict, how much was measured.

    A run that was killed is interrupted: uaef run --resume goes on with it.
    """
    from uaef.reporting.kept import render_list  # noqa: PLC0415 - loaded for a run, not for --help

    with _opened(store) as shelf:
        found = shelf.listed(limit=limit, **wanted)
        if as_json:
            emit(json.dumps([_described(run) for run in found], indent=2) + "\n")
        elif found:
            emit_rendered(partial(render_list, found))
        else:
            emit(f"No {'such ' if any(wanted.values()) else ''}run is kept in {shelf.place}.\n")
    return OK


@command.command("show")
@click.argument("run", default="latest", metavar="[RUN]")
@click.option(
    "--json",
    "as_json",
    is_flag=True,
    help="Write the run as JSON, with all its results; without the means in scores.",
)
@store_option
def show_run(*, run: str, store: str | None, as_json: bool) -> int:
    """Show what is known of a RUN, and its report as when it was played; by default of the latest."""
    from uaef.reporting.json import run_to_json  # noqa: PLC0415 - loaded for a run, not for --help
    from uaef.reporting.kept import render_info  # noqa: PLC0415 - as above
    from uaef.runs.conclusion import concluded  # noqa: PLC0415 - as above

    with _opened(store) as shelf:
        found = _listed(shelf, run)
        items, beside = (list(shelf.results(found.info.run_id, beside=which)) for which in (False, True))
        result = concluded(items, found.info.played, beside=beside)
    if as_json:
        emit(run_to_json(result) + "\n")
    else:
        emit_rendered(lambda **how: render_info(found, **how) + "\n")
        emit_run(result)
    return OK


@command.command("export")
@click.argument("run", default="latest", metavar="[RUN]")
@click.option(
    "--format",
    "kind",
    type=click.Choice(("jsonl", "parquet")),
    default="jsonl",
    help="JSON lines, the default, or Parquet.",
)
@click.option("-o", "--output", "file", default=STDOUT, metavar="FILE", help="Where to; else standard output.")
@store_option
def export_run(*, run: str, kind: str, file: str, store: str | None) -> int:
    """Write every measurement of a RUN, one a line, by default of the latest. A run of any size takes little memory.

    \b
    Each has: run, conversation, slice, trial, turn, metric, dimension, status, score, reasoning, warning, tags,
    beside, judge, rubric_version, seconds, cost, thread_id, trace_id, span_id, own_hash, context_hash.
    """  # noqa: D301 - the mark of click for lines to be left as they are
    from uaef.runs.store.export import json_lines  # noqa: PLC0415 - loaded for a run, not for --help
    from uaef.runs.store.parquet import write_parquet  # noqa: PLC0415 - as above

    if kind == "parquet" and file == STDOUT:
        raise UsageError("Parquet is no text: name a file with -o FILE.")
    check_writable(file)
    with _opened(store) as shelf, closing(shelf.measurements(shelf.find(run).run_id)) as measurements:
        if kind == "parquet":
            write_parquet(measurements, file)
        else:
            write_pieces(_joined(json_lines(measurements)), file)
    return OK


@command.command("delete")
@click.argument("runs", nargs=-1, required=True, metavar="RUN...")
@store_option
def delete_runs(*, runs: Sequence[str], store: str | None) -> int:
    """Remove each RUN with everything that was kept of it. A baseline that was pinned from it stays."""
    with _opened(store) as shelf:
        found = dict.fromkeys(shelf.find(run).run_id for run in runs)
        for run_id in found:
            shelf.delete(run_id)
            complain(f"deleted {run_id}")
    return OK


def _opened(store: str | None) -> Store:
    from uaef.runs.store import open_store  # noqa: PLC0415 - loaded for a run, not for --help

    return open_store(store, create=False)


def _listed(store: Store, reference: str) -> ListedRun:
    """The run that is named, with its counts."""
    [found] = store.listed(run_id=store.find(reference).run_id)
    return found


def _described(run: ListedRun) -> dict[str, object]:
    counts = {name: value for name, value in run._asdict().items() if name != "info"}
    return {**run.info.to_dict(), **counts}


def _joined(lines: Iterator[str]) -> Iterator[str]:
    from uaef.runs.store.batches import batches  # noqa: PLC0415 - loaded for a run, not for --help

    return map("".join, batches(lines, _AT_ONCE))
