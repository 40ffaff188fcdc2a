"""Checks against what was expected of the window itself."""

from __future__ import annotations

import pytest

from uaef import AgentTrace, Conversation, GroundTruth, Message, ToolCall, checks, evaluate
from uaef.data.conversations import ground_truth_of
from uaef.data.ground_truth import build_multi_turn_ground_truth
from uaef.errors import MetricError
from uaef.metrics import each_turn
from uaef.models import ScoreStatus
from uaef.models.base import replaced
from uaef.models.case import Ask, Case


@pytest.mark.parametrize(
    ("check", "expected", "reply", "score"),
    [
        (checks.matches_expected(), "Fjord View", "\n fjord view ", 1.0),
        (checks.matches_expected(), "Fjord View", "It is Fjord View", 0.0),
        (checks.matches_expected(ignore_case=False), "Fjord View", "fjord view", 0.0),
        (checks.includes_expected(), " Fjord View ", "It is FJORD VIEW.", 1.0),
        (checks.includes_expected(), "Fjord View", "It is full.", 0.0),
        (checks.includes_expected(), "Fjord View", "", 0.0),
        (checks.matches_expected(), "Fjord View", "", 0.0),
        (checks.numbers_match(), "Two rooms at 1,200.50", "2 rooms at 1200.5 each", 1.0),
        (checks.numbers_match(), "Two rooms at 1,200.50", "2 rooms at 1200 each", 0.0),
        (checks.numbers_match(), "-5 degrees", "5 degrees", 0.0),
        (checks.numbers_match(), "-5 degrees", "\u22125 degrees", 1.0),
        (checks.numbers_match(), "order 12345678901234567890", "order 12345678901234567891", 0.0),
        (checks.numbers_match(), "5", "", 0.0),
        (checks.numbers_match([42]), "", "it is 42", 1.0),
        (checks.numbers_match(42), "", "room B42", 0.0),
        (checks.numbers_match([3.14]), "", "3.1416", 0.0),
        (checks.numbers_match([3.14], tolerance=0.01), "", "3.1416", 1.0),
        (checks.numbers_match([0.3]), "", "0.30", 1.0),
        (checks.numbers_match([12345678901234567890]), "", "12345678901234567890", 1.0),
    ],
)
def test_what_was_expected(found, saying, check, expected, reply, score):
    """The text as a whole, within a message, or its numbers however they are written."""
    assert score == found(check, saying(reply), expected=GroundTruth(expected_output=expected)).score


@pytest.mark.parametrize("check", [checks.matches_expected(), checks.includes_expected(), checks.numbers_match()])
@pytest.mark.parametrize("expected", [None, GroundTruth(), GroundTruth(expected_output=" \u200b")])
def test_nothing_expected_is_nothing_to_check(found, saying, check, expected):
    """It does not apply, and is not passed."""
    assert ScoreStatus.NOT_APPLICABLE is found(check, saying("anything"), expected=expected).status


def test_numbers_may_be_said_in_several_messages(found, saying):
    """What was stated anywhere was stated."""
    assert 1.0 == found(checks.numbers_match([1, 2]), saying("it is 1", "and 2")).score
    assert 0.0 == found(checks.numbers_match([1, 2], where="final"), saying("it is 1", "and 2")).score


def test_every_turn_is_held_against_its_own(saying):
    """The window's own ground truth counts."""
    expected = GroundTruth(turns={1: GroundTruth(expected_output="red"), 2: GroundTruth(expected_output="blue")})
    talk = Conversation.of([saying("red"), saying("red")], expected=expected)
    result = evaluate(talk, metrics=[checks.includes_expected().on(each_turn)])
    assert [1.0, 0.0] == [m.score.score for m in result.measurements]


def test_reasons_name_the_numbers(found, saying):
    """Which are missing, and which were stated instead."""
    score = found(checks.numbers_match([1, 2.5]), saying("1 and 3"))
    assert "does not state 2.5; the numbers it states: 1, 3" == score.reasoning


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ({"numbers": []}, "numbers: at least one"),
        ({"numbers": [float("nan")]}, "numbers: at least one is needed, and each must be finite"),
        ({"numbers": ["5"]}, r"numbers=\['5'\]\): Expected int \| float, got str - at numbers\[0\]"),
        ({"numbers": [5], "tolerance": -1}, "tolerance: it must be finite"),
        ({"numbers": [5], "tolerance": float("nan")}, "tolerance: it must be finite"),
    ],
)
def test_numbers_that_cannot_be_meant_are_refused(arguments, problem):
    """Naming the parameter."""
    with pytest.raises(MetricError, match=problem):
        checks.numbers_match(**arguments)


def test_silence_of_the_assistant_is_its_own(found):
    """What the user says is not what the assistant says."""
    turn = AgentTrace(messages=[Message(role="user", content="is it Oslo or 42?")])
    assert 0.0 == found(checks.includes("Oslo"), turn).score
    assert 0.0 == found(checks.numbers_match([42]), turn).score


# --- of turns and of the whole --------------------------------------------------------------

PER_TURN = {1: GroundTruth(expected_output="3 rooms"), 2: GroundTruth(expected_output="17 euros")}


def _talk(*replies):
    return [
        AgentTrace(messages=[Message(role="user", content="q"), Message(role="assistant", content=reply)])
        for reply in replies
    ]


def _derived():
    """The ground truths of a whole that holds nothing but what is expected of its turns, however it was made."""
    asks = [Ask(user="a", expected=PER_TURN[1]), Ask(user="b", expected=PER_TURN[2])]
    rows = [{"query": "a", "expected_output": "3 rooms"}, {"query": "b", "expected_output": "17 euros"}]
    later = Case(case_id="c", asks=asks[:1], expected=GroundTruth(turns=PER_TURN))
    return {
        "turns alone": GroundTruth(turns=PER_TURN),
        "a case": ground_truth_of(Case(case_id="c", asks=asks)),
        "a case of which one turn is asked": ground_truth_of(later),
        "rows": build_multi_turn_ground_truth(rows),
        "from json": GroundTruth.from_dict(ground_truth_of(Case(case_id="c", asks=asks)).to_dict()),
    }


@pytest.mark.parametrize("kind", _derived())
@pytest.mark.parametrize("check", [checks.numbers_match(), checks.includes_expected()], ids=lambda check: check.name)
@pytest.mark.parametrize(
    ("replies", "score"),
    [
        (("We have 3 rooms.", "For 17 euros."), 1.0),
        (("For 17 euros.", "We have 3 rooms."), 0.0),
        (("We have 3 rooms for 17 euros.", "Yes."), 0.0),
        (("We have 3 rooms.", "Turn 1, turn 2."), 0.0),
    ],
)
def test_what_is_expected_of_a_turn_has_to_come_in_that_turn(found, kind, check, replies, score):
    """Text and numbers alike; the marks with which the expectations are joined are none of them."""
    assert score == found(check, *_talk(*replies), expected=_derived()[kind]).score


@pytest.mark.parametrize(
    ("check", "overall", "replies", "score"),
    [
        (checks.includes_expected(), "the order is cancelled", ("3 rooms", "17 euros"), 0.0),
        (checks.includes_expected(), "the order is cancelled", ("3 rooms. The order is cancelled.", "17 euros"), 1.0),
        (checks.includes_expected(), "the order is cancelled", ("The order is cancelled.", "17 euros"), 0.0),
        (checks.matches_expected(), "done", ("3 rooms", "17 euros"), 0.0),
        (checks.numbers_match(), "99 cents", ("3 rooms", "17 euros"), 0.0),
        (checks.numbers_match(), "99 cents", ("3 rooms", "17 euros and 99 cents"), 1.0),
        (checks.includes_expected(), "[Turn 1] 3 rooms, all of them", ("3 rooms", "17 euros"), 0.0),
    ],
)
def test_what_is_expected_of_the_whole_has_to_be_said_as_well(found, check, overall, replies, score):
    """That turns have expectations of their own takes none from the whole."""
    asks = [Ask(user="a", expected=PER_TURN[1]), Ask(user="b", expected=PER_TURN[2])]
    truth = ground_truth_of(Case(case_id="c", asks=asks, expected=GroundTruth(expected_output=overall)))
    result = found(check, *_talk(*replies), expected=truth)
    assert score == result.score
    if replies == ("3 rooms", "17 euros"):
        assert result.reasoning.startswith("the whole conversation: ")


@pytest.mark.parametrize("check", [checks.includes_expected(), checks.numbers_match(), checks.matches_expected()])
def test_the_opposite_of_turns_that_are_silent_is_no_yes(found, check):
    """Where silence is all that is wrong with them."""
    truth = GroundTruth(turns=PER_TURN)
    silent = [replaced(trace, tool_calls=[ToolCall(name="look", arguments={})]) for trace in _talk("", "")]
    assert ScoreStatus.NOT_APPLICABLE is found(checks.not_(check), *silent, expected=truth).status
    assert 1.0 == found(checks.not_(check), *_talk("no", ""), expected=truth).score
