"""Who is writing a run at this moment: a lock that the system takes back from a process however it ends."""

from __future__ import annotations

import hashlib
import sqlite3
import time
from contextlib import suppress
from pathlib import Path
from typing import Protocol

from sqlalchemy import Connection, Engine, text

from uaef.runs.store.url import Address

_PATIENCE_S = 2.0
"""How long a run is waited for: a server takes a moment to see that a client is gone."""
_ONCE_MORE_S = 0.05


class Holds(Protocol):
    """The locks that this process has, one for each run that it writes."""

    def take(self, run_id: str) -> bool:
        """Lock a run; ``False`` where it is locked already, by this process or another."""

    def release(self, run_id: str) -> None:
        """Let go of a run."""

    def is_held(self, run_id: str) -> bool:
        """Whether a process, this one or another, is writing the run."""

    def close(self) -> None:
        """Let go of all runs."""


def holds_of(address: Address, engine: Engine) -> Holds:
    """The locks that belong to a store."""
    return _ServerHolds(engine) if address.path is None else _FileHolds(address.path)


class _FileHolds:
    """Locks of SQLite's on empty files beside the store: where SQLite works, they do."""

    def __init__(self, path: Path) -> None:
        self._folder = path.with_name(f"{path.name}-held")
        self._held: dict[str, sqlite3.Connection] = {}

    def take(self, run_id: str) -> bool:
        if run_id in self._held:
            return False
        self._folder.mkdir(exist_ok=True)
        lock = sqlite3.connect(
            self._folder / run_id, timeout=_PATIENCE_S, isolation_level=None, check_same_thread=False
        )
        try:
            lock.execute("BEGIN EXCLUSIVE")
        except sqlite3.OperationalError as error:
            lock.close()
            if error.sqlite_errorcode == sqlite3.SQLITE_BUSY:
                return False
            raise
        self._held[run_id] = lock
        return True

    def release(self, run_id: str) -> None:
        lock = self._held.pop(run_id, None)
        if lock is not None:
            with suppress(OSError):  # it is an empty file, and the next one who takes it may remove it
                (self._folder / run_id).unlink()
            lock.close()

    def is_held(self, run_id: str) -> bool:
        path = self._folder / run_id
        if not path.exists():
            return False
        look = sqlite3.connect(path, timeout=0, isolation_level=None)
        try:
            look.execute("SELECT * FROM sqlite_master")
        except sqlite3.OperationalError as error:
            return error.sqlite_errorcode == sqlite3.SQLITE_BUSY
        finally:
            look.close()
        return False

    def close(self) -> None:
        for run_id in list(self._held):
            self.release(run_id)


class _ServerHolds:
    """Advisory locks of PostgreSQL, each in a session of its own, with which it ends."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._held: dict[str, Connection] = {}

    def take(self, run_id: str) -> bool:
        if run_id in self._held:
            return False
        session = self._engine.connect().execution_options(isolation_level="AUTOCOMMIT")
        until = time.monotonic() + _PATIENCE_S
        # A server whose client has vanished without a word finds out within two minutes.
        session.execute(text("SET tcp_keepalives_idle = 60"))
        asked = text("SELECT pg_try_advisory_lock(:key)"), {"key": _key(run_id)}
        while not session.execute(*asked).scalar_one():
            if time.monotonic() > until:
                session.close()
                return False
            time.sleep(_ONCE_MORE_S)
        self._held[run_id] = session
        return True

    def release(self, run_id: str) -> None:
        session = self._held.pop(run_id, None)
        if session is not None:
            session.invalidate()  # the lock ends with the session, which must not go back among the others
            session.close()

    def is_held(self, run_id: str) -> bool:
        asked = text(
            "SELECT EXISTS (SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND granted AND objsubid = 1 "
            "AND database = (SELECT oid FROM pg_database WHERE datname = current_database()) "
            "AND classid::bigint = :high AND objid::bigint = :low)"
        )
        key = _key(run_id) % 2**64
        with self._engine.connect() as connection:
            return bool(connection.execute(asked, {"high": key >> 32, "low": key % 2**32}).scalar_one())

    def close(self) -> None:
        for run_id in list(self._held):
            self.release(run_id)


def _key(run_id: str) -> int:
    """What a lock of PostgreSQL is named by: 64 bits, with a sign."""
    return int.from_bytes(hashlib.sha256(f"uaef run {run_id}".encode()).digest()[:8], signed=True)
