"""Checks of what was said: which text counts, and what is the same text."""

from __future__ import annotations

import re

import pytest

from uaef import checks
from uaef.errors import MetricError
from uaef.models import ScoreStatus

NFD = "Zu\u0308rich"


@pytest.mark.parametrize(
    ("text", "reply"),
    [
        ("Brooklyn", "It rains in BROOKLYN."),
        ("straße", "In the STRASSE"),
        ("Zürich", f"From {NFD} to Oslo"),
        (NFD, "From ZÜRICH to Oslo"),
        ("refund", "Your re\u00adfund is here"),  # a soft hyphen
        ("refund", "Your r\u200be\u2060f\u2066u\ufeffnd is here"),
        ("don't know", "I don\u2019t know"),
        ("follow-up", "a follow\u2011up"),
        ('the "best"', "the \u201cbest\u201d of all"),
        ("42", "it is \uff14\uff12"),  # full width
        ("10 km", "10\u00a0km away"),
        ("뉴욕", "내일 뉴욕 날씨는 맑음"),
    ],
)
def test_the_same_text_is_found_however_it_was_typed(found, saying, text, reply):
    """Neither case nor Unicode form nor typesetting nor what nobody sees makes a difference; excludes says so too."""
    assert 1.0 == found(checks.includes(text), saying(reply)).score
    assert 0.0 == found(checks.excludes(text), saying(reply)).score


@pytest.mark.parametrize(
    ("check", "score"),
    [
        (checks.includes("Oslo"), 1.0),
        (checks.includes("oslo", ignore_case=False), 0.0),
        (checks.excludes("oslo", ignore_case=False), 1.0),
        (checks.includes("Preamble"), 1.0),
        (checks.excludes("PREAMBLE"), 0.0),  # said before the last message, and said all the same
        (checks.includes("Preamble", where="final"), 0.0),
        (checks.excludes("preamble", where="final"), 1.0),
        (checks.includes("Preamble. It is"), 0.0),  # never said in one breath
        (checks.matches("Preamble.*sunny", ignore_case=True), 0.0),
        (checks.matches("(?s)Preamble.*sunny"), 0.0),
        (checks.equals("preamble."), 1.0),
        (checks.equals("It is sunny in Oslo.", where="final"), 1.0),
        (checks.equals("sunny"), 0.0),
        (checks.one_of(["yes", "preamble."]), 1.0),
        (checks.one_of(["yes", "no"]), 0.0),
    ],
)
def test_which_messages_count(found, saying, check, score):
    """All of them do, each by itself; with where="final" only the last that says something."""
    turn = saying("Preamble.", "\n It is sunny in Oslo. \n", " ", "\u200b")
    assert score == found(check, turn).score


def test_all_turns_of_a_window_count(found, saying):
    """On a whole conversation, what was said in any turn was said."""
    assert 1.0 == found(checks.includes("first"), saying("the first"), saying("the second")).score
    assert 0.0 == found(checks.excludes("first"), saying("the first"), saying("the second")).score
    assert 0.0 == found(checks.includes("first", where="final"), saying("the first"), saying("the second")).score


@pytest.mark.parametrize(
    ("check", "reply", "score"),
    [
        (checks.matches("a|b", exact=True), "axx", 0.0),
        (checks.matches("a|b", exact=True), "xxb", 0.0),
        (checks.matches("a|b", exact=True), " b\n", 1.0),
        (checks.matches("a|ab", exact=True), "ab", 1.0),
        (checks.matches("A"), "a", 0.0),
        (checks.matches("A", ignore_case=True), "a", 1.0),
        (checks.matches(re.compile("A", re.IGNORECASE)), "a", 1.0),
        (checks.matches(re.compile("^B$", re.MULTILINE)), "a\nB\nc", 1.0),
        (checks.matches(r"\d{4}"), "order 4471", 1.0),
    ],
)
def test_patterns(found, saying, check, reply, score):
    """An exact match is one of the whole pattern with the whole message; flags are kept."""
    assert score == found(check, saying(reply)).score


def test_a_pattern_has_no_state(found, saying):
    """The same check finds the same thing on every turn."""
    check = checks.matches("x")
    assert [1.0] * 4 == [found(check, saying("xx")).score for _ in range(4)]


@pytest.mark.parametrize("nothing", [(), ("",), (" \n", "\u200b\u00ad")])
@pytest.mark.parametrize(
    "check",
    [
        checks.includes("x"),
        checks.equals("x"),
        checks.one_of(["x"]),
        checks.matches("x"),
        checks.matches("x*"),
        checks.matches("(?!x)"),
    ],
)
def test_silence_says_nothing_that_was_wanted(found, saying, check, nothing):
    """Where nothing was said, nothing that should be said was."""
    score = found(check, saying(*nothing))
    assert (0.0, "the assistant said nothing") == (score.score, score.reasoning)


@pytest.mark.parametrize("nothing", [(), ("",), (" \n", "\u200b\u00ad")])
def test_silence_is_no_way_to_say_nothing_wrong(found, saying, nothing):
    """A gate against a text is not passed by an assistant that says nothing at all."""
    assert ScoreStatus.NOT_APPLICABLE is found(checks.excludes("x"), saying(*nothing)).status
    assert ScoreStatus.NOT_APPLICABLE is found(checks.not_(checks.includes("x")), saying(*nothing)).status


@pytest.mark.parametrize(
    ("check", "reason"),
    [
        (checks.includes("Oslo"), "says 'It is sunny in Oslo.'"),
        (checks.excludes("Oslo"), "says 'It is sunny in Oslo.'"),
        (checks.includes("Rome"), "does not say 'Rome'; it said 'It is sunny in Oslo.', the last of 2 messages"),
        (checks.matches("in ([A-Z])"), "'in ([A-Z])' matches 'It is sunny in Oslo.'"),
        (checks.equals("Rome"), "no message is 'Rome'; it said 'It is sunny in Oslo.', the last of 2 messages"),
        (checks.equals("preamble"), "says 'Preamble' and nothing else in that message"),
    ],
)
def test_reasons_quote_what_was_found(found, saying, check, reason):
    """A reason holds the evidence."""
    assert reason == found(check, saying("Preamble", "It is sunny in Oslo.")).reasoning


def test_reasons_are_short(found, saying):
    """A long reply is quoted where it matters."""
    reason = found(checks.includes("needle"), saying("hay " * 5000 + "needle" + " hay" * 5000)).reasoning
    assert "needle" in reason
    assert len(reason) < 200


@pytest.mark.parametrize(
    ("make", "problem"),
    [
        (lambda: checks.includes(""), "text: a text that can be seen is needed"),
        (lambda: checks.excludes(" \u200b"), "text: a text that can be seen is needed"),
        (lambda: checks.equals("\n"), "text: a text that can be seen is needed"),
        (lambda: checks.one_of([]), "options: at least one is needed"),
        (lambda: checks.matches(""), "pattern: an empty one is found everywhere"),
        (lambda: checks.matches("("), r"pattern: no regular expression \(missing"),
        (lambda: checks.matches(re.compile(b"x")), "pattern: it must be one of text, not of bytes"),
    ],
)
def test_what_would_always_or_never_hold_is_refused(make, problem):
    """A check that cannot tell anything is an error where it is made."""
    with pytest.raises(MetricError, match=problem):
        make()
