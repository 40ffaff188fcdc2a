"""Expectation: the expected words, facts and quoted criteria are found in the answer, or missed by name."""

from __future__ import annotations

import pytest

from uaef.llm_judge.local.expectation import accuracy, completeness, meets_expectation
from uaef.llm_judge.local.quoted import demand_of
from uaef.models.conversation import Conversation
from uaef.models.ground_truth import GroundTruth
from uaef.models.message import Message


def said(answer, **expected):
    """One turn with that answer and what was expected of it."""
    messages = [Message(role="user", content="Well?"), Message(role="assistant", content=answer)]
    return Conversation.from_messages(messages, expected=GroundTruth(turns={1: GroundTruth(**expected)}))


@pytest.mark.parametrize(
    ("answer", "expected", "complete", "accurate"),
    [
        ("The refund takes 5 days.", "Refunds take five days", 1.0, 1.0),
        ("It takes 5 days.", "Refund takes 5 days", 0.75, 0.75),
        ("The refund takes 7 days.", "Refund takes 5 days", 0.75, 0.75 * 0.7),
        ("The refund is possible.", "Refund not possible", 1.0, 0.7),
        ("No idea.", "Refund takes 5 days", 0.0, 0.0),
        ("Paris, on March 5, 2024.", "2024-03-05", 1.0, 1.0),
    ],
)
def test_expected_words_and_facts(answer, expected, complete, accurate):
    """Completeness is the share found; accuracy also pays for wrong facts and for contradictions."""
    window = said(answer, expected_output=expected)
    assert pytest.approx(complete) == completeness(window).score
    assert pytest.approx(accurate) == accuracy(window).score


def test_what_is_missing_is_named():
    """The details list words and facts."""
    found = accuracy(said("It takes 7 days.", expected_output="Refund takes 5 days"))
    assert (["refund", "5"], ["5"]) == (found.details["missing_words"], found.details["missing_facts"])
    assert "50% of the expected words occur in the answer; missing: refund, 5" == found.reasoning


@pytest.mark.parametrize(
    ("expected", "reason"),
    [
        (None, "the expected output names no facts"),
        ("Yes.", "the expected output names no facts"),
        ("The agent should ask for the date.", "the expected output describes the answer instead of giving it"),
        ("Das ist nicht möglich, und das ist schade.", "the expected output or the answer is not in English"),
    ],
)
@pytest.mark.parametrize("signal", [accuracy, completeness])
def test_what_words_cannot_tell(signal, expected, reason):
    """An expected output without facts of its own has no score."""
    assert (None, reason, {}) == signal(said("It takes 5 days.", expected_output=expected))


@pytest.mark.parametrize(
    ("criterion", "quotes", "enough", "denied"),
    [
        ('mentions "30 days"', ["30 days"], False, False),
        ('"30 days"', ["30 days"], False, False),
        ("The answer must mention `30 days`.", ["30 days"], False, False),
        ("says that refunds take \u201c5 days\u201d", ["5 days"], False, False),
        ('Includes "a", "b" and "c"', ["a", "b", "c"], False, False),
        ("names 'Berlin' or 'Bonn'", ["Berlin", "Bonn"], True, False),
        ('does not mention "guaranteed"', ["guaranteed"], False, True),
        ('The assistant never says "always" or "never".', ["always", "never"], True, True),
        ('doesn\'t say "no"', ["no"], False, True),
    ],
)
def test_demands(criterion, quotes, enough, denied):
    """A criterion that only asks for quoted words is understood."""
    assert (quotes, enough, denied) == demand_of(criterion)


@pytest.mark.parametrize(
    "criterion",
    [
        "",
        "is polite",
        "mentions 30 days",
        'mentions "30 days" and apologises',
        'answers "why?" politely',
        'says something other than "yes"',
        'says "yes" before "no"',
        'mentions at most "two" things',
        'does not mention anything but "x"',
        'replies to "hello"',
        "doesn't mention the user's name",
        'says "a" and "b" or "c"',
        'refuses "x"',
        'says it is not "refundable"',
        "mentions \0",
    ],
)
def test_other_criteria_cannot_be_told(criterion):
    """A criterion that asks for more or for something else is left to a judge that reads."""
    assert None is demand_of(criterion)


@pytest.mark.parametrize(
    ("criterion", "answer", "met"),
    [
        ('mentions "30 days"', "A 30-day period", True),
        ('mentions "30 days"', "thirty days", True),
        ('mentions "30 days"', "130 days", False),
        ('mentions "30 days"', "30 working days", False),
        ('mentions "30 days" and "free"', "Free for 30 days", True),
        ('mentions "30 days" and "free"', "30 days", False),
        ('mentions "30 days" or "free"', "30 days", True),
        ('does not say "guaranteed"', "It is guaranteed.", False),
        ('does not say "guaranteed"', "It may be.", True),
        ('contains ":-)"', "Hi :-)", True),
        ('contains ":-)"', "Hi", False),
    ],
)
def test_demands_are_met(criterion, answer, met):
    """Quoted words are found in a row, in whatever inflection; signs as they are."""
    assert met is demand_of(criterion).met_by(answer)


def test_criteria_become_a_ratio():
    """The score is met / decided; what cannot be told leaves the denominator, and what was missed is named."""
    criteria = ['mentions "30 days"', 'mentions "free"', "is polite"]
    found = meets_expectation(said("Within 30 days.", criteria=criteria))
    assert (0.5, "1 of 2 criteria about quoted words are met") == found[:2]
    assert {
        "items": {"criterion_1": "yes", "criterion_2": "no", "criterion_3": "cannot tell"},
        "missed": ['mentions "free"'],
        "n_judged": 2,
    } == found.details


@pytest.mark.parametrize("expected", [{}, {"expected_output": "Within 30 days"}, {"criteria": ["is polite"]}])
def test_no_quoted_criterion_no_score(expected):
    """Where nothing can be decided there is no score."""
    found = meets_expectation(said("Within 30 days.", **expected))
    assert (None, "no criterion is only about words in quotation marks") == found[:2]
