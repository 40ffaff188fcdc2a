"""Ground truth: by turn number, in typed entries and in the documented arrays, which never disagree."""

from __future__ import annotations

import msgspec
import pytest

from uaef.errors import ModelError
from uaef.models import Conversation, GroundTruth, ToolCall
from uaef.testing import turn

FIND, PAY = ToolCall(name="find"), ToolCall(name="pay", arguments={"amount": 3})


def arrays(outputs=None, tools=None, ids=None, **fields):
    """A ground truth with the documented arrays, those that are given."""
    given = {"per_turn_expected": outputs, "per_turn_tools": tools, "per_turn_ids": ids}
    present = {key: value for key, value in given.items() if value is not None}
    return GroundTruth(expected_arguments=present, **fields)


def outputs(truth, *numbers):
    """What is expected to be said in each of these turns."""
    return [truth.for_turn(number).expected_output for number in numbers]


def tools(truth, *numbers, only=False):
    """The names of the tools expected in each of these turns; None where that is not specified."""
    expected = [truth.for_turn(number, only=only).expected_tool_calls for number in numbers]
    return [None if calls is None else [call.name for call in calls] for calls in expected]


def test_entry_k_belongs_to_turn_k_plus_one():
    """The documented arrays, written by hand, start at the first turn."""
    truth = arrays(["a", "b"], [[FIND], []])
    assert ["a", "b"] == outputs(truth, 1, 2)
    assert [["find"], []] == tools(truth, 1, 2)


def test_arrays_with_ids_belong_to_the_turns_of_those_numbers():
    """A turn that is missing shifts nothing: expectations used to be matched by position."""
    truth = arrays(["a", "c"], [[FIND], [PAY]], [1, 3], expected_output="overall")
    assert ["a", "overall", "c"] == outputs(truth, 1, 2, 3)
    assert [["find"], None, ["pay"]] == tools(truth, 1, 2, 3)


def test_expectations_follow_the_numbers_of_a_conversation_with_a_gap():
    """When the agent's second turn was lost, the third is still held against the third expectation."""
    recorded = [turn("x", "y", metadata={"turn_id": number}) for number in (1, 3)]
    conversation = Conversation.of(recorded, expected=arrays(["a", "b", "c"]))
    assert ["a", "c"] == [window.expected.expected_output for window in conversation]


@pytest.mark.parametrize("blank", [None, "", "  \n"])
def test_blank_entry_is_not_specified_and_does_not_fall_back(blank):
    """An entry that is there and says nothing leaves its turn without an expectation."""
    truth = arrays([blank, "b"], expected_output="overall")
    assert [None, "b"] == outputs(truth, 1, 2)


def test_missing_entry_falls_back_on_the_overall_output():
    """A turn beyond the end of the array is held against what is expected of the whole."""
    assert ["a", "overall", "overall"] == outputs(arrays(["a"], expected_output="overall"), 1, 2, 3)


def test_arrays_of_different_lengths():
    """A turn with tools but without an entry for the output falls back for the output only."""
    truth = arrays(["a"], [[FIND], []], expected_output="overall")
    assert ["a", "overall"] == outputs(truth, 1, 2)
    assert [["find"], []] == tools(truth, 1, 2)


@pytest.mark.parametrize(("entry", "expected"), [(None, None), ([], []), (["find"], ["find"])])
def test_no_tools_and_not_specified_differ(entry, expected):
    """An empty list forbids tools, None says nothing about them."""
    assert [expected] == tools(arrays(tools=[entry]), 1)


@pytest.mark.parametrize(
    ("call", "any_arguments"),
    [("find", True), ({"name": "find"}, True), ({"name": "find", "arguments": {}}, False), (FIND, True)],
)
def test_arguments_that_are_left_out_are_not_specified(call, any_arguments):
    """A tool expected by its name may be called with any arguments; an empty dict of arguments means none."""
    (expected,) = arrays(tools=[[call]]).for_turn(1).expected_tool_calls
    assert any_arguments is expected.any_arguments


@pytest.mark.parametrize("call", ["find", {"name": "find"}, FIND])
def test_calls_may_be_names_dicts_or_calls(call):
    """A call of a per-turn array is written in whichever way is at hand."""
    assert [["find"]] == tools(arrays(tools=[[call]]), 1)


@pytest.mark.parametrize(
    ("overall", "per_turn", "only", "expected"),
    [
        ([FIND], None, True, ["find"]),
        ([FIND], None, False, None),
        ([], None, True, []),
        (None, None, True, None),
        ([FIND, PAY], [[PAY]], True, ["pay"]),
        ([FIND, PAY], [None, [PAY]], True, None),
        ([FIND, PAY], [None], True, ["find", "pay"]),
    ],
)
def test_overall_tools_apply_to_the_only_turn(overall, per_turn, only, expected):
    """With one turn the overall list is that turn's, unless turns say for themselves; with several it is nobody's."""
    truth = arrays(tools=per_turn, expected_tool_calls=overall)
    assert [expected] == tools(truth, 1, only=only)


def test_documented_arrays_are_derived_from_typed_entries():
    """Whoever reads the arrays finds what the typed entries say."""
    truth = GroundTruth(
        turns={3: GroundTruth(expected_output="c"), 1: GroundTruth(expected_tool_calls=[FIND])},
        expected_arguments={"chatbot_role": "clerk"},
    )
    assert {
        "chatbot_role": "clerk",
        "per_turn_expected": [None, "c"],
        "per_turn_tools": [[FIND], None],
        "per_turn_ids": [1, 3],
    } == truth.expected_arguments
    assert {"chatbot_role": "clerk"} == truth.extras


def test_what_is_said_of_the_whole_reaches_every_turn():
    """Role and instructions hold in each turn, with or without an entry of its own."""
    truth = GroundTruth(
        turns={1: GroundTruth(expected_output="a", expected_arguments={"tone": "calm"})},
        expected_arguments={"chatbot_role": "clerk"},
        context_documents=["doc"],
    )
    assert {"chatbot_role": "clerk", "tone": "calm"} == truth.for_turn(1).expected_arguments
    assert {"chatbot_role": "clerk"} == truth.for_turn(2).expected_arguments
    assert (["doc"], ["doc"]) == (truth.for_turn(1).context_documents, truth.for_turn(2).context_documents)


def test_evidence_of_a_turn_stays_with_the_turn():
    """Where turns bring their own evidence, no turn is excused by what only another turn found out."""
    truth = GroundTruth(
        turns={1: GroundTruth(), 2: GroundTruth(context_documents=["found in turn 2"])},
        context_documents=["found in turn 2"],
    )
    assert ([], ["found in turn 2"]) == (truth.for_turn(1).context_documents, truth.for_turn(2).context_documents)


def test_numbers_of_turns_may_come_as_text():
    """JSON has no whole-number keys, so the text of a number is that number."""
    assert ["a"] == outputs(GroundTruth(turns={"1": GroundTruth(expected_output="a")}), 1)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            {"per_turn_expected": "a"},
            "GroundTruth.expected_arguments['per_turn_expected']: must be a list, got str",
        ),
        (
            {"per_turn_expected": ["a", 5]},
            "GroundTruth.expected_arguments['per_turn_expected'][1]: must be text or None, got 5",
        ),
        (
            {"per_turn_tools": ["find"]},
            "GroundTruth.expected_arguments['per_turn_tools'][0]: must be a list of calls or None, got 'find'",
        ),
        (
            {"per_turn_tools": [[], [{"nome": "find"}]]},
            "GroundTruth.expected_arguments['per_turn_tools'][1]: ToolCall: Object contains unknown field nome",
        ),
        (
            {"per_turn_expected": ["a", "b"], "per_turn_ids": [1]},
            (
                "GroundTruth.expected_arguments['per_turn_ids']: must hold one different turn number for each of the "
                "2 entries, got [1]"
            ),
        ),
        (
            {"per_turn_expected": ["a", "b"], "per_turn_ids": [1, 1]},
            (
                "GroundTruth.expected_arguments['per_turn_ids']: must hold one different turn number for each of the "
                "2 entries, got [1, 1]"
            ),
        ),
        (
            {"per_turn_expected": ["a"], "per_turn_ids": ["x"]},
            "GroundTruth.expected_arguments['per_turn_ids']: must be turn numbers, got ['x']",
        ),
    ],
)
def test_arrays_that_cannot_be_read_are_refused(arguments, message):
    """An array of the wrong shape is an error that names it, and never silently no expectation."""
    with pytest.raises(ModelError) as raised:
        GroundTruth(expected_arguments=arguments)
    assert message == str(raised.value)


def test_conflict_between_arrays_and_entries_is_refused():
    """Two homes that say different things leave nobody to believe."""
    with pytest.raises(ModelError) as raised:
        GroundTruth(turns={1: GroundTruth(expected_output="a")}, expected_arguments={"per_turn_expected": ["b"]})
    assert (
        "GroundTruth: turns and the arrays in expected_arguments (per_turn_expected) say different things; "
        "give one of the two" == str(raised.value)
    )


def test_arrays_and_entries_that_agree_are_fine():
    """Saying the same thing twice is no conflict; entries may also say what arrays cannot."""
    entry = GroundTruth(expected_output="a", expected_tool_calls=[FIND], context_documents=["doc"])
    truth = GroundTruth(turns={1: entry}, expected_arguments={"per_turn_expected": ["a"], "per_turn_tools": [[FIND]]})
    assert entry == truth.turns[1]


@pytest.mark.parametrize(
    "truth",
    [
        GroundTruth(),
        arrays(["a", None], [[FIND], None], [2, 5], expected_output="overall"),
        GroundTruth(turns={4: GroundTruth(expected_output="a", context_documents=["doc"])}),
        GroundTruth(turns={4: GroundTruth(expected_output=" ", expected_arguments={"tone": "calm"})}),
    ],
)
def test_round_trip_through_json(truth):
    """A ground truth that was written and read is the same, with all that its turns say."""
    assert truth == GroundTruth.from_dict(msgspec.json.decode(msgspec.json.encode(truth.to_dict())))
    assert truth == msgspec.structs.replace(truth)


def test_fields_of_a_dict_are_read():
    """The documented dict form is read as the fields; what is one already is itself; None is None."""
    assert GroundTruth(expected_output="a") == GroundTruth.of({"expected_output": "a"})
    truth = GroundTruth(expected_output="a")
    assert truth is GroundTruth.of(truth)
    assert GroundTruth.of(None) is None


def test_misspelt_field_of_a_dict_is_refused():
    """A key that is no field is an error with its name."""
    with pytest.raises(ModelError) as raised:
        GroundTruth.of({"expected_ouput": "a"})
    assert "GroundTruth: Object contains unknown field expected_ouput" == str(raised.value)
