"""Reading: runs, results and measurements, in order, and never more of them in memory than asked for."""

from __future__ import annotations

import datetime as dt
from collections.abc import Generator, Iterator, Mapping
from contextlib import contextmanager
from itertools import groupby
from operator import itemgetter
from typing import cast

from sqlalchemy import ColumnElement, Connection, Select, func, literal, select

from uaef.errors import StoreError
from uaef.models.base import replaced
from uaef.models.measurement import Measurement
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


def find_runs(connection: Connection, *wanted: ColumnElement[bool]) -> Generator[ListedRun, None, None]:
    """The runs of which all that is ``wanted`` holds, the newest first."""
    found = select(*(column for column in runs.c if column is not runs.c.writer)).where(*wanted)
    with _rows(connection, found.order_by(runs.c.run_id.desc()), _AT_ONCE) as rows:
        for row in rows:
            counts = {str(status): _count(row, f"n_{status}") for status in ScoreStatus}
            yield ListedRun(info=info_of(row), results=_count(row, "n_results"), **counts)


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


def _count(row: Mapping[str, object], name: str) -> int:
    count = row[name]
    if isinstance(count, int):
        return count
    raise unreadable(str(row["run_id"]), ValueError(f"{name} is {count!r} and no count"))


def read_results(connection: Connection, run_id: str, *, beside: bool) -> Generator[EvaluationResult, None, None]:
    """The results of a run, in the order of their positions.

    Raises:
        StoreError: some are missing, or cannot be read.
    """
    _check_counts(connection, run_id)
    found = select(results).where(results.c.run_id == run_id, results.c.beside == beside)
    with _rows(connection, found.order_by(results.c.position), _RESULTS_AT_ONCE) as rows:
        for group in batches(rows, _RESULTS_AT_ONCE):
            of_result = _measured(connection, [row["result_id"] for row in group])
            for row in group:
                yield together(row, of_result.get(row["result_id"], []))


def _measured(connection: Connection, keys: list[object]) -> dict[object, list[Measurement]]:
    """The measurements of some results, by the key of the result."""
    asked = select(measurements).where(measurements.c.result_id.in_(keys))
    with _rows(connection, asked.order_by(measurements.c.result_id, measurements.c.place), _AT_ONCE) as rows:
        return {key: [measurement(row) for row in several] for key, several in groupby(rows, itemgetter("result_id"))}


def read_measurements(connection: Connection, run_id: str) -> Generator[StoredMeasurement, None, None]:
    """The measurements of a run, in the order of its results; those of the play that does not decide come last.

    Raises:
        StoreError: some are missing, which is said before the first is given; or one cannot be read.
    """
    _check_counts(connection, run_id)
    named = (results.c.name, results.c.beside)
    found = select(*named, measurements).join_from(results, measurements).where(results.c.run_id == run_id)
    ordered = found.order_by(results.c.beside, results.c.position, measurements.c.place)
    with _rows(connection, ordered, _AT_ONCE) as rows:
        for row in rows:
            where = {
                name: cast("str | None", row[name]) for name in ("thread_id", "trace_id", "span_id", "own", "context")
            }
            yield StoredMeasurement(run_id, cast("str", row["name"]), measurement(row), bool(row["beside"]), **where)


def names_done(connection: Connection, run_id: str, *, beside: bool) -> set[tuple[str, int]]:
    """The conversations and trials that a run has the results of."""
    found = select(results.c.name, results.c.trial).where(results.c.run_id == run_id, results.c.beside == beside)
    return {(row.name, row.trial) for row in connection.execute(found)}


def _check_counts(connection: Connection, run_id: str) -> None:
    """Refuse a run that has lost results or measurements: what is left of it would pass for all of it.

    Results and counts are written in one transaction, and one statement asks for both, so they agree at any moment:
    also while the run is written, and in a transaction in which every statement sees a state of its own.
    """
    of_run = results.c.run_id == run_id
    held = select(func.count()).select_from(results).where(of_run)
    measured = select(func.count()).select_from(results).join(measurements).where(of_run)
    counted = sum((runs.c[f"n_{status}"] for status in ScoreStatus), literal(0))
    asked = select(runs.c.n_results, held.scalar_subquery(), counted, measured.scalar_subquery())
    row = connection.execute(asked.where(runs.c.run_id == run_id)).one_or_none()
    if row is None or (row[0], row[2]) == (row[1], row[3]):
        return
    raise StoreError(
        f"Run {run_id} is not whole any more, as if it were changed by hand: {row[1]} of {row[0]} results and "
        f"{row[3]} of {row[2]} measurements are there; put a copy of the store in its place, or play the run anew."
    )


@contextmanager
def _rows(connection: Connection, query: Select[tuple[object, ...]], at_once: int) -> Iterator[Iterator[Row]]:
    """The rows, fetched piece by piece where the database keeps the rest.

    No generator: one that nobody has read to its end would be closed only once its connection is gone.
    """
    with connection.execute(query, execution_options={"yield_per": at_once}) as found:
        yield map(dict, found.mappings())
