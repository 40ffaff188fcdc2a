"""Where runs are kept: a URL, read so that a password in it is never shown."""

from __future__ import annotations

import os
import re
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from sqlalchemy import URL, make_url
from sqlalchemy.exc import ArgumentError

from uaef.errors import StoreError

DEFAULT = "sqlite:///.uaef/uaef.db"
_SERVERS = ("postgresql", "postgres", "postgresql+psycopg")
_KINDS = "give sqlite:///PATH or postgresql://USER@HOST/DATABASE"


class Address(NamedTuple):
    """A store's address.

    Attributes:
        url: what connects.
        place: what messages call it: the path of the file, or the URL without any secret.
        path: of the file; ``None`` where a server keeps the runs.
        secrets: what no message may contain.
    """

    url: URL
    place: str
    path: Path | None
    secrets: tuple[str, ...] = ()


def address_of(given: str | None) -> Address:
    """The address that was given, else ``UAEF_STORE``, else ``sqlite:///.uaef/uaef.db``.

    Raises:
        StoreError: it is no address of a store.
    """
    text = (given or os.environ.get("UAEF_STORE", "")).strip() or DEFAULT
    scheme, colon, _ = text.partition("://")
    if not colon:
        raise StoreError(f"A store is named by a URL, not by {_named(text)}: {_KINDS}.")
    if scheme != "sqlite" and scheme not in _SERVERS:
        raise StoreError(f"No store is kept at {_named(scheme)}://: {_KINDS}.")
    try:
        url = make_url(text)
    except (ArgumentError, ValueError):  # the latter of a port that is no number
        raise StoreError(f"This {scheme}:// URL cannot be read: {_KINDS}.") from None
    return _file(url) if scheme == "sqlite" else _server(url.set(drivername="postgresql+psycopg"))


def _named(text: str) -> str:
    """What was given, unless it is a URL or a piece of one, and may hold a password."""
    return repr(text) if re.fullmatch(r"[\w./\\+-]{1,100}", text) else "this"


def _file(url: URL) -> Address:
    if url.host or not url.database or url.database == ":memory:" or url.query:
        raise StoreError(
            "A store in a file is named by sqlite:///PATH, with a fourth slash where the path is absolute, "
            "and nothing else."
        )
    path = Path(url.database).absolute()  # whoever uses it may go to another directory
    return Address(url.set(database=str(path)), url.database, path)


def _server(url: URL) -> Address:
    if "@" in f"{url.host}{url.database}":
        raise StoreError(
            "The user's name or password in this postgresql:// URL holds a character that has a meaning in URLs: "
            "write %40 for @, %2F for /, %3A for : and %25 for %."
        )
    if not url.database:
        raise StoreError("This postgresql:// URL names no database: postgresql://USER@HOST/DATABASE.")
    if find_spec("psycopg") is None:
        raise StoreError("A store on PostgreSQL needs psycopg: pip install 'uaef[postgres]'.")
    shown = URL.create("postgresql", url.username, None, url.host, url.port, url.database)
    return Address(url, shown.render_as_string(), None, _secrets(url))


def _secrets(url: URL) -> tuple[str, ...]:
    asked = [value for key, value in url.query.items() if "pass" in key.lower()]
    given = [url.password, *(part for value in asked for part in ([value] if isinstance(value, str) else value))]
    return tuple(str(secret) for secret in given if secret)
