"""Pins: a baseline per dataset and branch, a copy of a run's results that is named by its content.

The copy outlives the run. What has the same content is kept once, however often it is pinned, and what was changed
since is not taken for what was pinned.
"""

from __future__ import annotations

import hashlib
from collections.abc import Generator, Iterable
from contextlib import closing

from sqlalchemy import Connection, delete, exists, select

from uaef.errors import StoreError
from uaef.models.results import EvaluationResult
from uaef.runs.records import RunInfo, StoredRun
from uaef.runs.store.batches import batches
from uaef.runs.store.codec import digest_of, from_json, to_json, unreadable
from uaef.runs.store.reading import read_results
from uaef.runs.store.schema import copies, pins, runs

_AT_ONCE = 20


def pin(connection: Connection, dataset: str, branch: str | None, info: RunInfo) -> None:
    """Pin a copy of a run, in place of what was pinned; the transaction is alone."""
    # It is read twice, so whoever writes it waits: on SQLite always, on PostgreSQL for this lock.
    connection.execute(select(runs.c.run_id).where(runs.c.run_id == info.run_id).with_for_update(read=True)).all()
    with closing(_items(connection, info)) as items:
        digest = _digest_of_all(map(digest_of, items))
    if not connection.execute(select(exists().where(copies.c.digest == digest))).scalar_one():
        with closing(_items(connection, info)) as items:
            rows = ({"digest": digest, "position": position, "item": item} for position, item in enumerate(items))
            for batch in batches(rows, _AT_ONCE):
                connection.execute(copies.insert(), batch)
    unpin(connection, dataset, branch, but=digest)
    kept = {"pin_id": _pin_id(dataset, branch), "dataset": dataset, "branch": branch}
    connection.execute(pins.insert().values(**kept, info=to_json(info), digest=digest))


def pinned(connection: Connection, dataset: str, branch: str | None) -> StoredRun | None:
    """The copy that is pinned; ``None`` where none is.

    Raises:
        StoreError: it is not what was pinned.
    """
    found = select(pins).where(pins.c.pin_id == _pin_id(dataset, branch))
    row = connection.execute(found).mappings().one_or_none()
    if row is None:
        return None
    content = select(copies.c.item).where(copies.c.digest == row["digest"]).order_by(copies.c.position)
    items = connection.execute(content).scalars().all()
    if _digest_of_all(map(digest_of, items)) != row["digest"]:
        raise StoreError(f"The baseline of {dataset!r} has been changed since it was pinned; pin one anew.")
    try:
        info = RunInfo.from_dict(from_json(row["info"]))
        return StoredRun(info, [EvaluationResult.from_dict(from_json(item)) for item in items])
    except (ValueError, TypeError) as error:
        raise unreadable(dataset, error) from None


def datasets_pinned(connection: Connection) -> list[tuple[str, str | None]]:
    """The datasets that have a baseline, each with the branch that it is of."""
    found = connection.execute(select(pins.c.dataset, pins.c.branch).order_by(pins.c.pin_id))
    return [(row.dataset, row.branch) for row in found]


def unpin(connection: Connection, dataset: str, branch: str | None, *, but: str = "") -> bool:
    """Take a pin away, and every copy but one that no pin names any more; whether there was a pin."""
    there = connection.execute(delete(pins).where(pins.c.pin_id == _pin_id(dataset, branch))).rowcount
    named = exists().where(pins.c.digest == copies.c.digest)
    connection.execute(delete(copies).where(copies.c.digest != but, ~named))
    return there > 0


def _digest_of_all(digests: Iterable[str]) -> str:
    """A hash of several hashes, in order."""
    whole = hashlib.sha256()
    for each in digests:
        whole.update(each.encode("ascii"))
    return whole.hexdigest()


def _pin_id(dataset: str, branch: str | None) -> str:
    return _digest_of_all(map(digest_of, (dataset, to_json(branch))))


def _items(connection: Connection, info: RunInfo) -> Generator[str, None, None]:
    with closing(read_results(connection, info.run_id, beside=False)) as found:
        for result in found:
            yield to_json(result)
