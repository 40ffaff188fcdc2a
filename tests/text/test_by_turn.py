"""Texts of turns, joined into one, are told from a text of the whole."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from uaef.text.by_turn import is_joined, joined

TEXTS = st.dictionaries(st.integers(0, 5), st.none() | st.text(max_size=5), max_size=4)


def test_joined():
    """A line for each turn that has a text."""
    assert "[Turn 1] a\n[Turn 3] c" == joined({1: "a", 2: None, 3: "c", 4: ""})
    assert "" == joined({})


@given(TEXTS, st.sets(st.integers(0, 5)))
def test_what_was_joined_is_known_also_where_more_turns_have_texts(texts, kept):
    """The texts of some turns are nothing else than those of turns."""
    text = joined({number: own for number, own in texts.items() if number in kept})
    assert bool(text) == is_joined(text, texts)


@given(TEXTS, st.text(min_size=1))
def test_what_else_is_said_is_the_wholes_own(texts, more):
    """Anything in front of it, and anything behind it that is no text of a turn, was written by somebody."""
    assert not is_joined(more, texts)
    assert not is_joined(f"{more} {joined(texts)}", texts) or more.startswith("[Turn")
