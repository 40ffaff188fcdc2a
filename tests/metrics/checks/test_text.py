"""Checks of what was said: which text counts, and what is the same text."""

from __future__ import annotations

import re

import pytest

from uaef import GroundTruth, checks, evaluate
from uaef.errors import MetricError
from uaef.models import ScoreStatus
from uaef.testing import turn

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


@pytest.mark.parametrize(
    "gap", ["\n", "  ", "\r\n", "\t", "\u00a0", "\u2009", " \n\n ", "\u2800", "\u3000", " \u200b "]
)
@pytest.mark.parametrize("swap", [False, True])
def test_any_white_space_is_one_blank(found, saying, gap, swap):
    """A text is found across the end of a line; what must not be said cannot hide there; an exact text stays one."""
    here, there = (gap, " ") if swap else (" ", gap)
    text, reply = f"brooklyn{here}bridge", f"the Brooklyn{there}Bridge"
    assert 1.0 == found(checks.includes(text), saying(reply)).score
    assert 0.0 == found(checks.excludes(text), saying(reply)).score
    assert 1.0 == found(checks.one_of([f"the {text}"]), saying(reply)).score
    assert 1.0 == found(checks.includes_expected(), saying(reply), expected=GroundTruth(expected_output=text)).score
    if "\n" not in gap:  # where a sentence may end
        again = saying("Which Brooklyn Bridge?", f"Which Brooklyn{gap}Bridge?")
        assert 1.0 == found(checks.asked_again_for(text), again).score


def test_an_exact_text_is_exact_inside():
    """``equals`` forgives what stands around a text alone."""
    for reply, score in ((" a b\n", 1.0), ("a  b", 0.0), ("a\nb", 0.0)):
        measured = evaluate(turn("q", reply), metrics=[checks.equals("a b")]).measurements
        assert [score] == [m.score.score for m in measured]


UNSEEN = [
    "\u3164",
    "\u2800",
    "\u115f\u1160",
    "\uffa0",
    "\x00",
    "\ufff9",
    "\u180b",
    "\x1b\x7f",
    "\u200b \n",
    "\U000e0100",
]


@pytest.mark.parametrize("reply", UNSEEN)
def test_what_shows_nothing_is_no_speech(found, saying, reply):
    """A message in which nothing can be seen says nothing: neither what was wanted nor what was not."""
    for check in (checks.excludes("x"), checks.max_words(3), checks.not_(checks.includes("x"))):
        assert ScoreStatus.NOT_APPLICABLE is found(check, saying(reply)).status
    assert "the assistant said nothing" == found(checks.includes("x"), saying(reply)).reasoning
    assert 0.0 == found(checks.excludes("xy"), saying(f"x{reply.strip()}y" if reply != "\u2800" else "xy")).score


@pytest.mark.parametrize("pattern", ["a{99999999999}", "(" * 3000 + "a" + ")" * 3000, "(", "(?L)a"])
def test_a_pattern_that_cannot_be_compiled_is_refused(pattern):
    """However it goes wrong, it is a sentence about the pattern, in code and in a file."""
    with pytest.raises(MetricError, match=r"^matches\(.*\): pattern: "):
        checks.matches(pattern)
    with pytest.raises(MetricError, match="pattern: "):
        checks.all_of({"matches": pattern})


def _deep(levels):
    value = {}
    for _ in range(levels):
        value = {"not": value}
    return value


@pytest.mark.parametrize(
    "make",
    [
        lambda: checks.json_schema(_deep(20_000)),
        lambda: checks.called_tool("t", _deep(20_000)),
        lambda: checks.numbers_match([10**5001]),
        lambda: checks.called_tool("t", times=10**5001),
    ],
)
def test_arguments_that_cannot_be_written_are_refused_in_a_sentence(make):
    """Too deep or too long: a MetricError, as for any argument that does not fit."""
    with pytest.raises(MetricError):
        make()
