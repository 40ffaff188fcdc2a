"""Reading: runs, results and measurements, in order, and never more of them in memory than asked for."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Mapping
from itertools import groupby
from operator import itemgetter
from typing import cast

from sqlalchemy import ColumnElement, Connection, Select, select

from uaef.models.base import replaced
from uaef.models.results import EvaluationResult, Verdict
from uaef.models.scores import ScoreStatus
from uaef.runs.records import RunInfo, RunStatus
from uaef.runs.store.batches import batches
from uaef.runs.store.codec import Row, from_json, measurement, together, unreadable
from uaef.runs.store.rows import ListedRun, StoredMeasurement
from uaef.runs.store.schema import measurements, results, runs

_AT_ONCE = 1_000
"""How many measurements are fetched at a time."""
_RESULTS_AT_ONCE = 20


def find_runs(connection: Connection, *wanted: ColumnElement[bool]) -> Iterator[ListedRun]:
    """The runs of which all that is ``wanted`` holds, the newest first."""
    found = select(*(column for column in runs.c if column is not runs.c.writer)).where(*wanted)
    for row in _rows(connection, found.order_by(runs.c.run_id.desc()), _AT_ONCE):
        counts = {str(status): cast("int", row[f"n_{status}"]) for status in ScoreStatus}
        yield ListedRun(info=info_of(row), results=cast("int", row["n_results"]), **counts)


def info_of(row: Mapping[str, object]) -> RunInfo:
    """What is known of the run in a row.

    Raises:
        StoreError: what is kept is no run.
    """
    finished, verdict = row["finished_at"], row["verdict"]
    try:
        return replaced(
            RunInfo.from_dict(from_json(row["info"])),
            status=RunStatus(cast("str", row["status"])),
            finished_at=None if finished is None else dt.datetime.fromisoformat(cast("str", finished)),
            verdict=None if verdict is None else Verdict(cast("str", verdict)),
        )
    except (ValueError, TypeError) as error:
        raise unreadable(str(row["run_id"]), error) from None


def read_results(connection: Connection, run_id: str, *, beside: bool) -> Iterator[EvaluationResult]:
    """The results of a run, in the order of their positions."""
    found = select(results).where(results.c.run_id == run_id, results.c.beside == beside)
    for group in batches(_rows(connection, found.order_by(results.c.position), _RESULTS_AT_ONCE), _RESULTS_AT_ONCE):
        asked = select(measurements).where(measurements.c.result_id.in_([row["result_id"] for row in group]))
        rows = _rows(connection, asked.order_by(measurements.c.result_id, measurements.c.place), _AT_ONCE)
        of_result = {
            key: [measurement(each) for each in several] for key, several in groupby(rows, itemgetter("result_id"))
        }
        yield from (together(row, of_result.get(row["result_id"], [])) for row in group)


def read_measurements(connection: Connection, run_id: str) -> Iterator[StoredMeasurement]:
    """The measurements of a run, in the order of its results; those of the play that does not decide come last."""
    named = (results.c.name, results.c.beside)
    found = select(*named, measurements).join_from(results, measurements).where(results.c.run_id == run_id)
    ordered = found.order_by(results.c.beside, results.c.position, measurements.c.place)
    for row in _rows(connection, ordered, _AT_ONCE):
        where = {
            name: cast("str | None", row[name]) for name in ("thread_id", "trace_id", "span_id", "own", "context")
        }
        yield StoredMeasurement(run_id, cast("str", row["name"]), measurement(row), bool(row["beside"]), **where)


def names_done(connection: Connection, run_id: str, *, beside: bool) -> set[tuple[str, int]]:
    """The conversations and trials that a run has the results of."""
    found = select(results.c.name, results.c.trial).where(results.c.run_id == run_id, results.c.beside == beside)
    return {(row.name, row.trial) for row in connection.execute(found)}


def _rows(connection: Connection, query: Select[tuple[object, ...]], at_once: int) -> Iterator[Row]:
    """The rows, fetched piece by piece where the database keeps the rest."""
    with connection.execute(query, execution_options={"yield_per": at_once}) as found:
        yield from map(dict, found.mappings())
