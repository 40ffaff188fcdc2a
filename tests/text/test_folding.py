"""Two texts that look alike to somebody who does not care how they were typed are folded into one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from uaef.text.folding import folded, visible


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
