"""Cases: what they say of all their turns, or of one by its number, each turn carries."""

from __future__ import annotations

import pytest

from uaef.errors import ModelError
from uaef.models import Ask, Case, GroundTruth, ToolCall

ARRAYS = {"per_turn_expected": ["one", None], "per_turn_tools": [None, ["find"]]}


@pytest.mark.parametrize(
    "whole",
    [
        GroundTruth.from_dict({"turns": {1: {"expected_output": "one"}, "2": {"expected_tool_calls": ["find"]}}}),
        GroundTruth(expected_arguments=ARRAYS),
        GroundTruth.from_dict({"expected_arguments": ARRAYS | {"per_turn_ids": [1, 2]}, "expected_output": "goal"}),
    ],
)
def test_what_a_case_expects_of_a_turn_the_turn_expects(whole):
    """By number, whether it was written as turns or as arrays; what is expected of the whole stays with the whole."""
    one, two = Case(case_id="c", asks=[Ask(user="a"), Ask(user="b")], expected=whole).asks
    assert ("one", None) == (one.expected.expected_output, one.expected.expected_tool_calls)
    assert (None, [ToolCall(name="find")]) == (two.expected.expected_output, two.expected.expected_tool_calls)
    assert "one" == one.golden


def test_what_an_ask_says_itself_holds():
    """Part by part: an answer or criteria, tools, evidence, extras; the case fills in the rest."""
    entry = GroundTruth(
        expected_output="of the case",
        expected_tool_calls=["find"],
        expected_arguments={"chatbot_role": "r", "tone": "t"},
        criteria=["c"],
        context_documents=["d"],
    )
    whole = GroundTruth(turns=dict.fromkeys((1, 2, 3), entry))
    asks = [
        Ask(user="a", expected=GroundTruth(expected_output="own", expected_tool_calls=[])),
        Ask(user="b", expected=GroundTruth(context_documents=["own"], expected_arguments={"tone": "own"})),
        Ask(user="c", expected=GroundTruth(criteria=["own"])),
    ]
    one, two, three = (ask.expected for ask in Case(case_id="c", asks=asks, expected=whole).asks)
    assert ("own", [], [], ["d"]) == (
        one.expected_output,
        one.expected_tool_calls,
        one.criteria,
        one.context_documents,
    )
    assert ("of the case", ["c"], ["own"], {"chatbot_role": "r", "tone": "own"}) == (
        two.expected_output,
        two.criteria,
        two.context_documents,
        two.expected_arguments,
    )
    assert (None, ["own"]) == (three.expected_output, three.criteria)


def test_tags_of_a_case_are_those_of_its_turns():
    """Each once, and those of the whole first; what was given is left as it was."""
    given = [Ask(user="a", tags=["x", "vip"]), Ask(user="b")]
    case = Case(case_id="c", asks=given, tags=["vip"])
    assert [["vip", "x"], ["vip"]] == [ask.tags for ask in case.asks]
    assert [["x", "vip"], []] == [ask.tags for ask in given]
    assert case == Case.from_dict(case.to_dict()) == Case(case_id="c", asks=case.asks, tags=["vip"])


def test_turns_of_a_case_count_from_one():
    """There is no turn 0, and who expects something of it means another."""
    whole = GroundTruth(turns={0: {"expected_output": "x"}, 1: {"expected_output": "y"}})
    with pytest.raises(ModelError, match=r"^Case.expected: the turns of a case count from 1, got turn 0$"):
        Case(case_id="c", asks=[Ask(user="a"), Ask(user="b")], expected=whole)
