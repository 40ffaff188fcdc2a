"""``uaef baseline``: what is pinned, what is refused, and that a pin outlives its run."""

from __future__ import annotations

import datetime as dt

import pytest
from tests.runs.comparison.stored import case, played

from uaef.models.results import Verdict
from uaef.runs.records import RunInfo, RunStatus
from uaef.runs.store import open_store

ITEM = played(case("q", "hi"), {"ok": 1})


@pytest.fixture
def keep(folder):  # noqa: ARG001 - where the store is
    """Keep a run in the store of the working directory."""

    def keep(run_id, *items, finished=True, verdict=Verdict.PASSED, **info):
        known = {"dataset": "shop", "agent": "bot", **info}
        number = int(run_id[1:])
        with open_store() as store:
            store.begin(RunInfo(run_id=run_id, started_at=dt.datetime(2026, 1, number, tzinfo=dt.UTC), **known))
            for place, item in enumerate(items or [ITEM]):
                store.add(run_id, place, item)
            if finished:
                store.finish(run_id, RunStatus.COMPLETE, verdict)

    return keep


def test_the_latest_run_of_the_dataset_is_pinned(call, keep):
    """Without a name, and by name; what is pinned is shown."""
    keep("r1")
    keep("r2", label="good one")
    assert call("baseline", "set") == (0, "The baseline of 'shop' is now run r2 (good one).\n", "")
    code, out, _ = call("baseline", "show")
    assert code == 0
    assert (
        out
        == "The baseline of 'shop' is run r2 (good one): passed, 1 results, agent bot, begun 2026-01-02 00:00 UTC.\n"
    )
    assert call("baseline", "set", "r1")[1] == "The baseline of 'shop' is now run r1.\n"
    assert "run r1:" in call("baseline", "show")[1]


def test_a_pin_is_a_copy(call, keep):
    """The run is deleted, and the baseline is still what it was."""
    keep("r1")
    call("baseline", "set")
    with open_store() as store:
        store.delete("r1")
        assert len(store.pinned("shop", None).items) == 1


def test_without_any_run_the_pin_says_which_dataset(call, keep):
    """As long as there is only one, on this branch or anywhere; it is shown and taken away."""
    keep("r1")
    call("baseline", "set")
    call("runs", "delete", "r1")
    assert call("baseline", "show")[1].startswith("The baseline of 'shop' is run r1:")
    assert call("baseline", "show", "--branch", "main")[1].startswith("'shop' on 'main' has no baseline;")
    assert "There is no complete run of 'shop' to pin" in call("baseline", "set")[2]
    assert call("baseline", "clear") == (0, "'shop' has no baseline any more.\n", "")
    none = "uaef: No run is kept, so there is nothing to pin; play one with uaef run.\n"
    assert [call("baseline", verb) for verb in ("show", "clear", "set")] == [(2, "", none)] * 3


def test_without_any_run_one_of_several_pins_must_be_named(call, keep):
    """Unless only one of them is on the branch in question."""
    keep("r1")
    keep("r2", dataset="desk")
    for dataset, branch in (("shop", "main"), ("shop", "trial"), ("desk", "main")):
        call("baseline", "set", "--dataset", dataset, "--branch", branch)
    call("runs", "delete", "r1", "r2")
    said = "uaef: No run is kept, and 'desk', 'shop' have a baseline: say which with --dataset.\n"
    for given in ((), ("--branch", "main"), ("--branch", "other")):
        assert [call("baseline", verb, *given) for verb in ("show", "clear")] == [(2, "", said)] * 2
    assert "'shop' on 'trial' is run r1" in call("baseline", "show", "--branch", "trial")[1]
    assert "'desk' on 'main' is run r2" in call("baseline", "show", "--branch", "main", "--dataset", "desk")[1]
    assert call("baseline", "clear", "--branch", "trial")[1] == "'shop' on 'trial' has no baseline any more.\n"


def test_each_dataset_and_branch_has_its_own(call, keep):
    """A pin here is none there."""
    keep("r1")
    keep("r2", dataset="desk")
    assert "'shop' on 'main' is now run r1" in call("baseline", "set", "--dataset", "shop", "--branch", "main")[1]
    assert call("baseline", "show", "--dataset", "shop", "--branch", "feature")[1] == (
        "'shop' on 'feature' has no baseline; uaef baseline set pins one.\n"
    )
    assert "has no baseline;" in call("baseline", "show", "--dataset", "desk")[1]


def test_a_pin_is_taken_away(call, keep):
    """Once; the run stays."""
    keep("r1")
    call("baseline", "set")
    assert call("baseline", "clear") == (0, "'shop' has no baseline any more.\n", "")
    assert call("baseline", "clear") == (0, "'shop' had no baseline.\n", "")
    assert "has no baseline;" in call("baseline", "show")[1]


def test_a_run_that_fails_may_be_pinned_and_it_is_said(call, keep):
    """What fails in it can get no worse; what failed to be measured cannot be compared."""
    keep("r1", played(case("q", "hi"), {"ok": OSError("down")}), verdict=Verdict.FAILED)
    code, _, err = call("baseline", "set")
    assert code == 0
    assert "failed a gate" in err
    assert "1 measurements of it failed" in err


PARTS = [
    ({"parameters": {"only": ["refund#3"], "tags": ["vip"], "limit": None}}, "--only refund#3 --tag vip"),
    ({"parameters": {"only": [], "tags": [], "limit": 5}}, "was played with --limit 5"),
    ({"parameters": {"scored": "r7"}}, "measures anew what run r7 played"),
    ({"parameters": {"test": "t.py::test_it"}, "tags": ["pytest"]}, "is of pytest"),
    ({"history": "recorded"}, "is of recordings"),
]


@pytest.mark.parametrize(("known", "why"), PARTS)
def test_what_is_no_play_of_the_whole_dataset_is_passed_over(call, keep, known, why):
    """Where there is nothing else, that is said; an older whole run is taken; named, a part is, with a warning."""
    keep("r3", **known)
    code, out, err = call("baseline", "set")
    assert (code, out) == (2, "")
    assert "no complete run of the whole of 'shop' to pin: the newest, r3, " in err
    assert why in err
    keep("r2", parameters={"only": [], "tags": [], "limit": None})
    assert call("baseline", "set") == (0, "The baseline of 'shop' is now run r2.\n", "")
    code, out, err = call("baseline", "set", "r3")
    assert (code, out) == (0, "The baseline of 'shop' is now run r3.\n")
    assert err.startswith("uaef: warning: run r3 ")
    assert why in err


def test_a_run_that_lacks_results_is_passed_over(call, keep):
    """Though it says that it is complete."""
    keep("r2", n_planned=2)
    assert "r2, holds less than the 2 results that were planned" in call("baseline", "set")[2]
    keep("r1", n_planned=1)
    assert "is now run r1" in call("baseline", "set")[1]


def test_a_store_elsewhere(call, keep, folder, monkeypatch):
    """``--store`` says which, for each of the commands."""
    url = f"sqlite:///{folder}/elsewhere.db"
    monkeypatch.setenv("UAEF_STORE", url)
    keep("r1")
    monkeypatch.delenv("UAEF_STORE")
    assert call("baseline", "set")[0] == 2
    assert "is now run r1" in call("baseline", "set", "--store", url)[1]
    assert "run r1:" in call("baseline", "show", "--store", url)[1]
    assert "any more" in call("baseline", "clear", "--store", url)[1]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("set", "r9"), "Unknown run 'r9'"),
        (("set", "--dataset", "nope"), "There is no complete run of 'nope' to pin"),
        (("set", "r1", "--dataset", "desk"), "not of 'desk'"),
        (("set", "r2"), "Finish it with uaef run --resume r2."),
        (("set", "r3"), "Finish run r2 with uaef run --resume r2, and score it anew."),
        (("set", "r4"), "Score run r1 anew, and pin that."),
        (("set", "r5"), "It cannot be gone on with: begin it anew, and pin that."),
        (("set", "r6"), "It cannot be gone on with: begin it anew, and pin that."),
        (("shew",), "No such command"),
    ],
)
def test_what_cannot_be_pinned_is_refused(call, keep, arguments, said):
    """In one sentence, with code 2."""
    keep("r1")
    keep("r2", finished=False, parameters={"datasets": ["shop.yaml"]})
    keep("r3", finished=False, parameters={"scored": "r2"})
    keep("r4", finished=False, parameters={"scored": "r1"})
    keep("r5", finished=False)
    keep("r6", finished=False, parameters={"scored": "r5"})
    code, out, err = call("baseline", *arguments)
    assert (code, out) == (2, "")
    assert said in err


def test_where_nothing_was_kept_there_is_nothing_to_pin(call):
    """No store is made by looking."""
    code, _, err = call("baseline", "show")
    assert code == 2
    assert err.startswith("uaef: ")
