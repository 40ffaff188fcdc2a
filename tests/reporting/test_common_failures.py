"""What failures have in common: said where a tag stands out, and only there."""

from __future__ import annotations

import pytest

from uaef.models import Conversation, EvaluationResult
from uaef.reporting.common_failures import standing_out
from uaef.testing import turn


def result(*turns, tags=()):
    """A conversation of turns, each given as whether it passed and its tags."""
    traces = [turn("q", "a", metadata={"tags": list(own)}) for _, own in turns]
    return EvaluationResult(
        trace_id="t",
        conversation=Conversation.of(traces, name="c", tags=tags),
        turns_passed={number: passed for number, (passed, _) in enumerate(turns, 1)},
    )


M = ["memory"]


@pytest.mark.parametrize(
    ("turns", "sentence"),
    [
        ([(False, M)] * 4 + [(False, [])], "4 of 5 failures are tagged memory"),
        (
            [(False, M)] * 3 + [(True, []), (True, M)],
            "3 of 3 failures are tagged memory (1 of 2 turns that passed are)",
        ),
        ([(False, M)] * 3 + [(True, M)] * 2, None),
        ([(False, M)] * 2, None),
        ([(False, M), (False, []), (False, [])], None),
        ([(False, [])] * 5, None),
        ([(True, M)] * 5, None),
        ([(None, M)] * 5, None),
        ([], None),
    ],
)
def test_a_tag_stands_out_where_failures_share_it_and_others_do_not(turns, sentence):
    """At least three failures, at least three in five of them, and more than among the turns that passed."""
    assert sentence == (standing_out([result(*turns)]) if turns else standing_out([]))


def test_tags_of_the_conversation_count_for_its_turns():
    """A cohort of conversations is one of turns as well."""
    failing = result((False, []), (False, []), (False, []), tags=["returns"])
    passing = result((True, []), tags=["orders"])
    assert "3 of 3 failures are tagged returns (0 of 1 turns that passed are)" == standing_out([failing, passing])


def test_a_result_without_a_conversation_has_no_turns():
    """What could not be read says nothing about cohorts."""
    assert standing_out([EvaluationResult(trace_id="lost")]) is None
