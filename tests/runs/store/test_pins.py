"""Pins: a copy per dataset and branch that outlives its run, is kept once, and is verified when it is read."""

from __future__ import annotations

import pytest
from kept_results import fill, info, many, result
from sqlalchemy import create_engine, text

from uaef.errors import StoreError, UnknownNameError
from uaef.runs.store import open_store
from uaef.runs.store.url import address_of


def execute(url, statement):
    """What a statement gives, without us."""
    engine = create_engine(address_of(url).url)
    with engine.begin() as connection:
        found = connection.execute(text(statement))
        rows = found.all() if found.returns_rows else None
    engine.dispose()
    return rows


def copies(url):
    """How many items are kept of copies."""
    return execute(url, "SELECT count(*) FROM uaef_copies")[0][0]


def test_a_pin_outlives_its_run(store):
    """The run is gone; what was pinned of it is there, with what was known of it."""
    run = fill(store, info(label="good"), many())
    known = store.find(run.run_id)
    store.pin("support", "main", run.run_id)
    store.delete(run.run_id)
    assert (known, many()) == store.pinned("support", "main")


def test_there_is_one_pin_per_dataset_and_branch(store):
    """A second one takes its place; another branch, no branch and another dataset have their own."""
    for number in range(2):
        fill(store, info(number), many(number + 1))
    for dataset, branch in (("support", "main"), ("support", None), ("other", "main")):
        assert store.pinned(dataset, branch) is None
        store.pin(dataset, branch, "run-000")
    store.pin("support", "main", "run-001")
    found = {
        pin: store.pinned(*pin).info.run_id for pin in (("support", "main"), ("support", None), ("other", "main"))
    }
    assert {("support", "main"): "run-001", ("support", None): "run-000", ("other", "main"): "run-000"} == found
    assert store.unpin("support", None)
    assert not store.unpin("support", None)
    assert store.pinned("support", None) is None
    assert many(1) == store.pinned("other", "main").items


def test_the_same_content_is_kept_once_and_goes_with_its_last_pin(store, url):
    """However often it is pinned; a copy that nothing names is not kept."""
    fill(store, info(0), many(3))
    fill(store, info(1), [])
    for branch in ("a", "b", "b"):
        store.pin("support", branch, "run-000")
    assert 3 == copies(url)
    store.pin("support", "a", "run-001")
    assert 3 == copies(url)
    assert many(3) == store.pinned("support", "b").items
    store.unpin("support", "b")
    assert 0 == copies(url)
    assert [] == store.pinned("support", "a").items


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE uaef_copies SET item = replace(item, '0.5', '0.9') WHERE position = 1",
        "DELETE FROM uaef_copies WHERE position = 1",
        "UPDATE uaef_copies SET position = 5 WHERE position = 0",
        "UPDATE uaef_copies SET item = '' WHERE position = 0",
    ],
)
def test_what_was_changed_is_not_taken_for_what_was_pinned(store, url, change):
    """One score, one item, the order: the sentence says that it was changed."""
    fill(store, info(), [result("a"), result("b")])
    store.pin("support", None, "run-000")
    execute(url, change)
    with pytest.raises(StoreError, match=r"^The baseline of 'support' has been changed since it was pinned"):
        store.pinned("support", None)
    store.pin("support", "anew", "run-000")


def test_a_pin_that_was_changed_is_told(store, url):
    """What was known of its run is no run any more."""
    fill(store, info(), [result()])
    store.pin("support", None, "run-000")
    execute(url, "UPDATE uaef_pins SET info = '{}'")
    with pytest.raises(StoreError, match=r"^What is kept of 'support' cannot be read"):
        store.pinned("support", None)


def test_only_a_run_that_is_there_can_be_pinned(store):
    """What is pinned stays when a pin fails."""
    fill(store, info(), [result()])
    store.pin("support", None, "run-000")
    with pytest.raises(UnknownNameError):
        store.pin("support", None, "nothing")
    assert [result()] == store.pinned("support", None).items


def test_the_other_play_is_not_pinned(store, url):
    """A baseline is what decides."""
    store.begin(info())
    store.add("run-000", 0, result())
    store.add("run-000", 0, result(score=0.1), beside=True)
    store.finish("run-000")
    store.pin("support", None, "run-000")
    with open_store(url) as other:
        assert [result()] == other.pinned("support", None).items
