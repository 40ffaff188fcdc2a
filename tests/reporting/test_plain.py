"""Recorded text made harmless."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from uaef.reporting.plain import brief, in_encoding, one_line, visible


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ""),
        ("plain, 한국어, e\u0301", "plain, 한국어, e\u0301"),
        ("\x1b[31m\x9b\x7f", r"\x1b[31m\x9b\x7f"),
        ("\u202e\u2066\u200f\u061c\ufeff\U000e0041", r"\u202e\u2066\u200f\u061c\ufeff\U000e0041"),
        ("\ud83d", r"\ud83d"),
        ("👩\u200d👧 می\u200cخورم", "👩\u200d👧 می\u200cخورم"),
        ("\ue000", r"\ue000"),
    ],
)
def test_visible(text, expected):
    """What shows nothing by itself becomes an escape; what joins letters stays."""
    assert expected == visible(text)


@pytest.mark.parametrize(
    ("text", "longest", "expected"),
    [
        (" a\n\n b\r\tc\u2028d\x85e ", 99, "a b c d e"),
        ("abcdef", 6, "abcdef"),
        ("abcdefg", 6, "abcdefg"),
        ("a" * 32, 6, "a" * 32),  # the words about it have 27 characters, and 6 are shown
        ("a" * 33, 6, "aaaaaa [... 33 characters in all]"),
        ("a" * 1_234, 2, "aa [... 1,234 characters in all]"),
        (" " * 1_000, 10, " [... 1,000 characters in all]"),
    ],
)
def test_one_line(text, longest, expected):
    """White space becomes one blank; a cut is never silent."""
    assert expected == one_line(text, longest)


@given(st.integers(0, 3_000), st.integers(1, 600))
def test_a_cut_saves_more_than_it_adds(length, longest):
    """A text is never made longer by being cut, and what is cut away is more than the words about it."""
    line = one_line("a" * length, longest)
    kept = len(line.partition(" ")[0])
    assert len(line) <= length
    assert length == kept or length - kept >= len(line) - kept


@given(st.text(), st.integers(3, 20))
def test_brief_is_short_and_harmless(text, longest):
    """It is never longer than allowed, drives no terminal, and is the whole text where that fits."""
    line = brief(text, longest)
    assert len(line) <= longest
    assert line == visible(line)
    assert line == one_line(text) or line.endswith("...")


@pytest.mark.parametrize(
    ("encoding", "expected"), [("ascii", "0.50x ??"), ("latin-1", "0.50x ?é"), ("cp437", "0.50x ?é"), ("utf-8", None)]
)
def test_encodings_that_lack_a_character(encoding, expected):
    """The mark of a low number stays a cross wherever it can, at the same width; other characters are asked for."""
    text = "0.50✗ 느é"
    assert (expected or text) == in_encoding(text, encoding)


@given(st.text())
def test_visible_twice_is_visible_once(text):
    """An escape is plain text, and everything that stays can be encoded."""
    once = visible(text)
    assert once == visible(once)
    assert once.encode().decode() == once
