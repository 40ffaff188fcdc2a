"""Numbers for people never cross a line that matters by being rounded."""

from __future__ import annotations

import math

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from uaef.text.numbers import shown, shown_below


@pytest.mark.parametrize(
    ("score", "text"),
    [
        (None, "N/A"),
        (0, "0.00"),
        (0.0, "0.00"),
        (1, "1.00"),
        (0.5, "0.50"),
        (0.004, "0.01"),
        (1e-9, "0.01"),
        (0.9949, "0.99"),
        (0.9951, "0.99"),
        (0.9996, "0.99"),
        (math.nextafter(1, 0), "0.99"),
    ],
)
def test_scores_are_shown_with_two_digits(score, text):
    """Only 1 is shown as 1, only 0 as 0, and no number at all as N/A."""
    assert text == shown(score)


@given(st.floats(0, 1), st.integers(1, 6))
def test_only_one_is_shown_as_one_and_only_nought_as_nought(score, digits):
    """Whatever the number of digits, a score below 1 does not look perfect, nor one above 0 hopeless."""
    text = shown(score, digits)
    assert (score == 1) is (float(text) == 1)
    assert (score == 0) is (float(text) == 0)
    assert abs(float(text) - score) <= 10**-digits
    assert digits == len(text.partition(".")[2])


@pytest.mark.parametrize(
    ("score", "bar", "texts"),
    [
        (0.5, 0.7, ("0.500", "0.700")),
        (0.69996, 0.7, ("0.69996", "0.70000")),
        (0.9999, 1.0, ("0.9999", "1.0000")),
        (0.99, 0.9999999, ("0.9900000", "0.9999999")),
        (0.0, 5e-324, ("0.0", "5e-324")),
    ],
)
def test_score_and_bar_are_told_apart(score, bar, texts):
    """As many digits as it takes are shown, since "0.700 is below 0.700" helps nobody."""
    assert texts == shown_below(score, bar)


@given(st.floats(0, 1), st.floats(0, 1))
def test_a_missed_bar_is_seen_to_be_missed(score, bar):
    """The two texts always differ, and in the right direction."""
    assume(score < bar)
    low, high = map(float, shown_below(score, bar))
    assert low < high
