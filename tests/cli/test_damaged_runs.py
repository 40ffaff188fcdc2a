"""Runs in whose store somebody has changed or removed rows: every command says so and goes no further."""

from __future__ import annotations

import contextlib
import sqlite3

import pytest
from tests.cli.shop import AGENTS, DATASET

from uaef.runs.store import open_store

RUN = ("run", "shop.yaml", "--agent", "damaged_bots:half")


@pytest.fixture
def kept(call, write, monkeypatch):
    """The name of a run in which a gate was missed."""
    monkeypatch.delenv("UAEF_STORE", raising=False)
    write("shop.yaml", DATASET)
    write("damaged_bots.py", AGENTS)
    assert call(*RUN)[0] == 1
    with open_store() as store:
        return store.find("latest").run_id


def change(statement):
    """Do to the database what another program could."""
    with contextlib.closing(sqlite3.connect(".uaef/uaef.db")) as connection, connection:
        assert connection.execute(statement).rowcount


@pytest.mark.usefixtures("kept")
@pytest.mark.parametrize(
    "command",
    [("runs", "show"), ("runs", "show", "--json"), ("runs", "export"), ("baseline", "set", "latest")],
)
@pytest.mark.parametrize(
    ("edit", "said"),
    [
        ("score = 5", "What is kept of 'hours' cannot be read, as if it were changed, or"),
        ("status = 'weird'", "What is kept of 'hours' cannot be read, as if it were changed, or"),
        ("cost = 'weird'", "The store cannot be read, as if it were changed by hand: 'weird' is no number."),
    ],
)
def test_a_measurement_that_was_edited_is_one_sentence(run, command, edit, said):
    """By the real program, which has nothing else to say on its way out."""
    change(f"UPDATE uaef_measurements SET {edit} WHERE slice_name = 'hours'")  # noqa: S608 - our own
    code, out, err = run(*command)
    assert (code, out) == (2, "")
    assert err.startswith(f"uaef: {said}")
    assert len(err.splitlines()) == 1


def test_a_measurement_that_was_edited_far_down_is_one_sentence(run, call, kept):
    """Others have been read and written out before; the reader is left in good order."""
    with open_store() as store:
        store.resume(kept)
        [item, _] = store.load(kept).items
        for place in range(60):
            store.add(kept, place, item)
        store.finish(kept)
    last = "result_id = (SELECT max(result_id) FROM uaef_results)"
    change(f"UPDATE uaef_measurements SET status = 'weird' WHERE {last}")  # noqa: S608 - our own
    for command in (("runs", "show"), ("runs", "export"), ("baseline", "set", kept)):
        code, _, err = run(*command)
        assert code == 2
        assert err.startswith("uaef: What is kept of 'hours' cannot be read")
        assert len(err.splitlines()) == 1
    assert "has no baseline" in call("baseline", "show")[1]


@pytest.mark.parametrize(
    "command",
    [
        ("runs", "show", "{}"),
        ("runs", "show", "{}", "--json"),
        ("runs", "export", "{}"),
        ("runs", "export", "{}", "--format", "parquet", "-o", "run.parquet"),
        ("retry", "{}", "--failed"),
        ("retry", "{}", "--errors"),
        ("score", "{}"),
        ("baseline", "set", "{}"),
        (*RUN, "--compare", "{}"),
        (*RUN, "--compare", "latest"),
    ],
)
@pytest.mark.parametrize(
    ("lost", "left"),
    [
        ("uaef_results WHERE name = 'hours'", "1 of 2 results and 1 of 2 measurements"),
        ("uaef_results", "0 of 2 results and 0 of 2 measurements"),
        ("uaef_measurements", "2 of 2 results and 0 of 2 measurements"),
    ],
)
def test_a_run_that_lost_rows_is_one_sentence(call, folder, kept, command, lost, left):
    """Nothing is played, kept or written by what is left of it."""
    asked = (folder / "asked.txt").read_text("utf-8")
    change(f"DELETE FROM {lost}")  # noqa: S608 - our own
    said = (
        f"uaef: Run {kept} is not whole any more, as if it were changed by hand: {left} are there; put a copy of "
        "the store in its place, or play the run anew.\n"
    )
    assert call(*(word.replace("{}", kept) for word in command)) == (2, "", said)
    assert (folder / "asked.txt").read_text("utf-8") == asked
    assert not (folder / "run.parquet").exists()
    with open_store() as store:
        assert [info.run_id for info in store.runs()] == [kept]


@pytest.mark.usefixtures("kept")
@pytest.mark.parametrize("command", [("runs", "list"), ("runs", "show"), ("baseline", "show"), RUN])
def test_a_store_without_its_version_is_one_sentence(call, command):
    """Also for what would write into it."""
    change("DELETE FROM uaef_version")
    said = (
        "uaef: .uaef/uaef.db: its table uaef_version does not say which version it is of, as if it were changed by "
        "hand; put a copy of the store in its place, or name another one.\n"
    )
    assert call(*command) == (2, "", said)
