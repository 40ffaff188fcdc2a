"""Several processes in one store at once: each does its work, and none waits for ever or loses anything."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from kept_results import fill, info, many

from uaef.errors import StoreError
from uaef.runs.store import open_store

WRITER = str(Path(__file__).with_name("writer.py"))
PROCESSES, COUNT = 4, 40


def test_processes_write_one_store_at_once(url):
    """Of a store that none of them finds, too: it is made once, and every run is whole."""
    writers = [
        subprocess.Popen([sys.executable, WRITER, url, str(n), str(COUNT)], stderr=subprocess.PIPE)  # noqa: S603
        for n in range(PROCESSES)
    ]
    said = [writer.communicate()[1].decode() for writer in writers]
    assert [(0, "")] * PROCESSES == [(writer.returncode, text) for writer, text in zip(writers, said, strict=True)]
    with open_store(url) as store:
        for number in range(PROCESSES):
            assert many(COUNT) == store.load(info(number).run_id).items
        assert {COUNT * 3} == {each.measurements for each in store.listed()}


def test_a_reader_sees_one_state_while_others_write(store, url):
    """What is added or deleted meanwhile neither shows nor disturbs it."""
    fill(store, info(), many(30), finish=False)
    stream = store.results("run-000")
    first = [next(stream)]
    store.add("run-000", 30, many(31)[30])
    store.finish("run-000")
    with open_store(url) as other:
        other.delete("run-000")
    assert many(30) == first + list(stream)
    assert [] == store.runs()


def test_a_run_that_is_being_written_is_whole_at_any_moment(store, url):
    """Whoever reads or pins it meanwhile has its first results, with all their measurements, and no false alarm."""
    fill(store, info(), [])
    with subprocess.Popen([sys.executable, WRITER, url, "1", "200"]) as writer:  # noqa: S603 - our own
        while not [each for each in store.runs() if each.run_id == "run-001"]:
            assert writer.poll() is None
        seen = []
        while writer.poll() is None:
            items = store.load("run-001").items
            assert len(list(store.measurements("run-001"))) >= 3 * len(items)
            store.pin("support", None, "run-001")
            pinned = store.pinned("support", None).items
            assert items == pinned[: len(items)]
            seen.append(len(items))
    assert (writer.returncode, seen) == (0, sorted(seen))
    assert many(200)[: len(pinned)] == pinned


def test_a_reader_that_leaves_early_leaves_nothing_behind(store):
    """It lets go of its transaction, and the store goes on."""
    fill(store, info(), many(30))
    assert "c0#1" == next(store.measurements("run-000")).measurement.slice_name
    assert many(30)[0] == next(store.results("run-000"))
    store.delete("run-000")


@pytest.mark.usefixtures("impatient")
def test_one_of_two_goes_on_with_a_run(url):
    """The other is told."""
    with open_store(url) as killed:
        fill(killed, info(), many(), finish=False)
    with open_store(url) as first, open_store(url) as second:
        first.resume("run-000")
        with pytest.raises(StoreError, match="the run run-000 is being written"):
            second.resume("run-000")
        first.finish("run-000")
        second.resume("run-000")
