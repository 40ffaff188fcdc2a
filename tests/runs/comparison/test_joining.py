"""Which turn is which: by name and content, so that no edit un-gates what it did not touch, and nothing collapses."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.runs.comparison.stored import case, played, renamed, score_of, stored

from uaef.errors import DataError, UsageError
from uaef.models.base import replaced
from uaef.reporting.changes import changes
from uaef.reporting.comparison import render_comparison
from uaef.runs.comparison import Identity, Status, compare
from uaef.runs.records import RunStatus

GOOD, BAD = {"ok": 1}, {"ok": 0}
REFUND = case("refund", "I want a refund", "It is 48", "Send it to my office")


def turns(comparison):
    """The turns with their statuses."""
    return {each.name: (str(each.identity), str(each.status)) for each in comparison.turns}


def test_a_turn_that_passed_and_fails_has_regressed():
    """``refund#3`` regressed, and the turns before it did not."""
    found = compare(
        stored("a", played(REFUND, GOOD, GOOD, GOOD)),
        stored("b", played(REFUND, GOOD, GOOD, BAD)),
    )
    assert turns(found) == {
        "refund#1": ("same", "unchanged"),
        "refund#2": ("same", "unchanged"),
        "refund#3": ("same", "regressed"),
    }
    assert found.conversations[0].status is Status.REGRESSED
    assert found.conversations[0].broke_at == "refund#3"


def test_an_edited_turn_leaves_the_later_ones_compared_and_flagged():
    """Editing turn 1 takes only turn 1 out: turn 3 still regresses, turn 2 says that what came before was edited."""
    edited = case("refund", "I want my money back", "It is 48", "Send it to my office")
    found = compare(
        stored("a", played(REFUND, GOOD, GOOD, GOOD)),
        stored("b", played(edited, GOOD, GOOD, BAD)),
    )
    assert turns(found) == {
        "refund#1": ("content-changed", "content-changed"),
        "refund#2": ("context-changed", "context-changed"),
        "refund#3": ("context-changed", "regressed"),
    }
    first = found.turns[0]
    assert first.note == "the user says something else"
    assert found.turns[2].note == "an earlier turn was edited"


def test_another_expectation_of_the_same_words_is_another_content():
    """Nothing is compared under an expectation that changed; it is said which of the two did."""
    found = compare(
        stored("a", played(case("q", "hi", expect=["hello"]), GOOD)),
        stored("b", played(case("q", "hi", expect=["good day"]), BAD)),
    )
    assert turns(found) == {"q#1": ("content-changed", "content-changed")}
    assert found.turns[0].note == "something else is expected of it"


def test_identical_openings_never_collapse():
    """Ten conversations that begin alike are ten in the comparison, each compared with itself."""
    asked = [case(f"c{i}", "Hello", f"question {i}") for i in range(10)]
    before = stored("a", *(played(each, GOOD, GOOD) for each in asked))
    after = stored("b", *(played(each, BAD if i == 7 else GOOD, GOOD) for i, each in enumerate(asked)))
    found = compare(before, after)
    assert len(found.turns) == 20
    assert [each.name for each in found.having(Status.REGRESSED)] == ["c7#1"]


def test_a_conversation_with_another_name_is_the_same_one():
    """The same content under a new id is joined, named by both, and compared."""
    moved = case("returns", "I want a refund", "It is 48", "Send it to my office")
    found = compare(
        stored("a", played(REFUND, GOOD, GOOD, GOOD)),
        stored("b", played(moved, GOOD, GOOD, BAD)),
    )
    assert turns(found) == {
        "returns#1": ("renamed", "renamed"),
        "returns#2": ("renamed", "renamed"),
        "returns#3": ("renamed", "regressed"),
    }
    assert found.turns[2].was == "refund#3"
    assert found.conversations[0].was == "refund"


def test_a_greeting_in_common_makes_no_two_conversations_one():
    """What merely opens alike is new and removed."""
    found = compare(
        stored("a", played(case("old", "Hello", "a", "b"), GOOD, GOOD, GOOD)),
        stored("b", played(case("new", "Hello", "x", "y"), BAD, GOOD, GOOD)),
    )
    assert {each.status for each in found.turns} == {Status.NEW, Status.REMOVED}


def test_two_conversations_that_exchange_their_names_are_followed():
    """A name is not believed over the content."""
    a, b = case("a", "one", "two"), case("b", "three", "four")
    x, y = case("b", "one", "two"), case("a", "three", "four")
    found = compare(
        stored("1", played(a, GOOD, GOOD), played(b, GOOD, GOOD)),
        stored("2", played(x, GOOD, BAD), played(y, GOOD, GOOD)),
    )
    assert [(each.name, each.was) for each in found.having(Status.REGRESSED)] == [("b#2", "a#2")]


@pytest.mark.parametrize("shifted", [1, 5])
def test_a_shift_of_all_names_hides_nothing(shifted):
    """Conversations that open alike are numbered anew, as some were put before them; each is followed."""
    asked = [("Hi", f"question {i}") for i in range(20)]
    before = stored("a", *(played(case(f"case-{i}", *each), GOOD, GOOD) for i, each in enumerate(asked)))
    later = [("Hi", f"new {i}") for i in range(shifted)] + asked
    after = [played(case(f"case-{i}", *each), GOOD, GOOD if i < shifted else BAD) for i, each in enumerate(later)]
    found = compare(before, stored("b", *after))
    fell = {each.name: each.was for each in found.having(Status.REGRESSED)}
    assert {f"case-{i + shifted}#2": f"case-{i}#2" for i in range(20)} == fell


def test_the_most_alike_are_one_whatever_they_are_called():
    """Both were edited, and one has the name that the other had: more turns in common say more than a name."""
    before = stored(
        "1", played(case("a", "Hi", "48", "x", "thanks"), *[GOOD] * 4), played(case("b", "Hi", "7", "y"), *[GOOD] * 3)
    )
    after = stored(
        "2", played(case("b", "Hi", "48", "x", "bye"), *[GOOD] * 4), played(case("c", "Hi", "7", "z"), *[GOOD] * 3)
    )
    assert {(each.name, each.was) for each in compare(before, after).conversations} == {("b", "a"), ("c", "b")}


def test_thousands_of_identical_openings_are_told_apart_at_once():
    """The work grows with the conversations, not with their pairs."""
    asked = [case(f"old-{i}", "Hi", f"q {i}") for i in range(3_000)]
    edited = [case(f"new-{i}", "Hi", f"p {i}") for i in range(3_000)]
    found = compare(
        stored("a", *(played(each, GOOD, GOOD) for each in asked)),
        stored("b", *(played(each, GOOD, GOOD) for each in edited)),
    )
    assert dict(found.counts) == {"new": 6_000, "removed": 6_000}


def test_an_inserted_turn_moves_the_others_and_they_are_still_compared():
    """The turns after it are the same content under a new number."""
    longer = case("refund", "Good morning", "I want a refund", "It is 48", "Send it to my office")
    found = compare(
        stored("a", played(REFUND, GOOD, GOOD, GOOD)),
        stored("b", played(longer, GOOD, GOOD, GOOD, BAD)),
    )
    assert turns(found) == {
        "refund#1": ("new", "new"),
        "refund#2": ("context-changed", "context-changed"),
        "refund#3": ("context-changed", "context-changed"),
        "refund#4": ("context-changed", "regressed"),
    }
    assert found.turns[3].was == "refund#3"


def test_what_only_one_run_has_is_new_or_removed():
    """It is shown and cannot regress."""
    found = compare(
        stored("a", played(case("gone", "x"), GOOD), played(REFUND, GOOD, GOOD, GOOD)),
        stored("b", played(REFUND, GOOD, GOOD, GOOD), played(case("fresh", "y"), BAD)),
    )
    assert turns(found)["fresh#1"] == ("new", "new")
    assert turns(found)["gone#1"] == ("removed", "removed")
    assert [each.name for each in found.slices][-1] == "gone#1"


def test_without_keys_names_join_and_a_warning_says_so():
    """Recorded conversations have names alone."""
    before, after = (
        stored(name, played(REFUND, GOOD, GOOD, last, keyed=False)) for name, last in (("a", GOOD), ("b", BAD))
    )
    found = compare(before, after)
    assert turns(found)["refund#3"] == ("same", "regressed")
    assert "by name alone" in found.warnings[0]


def test_a_run_is_never_compared_with_itself():
    """Neither under its name nor as the same results under another name."""
    run = stored("a", played(REFUND, GOOD, GOOD, GOOD))
    with pytest.raises(UsageError, match="compared with itself"):
        compare(run, renamed(run, "a"))
    with pytest.raises(UsageError, match="compared with itself"):
        compare(run, run._replace(info=stored("b").info))


def test_two_conversations_of_one_name_are_refused():
    """Which of them would be compared with which?"""
    twice = stored("b", played(REFUND, GOOD, GOOD, GOOD), played(REFUND, GOOD, GOOD, BAD))
    with pytest.raises(DataError, match="'refund' twice"):
        compare(stored("a", played(REFUND, GOOD, GOOD, GOOD)), twice)


def test_the_whole_of_a_conversation_is_compared_beside_its_turns():
    """What was measured of all of it has the conversation's name; edited in part, it is compared and flagged."""
    edited = case("refund", "I want a refund", "It is 49", "Send it to my office")
    before = stored("a", played(REFUND, GOOD, GOOD, GOOD, whole={"goal": 1}))
    found = compare(before, stored("b", played(edited, GOOD, GOOD, GOOD, whole={"goal": 0})))
    whole = found.slices[-1]
    assert (whole.name, whole.identity, whole.status) == ("refund", Identity.CONTEXT_CHANGED, Status.REGRESSED)


def test_a_narrowed_run_is_compared_where_it_was_played():
    """Turns that were left out of the later run are neither removed from the dataset nor undecided."""
    before = stored("a", played(REFUND, GOOD, GOOD, GOOD))
    found = compare(before, stored("b", played(REFUND, {}, {}, BAD)))
    assert turns(found)["refund#3"] == ("same", "regressed")
    assert turns(found)["refund#1"] == ("measured-before-only", "measured-before-only")


def test_what_one_run_did_not_measure_is_not_taken_for_gone():
    """A whole and turns that both have: the words say which run measured them, not that one lacks them."""
    scored = played(REFUND, {}, {}, {}, whole={"~brevity": 1})
    found = compare(stored("a", scored), stored("b", played(REFUND, GOOD, GOOD, GOOD)))
    shown = " ".join(render_comparison(found).split())
    assert "measured-before-only: refund (the later run played a part, or measured other things)" in shown
    assert "measured-now-only: refund#1, refund#2, refund#3 (the earlier run played a part, or measured" in shown
    assert "No turn could be compared: 3 measured-now-only" in shown
    markdown = "\n".join(changes(found))
    assert "3 measured-now-only" in markdown
    for report in (shown, markdown):
        assert "removed" not in report
        assert "new" not in report.split()
    back = compare(stored("b", played(REFUND, GOOD, GOOD, GOOD)), stored("a", scored))
    assert "measured-now-only: refund (" in " ".join(render_comparison(back).split())


def test_what_a_run_that_was_cut_short_lacks_is_not_removed():
    """It may come yet, so nothing is known of it."""
    before = stored("a", played(REFUND, GOOD, GOOD, GOOD), played(case("q", "hi"), GOOD))
    found = compare(before, stored("b", played(REFUND, GOOD, GOOD, GOOD), status=RunStatus.INTERRUPTED, n_planned=2))
    assert found.turns[-1].status is Status.UNMEASURED
    assert "not complete: it holds 1 of 2 results" in found.warnings[0]


CONTENTS = st.lists(st.sampled_from("abcd"), min_size=1, max_size=5)


@given(before=st.lists(CONTENTS, max_size=5), after=st.lists(CONTENTS, max_size=5))
def test_every_turn_of_both_runs_is_in_the_comparison_once(before, after):
    """Whatever was edited, moved, renamed, doubled: no turn is lost and none is counted twice."""
    runs = [
        stored(name, *(played(case(f"c{i}", *users), *[GOOD for _ in users]) for i, users in enumerate(run)))
        for name, run in (("a", before), ("b", after))
    ]
    found = compare(*runs)
    ours = sum(each.identity is not Identity.NEW for each in found.turns)
    theirs = sum(each.identity is not Identity.REMOVED for each in found.turns)
    assert (ours, theirs) == (sum(map(len, before)), sum(map(len, after)))
    assert {each.name for each in found.turns if each.identity is not Identity.REMOVED} == {
        f"c{i}#{n}" for i, users in enumerate(after) for n in range(1, len(users) + 1)
    }


@given(shuffled=st.randoms(use_true_random=False))
def test_the_order_of_conversations_changes_nothing_but_the_order(shuffled: random.Random):
    """The same statuses and the same numbers, digit for digit, however the runs were played."""
    asked = [case(f"c{i}", "hi", f"q{i}") for i in range(8)]
    before = [played(each, {"~s": 0.1 * i, "ok": 1}, GOOD) for i, each in enumerate(asked)]
    after = [played(each, {"~s": 0.07 * i, "ok": i % 2}, BAD) for i, each in enumerate(asked)]
    plain = compare(stored("a", *before), stored("b", *after), by=["turn", "depth"])
    shuffled.shuffle(before)
    shuffled.shuffle(after)
    mixed = compare(stored("a", *before), stored("b", *after), by=["turn", "depth"])
    assert plain.differences == mixed.differences
    assert plain.counts == mixed.counts
    assert {s.name: s for s in plain.slices} == {s.name: s for s in mixed.slices}


def stretch(run, first, last, value):
    """The same run with one measurement on a stretch of turns."""
    (item,) = run.items
    like = item.measurements[0]
    numbers = tuple(range(first, last + 1))
    longer = replaced(
        like, slice_name=f"refund#{first}-{last}", turns=numbers, metric="tone", score=score_of("tone", value, {})
    )
    return run._replace(items=[replaced(item, measurements=[*item.measurements, longer])])


@pytest.mark.parametrize(
    ("asked", "first", "identity", "status", "name"),
    [
        (REFUND, 2, "same", "regressed", "refund#2-3"),
        (
            case("refund", "Good day", "It is 48", "Send it to my office"),
            2,
            "context-changed",
            "regressed",
            "refund#2-3",
        ),
        (
            case("refund", "I want a refund", "It is 49", "Send it to my office"),
            2,
            "content-changed",
            "content-changed",
            "",
        ),
        (REFUND, 1, "measured-now-only", "measured-now-only", "refund#1-3"),
    ],
)
def test_a_stretch_of_turns_is_the_same_if_its_turns_are(asked, first, identity, status, name):
    """``refund#2-3`` is compared like a turn, under the worst of what its turns are."""
    before = stretch(stored("a", played(REFUND, GOOD, GOOD, GOOD)), 2, 3, 1)
    after = stretch(stored("b", played(asked, GOOD, GOOD, GOOD)), first, 3, 0)
    found = next(each for each in compare(before, after).slices if len(each.turns) > 1)
    assert (str(found.identity), str(found.status)) == (identity, status)
    assert found.name == (name or "refund#2-3")


def test_a_stretch_whose_turn_is_gone_is_removed():
    """There is nothing to lay beside it."""
    before = stretch(stored("a", played(REFUND, GOOD, GOOD, GOOD)), 2, 3, 1)
    shorter = case("refund", "I want a refund", "It is 48")
    found = compare(before, stored("b", played(shorter, GOOD, GOOD)))
    assert turns(found)["refund#3"] == ("removed", "removed")
    assert [(each.name, str(each.status)) for each in found.slices if len(each.turns) > 1] == [
        ("refund#2-3", "removed")
    ]


def test_recorded_turns_come_and_go_by_number():
    """Without keys a turn that only one run has is new or removed."""
    short = case("refund", "I want a refund", "It is 48")
    two, three = played(short, GOOD, GOOD, keyed=False), played(REFUND, GOOD, GOOD, GOOD, keyed=False)
    assert turns(compare(stored("a", two), stored("b", three)))["refund#3"] == ("new", "new")
    assert turns(compare(stored("a", three), stored("b", two)))["refund#3"] == ("removed", "removed")


def test_a_turn_of_which_nothing_was_recorded_is_told_without_its_words():
    """Where one run does not hold what the user said, it is still said that something was edited."""
    lost = played(case("q", "hello"), GOOD)
    before = stored("a", replaced(lost, conversation=None))
    assert compare(before, stored("b", played(case("q", "hi"), GOOD))).turns[0].note == (
        "what is asked or expected was edited"
    )
