"""Facts are found however they are written."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from uaef.text.facts import Date, KnownFacts, facts_in


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ("", []),
        ("It may take long.", []),
        ("one of the first", []),
        ("Order A1234 costs $1,299.50 for two.", ["a1234", "1299.5", "2"]),
        ("1. Pay 5.\n2) Wait 6.", ["5", "6"]),
        ("on March 5th, 2024", ["5", "2024", Date(2024, 3, 5)]),
        ("on 5 March", ["5", Date(None, 3, 5)]),
        ("on the 5th of Mar. 2024", ["5", "2024", Date(2024, 3, 5)]),
        ("since May 2024", ["2024", Date(2024, 5, None)]),
        ("23 February 2011", ["23", "2011", Date(2011, 2, 23)]),
        ("2024-03-05T15:30:00Z", ["5", "2024", "15", "30", "0", Date(2024, 3, 5)]),
    ],
)
def test_facts(text, facts):
    """Numbers, identifiers and dates are facts; the numbers of a list are not."""
    assert facts == facts_in(text)


@pytest.mark.parametrize(
    ("said", "evidence"),
    [
        ("2 albums", "two albums"),
        ("two albums", "2 albums"),
        ("number 1", "number one"),
        ("the 1st", "the first"),
        ("3:30 pm", "15:30"),
        ("12 am", "00:15"),
        ("15:30", "3:30 pm"),
        ("March 5, 2024", "2024-03-05"),
        ("March 5, 2024", "2024-03-05T15:30:00Z"),
        ("5 March 2024", "3/5/2024"),
        ("5 March 2024", "5/3/2024"),
        ("March 2024", "March 5, 2024"),
        ("March 5", "March 5, 2024"),
        ("$49", "49.00"),
        ("1299", "1,299"),
        ("order a1234", '{"order_id": "A1234"}'),
    ],
)
def test_known_facts(said, evidence):
    """Evidence states a fact in whatever form."""
    known = KnownFacts(evidence)
    assert [] == [fact for fact in facts_in(said) if not known.has(fact)]


@pytest.mark.parametrize(
    ("said", "evidence", "unknown"),
    [
        ("30 days", "14 days", ["30"]),
        ("130", "30", ["130"]),
        ("March 6, 2024", "2024-03-05", ["6", Date(2024, 3, 6)]),
        ("April 5", "March 5", [Date(None, 4, 5)]),
        ("March 5, 2023", "March 5, 2024", ["2023", Date(2023, 3, 5)]),
        ("A1234", "A1235", ["a1234"]),
    ],
)
def test_unknown_facts(said, evidence, unknown):
    """What the evidence does not state is told by name."""
    known = KnownFacts(evidence)
    assert unknown == [fact for fact in facts_in(said) if not known.has(fact)]


@given(st.text(alphabet="0123456789 march5/-:,.T\n"))
def test_a_text_states_its_own_facts(text):
    """A text is evidence for everything it states."""
    known = KnownFacts(text)
    assert [] == [fact for fact in facts_in(text) if not known.has(fact)]


def test_a_date_is_shown_as_far_as_it_goes():
    """What was not said is a question mark."""
    assert ["2024-03-05", "??-03-05", "2024-03-??"] == [
        str(date) for date in (Date(2024, 3, 5), Date(None, 3, 5), Date(2024, 3, None))
    ]
