"""Checks against what was expected of the window itself."""

from __future__ import annotations

import pytest

from uaef import AgentTrace, Conversation, GroundTruth, Message, checks, evaluate
from uaef.errors import MetricError
from uaef.metrics import each_turn
from uaef.models import ScoreStatus


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
