"""A conversation is turns and windows on them; a turn is a conversation of one that remembers."""

from __future__ import annotations

import pytest

from uaef.errors import DataError
from uaef.models import AgentTrace, Conversation, GroundTruth, Message, MultiAgentTrace, ToolCall
from uaef.models.conversation import as_conversation
from uaef.testing import turn

HI, ROOMS, THANKS = turn("Hi", "Hello"), turn("Any rooms?", "Two", ["find"]), turn("Thanks", "Bye")


def contents(messages):
    """What was said, in order."""
    return [message.content for message in messages]


def refusal(call):
    """The text of the error that a call raises."""
    with pytest.raises(DataError) as raised:
        call()
    return str(raised.value)


def test_window_sees_its_own_turns_only():
    """Everything a window answers is about what was said in it."""
    window = Conversation.of([HI, ROOMS, THANKS], name="hotel")[1]
    assert ("Any rooms?", "Two", ["Any rooms?"], ["Two"]) == (
        window.question,
        window.answer,
        window.user_messages,
        window.replies,
    )
    assert ["find"] == [call.name for call in window.tool_calls]
    assert window.trace is ROOMS


def test_history_is_what_came_before_the_window():
    """A judge of turn 3 is to know turns 1 and 2, and nothing later."""
    conversation = Conversation.of([HI, ROOMS, THANKS])
    assert [] == conversation.history == conversation[0].history
    assert ["Hi", "Hello", "Any rooms?", "", "Two"] == contents(conversation[2].history)
    assert ["Hi", "Hello"] == contents(conversation[1:].history)
    assert ["Hi", "Hello"] == contents(conversation[1:][0].history)


def test_history_is_derived_from_the_conversation_and_not_from_the_window():
    """Slicing twice loses nothing of what came before."""
    conversation = Conversation.of([HI, ROOMS, THANKS])
    assert conversation[2].history == conversation[1:][1].history


@pytest.mark.parametrize(
    ("part", "name"),
    [
        (slice(None), "hotel"),
        (0, "hotel#1"),
        (-1, "hotel#3"),
        (slice(1, 3), "hotel#2-3"),
        (slice(1, 2), "hotel#2"),
    ],
)
def test_windows_name_themselves(part, name):
    """The whole has the conversation's name, a turn its number, a stretch its first and last."""
    window = Conversation.of([HI, ROOMS, THANKS], name="hotel")[part]
    assert (name, "hotel") == (window.name, window.conversation_id)


def test_names_are_made_of_the_turns_own_numbers():
    """With a gap in the recording, the third turn stays the third."""
    turns = [turn("a", "b", metadata={"turn_id": n}) for n in (1, 3, 4)]
    conversation = Conversation.of(turns, name="hotel")
    assert ((1, 3, 4), "hotel#3", "hotel#3-4") == (
        conversation.numbers,
        conversation[1].name,
        conversation[1:].name,
    )


@pytest.mark.parametrize("number", [None, "2", 2.0, True])
def test_turn_without_a_whole_number_is_numbered_by_its_place(number):
    """What is no whole number is no turn number."""
    turns = [turn("a", "b"), turn("c", "d", metadata={"turn_id": number})]
    assert (1, 2) == Conversation.of(turns).numbers


def test_two_turns_with_one_number_are_refused():
    """Two turns 3 are a mistake of the recording, whose expectations nobody could tell apart."""
    turns = [turn("a", "b", metadata={"turn_id": n}, session_id="hotel") for n in (3, 3, 4, 5, 5)]
    assert "Conversation 'hotel' has more than one turn 3, 5." == refusal(lambda: Conversation.of(turns))


def test_conversation_without_turns_is_refused():
    """Nothing was said, so there is nothing to evaluate."""
    message = "A conversation needs at least one turn; got an empty list of traces."
    assert message == refusal(lambda: Conversation.of([]))


def test_what_is_no_trace_is_refused():
    """The place of the thing that is no trace is named."""
    assert "per_turn_traces[1] must be an AgentTrace or a MultiAgentTrace, got str." == refusal(
        lambda: Conversation.of([HI, "Hello"])
    )


def test_conversation_is_called_by_its_session():
    """A name that is given, else the session, else the trace."""
    assert "named" == Conversation.of(turn("a", "b", session_id="s"), name="named").name
    assert "s" == Conversation.of(turn("a", "b", session_id="s")).name
    assert "s" == Conversation.of(turn("a", "b"), full_trace=turn("a", "b", session_id="s")).name
    assert "t" == Conversation.of(turn("a", "b", trace_id="t")).name


def test_single_trace_is_one_turn():
    """The caller chose the unit: a trace with two user messages is one turn if it is given as one."""
    trace = AgentTrace(messages=[*HI.messages, *THANKS.messages])
    conversation = Conversation.of(trace)
    assert (1, 2, "Hi\nThanks") == (len(conversation), len(conversation.user_messages), conversation.question)


@pytest.mark.parametrize("at", [3, -4, slice(2, 2), slice(3, 9), slice(0, 3, 2), slice(None, None, -1)])
def test_windows_that_do_not_exist_are_refused(at):
    """A window holds at least one turn, without gaps."""
    with pytest.raises(IndexError, match="'hotel'"):
        Conversation.of([HI, ROOMS, THANKS], name="hotel")[at]


def test_messages_are_split_at_the_user():
    """A turn goes from one user message to the next; what stands before the first belongs to the first."""
    messages = [
        Message(role="system", content="Be brief"),
        *HI.messages,
        *ROOMS.messages,
        Message(role="tool", content="2"),
    ]
    conversation = Conversation.from_messages(messages, name="hotel")
    assert [["Be brief", "Hi", "Hello"], ["Any rooms?", "", "Two", "2"]] == [
        contents(w.messages) for w in conversation
    ]
    assert "hotel" == conversation.name


def test_messages_of_several_agents_make_turns_of_several_agents():
    """Two names among the speakers make every turn a trace of several agents; one name does not."""
    asked = Message(role="user", content="Hi")
    spoken = [Message(role="assistant", content="Hello", agent=name) for name in ("desk", "shop")]
    assert [True, True] == [
        w.is_multi_agent for w in Conversation.from_messages([asked, spoken[0], asked, spoken[1]])
    ]
    assert [False, False] == [w.is_multi_agent for w in Conversation.from_messages([asked, spoken[0], asked])]


def test_answer_is_all_the_assistant_said():
    """The message that only carries the tool call is no answer; the text after it is, and so is the text before."""
    messages = [
        Message(role="user", content="Any rooms?"),
        Message(role="assistant", content="One moment."),
        Message(role="assistant", content=" ", tool_calls=[ToolCall(name="find")]),
        Message(role="tool", content="2"),
        Message(role="assistant", content="Two."),
    ]
    assert "One moment.\nTwo." == Conversation.from_messages(messages).answer


def test_expectations_go_to_the_turns_they_name():
    """The whole keeps what is overall, each turn gets its own, and a stretch has none."""
    truth = GroundTruth(expected_output="all", turns={2: GroundTruth(expected_output="two")})
    conversation = Conversation.of([HI, ROOMS, THANKS], expected=truth)
    assert ["all", "all", "two", "all"] == [
        window.expected.expected_output for window in (conversation, *conversation)
    ]
    assert conversation[1:].expected is None
    assert truth is conversation.ground_truth is conversation[1].ground_truth


def test_expecting_changes_a_copy():
    """The conversation that was given is not written to."""
    conversation = Conversation.of([HI, ROOMS])
    other = conversation.expecting(GroundTruth(expected_output="a"))
    assert conversation.expected is conversation[0].expected is None
    assert ("a", "a") == (other.expected.expected_output, other[1].expected.expected_output)
    assert [None, None] == [window.expected for window in other.expecting(None)]


def test_recording_of_the_whole_is_what_the_whole_reads():
    """A full trace that tells the same story is kept, with figures of its own; its turns stay as they are."""
    whole = AgentTrace(messages=[*HI.messages, *ROOMS.messages], latency=9.0)
    conversation = Conversation.of([HI, ROOMS], full_trace=whole)
    assert (9.0, None, whole) == (conversation.latency, conversation[0].latency, conversation.trace)


@pytest.mark.parametrize(
    ("full", "message"),
    [
        (
            [HI, THANKS],
            (
                "Conversation 'hotel': full_trace and the turns tell different stories from turn 2 on: the turn's "
                "user says 'Any rooms?', full_trace has 'Thanks'."
            ),
        ),
        (
            [HI],
            (
                "Conversation 'hotel': full_trace and the turns tell different stories from turn 2 on: the turn's "
                "user says 'Any rooms?', full_trace has nothing."
            ),
        ),
        (
            [HI, ROOMS, THANKS],
            "Conversation 'hotel': full_trace has a user message that no turn has: 'Thanks'.",
        ),
    ],
)
def test_recording_of_another_story_is_refused(full, message):
    """The first difference is named."""
    whole = AgentTrace(messages=[m for trace in full for m in trace.messages])
    assert message == refusal(lambda: Conversation.of([HI, ROOMS], name="hotel", full_trace=whole))


@pytest.mark.parametrize(
    ("session", "message"),
    [
        (
            {"full_trace": HI},
            (
                "A session dict holds per_turn_traces (a list of traces) and, if known, session_id (text) and "
                "full_trace; got the keys ['full_trace']."
            ),
        ),
        (
            {"per_turn_traces": [HI], "turns": 1},
            (
                "A session dict holds per_turn_traces (a list of traces) and, if known, session_id (text) and "
                "full_trace; got the keys ['per_turn_traces', 'turns']."
            ),
        ),
        ({"per_turn_traces": [HI], "session_id": 5}, "session_id must be text, got 5."),
        ({"per_turn_traces": "a"}, "per_turn_traces must be a list of traces, got str."),
        ({"per_turn_traces": HI}, "per_turn_traces must be a list of traces, got AgentTrace."),
        ({"per_turn_traces": []}, "A conversation needs at least one turn; got an empty list of traces."),
        (
            {"per_turn_traces": [HI, None]},
            "per_turn_traces[1] must be an AgentTrace or a MultiAgentTrace, got NoneType.",
        ),
        (
            {"per_turn_traces": [HI, {"latencey": 1}]},
            "per_turn_traces[1]: AgentTrace: Object contains unknown field latencey",
        ),
        (
            {"per_turn_traces": [HI], "full_trace": {"messages": [{"role": "user"}]}},
            "full_trace: AgentTrace: Object missing required field content - at $.messages[0]",
        ),
        (
            {"per_turn_traces": [{"workflow_status": "done"}]},
            "per_turn_traces[0]: MultiAgentTrace: Invalid enum value 'done' - at $.workflow_status",
        ),
    ],
)
def test_session_dicts_that_cannot_be_read_are_refused(session, message):
    """What is wrong is said with its place."""
    assert message == refusal(lambda: Conversation.from_session(session))


def test_session_dict_needs_no_more_than_the_turns():
    """Built by hand, a session may leave out its id and the recording of the whole."""
    conversation = Conversation.from_session({"per_turn_traces": [HI, ROOMS]})
    assert (2, HI.trace_id, None) == (len(conversation), conversation.name, conversation.recorded)


def test_session_dict_may_hold_plain_data():
    """Traces written to JSON are read, of one agent and of several."""
    team = MultiAgentTrace(messages=[Message(role="assistant", content="a", agent="desk")])
    assert HI == Conversation.from_session({"per_turn_traces": [HI.to_dict()]}).trace
    assert team == Conversation.from_session({"per_turn_traces": [team.to_dict()]}).trace


@pytest.mark.parametrize("item", [HI, {"per_turn_traces": [HI]}, Conversation.of(HI)])
def test_one_door_for_all_that_can_be_evaluated(item):
    """A trace, a session dict and a conversation are all the same conversation."""
    assert Conversation.of(HI) == as_conversation(item)


@pytest.mark.parametrize(("item", "kind"), [(5, "int"), ("a", "str"), (None, "NoneType"), ([HI], "list")])
def test_anything_else_is_refused_at_the_door(item, kind):
    """The door says what it takes."""
    assert (
        "Expected an AgentTrace, a MultiAgentTrace, a session dict (per_turn_traces, full_trace) or a "
        f"Conversation, got {kind}."
    ) == refusal(lambda: as_conversation(item))


def test_metadata_is_a_copy():
    """What a metric does to the metadata it sees, nobody else sees."""
    trace = turn("a", "b", metadata={"turn_id": 1})
    Conversation.of(trace).metadata["quality_score"] = 0.5
    assert {"turn_id": 1} == trace.metadata


def test_tags_are_those_of_the_whole_and_of_the_window():
    """A conversation's cohorts hold for every window of it, a turn's own only where the turn is."""
    tagged = turn("a", "b", metadata={"tags": ["angry", "vip"]})
    conversation = Conversation.of([HI, tagged], tags=["vip", "refund", "vip"])
    assert [("vip", "refund", "angry"), ("vip", "refund"), ("vip", "refund", "angry")] == [
        window.tags for window in (conversation, *conversation)
    ]


def test_history_that_was_shown_is_what_the_agent_saw():
    """Where a turn was shown something else than what was really said, that is its history, and nothing flows."""
    shown = (Message(role="user", content="Hello"), Message(role="assistant", content="Golden"))
    data = Conversation.of([HI, ROOMS, THANKS]).to_dict()
    data["turns"][1]["shown"] = [message.to_dict() for message in shown]
    spliced = Conversation.from_dict(data)
    assert ["Hello", "Golden"] == contents(spliced[1].history)
    assert ["Hi", "Hello", "Any rooms?", "", "Two"] == contents(spliced[2].history)
    assert (False, False, True, True) == (spliced.flows, spliced[1].flows, spliced[2].flows, spliced[0].flows)


def test_conversations_are_not_hashable():
    """They compare by what they hold, which may be changed by whoever owns the lists."""
    with pytest.raises(TypeError):
        hash(Conversation.of(HI))


def test_other_things_are_no_conversation():
    """Comparing with something else is simply unequal."""
    assert Conversation.of(HI) != HI
    assert "<Conversation 'hotel': 2 turns>" == repr(Conversation.of([HI, ROOMS], name="hotel"))
