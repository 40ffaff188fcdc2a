"""Numbers of one run and of two: what stands beside a mean, cohorts, the curve of survivors, the tests."""

from __future__ import annotations

import pytest
from tests.runs.comparison.stored import case, played, stored

from uaef.errors import UsageError
from uaef.models.base import replaced
from uaef.runs import statistics
from uaef.runs.comparison import compare, summaries, survival
from uaef.runs.comparison.cohorts import cohorts, depth

GOOD, BAD = {"ok": 1}, {"ok": 0}
DOWN = OSError("the judge is down")


def number(items, what, cohort="all", by=()):
    """One summary."""
    found = {(each.what, each.cohort): each for each in summaries(items, by)}
    return found[what, cohort]


def conversations(n, *turns):
    """So many conversations of these turns."""
    return [played(case(f"c{i}", *(f"{i}.{t}" for t in range(len(turns)))), *turns) for i in range(n)]


def test_what_stands_beside_a_mean():
    """How many, how many were skipped and failed, and the lowest."""
    items = [
        played(case("a", "1", "2", "3"), {"~s": 1.0}, {"~s": 0.5}, {"~s": None}),
        played(case("b", "1", "2"), {"~s": 0.25}, {"~s": DOWN}),
    ]
    found = number(items, "~s")
    assert (found.mean, found.pass_rate, found.kind) == (0.5, None, "mean")
    assert (found.n, found.n_conversations, found.skipped, found.failed) == (3, 2, 1, 1)
    assert (found.worst, found.worst_value) == ("b#1", 0.25)
    assert (found.lowest, found.highest) == ((0.75 + 0.125) / 2, (0.75 + 0.625) / 2)
    assert found.interval is None


def test_below_twenty_conversations_there_are_counts_alone():
    """An interval of nineteen would promise more than it knows."""
    assert number(conversations(19, GOOD), "ok").interval is None
    assert number(conversations(20, GOOD), "ok").interval is not None


def test_the_interval_of_a_rate_is_exact():
    """18 of 20, from a table of the binomial distribution."""
    items = [played(case(f"c{i}", "x"), GOOD if i < 18 else BAD) for i in range(20)]
    low, high = number(items, "conversations").interval
    assert (low, high) == (pytest.approx(0.6830, abs=1e-4), pytest.approx(0.9877, abs=1e-4))


def test_errors_stay_in_sight():
    """A judge that is down on one of two metrics makes no conversation pass (padosoft.md F 20)."""
    found = number([played(case("q", "x"), {"ok": 1, "b": DOWN})], "conversations")
    assert (found.pass_rate, found.failed) == (1.0, 0)  # nothing says that b decides
    found = number(
        [*conversations(1, {"ok": 1, "b": 1}), played(case("q", "x"), {"ok": 1, "b": DOWN})], "conversations"
    )
    assert (found.n, found.failed, found.lowest, found.highest) == (1, 1, 0.5, 1.0)


def test_cohorts_by_position_depth_tag_conversation_dataset_and_metadata():
    """Each of them by its label, the turns in the order of their numbers."""
    items = [played(case("a", *"12345678", tags=["vip", "2024"]), *[GOOD] * 8), played(case("b", "1"), BAD)]
    items[0] = replaced(
        items[0], metadata={"case_metadata": {"conversation": {"plan": "gold"}, "turns": {"2": {"plan": "x"}}}}
    )
    by = ["turn,depth", "tag:2024", "conversation", "plan"]
    labels = list(dict.fromkeys(each.cohort for each in summaries(items, by, dataset="shop")))
    assert labels == [
        "all",
        *(f"turn:{n}" for n in range(1, 9)),
        "depth:1",
        "depth:2-3",
        "depth:4-6",
        "depth:7+",
        "tag:2024",
        "conversation:a",
        "conversation:b",
        "plan:gold",
        "plan:x",
    ]
    assert number(items, "turns", "turn:1", by).pass_rate == 0.5
    assert number(items, "turns", "plan:x", by).n == 1
    assert number(items, "turns", "tag:untagged", ["tag"]).pass_rate == 0.0
    assert {each.cohort for each in summaries(items, ["dataset"], dataset="shop")} == {"all", "dataset:shop"}


def test_a_window_counts_once_in_a_cohort():
    """However often, and in whatever form, it carries the value."""
    items = [
        replaced(played(case("a", "1"), GOOD), metadata={"case_metadata": {"conversation": {"plan": ["x", " x"]}}})
    ]
    assert number(items, "turns", "plan:x", ["plan"]).n == 1


def test_depths():
    """Four buckets, without a gap."""
    assert [depth(n) for n in (1, 2, 3, 4, 6, 7, 100)] == ["1", "2-3", "2-3", "4-6", "4-6", "7+", "7+"]


@pytest.mark.parametrize("by", ["", "turn,,tag", "tag:", "turn:0", "turn:x", "depth:5"])
def test_what_is_no_cohort_is_refused(by):
    """Before anything is counted."""
    with pytest.raises(UsageError):
        cohorts([by])


def test_a_cohort_that_nothing_belongs_to_is_said():
    """A slip in a name is no empty table."""
    runs = [stored(name, *conversations(3, GOOD)) for name in "ab"]
    assert "No turn and no conversation belongs to the cohort 'trun'." in compare(*runs, by=["trun"]).warnings


def test_the_curve_of_survivors():
    """Kaplan and Meier by hand: 1/4 break at turn 1; one ends unbroken there; of 2 left 1 breaks at turn 2."""
    items = [
        replaced(each, turns_passed=passed)
        for each, passed in zip(
            conversations(4, GOOD, GOOD),
            [{1: False, 2: True}, {1: True}, {1: True, 2: False}, {1: True, 2: True}],
            strict=True,
        )
    ]
    found = survival(items)
    assert [(each.turn, each.at_risk, each.broke) for each in found] == [(1, 4, 1), (2, 2, 1)]
    assert [each.share for each in found] == [0.75, 0.375]
    assert survival([]) == []


def test_a_difference_is_paired_by_conversation():
    """What only one run has is in neither mean."""
    before = stored("a", *conversations(3, {"~s": 0.5}), played(case("gone", "g"), {"~s": 0.0}))
    after = stored("b", *conversations(3, {"~s": 0.75}), played(case("new", "n"), {"~s": 0.0}))
    (found,) = compare(before, after).differences
    assert (found.before, found.after, found.change, found.n) == (0.5, 0.75, 0.25, 3)
    assert (found.kind, found.worst) == ("mean", None)


def test_gated_differences_are_corrected_together():
    """Two metrics with bars, of which one fell: its p is doubled at most, and the others are not counted."""
    before = stored("a", *(played(case(f"c{i}", f"{i}"), {"ok": 1, "b": 1, "~s": 0.5}) for i in range(30)))
    after = stored("b", *(played(case(f"c{i}", f"{i}"), {"ok": int(i > 8), "b": 1, "~s": i / 40}) for i in range(30)))
    found = {each.what: each for each in compare(before, after).differences}
    assert [name for name, each in found.items() if each.gated] == ["turns", "b", "ok"]
    assert found["~s"].adjusted is None
    assert found["ok"].p == pytest.approx(2 * 0.5**9)
    assert found["ok"].p <= found["ok"].adjusted <= 3 * found["ok"].p


def test_without_the_extra_there_are_differences_alone(monkeypatch):
    """Nothing is tested, and nothing claims to be."""
    monkeypatch.setattr(statistics, "is_installed", lambda: False)
    runs = [stored(name, *conversations(30, found)) for name, found in (("a", GOOD), ("b", BAD))]
    found = compare(*runs)
    assert not found.tested
    assert (found.differences[0].change, found.differences[0].p, found.differences[0].interval) == (-1.0, None, None)
    assert number(conversations(30, GOOD), "ok").interval is None


def test_what_could_have_been_found_is_never_nothing():
    """Where no conversation changed, it still takes six that do to be told from chance."""
    runs = [stored(name, *conversations(30, GOOD)) for name in "ab"]
    assert compare(*runs).differences[0].detectable > 6 / 30
    few = [stored(name, *conversations(5, GOOD)) for name in "ab"]
    assert compare(*few).differences[0].detectable is None
