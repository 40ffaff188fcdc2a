"""A store on SQLite and on PostgreSQL: what was kept comes back, in order, once."""

from __future__ import annotations

import pytest
from kept_results import fill, info, many, result

from uaef.errors import StoreError, UnknownNameError, UsageError
from uaef.models.base import replaced
from uaef.models.results import Verdict
from uaef.runs.records import RunInfo, RunStatus
from uaef.runs.store import AsOf, open_store, origin, resumable


def test_a_run_comes_back_as_it_was(store):
    """What is known of a run, and its results in the order of their positions, whichever were added first."""
    run = info(
        label="nightly",
        agent="bot",
        judge="openai:m",
        branch="main",
        parameters={"limit": 5, "only": ["a"]},
        tags=["x"],
    )
    kept = many(2, trials=2)
    store.begin(run)
    for position in (2, 0, 3, 1):
        store.add(run.run_id, position, kept[position])
    assert {(each.name, each.trial) for each in kept} == store.done(run.run_id)
    store.finish(run.run_id, verdict=Verdict.SCORED)
    found, items = store.load(run.run_id)
    assert kept == items
    assert found.finished_at >= run.started_at
    ended = {"status": RunStatus.COMPLETE, "verdict": Verdict.SCORED, "finished_at": found.finished_at}
    assert replaced(run, **ended) == found


def test_what_is_added_again_replaces_what_was_there(store):
    """Adding twice is adding once, and counts follow what is there."""
    run = fill(store, info(), [result(turns=3), result("other")], finish=False)
    store.add(run.run_id, 0, result(turns=3))
    store.add(run.run_id, 1, result("another", turns=1))
    assert [result(turns=3), result("another", turns=1)] == store.load(run.run_id).items
    [listed] = store.listed()
    assert (2, 4, 2, 0, 6) == (
        listed.results, listed.scored, listed.not_applicable, listed.failed, listed.measurements,
    )  # fmt: skip


def test_the_play_that_does_not_decide_is_kept_beside(store):
    """With ``history="both"`` a conversation and trial has two results; each is found where it was put."""
    store.begin(info())
    store.add("run-000", 0, result(score=0.1))
    store.add("run-000", 0, result(score=0.9), beside=True)
    assert [result(score=0.1)] == store.load("run-000").items
    assert [result(score=0.9)] == store.load("run-000", beside=True).items
    assert {("refund", 0)} == store.done("run-000") == store.done("run-000", beside=True)
    assert [False] * 3 + [True] * 3 == [each.beside for each in store.measurements("run-000")]


def test_measurements_carry_what_they_belong_to(store):
    """Each with its run, conversation, thread, trace, judge, and the hashes of its turn."""
    fill(store, info(), [result()])
    first, second, whole = store.measurements("run-000")
    assert result().measurements == [first.measurement, second.measurement, whole.measurement]
    assert ("run-000", "refund", "thread-refund-0", "refund#2") == (
        second.run, second.name, second.thread_id, second.trace_id,
    )  # fmt: skip
    assert ("own2", "before2") == (second.own, second.context)
    assert ("refund", None, None) == (whole.trace_id, whole.own, whole.context)


def test_runs_are_listed_newest_first_and_filtered(store):
    """By dataset, branch, label and tag; at most so many."""
    runs = [
        info(0, label="a", tags=["x"]),
        info(1, branch="main", tags=["x", "y"]),
        info(2, dataset="other", label="a"),
    ]
    for run in runs:
        fill(store, run, [])

    def names(**wanted):
        return [each.run_id for each in store.runs(**wanted)]

    assert ["run-002", "run-001", "run-000"] == names()
    assert ["run-001", "run-000"] == names(dataset="support") == names(tag="x")
    assert ["run-001"] == names(branch="main") == names(tag="x", limit=1)
    assert ["run-002", "run-000"] == names(label="a")


def test_a_run_is_found_by_name_label_and_beginning(store):
    """Its whole name first, then the newest with the label, then what begins so; ``latest`` is the newest."""
    for run in (info(0, label="nightly"), info(1, label="nightly"), info(20)):
        fill(store, run, [])
    found = {asked: store.find(asked).run_id for asked in ("run-000", "nightly", "run-02", "latest")}
    assert {"run-000": "run-000", "nightly": "run-001", "run-02": "run-020", "latest": "run-020"} == found
    with pytest.raises(StoreError, match=r"^2 runs have names that begin with 'run-00'"):
        store.find("run-00")
    for odd in ("run_00", "%", "\udcff", "run-000\udcff", "run-000\0"):
        with pytest.raises(UnknownNameError):
            store.find(odd)


@pytest.mark.parametrize("blank", ["", " ", "\n\t"])
def test_what_is_blank_names_no_run(store, blank):
    """Though the name of the only run begins with nothing."""
    fill(store, info(), [])
    with pytest.raises(UsageError, match=r"names no run; write the name of one, its label, or latest\.$"):
        store.find(blank)


def test_a_run_is_found_by_a_label_that_no_utf8_has(store):
    """A label may be anything, and stands for its run."""
    fill(store, info(label="\udcff"), [])
    assert "run-000" == store.find("\udcff").run_id
    assert ["run-000"] == [each.run_id for each in store.runs(label="\udcff")]
    assert [] == store.runs(dataset="\udcff", branch="\udcff", tag="\udcff")


def test_a_store_as_of_a_run(store):
    """What began after it is not looked at, unless it is named; a run that begins now sees whatever there is."""
    for run in (info(0, label="nightly"), info(1, label="nightly"), info(2, label="nightly"), info(3)):
        fill(store, run, [])
    then = AsOf(store, store.find("run-001"))
    retried = AsOf(store, info(3, parameters={"taken": "run-001"}))
    for shelf in (then, retried):
        assert "run-000" == shelf.find("nightly").run_id == shelf.latest("support").run_id
        assert "run-002" == shelf.find("run-002").run_id
    now = AsOf(store, None)
    assert ("run-002", "run-003") == (now.find("nightly").run_id, now.latest("support").run_id)


def test_the_latest_run_of_a_dataset(store):
    """Complete, of the dataset, before the one that asks, and on the branch."""
    for run in (info(0), info(1, branch="main"), info(2, dataset="other"), info(3)):
        fill(store, run, [])
    store.begin(info(4))
    store.finish("run-004", RunStatus.INTERRUPTED)
    assert "run-003" == store.latest("support").run_id
    assert "run-001" == store.latest("support", before="run-003").run_id
    assert "run-001" == store.latest("support", branch="main").run_id
    assert store.latest("support", before="run-000") is None
    assert store.latest("none") is None


def test_a_deleted_run_is_gone_with_everything(store):
    """No result and no measurement of it stays, and others stay whole."""
    fill(store, info(0), many())
    fill(store, info(1), many(2))
    store.delete("run-000")
    assert [] == list(store.measurements("run-000")) == list(store.results("run-000"))
    assert many(2) == store.load("run-001").items
    assert ["run-001"] == [each.run_id for each in store.runs()]
    with pytest.raises(UnknownNameError, match=r"^Unknown run 'run-000'"):
        store.load("run-000")


@pytest.mark.usefixtures("impatient")
def test_only_who_has_taken_a_run_writes_it(store, url):
    """A run has one writer; it can be gone on with when that one has ended, and then by the next one alone."""
    fill(store, info(), [result()], finish=False)
    with open_store(url) as other:
        assert RunStatus.RUNNING is other.find("run-000").status
        for act in (other.resume, other.delete):
            with pytest.raises(StoreError, match="the run run-000 is being written"):
                act("run-000")
        with pytest.raises(StoreError, match="is being written by another process"):
            resumable(other, "run-000")
        with pytest.raises(StoreError, match="another process has gone on with it"):
            other.add("run-000", 1, result("other"))
        store.close()
        assert RunStatus.INTERRUPTED is other.find("run-000").status
        assert RunStatus.RUNNING is other.resume("run-000").status
        with open_store(url) as first, pytest.raises(StoreError, match="another process has gone on with it"):
            first.finish("run-000")
        other.add("run-000", 1, result("other"))
        other.finish("run-000")
        assert [result(), result("other")] == other.load("run-000").items


def test_what_can_be_gone_on_with(store, url):
    """The newest that was interrupted, or the one that is named, unless it is complete."""
    with pytest.raises(StoreError, match="no run was interrupted"):
        resumable(store)
    fill(store, info(2), [])
    with open_store(url) as killed:
        fill(killed, info(0), [], finish=False)
        fill(killed, info(1), [], finish=False)
    assert "run-001" == resumable(store).run_id
    assert "run-000" == resumable(store, "run-000").run_id
    with pytest.raises(StoreError, match="the run run-002 is complete"):
        resumable(store, "run-002")


def test_a_finished_run_can_be_taken_up_again(store):
    """For another go at what has failed: it runs again, and ends again."""
    fill(store, info(), [result(score=0.1), result("other")])
    again = store.resume("run-000")
    assert (RunStatus.RUNNING, None) == (again.status, again.finished_at)
    store.add("run-000", 0, result(score=0.9))
    store.finish("run-000", verdict=Verdict.PASSED)
    assert Verdict.PASSED is store.find("run-000").verdict
    assert [result(score=0.9), result("other")] == store.load("run-000").items


def test_a_name_is_given_once(store):
    """A second run of the same name is refused, and the first stays."""
    fill(store, info(), [result()])
    with pytest.raises(StoreError, match="contradicts what is there"):
        store.begin(info())
    assert [result()] == store.load("run-000").items


def test_a_run_is_taken_once_by_a_store_too(store):
    """Who writes it cannot begin it, take it or delete it."""
    store.begin(info())
    for act in (lambda: store.begin(info()), lambda: store.resume("run-000"), lambda: store.delete("run-000")):
        with pytest.raises(StoreError, match="the run run-000 is being written"):
            act()
    store.add("run-000", 0, result())
    store.finish("run-000")
    store.finish("run-000", RunStatus.INTERRUPTED)
    assert RunStatus.INTERRUPTED is store.find("run-000").status


def test_only_a_run_that_is_there_is_taken_up(store):
    """And what is not there stays free to begin."""
    with pytest.raises(UnknownNameError, match="Unknown run 'run-000'"):
        store.resume("run-000")
    fill(store, info(), [])


def test_names_of_new_runs_sort_by_time_and_differ():
    """Also of those that begin in the same moment."""
    names = [RunInfo(**origin()).run_id for _ in range(5)]
    assert names == sorted(names)
    assert 5 == len(set(names))


def test_a_store_of_another_thread_is_the_same_store(store):
    """Any thread writes and reads; nothing is lost between them."""
    from concurrent.futures import ThreadPoolExecutor  # noqa: PLC0415 - used here alone

    kept = many(20)
    store.begin(info())
    with ThreadPoolExecutor(8) as threads:
        list(threads.map(lambda at: store.add("run-000", *at), enumerate(kept)))
        assert kept == threads.submit(lambda: store.load("run-000").items).result()
