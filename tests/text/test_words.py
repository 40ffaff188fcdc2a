"""Words are the same whatever the case, the inflection and the way numbers are written."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from uaef.text.words import numbers_in, reads_as_english, stem, stems_in, words_in


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", []),
        ("!?, -- \n", []),
        ("The Refund's READY", ["the", "refund", "ready"]),
        ("don\u2019t", ["don't"]),
        ("two of the 2nd", ["2", "of", "the", "2"]),
        ("seventy-three and seventy three", ["73", "and", "73"]),
        ("one of a kind", ["one", "of", "a", "kind"]),
        ("1,299.50 and 49.00 and 007", ["1299.5", "and", "49", "and", "7"]),
        ("49,90", ["49.9"]),
        ("version 1.2.3", ["version", "1.2.3"]),
        ("2024-03-05T15:30Z", ["5", "march", "2024", "15", "30", "z"]),
        ("1960s, 1960's", ["1960", "1960"]),
        ("10am 5km A1234 snake_case", ["10", "am", "5", "km", "a1234", "snake", "case"]),
        ("re\u200bfund\u202e", ["refund"]),
        ("Zürich Ångström", ["zürich", "ångström"]),
    ],
)
def test_words(text, words):
    """Words come in order, plain, with numbers in one form."""
    assert words == words_in(text)


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("", []),
        ("2 of 10, two and 2.50", ["2", "10", "2", "2.5"]),
        ("1,200.50 and 49,90", ["1200.5", "49.9"]),
        ("-5 \u22125 (-$5) $-5 -\u20ac5", ["-5", "-5", "-5", "-5", "-5"]),
        ("3-5 pages, A-17, x-ray", ["3", "5", "17"]),
        ("room B42, v1.2.3, 1.2.3, 5km, 10:30", ["5", "10", "30"]),
        ("2024-03-05", ["5", "2024"]),
        ("12345678901234567890", ["12345678901234567890"]),
    ],
)
def test_numbers(text, numbers):
    """Numbers come in order, with their signs, exact; what is part of an identifier or a version is none."""
    assert numbers == [f"{number:f}" for number in numbers_in(text)]


@pytest.mark.parametrize(
    "forms",
    [
        "refund refunds refunded refunding",
        "cancel cancels",
        "stop stops stopped stopping",
        "move moves moved moving",
        "policy policies",
        "apply applies applied applying",
        "quick quickly",
        "address",
        "bus",
        "a1b2s",
    ],
)
def test_inflections_share_a_stem(forms):
    """The forms of a word have one stem."""
    assert 1 == len({stem(form) for form in forms.split()})


@pytest.mark.parametrize(("one", "other"), [("general", "generous"), ("class", "cl"), ("bed", "be"), ("ring", "r")])
def test_other_words_do_not(one, other):
    """Words that only look alike keep apart."""
    assert stem(one) != stem(other)


@given(st.text())
def test_words_are_words_again(text):
    """The words of the words are the same words: nothing changes twice."""
    words = words_in(text)
    assert words == words_in("\n".join(words)) or any("'" in word for word in words)
    assert [stem(word) for word in words] == stems_in(text)


@pytest.mark.parametrize(
    ("text", "english"),
    [
        ("", True),
        ("12345", True),
        ("MacBook Air M2, 16 GB; Dell XPS 13", True),
        ("Where is my order? It was due yesterday.", True),
        ("I fly from Las Vegas to Los Angeles", True),
        ("Wo ist meine Bestellung? Das ist nicht gut.", False),
        ("Gracias, pero no es para mi", False),
        ("Bonjour, je ne suis pas content", False),
        ("注文はどこですか", False),
        ("Где мой заказ?", False),
    ],
)
def test_language(text, english):
    """Another script, or another language's most frequent words, speak against English; nothing else does."""
    assert english is reads_as_english(text)
