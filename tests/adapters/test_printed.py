"""Recordings in which only a printed text is left of a message, or which tell of callbacks instead of messages."""

from __future__ import annotations

import asyncio
import json

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from langchain_core.load import dumps
from langchain_core.messages import (
    AIMessage,
    AIMessageChunk,
    FunctionMessage,
    HumanMessage,
    SystemMessage,
    ToolMessage,
)
from langgraph.types import Command

from uaef.adapters import AdapterTransformationError, LangGraphAdapter

PRINTED = (
    "holds the printed text of a message object and not the message; write it with model_dump(): "
    "json.dumps(payload, default=lambda m: m.model_dump()), or langchain_core.load.dumps(payload)."
)
CALLBACK = (
    "comes from astream_events(), which tells of callbacks and not of messages; "
    'record graph.stream(..., stream_mode="updates") or graph.astream(...) instead.'
)
CALL = {"name": "look_up", "args": {"what": "'it's \"quoted\"'"}, "id": "c1"}
MESSAGES = [
    HumanMessage("Hi"),
    HumanMessage('It\'s "so" (or not) = 1\n'),
    HumanMessage([{"type": "text", "text": "a'] b='c'"}]),
    AIMessage("", id="a", tool_calls=[CALL]),
    AIMessage("Yes.", usage_metadata={"input_tokens": 1, "output_tokens": 2, "total_tokens": 3}),
    AIMessageChunk("Ye"),
    ToolMessage("page", tool_call_id="c1", name="look_up"),
    FunctionMessage("4", name="add"),
    SystemMessage("Be brief."),
]
WRITTEN = {
    "str": str,
    "repr": repr,
    "dumps": dumps,
    "model_dump_json": lambda message: message.model_dump_json(),
    "padded": lambda message: f"\n {message} ",
}


def problems(*events):
    """What is said of a turn with these events."""
    with pytest.raises(AdapterTransformationError) as raised:
        LangGraphAdapter().transform_to_canonical([{"session_id": "b", "turn_id": 2, "stream_events": list(events)}])
    return [
        problem.removeprefix("[langgraph] payload 1 (session 'b', turn 2): ") for problem in raised.value.problems
    ]


def users(*texts):
    """The messages of a turn whose user says ``texts``, by role."""
    events = [{"__human__": {"messages": list(texts)}}]
    trace = LangGraphAdapter().transform_to_canonical({"stream_events": events})
    return [(message.role.value, message.content) for message in trace.messages]


@pytest.mark.parametrize("write", WRITTEN.values(), ids=WRITTEN)
@pytest.mark.parametrize("message", MESSAGES, ids=lambda message: type(message).__name__)
def test_a_printed_message_is_refused(message, write):
    """Whatever kind of message was printed, and however."""
    assert [f"stream event 1 {PRINTED}"] == problems({"agent": {"messages": [write(message)]}})


TEXT = str(AIMessage("Yes."))
PLACES = {
    "bare": {"agent": TEXT},
    "alone": {"agent": {"messages": TEXT}},
    "among others": {"agent": {"messages": [AIMessage("Let me see."), TEXT]}},
    "under another key": {"agent": {"chat": [TEXT]}},
    "alone under another key": {"agent": {"answer": TEXT, "count": 3}},
    "in a list of updates": {"agent": [{"messages": [TEXT]}, None]},
    "in an overwrite": {"agent": {"messages": {"__overwrite__": [TEXT]}}},
    "a list": {"agent": {"messages": repr(MESSAGES)}},
    "a command": {"agent": repr(Command(update={"messages": MESSAGES}, goto="tools"))},
    "a state object": {"agent": f"messages={MESSAGES!r} count=3"},
    "an event": repr({"agent": {"messages": MESSAGES}}),
    "an event with its mode": repr(("updates", {"agent": {"messages": MESSAGES}})),
    "values": {"messages": [TEXT]},
    "values, with the mode": ("values", {"messages": [TEXT]}),
    "values of one message": ("values", TEXT),
    "a token": [TEXT, {"langgraph_node": "agent"}],
    "a token, with the mode": ["messages", [TEXT, {"langgraph_node": "agent"}]],
    "a token of a subgraph": [["coder:1"], [TEXT, {"langgraph_node": "agent"}]],
    "a task": {"id": "1", "name": "a", "result": {"messages": [TEXT]}, "interrupts": []},
    "a checkpoint": {"config": {}, "values": {"messages": [TEXT]}, "next": []},
}


@pytest.mark.parametrize("event", PLACES.values(), ids=PLACES)
def test_it_is_refused_wherever_a_message_may_stand(event):
    """In every stream mode, and in everything that a node may return."""
    assert [f"stream event 1 {PRINTED}"] == problems(event)


@pytest.mark.parametrize("default", [str, repr, dumps])
@pytest.mark.parametrize("mode", ["updates", "values", "messages", "debug", ["updates", "messages"]], ids=str)
def test_a_recording_that_was_printed_is_refused(graphs, mode, default):
    """What ``json.dumps(payload, default=str)`` leaves of a real graph's stream is never taken for a conversation."""
    graph = graphs.booking(graphs.line("Let me look.", ("c1", "herons")), graphs.line("Herons are birds."))
    (payload,) = graphs.play(graph, "Herons?", stream_mode=mode)
    printed = json.loads(json.dumps(payload, default=default))
    with pytest.raises(AdapterTransformationError) as raised:
        LangGraphAdapter().transform_to_canonical([printed])
    (problem,) = raised.value.problems
    assert problem.startswith("[langgraph] payload 1 (session 's', turn 1): stream event 1 (and ")
    assert problem.endswith(f" more like it) {PRINTED}")


@pytest.mark.parametrize(
    "text",
    [
        "HumanMessage(content='Hi') raises a TypeError. Why?",
        "What does HumanMessage(content='Hi') do?",
        "content='Hi' is what I see.",
        "content=42",
        "content = 'Hi'",
        "Set content='Hi' and name='x'",
        "MyMessage(text='Hi')",
        "[1, 2]",
        "{'messages': []}",
        '{"type": "human", "content": "Hi"}',
        '{"additional_kwargs": 1}',
        "{",
    ],
)
def test_other_texts_are_the_users_words(text):
    """Where LangGraph takes a text for a human's message, whatever only resembles a printed message stays one."""
    assert [("user", text)] == users(text)


@given(st.text())
@example("content='")
@example("AIMessage(content='" + "(" * 1_000)
@example("content='" + "\\" * 1_001)
def test_any_text_of_a_user_stays_as_it_is(text):
    """No text is refused that is not the whole of a printed message."""
    assert [("user", text)] == users(text)


def test_text_inside_a_message_is_never_looked_at():
    """Somebody may well talk about messages."""
    assert [("user", TEXT)] == users(HumanMessage(TEXT))


def test_events_of_callbacks_are_refused_once(graphs):
    """``astream_events()`` gives hundreds of events a turn; one sentence says what to record instead."""

    async def record():
        graph = graphs.booking(graphs.line("Herons are birds."), checkpointer=False)
        return [event async for event in graph.astream_events({"messages": [HumanMessage("Herons?")]}, version="v2")]

    events = asyncio.run(record())
    assert len(events) > 5
    assert [f"stream event 2 (and {len(events) - 1} more like it) {CALLBACK}"] == problems(
        graphs.human("Herons?"), *events
    )
    assert [f"stream event 1 {CALLBACK}"] == problems({"event": "on_tool_end", "run_id": "1", "data": {}})


def test_nodes_may_be_called_like_the_keys_of_such_events():
    """Only the whole shape gives it away."""
    event = {"event": {"messages": [AIMessage("Yes.")]}, "run_id": None, "data": None}
    assert ["Yes."] == [
        m.content for m in LangGraphAdapter().transform_to_canonical({"stream_events": [event]}).messages
    ]
