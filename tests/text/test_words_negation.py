"""Negation is told from affirmation, clause by clause."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from uaef.text.negation import contradicted, polarity_of


@pytest.mark.parametrize(
    ("said", "evidence", "words"),
    [
        ("Refunds are available.", "Refunds are not available.", ["available"]),
        ("Refunds aren\u2019t available.", "Refunds are available.", ["availabl"]),
        ("No refunds.", "Refunds are possible.", ["refund"]),
        ("I'm not sure, but refunds are possible.", "Refunds are possible.", []),
        ("It was not only the longest tour.", "It was the longest tour.", []),
        ("Refunds are not available.", "Refunds are not available.", []),
        ("Refunds are available.", "Exchanges are not offered.", []),
        ("Available, not available", "Not available", []),
        ("", "Refunds are not available.", []),
    ],
)
def test_contradictions(said, evidence, words):
    """A word contradicts where one side only affirms it and the other only denies it."""
    found = contradicted(polarity_of(said), polarity_of(evidence))
    assert [word[:8] for word in words] == [word[:8] for word in found]


@given(st.text())
def test_a_text_never_contradicts_itself(text):
    """Nothing is denied on one side only where both sides are the same."""
    polarity = polarity_of(text)
    assert [] == contradicted(polarity, polarity)
