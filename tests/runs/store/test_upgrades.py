"""A store of every earlier version opens, holds what it held, and is one of today; a newer one is refused."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest
from kept_results import fill, info, many, result
from sqlalchemy import create_engine, inspect

from uaef.errors import StoreError
from uaef.models.results import Verdict
from uaef.runs.store import open_store
from uaef.runs.store.schema import VERSION
from uaef.runs.store.url import address_of

HERE = Path(__file__).parent
EARLIER = range(1, VERSION)


@pytest.fixture
def execute(url, request):
    """Run SQL on the database behind ``url``, without us."""
    path = address_of(url).path
    if path is None:
        postgres, name = request.getfixturevalue("postgres"), url.rpartition("/")[2]
        return lambda script: postgres.execute(script, name)
    path.parent.mkdir(parents=True, exist_ok=True)

    def execute(script):
        connection = sqlite3.connect(path)
        connection.executescript(script)
        connection.close()

    return execute


def tables(url):
    """The tables as the database describes them: columns, types, keys."""
    engine = create_engine(address_of(url).url)
    found = inspect(engine)
    described = {
        name: (
            {
                each["name"]: (str(each["type"]), each["nullable"] or each["name"] in _key(found, name))
                for each in found.get_columns(name)
            },
            _key(found, name),
            [each["column_names"] for each in found.get_unique_constraints(name)],
            [(each["constrained_columns"], each["referred_table"]) for each in found.get_foreign_keys(name)],
        )
        for name in found.get_table_names()
    }
    engine.dispose()
    return described


def _key(found, table):
    return found.get_pk_constraint(table)["constrained_columns"]


@pytest.mark.parametrize("version", EARLIER)
def test_earlier_stores_open_as_stores_of_today(url, execute, version, request, tmp_path):
    """What they hold can be read, and what is new since can be done with it."""
    kind = "postgresql" if url.startswith("postgresql") else "sqlite"
    execute((HERE / f"v{version}-{kind}.sql").read_text("utf-8"))
    with open_store(url) as store:
        found, items = store.load("latest")
        assert [result(), result(trial=1, score=1.0)] == items
        assert (Verdict.SCORED, "first", {"limit": 5}, "abc+", "main") == (
            found.verdict, found.label, found.parameters, found.commit, found.branch,
        )  # fmt: skip
        store.pin("support", None, "run-000")
        fill(store, info(1), many())
        assert items == store.pinned("support", None).items
    fresh = f"sqlite:///{tmp_path / 'fresh.db'}"
    if kind == "postgresql":
        request.getfixturevalue("postgres").execute(f"CREATE DATABASE fresh_{version}")
        fresh = request.getfixturevalue("postgres").url(f"fresh_{version}")
    open_store(fresh).close()
    assert tables(fresh) == tables(url)
    with open_store(url) as again:
        assert ["run-001", "run-000"] == [each.run_id for each in again.runs()]


def test_stores_of_a_newer_version_are_refused_untouched(url, execute):
    """The sentence names both versions; nothing is changed by opening it."""
    with open_store(url) as store:
        fill(store, info(), [result()])
    execute("UPDATE uaef_version SET version = version + 5")
    with pytest.raises(
        StoreError, match=rf"by a newer uaef \(store version {VERSION + 5}, .* {VERSION}\); update uaef"
    ):
        open_store(url)
    execute("UPDATE uaef_version SET version = version - 5")
    with open_store(url) as store:
        assert [result()] == store.load("run-000").items
