"""What became of a turn: by how often it passes, never by an outage, never across two rulers."""

from __future__ import annotations

import pytest
from tests.runs.comparison.stored import AGENT_FAILED, case, played, stored

from uaef import run_evals
from uaef.errors import DataError
from uaef.evaluation.offline import failed_result
from uaef.evaluation.required import Required
from uaef.models import Case, MetricScore
from uaef.models.case import Ask, ClaimKind, NamedClaim
from uaef.models.results import ClaimResult, Decision
from uaef.runs.comparison import Comparison, Status, compare
from uaef.runs.comparison.passing import outcome

ONE = case("q", "hi")
DOWN = OSError("the judge is down")


def status(before, after, **options):
    """What became of one turn with these measurements."""
    found = compare(stored("a", played(ONE, before, **options)), stored("b", played(ONE, after, **options)))
    return found.turns[0].status


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ({"ok": 1}, {"ok": 0}, "regressed"),
        ({"ok": 0}, {"ok": 1}, "improved"),
        ({"ok": 0}, {"ok": 0}, "unchanged"),
        ({"ok": 1, "b": 0}, {"ok": 0, "b": 1}, "unchanged"),
        ({"~s": 0.95}, {"~s": 0.55}, "regressed"),
        ({"~s": 0.55}, {"~s": 0.56}, "improved"),
        ({"~s": 0.1 + 0.2}, {"~s": 0.3}, "unchanged"),
        ({"ok": None}, {"ok": None}, "unchanged"),
        ({"ok": 1}, {"ok": DOWN}, "unmeasured"),
        ({"ok": DOWN}, {"ok": 0}, "unmeasured"),
        ({"ok": 1}, {"other": 0}, "other-ruler"),
        ({"ok": 1, "b": 1}, {"ok": 1, "c": 0}, "unchanged"),
        ({"ok": 1}, {"ok": AGENT_FAILED, "agent": "no line"}, "regressed"),
        ({"~s": 0.4}, {"~s": AGENT_FAILED, "agent": "no line"}, "regressed"),
    ],
)
def test_the_status_of_a_turn(before, after, expected):
    """A fall of .95 to .55 is no stability, a crash is a failure, an outage neither."""
    assert status(before, after) == expected


def test_scores_on_one_side_of_their_bar_are_no_change():
    """What is required says what passes; the scores are shown beside it."""
    bars = {"~s": 0.7}
    assert status({"~s": 0.95}, {"~s": 0.72}, bars=bars) is Status.UNCHANGED
    assert status({"~s": 0.71}, {"~s": 0.69}, bars=bars) is Status.REGRESSED


def test_a_bar_that_moved_is_no_regression():
    """Both runs are read by what the later one requires, and it is said."""
    before = stored("a", played(ONE, {"~s": 0.8}, bars={"~s": 0.7}))
    after = stored("b", played(ONE, {"~s": 0.8}, bars={"~s": 0.9}))
    found = compare(before, after).turns[0]
    assert found.status is Status.UNCHANGED
    assert found.cells[0].ruler == "what is required of it changed; both runs are read by what the later one requires"


@pytest.mark.parametrize(
    ("facts", "said"),
    [
        ({"judge": "b", "rubric_version": "1"}, "another judge: a before, b now"),
        ({"judge": "a", "rubric_version": "2"}, "another rubric version: 1 before, 2 now"),
        ({}, "another rubric version: 1 before, none now"),
    ],
)
def test_another_judge_or_rubric_is_shown_and_not_compared(facts, said):
    """Two rulers give no difference."""
    before = stored("a", played(ONE, {"ok": 1}, facts={"judge": "a", "rubric_version": "1"}))
    found = compare(before, stored("b", played(ONE, {"ok": 0}, facts=facts)))
    assert found.turns[0].status is Status.OTHER_RULER
    assert found.turns[0].cells[0].ruler == said
    assert found.differences == ()


def test_the_ruler_of_what_failed_is_not_another_one():
    """A failed measurement names no judge; the others tell."""
    facts = {"judge": "a", "rubric_version": "1"}
    before = stored("a", played(ONE, {"ok": 1}, facts=facts))
    found = compare(before, stored("b", played(ONE, {"ok": DOWN}, facts=facts)))
    assert found.turns[0].status is Status.UNMEASURED


def test_a_conversation_that_could_not_be_evaluated_is_unmeasured():
    """Its turns are not gone."""
    lost = failed_result({"session_id": "q"}, DataError("nonsense"))
    found = compare(stored("a", played(ONE, {"ok": 1})), stored("b", lost))
    assert [(each.name, each.status) for each in found.turns] == [("q#1", Status.UNMEASURED)]
    assert found.conversations[0].status is Status.UNMEASURED


def test_trials_are_compared_by_how_often_they_pass():
    """3 of 4 before and 1 of 4 now is a regression, with both counts."""
    runs = [
        stored(name, *(played(ONE, {"ok": int(i < passing)}, trial=i) for i in range(4)))
        for name, passing in (("a", 3), ("b", 1))
    ]
    turn = compare(*runs).turns[0]
    assert turn.status is Status.REGRESSED
    assert (turn.before.passed, turn.before.decided, turn.after.passed, turn.after.decided) == (3, 4, 1, 4)
    assert turn.p == pytest.approx(0.2429, abs=1e-4)


def test_fewer_than_three_trials_are_not_tested():
    """A test of one turn against one says nothing."""
    runs = [
        stored(name, *(played(ONE, {"ok": value}, trial=i) for i in range(2))) for name, value in (("a", 1), ("b", 0))
    ]
    assert compare(*runs).turns[0].p is None


def test_before_and_after_are_told_in_the_agents_words():
    """A reader sees what changed."""
    found = compare(stored("a", played(ONE, {"ok": 1})), stored("b", played(ONE, {"ok": 0, "agent": "no line"})))
    assert found.turns[0].before.answer == "answer 1"
    assert found.turns[0].after.answer == "[the agent failed: no line]"
    assert found.turns[0].after.why == "it is 0"


def test_a_comparison_comes_back_from_json():
    """Nothing is lost on the way."""
    before = stored("a", *(played(case(f"c{i}", "hi", "x"), {"ok": 1, "~s": 0.5}, {"ok": 1}) for i in range(25)))
    after = stored("b", *(played(case(f"c{i}", "hi", "y"), {"ok": i % 2, "~s": DOWN}, {"ok": 1}) for i in range(25)))
    found = compare(before, after, by=["turn"])
    assert Comparison.from_dict(found.to_dict()) == found


def test_runs_as_they_are_really_played_are_joined_by_what_they_were_asked():
    """From cases through an agent, gates on single turns, to the turn that regressed."""
    gate = NamedClaim(name="includes", arguments={"": "office"}, kind=ClaimKind.GATE)
    asked = Case(case_id="refund", asks=[Ask(user="hi"), Ask(user="to my office", claims=[gate])])

    async def good(text, *, history):
        return f"noted: {text} after {len(history)}"

    async def bad(_, *, history):
        return f"what? after {len(history)}"

    runs = [
        stored(name, *run_evals([asked], agent, history="actual").items) for name, agent in (("a", good), ("b", bad))
    ]
    (found,) = compare(*runs).turns
    assert (found.name, found.status) == ("refund#2", Status.REGRESSED)
    assert (found.before.answer, found.after.answer) == ("noted: to my office after 2", "what? after 2")


def test_metrics_without_a_pass_never_decide_over_one_that_has():
    """A judge's score that rose hides no check that failed."""
    assert status({"ok": 1, "~s": 0.1}, {"ok": 0, "~s": 1.0}) is Status.REGRESSED


def test_an_agent_error_alone_is_a_score_of_nothing():
    """Its mean is 0 and not left out."""
    found = compare(
        stored("a", played(ONE, {"~s": 0.8})),
        stored("b", played(ONE, {"~s": MetricScore(metric_name="~s", metadata={"warning": "agent_error"})})),
    )
    assert found.differences[0].after == 0.0


@pytest.mark.parametrize(
    ("claim", "passes"),
    [
        ({"name": "~s", "slice_name": "q"}, [False, False]),
        ({"name": "~s", "slice_name": "q#2", "turn": 2}, [None, False]),
        ({"name": "Quality", "slice_name": "q", "of_dimension": True}, [False, False]),
        ({"name": "other", "slice_name": "q"}, [None, None]),
        ({"name": "~s", "slice_name": "q", "at_least": 0.0, "at_most": 0.3}, [False, False]),
    ],
)
def test_a_claim_bounds_what_it_is_about(claim, passes):
    """One on the conversation all its turns, one on a turn that turn, one on a dimension what is counted there."""
    item = played(case("q", "a", "b"), {"~s": 0.5}, {"~s": 0.5})
    made = ClaimResult(**{"kind": ClaimKind.GATE, "decision": Decision.MISSED, "at_least": 0.7, **claim})
    required = Required([made], item.measurements)
    assert [outcome(m, required.of(m)).passed for m in item.measurements] == passes
