"""Stores on both databases. PostgreSQL is started where it is installed."""

from __future__ import annotations

import itertools
import os
import sys
from pathlib import Path

import pytest

from uaef.runs.store import open_store

sys.path.append(str(Path(__file__).parent))

from postgres_server import binaries, running

_NUMBERS = itertools.count()


@pytest.fixture(scope="session")
def postgres():
    """A server, or a skip where PostgreSQL is not installed; ``UAEF_TEST_POSTGRES=required`` makes that a failure."""
    folder = binaries()
    if folder is None:
        reason = "PostgreSQL is not installed (Debian's package is called postgresql)"
        if os.environ.get("UAEF_TEST_POSTGRES") == "required":
            pytest.fail(reason)
        pytest.skip(reason)
    with running(folder) as server:
        yield server


@pytest.fixture
def on_postgres(postgres):
    """The URL of an empty database of PostgreSQL."""
    name = f"test_{next(_NUMBERS)}"
    postgres.execute(f"CREATE DATABASE {name}")
    yield postgres.url(name)
    postgres.execute(f"DROP DATABASE {name} WITH (FORCE)")


@pytest.fixture
def on_sqlite(tmp_path):
    """The URL of a file that is not there yet."""
    return f"sqlite:///{tmp_path / 'kept' / 'uaef.db'}"


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request):
    """The URL of an empty store: once in a file, once on a server."""
    return request.getfixturevalue("on_sqlite" if request.param == "sqlite" else "on_postgres")


@pytest.fixture
def impatient(monkeypatch):
    """Nobody waits long for a run that another one writes."""
    monkeypatch.setattr("uaef.runs.store.holds._PATIENCE_S", 0.1)


@pytest.fixture
def store(url):
    """An empty store, on each of the two."""
    with open_store(url) as store:
        yield store
