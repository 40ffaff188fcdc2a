"""Trials that pass now and then, and turns at which the agent fails: what a gate makes of them."""

from __future__ import annotations

import pytest
from tests.runs.comparison.stored import case, played, stored

from uaef.models.results import Decision
from uaef.runs.comparison import compare
from uaef.runs.gate import decide, gate, suspects

GOOD, CRASH = {"ok": 1}, {"agent": "no line"}
DOWN = OSError("the judge is down")
TALKS = case("talk", "hi", "bye", tags=["gold"])


def became(rule, after, before, **options):
    """What becomes of one rule on a comparison."""
    (decision,) = decide(gate(fail_on=[rule]), after.items, compare(before, after), **options).decisions
    return decision


def tried(name, *trials):
    """One turn, trial by trial: it passes (1), fails (0) or could not be measured (``None``)."""
    scores = [{"ok": DOWN if each is None else each} for each in trials]
    return stored(name, *(played(case("q", "hi"), each, trial=n) for n, each in enumerate(scores)))


@pytest.mark.parametrize(
    ("before", "after", "decision"),
    [
        ([1, 1, 1], [1, 1, 0], "missed"),
        ([1, 1, 1, 1, 0], [0, 0, 0, 0, 0], "missed"),
        ([1, 0], [1, 0], "met"),
        ([1, 0], [1, 1], "met"),
        ([1, 1, 1], [1, None, None], "unmeasured"),
        ([0, 0, 0], [0, None, None], "met"),
        ([1, 0, None], [0, 1, 1], "met"),
    ],
)
def test_any_is_missed_where_something_passes_less_often(before, after, decision):
    """In a smaller share of its trials; where some could not be measured, it is not known."""
    assert became("any", tried("b", *after), tried("a", *before)).decision == decision


@pytest.mark.parametrize(
    ("before", "after", "suspected"),
    [([1, 1, 1, 1, 0], [0] * 5, True), ([1, 0], [0, 0], False), ([1] * 5, [1, 0, 0, 0, 0], False)],
)
def test_what_passed_in_most_trials_and_passes_in_none_is_suspected(before, after, suspected):
    """What passes now and then is not, and then its fall is told."""
    old, new = tried("a", *before), tried("b", *after)
    assert bool(suspects(compare(old, new))) is suspected
    if not suspected and sum(after):
        assert "q#1 passes less often" in became("confirmed", new, old).reason


@pytest.mark.parametrize(
    ("rule", "replays", "decision"),
    [
        ("any", [], "missed"),
        ("confirmed", [CRASH] * 3, "missed"),
        ("confirmed", [CRASH, {}, CRASH], "met"),
        ("confirmed", [], "unmeasured"),
    ],
)
def test_a_crash_where_nothing_is_required_is_a_fall(rule, replays, decision):
    """It answered before and does not now; a turn at which it never answered is no news."""
    before, after = stored("a", played(TALKS, GOOD, {})), stored("b", played(TALKS, GOOD, CRASH))
    again = [played(TALKS, GOOD, each) for each in replays]
    found = became(rule, after, before, replays=again)
    assert found.decision == decision
    assert "talk#2" in found.reason
    down = stored("c", played(TALKS, GOOD, CRASH))
    assert became("any", down, after).decision is Decision.MET


@pytest.mark.parametrize("rule", ["any", "confirmed"])
def test_a_crash_is_a_fall_whatever_else_was_measured_otherwise(rule):
    """Another judge makes scores incomparable, and no crash an answer."""
    before = stored("a", played(TALKS, GOOD, GOOD, facts={"judge": "a"}))
    after = stored("b", played(TALKS, {"other": 1}, {"other": 1, **CRASH}, facts={"judge": "b"}))
    found = became(rule, after, before, replays=after.items * 3)
    assert found.decision is Decision.MISSED
    assert "talk#2 regressed: the agent failed: no line" in found.reason


def test_a_crash_counts_in_the_cohorts_of_its_turn():
    """Whether anything is required there or not."""
    items = stored("b", played(TALKS, GOOD, CRASH)).items
    (found,) = decide(gate(min_pass_rate=["tag:gold=1"]), items).decisions
    assert found.decision is Decision.MISSED
