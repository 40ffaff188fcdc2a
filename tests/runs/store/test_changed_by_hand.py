"""Rows that were taken away or changed by hand: what is left never passes for the whole, on both databases."""

from __future__ import annotations

import pytest
from kept_results import fill, info, many, result
from sqlalchemy import create_engine, text

from uaef.errors import StoreError
from uaef.runs.store import open_store
from uaef.runs.store.url import address_of


def execute(url, *statements):
    """Change a database without us."""
    engine = create_engine(address_of(url).url)
    with engine.begin() as connection:
        for statement in statements:
            connection.execute(text(statement))
    engine.dispose()


READERS = {
    "load": lambda store: store.load("run-000"),
    "beside": lambda store: list(store.results("run-000", beside=True)),
    "measurements": lambda store: next(store.measurements("run-000")),
    "pin": lambda store: store.pin("support", None, "run-000"),
}
LOSSES = [
    (("measurements", "place = 2"), "3 of 3 results and 6 of 9"),
    (("measurements", "result_id = (SELECT max(result_id) FROM uaef_results)"), "3 of 3 results and 6 of 9"),
    (("results", "position = 1"), "2 of 3 results and 6 of 9"),
]


@pytest.mark.parametrize("read", READERS.values(), ids=READERS)
@pytest.mark.parametrize(("rows", "left"), LOSSES)
def test_a_run_that_lost_rows_is_refused(store, url, rows, left, read):
    """Whoever reads it is told how much is there, before the first row is given; the other runs are read."""
    fill(store, info(), many(3))
    table, which = rows
    execute(url, f"DELETE FROM uaef_{table} WHERE {which}")  # noqa: S608 - our own
    fill(store, info(1), many(2))
    with pytest.raises(StoreError) as raised:
        read(store)
    assert str(raised.value) == (
        f"Run run-000 is not whole any more, as if it were changed by hand: {left} measurements are there; put a "
        "copy of the store in its place, or play the run anew."
    )
    assert many(2) == store.load("run-001").items
    assert store.pinned("support", None) is None


def test_a_run_that_lost_rows_is_listed_and_deleted(store, url):
    """Its counts are those of what was kept."""
    fill(store, info(), many(3))
    execute(url, "DELETE FROM uaef_results")
    assert [(3, 9)] == [(each.results, each.measurements) for each in store.listed()]
    store.delete("run-000")
    assert [] == store.runs()


@pytest.mark.parametrize(
    "changes",
    [
        ["DELETE FROM uaef_version"],
        ["INSERT INTO uaef_version VALUES (1)"],
        ["UPDATE uaef_version SET version = 0"],
        ["UPDATE uaef_version SET version = -1"],
    ],
)
def test_a_store_that_does_not_say_its_version_is_left_alone(url, changes):
    """Neither opened nor made anew over what is there."""
    with open_store(url) as store:
        fill(store, info(), [result()])
    execute(url, *changes)
    for create in (True, False):
        with pytest.raises(StoreError, match="its table uaef_version does not say which version it is of, as if"):
            open_store(url, create=create)
    execute(url, "DELETE FROM uaef_version", "INSERT INTO uaef_version VALUES (2)")
    with open_store(url, create=False) as store:
        assert [result()] == store.load("run-000").items


UNREADABLE = "cannot be read, as if it were changed"


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (
            "uaef_runs SET n_scored = 'many'",
            f"What is kept of 'run-000' {UNREADABLE}, or of a newer uaef: n_scored is",
        ),
        (
            "uaef_runs SET n_results = x'ff'",
            f"What is kept of 'run-000' {UNREADABLE}, or of a newer uaef: n_results is",
        ),
        ("uaef_runs SET label = char(2) || 'x'", rf"The store {UNREADABLE} by hand: '\x02x' is no text."),
        ("uaef_measurements SET score = 'high'", f"The store {UNREADABLE} by hand: 'high' is no number."),
        ("uaef_measurements SET cost = x'ff'", rf"The store {UNREADABLE} by hand: b'\xff' is no number."),
        ("uaef_measurements SET metric = x'ff'", rf"The store {UNREADABLE} by hand: b'\xff' is no text."),
    ],
)
def test_what_is_of_another_type_is_told(on_sqlite, change, said):
    """SQLite takes anything in any column."""
    with open_store(on_sqlite) as store:
        fill(store, info(), [result()])
        execute(on_sqlite, f"UPDATE {change}")
        with pytest.raises(StoreError) as raised:
            store.load("run-000")
        assert str(raised.value).startswith(said)
