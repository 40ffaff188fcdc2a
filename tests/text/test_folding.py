"""Two texts that look alike to somebody who does not care how they were typed are folded into one."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from uaef.text.folding import folded, spaced, visible


@pytest.mark.parametrize(
    ("text", "as_compared"),
    [
        ("", ""),
        ("Oslo", "oslo"),
        ("STRASSE", "strasse"),
        ("stra\u00dfe", "strasse"),
        ("Zu\u0308rich", "z\u00fcrich"),
        ("\ufb01t", "fit"),
        ("\uff11\u00a02", "1 2"),
        ("a\u00adb\u200bc\u202ed\u2066e\ufe0ff\ufeffg\U000e0041", "abcdefg"),
        ("\u2018a\u2019 \u201cb\u201d c\u2011d \u22125", "'a' \"b\" c-d -5"),
        ("\ud800", "\ud800"),
        ("a\x00b\x1bc\x7fd\u115f\u3164\uffa0e\u180bf\ufff9g\U0001d159h\U000e0fffi", "abcdefghi"),
        ("a\u2800\u2800b", "a b"),
        ("a\n b\tc", "a\n b\tc"),
    ],
)
def test_folded(text, as_compared):
    """Case, Unicode form, typesetting and invisible characters."""
    assert as_compared == folded(text)


def test_case_may_matter():
    """And then nothing else does."""
    assert "Zu\u0308rich \u201cA\u201d".replace("u\u0308", "\u00fc").replace("\u201c", '"').replace(
        "\u201d", '"'
    ) == (folded("Zu\u0308\u200brich \u201cA\u201d", ignore_case=False))


@given(st.text())
def test_what_is_visible_stays(text):
    """Nothing is added, and what is gone once is gone."""
    assert visible(visible(text)) == visible(text)
    assert len(visible(text)) <= len(text)


@pytest.mark.parametrize(
    ("text", "as_compared"), [("", ""), ("a b", "a b"), ("a \n\t b\nc", "a b c"), (" a ", " a "), ("a\u2028b", "a b")]
)
def test_spaced(text, as_compared):
    """Any white space is one blank, also at the ends."""
    assert as_compared == spaced(text)


def test_what_unicode_says_to_ignore_is_not_seen():
    """Controls and formats, but for white space and for those that are drawn."""
    drawn = {*range(0x600, 0x606), 0x6DD, 0x70F, 0x890, 0x891, 0x8E2, 0x110BD, 0x110CD}
    signs = (chr(code) for code in range(0x110000) if code not in drawn)
    unseen = [sign for sign in signs if unicodedata.category(sign) in ("Cc", "Cf")]
    assert [] == [hex(ord(sign)) for sign in unseen if visible(f"a{sign}b") != "ab" and not sign.isspace()]
