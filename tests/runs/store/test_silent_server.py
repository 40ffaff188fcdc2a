"""A server that hangs: it takes what is sent, and says nothing. Nobody waits for it for ever."""

from __future__ import annotations

import gc
import os
import signal
from contextlib import contextmanager

import pytest
from click.testing import CliRunner

from uaef.cli.app import main
from uaef.errors import StoreError
from uaef.runs.store import open_store

DATASET = """\
conversations:
  - {id: first, turns: [{user: go on, checks: [{includes: go}]}]}
  - {id: second, turns: [{user: stop, checks: [{includes: stop}]}]}
"""
AGENT = """\
import os, signal, psycopg
def answer(input):
    if input == "stop":
        with psycopg.connect(os.environ["SERVER"]) as connection:
            pids = [pid for pid, in connection.execute(os.environ["ASKED"]).fetchall()]
        for pid in pids:
            os.kill(pid, signal.SIGSTOP)
    return input
"""
PROCESSES = (
    "SELECT split_part(pg_read_file('postmaster.pid'), E'\\n', 1)::int UNION ALL "
    "SELECT pid FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND backend_type = 'client backend'"
)


@pytest.fixture
def impatient(monkeypatch):
    """Half a second is for ever."""
    monkeypatch.setattr("uaef.runs.store.patience.SILENT_S", 0.5)


@pytest.fixture
def url(postgres, on_postgres):
    """The URL of an empty store on a server of which everything goes on afterwards."""
    postmaster = postgres.execute(PROCESSES)[0][0]
    yield f"{on_postgres}?connect_timeout=2"
    os.kill(postmaster, signal.SIGCONT)
    for (pid,) in postgres.execute(PROCESSES):
        os.kill(pid, signal.SIGCONT)
    gc.collect()  # connections that were given up half-way, for which the server would wait as it ends


@pytest.mark.parametrize("use", [lambda store: store.runs(), lambda store: store.pin("shop", None, "x")])
def test_a_store_gives_up_a_server_that_hangs(impatient, postgres, url, use):  # noqa: ARG001 - it sets a time
    """Reading and writing, in one sentence; once it goes on, so does the store."""
    with open_store(url) as store:
        with _hanging(postgres), pytest.raises(StoreError, match=r"the server does not answer\.$"):
            use(store)
        assert [] == store.runs()


def test_what_was_played_is_shown_where_it_cannot_be_kept(impatient, on_postgres, url, tmp_path, monkeypatch):  # noqa: ARG001 - it sets a time
    """The server hangs half-way: one sentence, exit code 2, and the report on what there is."""
    (tmp_path / "two.yaml").write_text(DATASET)
    (tmp_path / "stopping_a_server.py").write_text(AGENT)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv("SERVER", on_postgres)
    monkeypatch.setenv("ASKED", PROCESSES)
    options = ["--agent", "stopping_a_server:answer", "--concurrency", "1", "--store", url]
    done = CliRunner().invoke(main, ["run", "two.yaml", *options])
    assert (2, True) == (done.exit_code, "first  PASSED" in done.stdout), done.output
    *_, told, last = done.stderr.splitlines()
    assert "uaef: 2 of 2 conversations were played before the end." == told
    assert last.endswith("the server does not answer.")


@contextmanager
def _hanging(postgres):
    pids = [pid for (pid,) in postgres.execute(PROCESSES)]
    for pid in pids:
        os.kill(pid, signal.SIGSTOP)
    yield
    for pid in pids:
        os.kill(pid, signal.SIGCONT)
