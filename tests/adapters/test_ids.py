"""Ids of messages and calls: those that start over with each turn, and those that count from 0."""

from __future__ import annotations

import pytest

from uaef.adapters import LangGraphAdapter, OpenAIMessagesAdapter
from uaef.models import ToolStatus

ABOUT = {"langgraph_node": "agent", "langgraph_checkpoint_ns": "agent:7"}


def human(text, message_id):
    """The user's message."""
    return {"type": "human", "content": text, "id": message_id}


def ai(text, message_id, **more):
    """An agent's message."""
    return {"type": "ai", "content": text, "id": message_id, **more}


def asked(text, message_id=None):
    """The synthetic first event of a turn."""
    return {"__human__": {"messages": [human(text, message_id)]}}


def node(*messages):
    """What a node returned."""
    return {"agent": {"messages": list(messages)}}


def state(*messages):
    """What the state holds."""
    return {"messages": list(messages)}


def task(**about):
    """An event of the mode ``tasks``."""
    return ["tasks", {"id": "1", "name": "agent", "triggers": [], **about}]


def texts(*turns):
    """What was said in each turn of a session with these events."""
    payloads = [{"session_id": "s", "turn_id": n, "stream_events": events} for n, events in enumerate(turns, 1)]
    [session] = LangGraphAdapter().transform_to_canonical(payloads)
    assert session["full_trace"].messages == [m for t in session["per_turn_traces"] for m in t.messages]
    return [[message.content for message in trace.messages] for trace in session["per_turn_traces"]]


@pytest.mark.parametrize(
    "turn",
    [
        pytest.param(lambda q, a: [asked(q, "0"), node(ai(a, "1"))], id="updates"),
        pytest.param(lambda q, a: [asked(q, 0), node(ai(a, 1))], id="whole numbers"),
        pytest.param(lambda q, a: [asked(q), node(ai(a, "1"))], id="only the agent's"),
        pytest.param(lambda q, a: [state(human(q, "0")), state(human(q, "0"), ai(a, "1"))], id="states"),
        pytest.param(lambda q, a: [asked(q, "0"), state(human(q, "0"), ai(a, "1"))], id="announced and a state"),
        pytest.param(lambda q, a: [asked(q, "0"), ["messages", [ai(a, "1"), ABOUT]]], id="messages"),
        pytest.param(
            lambda q, a: [task(input=state(human(q, "0"))), task(result=state(ai(a, "1")), interrupts=[])], id="tasks"
        ),
        pytest.param(
            lambda q, a: [
                asked(q, "0"),
                ["messages", [{"type": "AIMessageChunk", "content": a, "id": "run-1"}, ABOUT]],
                ["updates", node(ai(a, "run-1"))],
            ],
            id="tokens",
        ),
    ],
)
def test_ids_may_start_over_with_each_turn(turn):
    """A message with an id of an earlier turn and other words is a new one: no turn loses its messages."""
    spoken = [("Herons?", "Two."), ("And storks?", "None."), ("Dragons?", "Three.")]
    assert [list(pair) for pair in spoken] == texts(*(turn(*pair) for pair in spoken))


def test_where_ids_start_over_the_same_answer_is_an_answer():
    """Once the user's message shows it, what follows in the turn is new even where id and words were there before."""
    spoken = [("Herons?", "No."), ("Storks?", "No."), ("Storks?", "No.")]
    by_updates = [[asked(q, "0"), node(ai(a, "1"))] for q, a in spoken]
    by_states = [[state(human(q, "0"), ai(a, "1"))] for q, a in spoken[:2]]
    assert [["Herons?", "No."], ["Storks?", "No."], ["Storks?", "No."]] == texts(*by_updates)
    assert [["Herons?", "No."], ["Storks?", "No."]] == texts(*by_states)


def test_what_is_announced_is_said_in_its_turn():
    """Even where an earlier turn began with the same words under the same id."""
    turn = [asked("yes", "0"), node(ai("ok", "1"))]
    assert [["yes", "ok"], ["yes", "ok"]] == texts(turn, turn)


def test_a_state_that_holds_earlier_turns_too_may_repeat_ids():
    """Messages that a recorder numbers by turn and collects over turns: what is known by id and words is history."""
    first = [human("Herons?", "0"), ai("No.", "1")]
    second = [human("Storks?", "0"), ai("One.", "1")]
    third = [human("Dragons?", "0"), ai("No.", "1")]
    told = [["Herons?", "No."], ["Storks?", "One."], ["Dragons?", "No."]]
    assert told == texts([state(*first)], [state(*first, *second)], [state(*first, *second, *third)])
    assert told[:2] == texts([asked("Herons?", "0"), state(*first)], [asked("Storks?", "0"), state(*first, *second)])


def test_an_edited_message_in_a_state_stays_history():
    """A state that shows an earlier message in new words repeats it: the user's message is new, the ids go on."""
    before = [human("Herons?", "x"), ai("Three.", "y")]
    edited = [human("Herons?", "x"), ai("[removed]", "y"), human("Storks?", "z")]
    assert [["Herons?", "Three."], ["Storks?", "None."]] == texts(
        [state(*before)], [state(*edited), state(*edited, ai("None.", "w"))]
    )


def test_what_a_node_returns_again_is_not_said_again():
    """A run that goes on after an interrupt shows once more what its tasks returned before."""
    first = [asked("Book it!", "x"), node(ai("May I?", "y"))]
    second = [asked("Yes.", "z"), node(ai("May I?", "y")), node(ai("Booked.", "w"))]
    assert [["Book it!", "May I?"], ["Yes.", "Booked."]] == texts(first, second)


def test_an_id_may_be_0():
    """The number 0 names a call and a message as any other does."""
    events = [
        asked("Herons?", 0),
        node(ai("", 1, tool_calls=[{"name": "look_up", "args": {}, "id": 0}])),
        {"tools": {"messages": [{"type": "tool", "content": "page", "tool_call_id": 0, "id": 2}]}},
    ]
    trace = LangGraphAdapter().transform_to_canonical({"stream_events": events})
    assert [("0", ToolStatus.COMPLETED, "page")] == [(c.call_id, c.status, c.result) for c in trace.tool_calls]
    assert ["0", "1", "2"] == [m.metadata["id"] for m in trace.messages]
    assert "warnings" not in trace.metadata


def test_a_streamed_call_may_have_the_id_0():
    """Pieces of the calls 0 and 1 that are all numbered alike are two calls."""
    pieces = [{"index": 0, "id": call_id, "name": "look_up", "args": "{}"} for call_id in (0, 1)]
    chunks = [{"type": "AIMessageChunk", "content": "", "id": 0, "tool_call_chunks": [piece]} for piece in pieces]
    events = [asked("Herons?"), *([chunk, ABOUT] for chunk in chunks)]
    trace = LangGraphAdapter().transform_to_canonical({"stream_events": events})
    assert ["0", "1"] == [call.call_id for call in trace.tool_calls]


def test_a_chat_call_may_have_the_id_0():
    """The result finds its call, and needs no name."""
    chat = [
        {"role": "user", "content": "Herons?"},
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [{"id": i, "function": {"name": "look_up", "arguments": "{}"}} for i in (0, 1)],
        },
        {"role": "tool", "tool_call_id": 1, "content": "second"},
        {"role": "tool", "tool_call_id": 0, "content": "first"},
    ]
    calls = OpenAIMessagesAdapter().transform_to_canonical(chat)["full_trace"].tool_calls
    assert [("0", "first"), ("1", "second")] == [(call.call_id, call.result) for call in calls]
