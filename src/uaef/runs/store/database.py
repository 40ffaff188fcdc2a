"""The two databases: how each is opened, and what a transaction is, for reading and for writing."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy import Connection, Engine, create_engine, event, text

from uaef.errors import StoreError
from uaef.runs.store.refusals import BUSY_S, refused, refusing
from uaef.runs.store.schema import VERSION
from uaef.runs.store.upgrades import UNKNOWN, bring_up_to_date, version_of
from uaef.runs.store.url import Address

_WRITES = "uaef_writes"
_SERVER = {
    "application_name": "uaef",
    "client_encoding": "utf8",
    "connect_timeout": "10",
    "keepalives_idle": "60",  # so that neither side takes a line that is silent for long for a dead one
}
_ONE_AT_A_TIME = 0x75616566  # "uaef": the key of the lock under which tables are made and pins are moved


class Database:
    """A store's database, opened, with the tables of today in it."""

    def __init__(self, address: Address, *, create: bool) -> None:
        """Open it.

        Args:
            address: where it is.
            create: whether to make it where there is none.

        Raises:
            StoreError: it cannot be opened, there is none, or it was written by a newer uaef.
        """
        self.address = address
        if address.path is not None:
            _check_directory(address, address.path, create=create)
        self.engine = _engine(address)
        try:
            self._prepare(create=create)
        except BaseException:
            self.engine.dispose()
            raise

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """A transaction that sees one state of the store from beginning to end, whatever others write meanwhile."""
        with refusing(self.address), self.engine.connect() as connection:
            if self.address.path is None:
                connection.execution_options(isolation_level="REPEATABLE READ")
            yield connection

    @contextmanager
    def writing(self, *, alone: bool = False) -> Iterator[Connection]:
        """A transaction that is kept whole or not at all.

        Args:
            alone: whether no other transaction of this kind may be under way, as is always so on SQLite.
        """
        with refusing(self.address), self.engine.connect() as connection:
            connection.execution_options(**{_WRITES: True})
            with connection.begin():
                if alone and self.address.path is None:
                    connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _ONE_AT_A_TIME})
                yield connection

    def close(self) -> None:
        """Let go of all connections."""
        self.engine.dispose()

    def _prepare(self, *, create: bool) -> None:
        with self.reading() as connection:
            version = self._checked(version_of(connection))
        if version is None and not create:
            raise missing(self.address)
        if version != VERSION:
            with self.writing(alone=True) as connection:
                version = self._checked(version_of(connection))
                bring_up_to_date(connection, version)

    def _checked(self, version: int | None) -> int | None:
        if version == UNKNOWN:
            problem = (
                "its table uaef_version does not say which version it is of, as if it were changed by hand; put a "
                "copy of the store in its place, or name another one"
            )
            raise refused(self.address, problem)
        if version is not None and version > VERSION:
            problem = (
                f"it was written by a newer uaef (store version {version}, this one knows {VERSION}); update uaef"
            )
            raise refused(self.address, problem)
        return version


def missing(address: Address) -> StoreError:
    """The error that says that there is no store."""
    return refused(address, "there is no store here yet; a run that is kept makes one")


def _check_directory(address: Address, path: Path, *, create: bool) -> None:
    """Make the directory of the file, and keep what is in the default one out of git."""
    if not create:
        if not path.exists():
            raise missing(address)
        return
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.parent.name == ".uaef" and not path.exists():
            (path.parent / ".gitignore").write_text("*\n", encoding="utf-8")
    except OSError as error:
        raise refused(address, f"its directory cannot be made or written: {error.strerror}") from None


def _engine(address: Address) -> Engine:
    if address.path is None:
        known = {key: value for key, value in _SERVER.items() if key not in address.url.query}
        from uaef.runs.store.patience import make_impatient  # noqa: PLC0415 - psycopg is there for a server alone

        engine = create_engine(address.url, pool_pre_ping=True, connect_args=known, hide_parameters=True)
        make_impatient(engine)
        return engine
    engine = create_engine(address.url, connect_args={"timeout": BUSY_S}, hide_parameters=True)
    event.listen(engine, "connect", _set_up)
    event.listen(engine, "begin", _begin)
    return engine


def _set_up(connection: sqlite3.Connection, _: object) -> None:
    """Keep what is committed even if the machine stops; let others read meanwhile, and wait for who writes."""
    connection.isolation_level = None  # transactions are begun below, where it is known what they are for
    connection.execute("PRAGMA foreign_keys = ON")
    connection.execute("PRAGMA synchronous = FULL")
    _log_ahead(connection)


def _log_ahead(connection: sqlite3.Connection) -> None:
    """Switch to a write-ahead log. Two that do so at once are not made to wait for each other by SQLite."""
    until = time.monotonic() + BUSY_S
    while True:
        try:
            if connection.execute("PRAGMA journal_mode").fetchone() != ("wal",):
                connection.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_BUSY or time.monotonic() > until:
                raise
            time.sleep(0.02)
        else:
            return


def _begin(connection: Connection) -> None:
    """Whoever will write says so at once: a reader that turns writer can be refused half-way."""
    writes = connection.get_execution_options().get(_WRITES)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")
