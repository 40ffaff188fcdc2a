"""What databases complain of, as sentences: what happened, where, what to do. No secret is in any of them."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy.exc import DBAPIError, IntegrityError, SQLAlchemyError

from uaef.errors import StoreError
from uaef.runs.store.url import Address

BUSY_S = 30.0
"""How long a process waits for another one that writes, in seconds."""

_KEPT = "what was stored before is not lost"
_OF_FILES = {
    "SQLITE_BUSY": f"another process has kept it locked for {BUSY_S:g} seconds; try again",
    "SQLITE_CANTOPEN": "it cannot be opened: make sure that its directory exists and can be written",
    "SQLITE_CORRUPT": "the file is damaged; take a copy of it, put a sound one in its place, or move it away",
    "SQLITE_FULL": f"the disk is full; {_KEPT}: make room and continue the run",
    "SQLITE_IOERR": f"the disk cannot be read or written, or a limit on files is reached; {_KEPT}",
    "SQLITE_NOTADB": "the file is not a database; name another one",
    "SQLITE_PERM": "it cannot be written: permission denied",
    "SQLITE_READONLY": "it cannot be written: it, or its directory, is read-only",
}
_OF_SERVERS = {
    "authentication failed": "the server does not accept this user and password",
    "no password supplied": "the server asks for a password: put one into the URL, into PGPASSWORD or ~/.pgpass",
    "Connection refused": "no server answers there; start it, or correct host and port",
    "No such file or directory": "no server answers there; start it, or correct host and port",
    "resolve": "there is no such host",
    "translate host": "there is no such host",
    "timeout expired": "the server does not answer",
    "terminating connection": f"the server has closed the connection; {_KEPT}: continue the run once it answers",
    "server closed": f"the server has closed the connection; {_KEPT}: continue the run once it answers",
}
_DISK_FULL = "53100"


@contextmanager
def refusing(address: Address) -> Iterator[None]:
    """Say of whatever a database complains of in here what it means.

    Raises:
        StoreError: in place of every error of a database; what is printed of it does not lead back to that one,
            whose text may hold recorded data, or a password.
    """
    try:
        yield
    except IntegrityError as error:
        raise refused(address, f"what is written contradicts what is there: {_words(error.orig)}") from None
    except DBAPIError as error:
        raise refused(address, _meaning(error.orig)) from None
    except (SQLAlchemyError, sqlite3.Error) as error:
        raise refused(address, _meaning(error)) from None


def refused(address: Address, problem: str) -> StoreError:
    """The error that says ``problem`` of a store, without any secret."""
    for secret in address.secrets:
        problem = problem.replace(secret, "***")
    return StoreError(f"{address.place}: {problem}.")


def _meaning(error: BaseException | None) -> str:
    name = getattr(error, "sqlite_errorname", None)
    if isinstance(name, str):
        known = [meaning for code, meaning in _OF_FILES.items() if name.startswith(code)]
        return known[0] if known else _words(error)
    if getattr(error, "sqlstate", None) == _DISK_FULL:
        return f"the server's disk is full; {_KEPT}: make room and continue the run"
    said = str(error)
    return next((meaning for sign, meaning in _OF_SERVERS.items() if sign in said), _words(error))


def _words(error: BaseException | None) -> str:
    """The error's first line, without what stands before it everywhere."""
    first = str(error).strip().partition("\n")[0]
    return first.rpartition("FATAL:")[2].strip().rstrip(".") or type(error).__name__
