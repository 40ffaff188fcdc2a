"""From nothing, or from a store of an earlier version, to the tables of ``schema``: in one transaction."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sqlalchemy import Connection, inspect, select

from uaef.runs.store.schema import TABLES, VERSION, versions

UNKNOWN = 0
"""Less than any version: what is there is a store, and it cannot be told of which one."""

# What makes a store of a version one of the next. The steps say it in SQL of their own, which both databases
# understand, because the tables of ``schema`` are those of today.
_STEPS: Mapping[int, Sequence[str]] = {
    1: (
        """CREATE TABLE uaef_pins (pin_id TEXT NOT NULL PRIMARY KEY, dataset TEXT NOT NULL, branch TEXT,
           info TEXT NOT NULL, digest TEXT NOT NULL)""",
        """CREATE TABLE uaef_copies (digest TEXT NOT NULL, position BIGINT NOT NULL, item TEXT NOT NULL,
           PRIMARY KEY (digest, position))""",
    ),
}


def version_of(connection: Connection) -> int | None:
    """The version of the store, ``None`` where there is none yet; ``UNKNOWN`` where its table does not say."""
    if not inspect(connection).has_table(versions.name):
        return None
    match connection.execute(select(versions.c.version)).scalars().all():
        case [int(version)] if version > UNKNOWN:
            return version
    return UNKNOWN


def bring_up_to_date(connection: Connection, version: int | None) -> None:
    """Make the tables, or those of a store of an earlier version into those of today."""
    if version is None:
        TABLES.create_all(connection)
        connection.execute(versions.insert().values(version=VERSION))
        return
    for step in range(version, VERSION):
        for statement in _STEPS[step]:
            connection.exec_driver_sql(statement)
    connection.execute(versions.update().values(version=VERSION))
