"""Recorded text made harmless."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from uaef.reporting.plain import one_line, visible


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
        ("abcdefg", 6, "abcdef [... 7 characters in all]"),
        ("a" * 1_234, 2, "aa [... 1,234 characters in all]"),
        (" " * 1_000, 10, " [... 1,000 characters in all]"),
    ],
)
def test_one_line(text, longest, expected):
    """White space becomes one blank; a cut is never silent."""
    assert expected == one_line(text, longest)


@given(st.text())
def test_visible_twice_is_visible_once(text):
    """An escape is plain text, and everything that stays can be encoded."""
    once = visible(text)
    assert once == visible(once)
    assert once.encode().decode() == once
