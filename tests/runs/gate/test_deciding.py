"""What becomes of rules: a real fall misses, noise and outages do not, and nothing unmeasured is met."""

from __future__ import annotations

import pytest
from tests.runs.comparison.stored import case, played, stored

from uaef.models.results import Decision
from uaef.runs.comparison import compare
from uaef.runs.gate import GateResult, decide, gate, next_round, suspects
from uaef.runs.records import RunStatus

GOOD, BAD = {"ok": 1}, {"ok": 0}
DOWN = OSError("the judge is down")
ASKED = [case(f"c{i}", "hi", f"q{i}", "bye", tags=["returns"] if i % 2 else []) for i in range(40)]


def run(name, turns, **info):
    """40 conversations, each with the turns that ``turns`` gives for its number."""
    return stored(name, *(played(asked, *turns(i)) for i, asked in enumerate(ASKED)), **info)


def always(*turns):
    """The same turns in every conversation."""
    return lambda _: turns


BEFORE = run("before", always(GOOD, GOOD, GOOD))


def became(rule, after, before=BEFORE, by=(), **options):
    """What becomes of one rule on a comparison."""
    comparison = None if before is None else compare(before, after, by=by)
    (decision,) = decide(gate(fail_on=[rule]), after.items, comparison, **options).decisions
    return decision


# --- regression -----------------------------------------------------------------------


def test_a_fall_in_many_conversations_is_a_regression():
    """It is named with its numbers, and with the turn that fell furthest."""
    found = became("regression", run("after", lambda i: (GOOD, GOOD, BAD if i < 12 else GOOD)))
    assert found.decision is Decision.MISSED
    assert found.reason.startswith("ok: 1.00 -> 0.90 over 40 conversations, 95% interval -0.1")
    assert found.reason.endswith(", p < 0.001; the largest fall: c0#3")
    assert found.evidence[0].text.endswith("the largest fall: c0#3")


def test_a_fall_in_a_few_conversations_is_none():
    """Three of forty may be chance, and what could have been found is said."""
    found = became("regression", run("after", lambda i: (GOOD, GOOD, BAD if i < 3 else GOOD)))
    assert found.decision is Decision.MET
    assert "40 conversations" in found.reason
    assert "in 4 of 5 runs" in found.reason


def test_many_turns_of_one_conversation_are_one_conversation():
    """The conversation is the unit: two that fail in all their turns are no six independent failures."""
    long = [case(f"c{i}", *(f"q{i}.{n}" for n in range(10))) for i in range(20)]
    before = stored("a", *(played(each, *[GOOD] * 10) for each in long))
    after = stored("b", *(played(each, *[BAD if i < 2 else GOOD] * 10) for i, each in enumerate(long)))
    found = became("regression", after, before)
    assert found.decision is Decision.MET


def test_a_rise_is_no_regression():
    """However significant."""
    after = run("after", always(GOOD, GOOD, GOOD))
    assert became("regression", after, run("bad", always(GOOD, BAD, BAD))).decision is Decision.MET


def test_a_cohort_that_falls_is_found_where_it_is_asked_for():
    """Turn 3 alone, against all turns together."""
    after = run("after", lambda i: (GOOD, GOOD, BAD if i < 8 else GOOD))
    found = became("regression", after, by=["turn"])
    assert found.decision is Decision.MISSED
    assert any(evidence.name == "turns@turn:3" for evidence in found.evidence)


def test_a_score_without_a_bar_is_compared_by_its_mean():
    """.95 to .55 in every conversation is no stability."""
    before = stored("a", *(played(each, {"~s": 0.95}, {}, {}) for each in ASKED))
    after = stored("b", *(played(each, {"~s": 0.55}, {}, {}) for each in ASKED))
    assert became("regression", after, before).decision is Decision.MISSED


def test_checks_of_single_turns_are_tested_together():
    """Where every turn has a check of its own, no check can be significant; that turns pass less often can."""

    def own(i, last):
        return played(ASKED[i], {f"a{i}": 1}, {f"b{i}": 1}, {f"c{i}": last})

    before = stored("a", *(own(i, 1) for i in range(40)))
    found = became("regression", stored("b", *(own(i, int(i > 9)) for i in range(40))), before)
    assert [evidence.name for evidence in found.evidence] == ["turns@all"]
    assert (
        became("regression", stored("b", *(own(i, int(i > 1)) for i in range(40))), before).decision is Decision.MET
    )
    lost = stored("b", *(own(i, 1 if i > 9 else DOWN) for i in range(40)))
    assert became("regression", lost, before).decision is Decision.UNMEASURED


def test_a_turn_with_many_trials_is_tested_by_itself():
    """10 of 10 before and 0 of 10 now is beyond chance in a set of one conversation."""
    asked = case("refund", "a", "b")
    runs = [stored(n, *(played(asked, GOOD, {"ok": v}, trial=t) for t in range(10))) for n, v in (("a", 1), ("b", 0))]
    found = became("regression", runs[1], runs[0])
    assert found.decision is Decision.MISSED
    assert found.reason.startswith("refund#2 regressed: passes in 10 of 10 trials before, 0 of 10 now")


def of_trials(name, trials, *passing):
    """One conversation, a turn for each number in ``passing``: in how many of so many trials it passes."""
    asked = case("refund", *(f"q{n}" for n in range(len(passing))))
    return stored(name, *(played(asked, *(GOOD if t < k else BAD for k in passing), trial=t) for t in range(trials)))


@pytest.mark.parametrize(
    ("trials", "before", "after", "decision"),
    [
        (3, (3,), (0,), Decision.MISSED),
        (3, (3, 3, 3), (3, 0, 3), Decision.MISSED),  # what cannot fall beyond chance weakens nothing
        (3, (3,), (1,), Decision.UNMEASURED),
        (3, (0,), (3,), Decision.MET),
        (2, (2,), (0,), Decision.UNMEASURED),
        (5, (4, 4, 4), (4, 4, 1), Decision.UNMEASURED),
    ],
)
def test_three_trials_in_both_runs_are_enough_for_a_turn_that_broke(trials, before, after, decision):
    """Three passes, then three failures: one way in twenty. Less than that, or the other way round, may be chance."""
    found = became("regression", of_trials("b", trials, *after), of_trials("a", trials, *before))
    assert found.decision is decision, found.reason


def test_too_few_conversations_leave_a_fall_undecided():
    """A gate that cannot be missed does not pass; one without any fall does."""
    few = [case(f"c{i}", "hi") for i in range(4)]
    before = stored("a", *(played(each, GOOD) for each in few))
    found = became("regression", stored("b", *(played(each, BAD) for each in few)), before)
    assert found.decision is Decision.UNMEASURED
    assert "the rule confirmed" in found.reason
    assert became("regression", stored("b", *(played(each, GOOD) for each in few)), before).decision is Decision.MET


def test_an_outage_that_could_hide_a_fall_leaves_it_undecided():
    """Twelve lost measurements could; one could not."""
    found = became("regression", run("after", lambda i: (GOOD, GOOD, {"ok": DOWN} if i < 12 else GOOD)))
    assert found.decision is Decision.UNMEASURED
    assert "12 measurements failed" in found.reason
    few = became("regression", run("after", lambda i: (GOOD, GOOD, {"ok": DOWN} if i < 1 else GOOD)))
    assert few.decision is Decision.MET


@pytest.mark.parametrize(("many", "lost"), [(3, 2), (5, 4), (10, 4), (10, 5)])
def test_an_outage_in_few_conversations_is_no_pass(many, lost):
    """Where no fall could be told from chance, what was lost is unknown, not fine."""
    few = [case(f"c{i}", "hi") for i in range(many)]
    before = stored("a", *(played(each, GOOD) for each in few))
    after = stored("b", *(played(each, {"ok": DOWN} if i < lost else GOOD) for i, each in enumerate(few)))
    found = became("regression", after, before)
    assert found.decision is Decision.UNMEASURED
    assert f"{lost} measurements failed" in found.reason


@pytest.mark.parametrize("rule", ["regression", "confirmed", "any"])
def test_what_was_not_compared_is_said_beside_a_pass(rule):
    """A turn that asks something else now, or is gone, is looked at by no rule, and the rule says so."""
    reworded = [case(f"c{i}", "hi", f"q{i}?" if i < 2 else f"q{i}", "bye") for i in range(39)]
    found = became(rule, stored("after", *(played(each, GOOD, GOOD, GOOD) for each in reworded)))
    assert found.decision is Decision.MET
    assert "turns that were not compared: 2 content-changed, 3 removed" in found.reason


@pytest.mark.parametrize("rule", ["regression", "confirmed", "any"])
@pytest.mark.parametrize(
    ("after", "said"),
    [
        (always({"other": 1}, {"other": 1}, {"other": 1}), "another ruler"),
        (always({"ok": DOWN}, {"ok": DOWN}, {"ok": DOWN}), ""),
        (always({"ok": None}, {"ok": None}, {"ok": None}), "could be compared"),
    ],
)
def test_nothing_to_compare_is_never_a_pass(rule, after, said):
    """Another metric, an outage, nothing that applies."""
    found = became(rule, run("after", after))
    assert found.decision is Decision.UNMEASURED
    assert said in found.reason


@pytest.mark.parametrize("rule", ["regression", "confirmed", "any"])
def test_another_dataset_is_nothing_to_compare(rule):
    """New and removed conversations decide nothing."""
    others = stored("after", *(played(case(f"x{i}", f"other {i}"), GOOD) for i in range(40)))
    assert became(rule, others).decision is Decision.UNMEASURED


@pytest.mark.parametrize("rule", ["regression", "confirmed", "any"])
def test_a_run_that_was_cut_short_is_undecided(rule):
    """What was not played may have regressed."""
    after = stored("b", *(played(a, GOOD, GOOD, GOOD) for a in ASKED[:5]), status=RunStatus.INTERRUPTED, n_planned=40)
    assert became(rule, after).decision is Decision.UNMEASURED


@pytest.mark.parametrize("rule", ["regression", "confirmed", "any"])
def test_without_a_reference_a_rule_does_not_apply(rule):
    """It is not met, and require_baseline makes it a failure."""
    assert became(rule, BEFORE, None).decision is Decision.NOT_APPLICABLE
    found = decide(gate(fail_on=[rule], require_baseline=True), BEFORE.items)
    assert [each.decision for each in found.decisions] == [Decision.NOT_APPLICABLE, Decision.MISSED]
    assert found.decision is Decision.MISSED
    assert "uaef baseline set" in found.decisions[1].reason


@pytest.mark.parametrize("rule", ["regression", "confirmed", "any"])
def test_nothing_changed_is_met(rule):
    """Every rule can pass."""
    assert became(rule, run("after", always(GOOD, GOOD, GOOD))).decision is Decision.MET


# --- any ------------------------------------------------------------------------------


def test_any_measurement_that_stopped_passing():
    """One of 120 is enough; what failed before and what has no bar are none."""
    found = became("any", run("after", lambda i: (GOOD, GOOD, BAD if i == 7 else GOOD)))
    assert found.decision is Decision.MISSED
    assert found.reason == "c7#3 regressed: ok 1.00 -> 0.00: it is 0"
    assert (
        became("any", run("x", always(GOOD, GOOD, BAD)), run("w", always(GOOD, GOOD, BAD))).decision is Decision.MET
    )


def test_any_looks_into_turns_that_fail_anyway():
    """A second check that broke there is one as well."""
    before = stored("a", *(played(each, {"ok": 0, "b": 1}, {}, {}) for each in ASKED))
    after = stored("b", *(played(each, {"ok": 0, "b": 0}, {}, {}) for each in ASKED))
    assert became("any", after, before).decision is Decision.MISSED


# --- confirmed ------------------------------------------------------------------------

REFUND = case("refund", "a", "b", "to my office")


def replay(*values, of=REFUND):
    """Re-plays whose third turn gave these."""
    return [played(of, GOOD, GOOD, {"ok": value}) for value in values]


def confirm(*values, times=3):
    """The rule on a turn that failed, with these re-plays."""
    before = stored("a", played(REFUND, GOOD, GOOD, GOOD), *(played(c, GOOD, GOOD, GOOD) for c in ASKED[:4]))
    after = stored("b", played(REFUND, GOOD, GOOD, BAD), *(played(c, GOOD, GOOD, GOOD) for c in ASKED[:4]))
    comparison = compare(before, after)
    assert [suspect.name for suspect in suspects(comparison)] == ["refund#3"]
    wanted = [suspect.name for suspect in next_round(comparison, replay(*values), times)]
    (decision,) = decide(
        gate(fail_on=[f"confirmed:{times}"]), after.items, comparison, replays=replay(*values)
    ).decisions
    return decision, wanted


@pytest.mark.parametrize(
    ("values", "times", "decision", "wanted"),
    [
        ((), 3, "unmeasured", ["refund#3"]),
        ((0,), 3, "unmeasured", ["refund#3"]),
        ((0, 0), 3, "unmeasured", ["refund#3"]),
        ((0, 0, 0), 3, "missed", []),
        ((0, 1), 3, "met", []),
        ((1,), 3, "met", []),
        ((0,), 1, "missed", []),
        ((0, DOWN, 0), 3, "unmeasured", []),
        ((1, DOWN), 3, "met", []),
    ],
)
def test_a_suspect_is_confirmed_if_it_fails_every_time(values, times, decision, wanted):
    """A re-play that passes clears it; an outage in a re-play leaves it open."""
    found, left = confirm(*values, times=times)
    assert (str(found.decision), left) == (decision, wanted)


def test_a_confirmed_turn_is_named():
    """The sentence of the everyday gate, with what was measured."""
    found, _ = confirm(0, 0, 0)
    assert found.reason == (
        "refund#3 passed before, fails now, and failed again in all of 3 re-plays; "
        "refund#3 regressed: ok 1.00 -> 0.00: it is 0"
    )
    assert found.evidence[0].text == "refund#3 regressed: ok 1.00 -> 0.00: it is 0"


def test_an_agent_that_fails_in_the_replay_fails_it():
    """A crash is a failure there too."""
    crashed = played(REFUND, GOOD, GOOD, {"agent": "no line"})
    before = stored("a", played(REFUND, GOOD, GOOD, GOOD))
    comparison = compare(before, stored("b", played(REFUND, GOOD, GOOD, BAD)))
    (found,) = decide(gate(fail_on=["confirmed:1"]), [], comparison, replays=[crashed]).decisions
    assert found.decision is Decision.MISSED


def test_what_flakes_now_is_no_suspect():
    """It has to pass in most trials before, and in none now."""
    none, one, two, three, four = (
        stored(f"{n}", *(played(REFUND, GOOD, GOOD, {"ok": int(t < n)}, trial=t) for t in range(4))) for n in range(5)
    )
    assert suspects(compare(four, one)) == []
    assert suspects(compare(two, none)) == []
    assert len(suspects(compare(three, none))) == 1
    assert len(suspects(compare(four, none))) == 1


def test_a_flaky_set_takes_more_replays():
    """Where a third of the turns fail at any time, three failures in a row are no proof, and more are asked for."""
    before = run("a", lambda i: tuple(GOOD if (i + n) % 3 else BAD for n in range(3)))
    after = run("b", lambda i: tuple(GOOD if (i * 7 + n) % 5 > 1 else BAD for n in range(3)))
    comparison = compare(before, after)
    found = suspects(comparison)
    victim = found[0]
    asked = next(each for each in ASKED if each.case_id == victim.conversation)
    others = {suspect.conversation for suspect in found} - {victim.conversation}
    passed = [played(c, GOOD, GOOD, GOOD) for c in ASKED if c.case_id in others]
    failed = played(asked, BAD, BAD, BAD)
    assert next_round(comparison, [*passed, *[failed] * 3])
    (three,) = decide(gate(fail_on=["confirmed"]), [], comparison, replays=[*passed, *[failed] * 3]).decisions
    assert three.decision is Decision.UNMEASURED
    assert "chance alone" in three.reason
    times = next(n for n in range(3, 30) if not next_round(comparison, [*passed, *[failed] * n]))
    (last,) = decide(gate(fail_on=["confirmed"]), [], comparison, replays=[*passed, *[failed] * times]).decisions
    assert last.decision is Decision.MISSED
    assert 3 < times < 25


def test_a_turn_that_was_lost_now_leaves_confirmed_undecided():
    """It passed before, and nobody knows what became of it."""
    found = became("confirmed", run("after", lambda i: (GOOD, GOOD, {"ok": DOWN} if i == 3 else GOOD)))
    assert found.decision is Decision.UNMEASURED
    assert found.reason == "c3#3 passed before and could not be measured now"


# --- floors ---------------------------------------------------------------------------


def floor(*items, **rules):
    """What becomes of one floor."""
    (decision,) = decide(gate(**rules), items).decisions
    return decision


def conversations(n, failing, last=BAD):
    """So many conversations of one turn."""
    return [played(case(f"c{i}", "hi"), last if i < failing else GOOD) for i in range(n)]


@pytest.mark.parametrize(
    ("items", "decision"),
    [
        (conversations(10, 1), "met"),
        (conversations(10, 2), "missed"),
        (conversations(10, 10), "missed"),
        (conversations(10, 1, {"ok": DOWN}), "met"),
        (conversations(10, 2, {"ok": DOWN}), "unmeasured"),
        (conversations(10, 10, {"ok": None}), "unmeasured"),
        ([], "unmeasured"),
    ],
)
def test_the_least_pass_rate(items, decision):
    """All at zero is missed; nothing measured is not met; an outage is open unless nothing hangs on it."""
    assert str(floor(*items, min_pass_rate=["0.9"]).decision) == decision


def test_one_broken_turn_breaks_the_conversation():
    """The pass rate of everything is that of conversations; that of a cohort counts its turns."""
    items = [played(case(f"c{i}", "a", "b"), GOOD, BAD if i < 5 else GOOD) for i in range(10)]
    found = floor(*items, min_pass_rate=["0.6"])
    assert found.decision is Decision.MISSED
    assert found.reason.startswith("pass_rate is 0.500, below 0.600 over 10 conversations")
    assert floor(*items, min_pass_rate=["turn:1=1"]).decision is Decision.MET
    assert floor(*items, min_pass_rate=["turn:2=0.6"]).decision is Decision.MISSED
    assert floor(*items, min_pass_rate=["turn:3=0.1"]).decision is Decision.UNMEASURED


def test_a_mean_is_over_conversations():
    """A long conversation does not outweigh a short one, and the name stands for every metric of that name."""
    items = [
        played(case("long", *"abcd"), *[{"~s": 0.0}] * 4),
        played(case("short", "x"), {"~s": 1.0}),
    ]
    assert floor(*items, minimum=["~s=0.5"]).decision is Decision.MET
    missed = floor(*items, minimum=["~s=0.51"])
    assert missed.decision is Decision.MISSED
    assert "the lowest: long#1" in missed.reason


def test_a_bar_is_not_rounded():
    """0.9996 is below 1."""
    assert floor(played(case("q", "x"), {"~s": 0.9996}), minimum=["~s=1"]).decision is Decision.MISSED


def test_judgements_that_failed_are_counted():
    """More than allowed leave the run undecided: an outage is no regression. The agent's failures are its own."""
    items = [played(case("q", "a", "b"), {"ok": DOWN}, {"ok": DOWN})]
    assert floor(*items, max_failed_judgements=2).decision is Decision.MET
    found = floor(*items, max_failed_judgements=1)
    assert found.decision is Decision.UNMEASURED
    assert "q#1: ok: the judge is down" in found.reason


@pytest.mark.parametrize(
    ("rules", "decision"),
    [
        ({}, "not_applicable"),
        ({"min_pass_rate": ["0.5"]}, "met"),
        ({"min_pass_rate": ["0.95"]}, "missed"),
        ({"min_pass_rate": ["turn:9=0.5"]}, "unmeasured"),
        ({"min_pass_rate": ["0.95", "turn:9=0.5"]}, "missed"),
    ],
)
def test_what_the_rules_come_to(rules, decision):
    """A missed rule decides over an undecided one, and that over those that are met."""
    found = decide(gate(**rules), conversations(10, 1))
    assert found.decision == decision
    assert GateResult.from_dict(found.to_dict()) == found
