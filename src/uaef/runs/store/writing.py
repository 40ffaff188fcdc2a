"""Writing: a run begins, gets its results one by one, and ends."""

from __future__ import annotations

import datetime as dt

from sqlalchemy import Connection, delete, select, update

from uaef.models.results import EvaluationResult, Verdict
from uaef.models.scores import ScoreStatus
from uaef.runs.records import RunInfo, RunStatus
from uaef.runs.store.codec import Row, apart, to_json
from uaef.runs.store.schema import measurements, results, runs

_COUNTS = [f"n_{status}" for status in ScoreStatus]


def insert_run(connection: Connection, info: RunInfo, writer: str) -> None:
    """A run that nothing was kept of so far."""
    connection.execute(
        runs.insert().values(
            run_id=info.run_id,
            label=info.label,
            dataset=info.dataset,
            branch=info.branch,
            info=to_json(info),
            writer=writer,
            **_state(info.status, info.finished_at, info.verdict),
        )
    )


def take_over(connection: Connection, run_id: str, writer: str) -> bool:
    """Make a run that has ended one that runs, and that nobody but ``writer`` writes; ``False`` if it is gone."""
    running = update(runs).where(runs.c.run_id == run_id).values(writer=writer, **_state(RunStatus.RUNNING))
    return connection.execute(running).rowcount == 1


def put_result(connection: Connection, run_id: str, writer: str, row: Row, result: EvaluationResult) -> bool:
    """Keep a result at its place, instead of what was kept there; ``False`` if ``writer`` may not write the run.

    Args:
        connection: a transaction that writes.
        run_id: the run.
        writer: who writes.
        row: the place: ``beside`` and ``position``.
        result: what was found.
    """
    parts = apart(result)
    at = (results.c.run_id == run_id, results.c.beside == row["beside"], results.c.position == row["position"])
    before = connection.execute(select(results).where(*at)).mappings().one_or_none()
    counts = {name: runs.c[name] + (_count(parts.result, name) - _count(before, name)) for name in _COUNTS}
    counts["n_results"] = runs.c.n_results + int(before is None)
    own = update(runs).where(runs.c.run_id == run_id, runs.c.writer == writer).values(**counts)
    if connection.execute(own).rowcount != 1:
        return False
    if before is not None:
        connection.execute(delete(results).where(*at))
    inserted = connection.execute(results.insert().values(run_id=run_id, **row, **parts.result))
    if parts.measurements:
        key = inserted.inserted_primary_key[0]  # type: ignore[index] # of one row there always is one
        connection.execute(measurements.insert(), [{"result_id": key, **each} for each in parts.measurements])
    return True


def end_run(connection: Connection, run_id: str, writer: str, status: RunStatus, verdict: Verdict | None) -> bool:
    """Say how a run has ended, now; ``False`` if ``writer`` may not write it."""
    ended = _state(status, dt.datetime.now(dt.UTC), verdict)
    own = update(runs).where(runs.c.run_id == run_id, runs.c.writer == writer).values(**ended)
    return connection.execute(own).rowcount == 1


def remove_run(connection: Connection, run_id: str) -> None:
    """Remove a run with everything that belongs to it; copies that are pinned do not."""
    connection.execute(delete(runs).where(runs.c.run_id == run_id))


def _state(status: RunStatus, finished: dt.datetime | None = None, verdict: Verdict | None = None) -> Row:
    return {
        "status": str(status),
        "finished_at": None if finished is None else finished.isoformat(),
        "verdict": None if verdict is None else str(verdict),
    }


def _count(row: object, name: str) -> int:
    return 0 if row is None else int(row[name])  # type: ignore[index] # a row, of either kind
