"""Anything at all may stand anywhere in a recording: it is read, or refused in sentences that say where."""

from __future__ import annotations

import json

import pytest

from uaef.adapters import AdapterTransformationError, LangGraphAdapter, OpenAIMessagesAdapter
from uaef.models import Conversation

ABOUT = {
    "langgraph_node": "agent",
    "langgraph_checkpoint_ns": "agent:7",
    "langgraph_path": ["__pregel_push", ["__pregel_pull", "flow"], 0, True],
}
ASKED = {"type": "human", "content": "Herons?", "id": "h"}
SAID = {
    "type": "ai",
    "content": [{"type": "text", "text": "Let me look."}],
    "id": "a",
    "name": "guide",
    "tool_calls": [{"name": "look_up", "args": {"what": "herons"}, "id": "c1"}],
    "invalid_tool_calls": [{"name": "look_up", "args": "{", "id": "c2", "error": "cut off"}],
    "usage_metadata": {"input_tokens": 1, "output_tokens": 2},
    "response_metadata": {"model_name": "m-1"},
}
RESULT = {"type": "tool", "content": "page", "tool_call_id": "c1", "status": "error", "id": "t", "name": "look_up"}
CHUNK = {
    "type": "AIMessageChunk",
    "content": "Two ",
    "id": "run-1",
    "name": "guide",
    "tool_call_chunks": [{"index": 0, "id": "c3", "name": "look_up", "args": "{"}],
    "usage_metadata": {"input_tokens": 1, "output_tokens": 2},
    "chunk_position": "last",
}
PAYLOAD = {
    "session_id": "s",
    "turn_id": 1,
    "latency": 1.0,
    "input_tokens": 1,
    "output_tokens": 1,
    "cost_usd": 0.1,
    "tags": ["vip"],
    "metadata": {"shop": "Rye"},
    "error": "timeout",
    "trace_id": "x",
    "stream_events": [
        {"__human__": {"messages": [ASKED]}},
        {"agent": {"messages": [SAID, ["ai", "Yes."]]}},
        ["updates", {"agent": {"messages": [{"lc": 1, "id": ["messages", "AIMessage"], "kwargs": SAID}]}}],
        [["sub:1"], "values", {"messages": [ASKED, SAID, RESULT], "__interrupt__": [{"value": "May I?", "id": "1"}]}],
        {"type": "updates", "ns": ["sub:1"], "data": {"agent": {"messages": [SAID]}}, "interrupts": []},
        [CHUNK, ABOUT],
        ["messages", [SAID, ABOUT]],
        {"id": "1", "name": "agent", "triggers": [], "input": {"messages": [ASKED]}},
        {"id": "1", "name": "agent", "error": "no power", "result": {"messages": [SAID]}, "interrupts": []},
        {"type": "task", "payload": {"id": "1", "name": "agent", "result": [["messages", [SAID]]]}},
        {"config": {}, "values": {"messages": [ASKED]}, "next": [], "metadata": {"source": "input"}},
        {"agent": {"update": {"messages": {"__overwrite__": [SAID]}}, "goto": "tools"}},
    ],
}
CONVERSATION = {
    "session_id": "s",
    "messages": [
        {"role": "user", "content": [{"type": "text", "text": "Herons?"}], "name": "alice"},
        {
            "role": "assistant",
            "content": None,
            "refusal": "No.",
            "name": "guide",
            "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "look_up", "arguments": "{}"}}],
        },
        {"role": "tool", "tool_call_id": "c1", "content": "page", "is_error": True},
        {"role": "assistant", "content": "Two.", "function_call": {"name": "look_up", "arguments": "{}"}},
    ],
    "metadata": {"shop": "Rye"},
}


def nested(depth):
    """Lists in lists."""
    value = []
    for _ in range(depth):
        value = [value]
    return value


ODD = {
    "null": None,
    "true": True,
    "negative": -1,
    "400 digits": 10**400,
    "minus 400 digits": -(10**400),
    "5000 digits": 10**5000,
    "65 bits": 2**64,
    "fraction": 1.5,
    "not a number": float("nan"),
    "infinite": float("inf"),
    "blank": "  ",
    "text": "x",
    "list": [],
    "list of lists": [[]],
    "list of null": [None],
    "dict": {},
    "dict of lists": {"type": [], "id": {}},
    "bytes": b"x",
    "object": object(),
    "deep": nested(3000),
    "deep text": "[" * 100_000,
    "digits": "9" * 5000,
}


def places(value, path=()):
    """The path to everything in a recording."""
    yield path
    for key, part in (
        value.items() if isinstance(value, dict) else enumerate(value if isinstance(value, list) else ())
    ):
        yield from places(part, (*path, key))


def changed(value, path, odd):
    """The recording with something odd at one place."""
    if not path:
        return odd
    pairs = value.items() if isinstance(value, dict) else enumerate(value)
    parts = {key: changed(part, path[1:], odd) if key == path[0] else part for key, part in pairs}
    return parts if isinstance(value, dict) else list(parts.values())


@pytest.mark.parametrize("odd", ODD)
@pytest.mark.parametrize(
    ("adapter", "recording"),
    [(LangGraphAdapter(), PAYLOAD), (OpenAIMessagesAdapter(), CONVERSATION)],
    ids=["langgraph", "openai"],
)
def test_anything_anywhere_is_read_or_refused_with_its_place(adapter, recording, odd):
    """Whatever stands wherever: sessions, or short sentences each of which names a payload or a message."""
    for path in filter(None, places(recording)):
        try:
            adapter.transform_to_canonical([changed(recording, path, ODD[odd])])
        except AdapterTransformationError as error:
            for problem in error.problems:
                assert "payload 1" in problem or "message" in problem, path
                assert len(problem) < 500, path


def refusal(**changes):
    """What is said of a payload with these changes."""
    payload = {"session_id": "b", "turn_id": 2, "stream_events": PAYLOAD["stream_events"][:1]} | changes
    with pytest.raises(AdapterTransformationError) as raised:
        LangGraphAdapter().transform_to_canonical([payload])
    return str(raised.value).removeprefix("[langgraph] ")


HUGE = f"{'9' * 100}..., which is too large."
TOO_LONG = "a value of type int, which is too large."
BITS_64 = "9223372036854775808, which is too large."
PLACE = "payload 1 (session 'b', turn 2): "


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"latency": int("9" * 400)}, f"{PLACE}latency must be a finite number of seconds of at least 0, got {HUGE}"),
        (
            {"cost_usd": int("9" * 400)},
            f"{PLACE}cost_usd must be a finite number of dollars of at least 0, got {HUGE}",
        ),
        ({"input_tokens": int("9" * 400)}, f"{PLACE}input_tokens must be a whole number of at least 0, got {HUGE}"),
        (
            {"output_tokens": 10**5000},
            f"{PLACE}output_tokens must be a whole number of at least 0, got {TOO_LONG}",
        ),
        (
            {"turn_id": 2**63},
            f"payload 1 (session 'b'): turn_id must be an integer; write int(...) around it, got {BITS_64}",
        ),
    ],
    ids=lambda value: "" if isinstance(value, str) else next(iter(value)),
)
def test_a_number_that_is_too_large_is_refused(changes, expected):
    """One sentence with the payload's position."""
    assert expected == refusal(**changes)


USAGE = "holds a message whose usage_metadata.input_tokens is no whole number of at least 0:"


@pytest.mark.parametrize(
    ("event", "expected"),
    [
        (
            {"type": "updates", "ns": None, "data": {}},
            "has an ns (namespace) that is no list of texts: None.",
        ),
        ({"type": "updates", "ns": [1], "data": {}}, "has an ns (namespace) that is no list of texts: [1]."),
        ({"type": [], "ns": [], "data": {}}, "has a type that is no LangGraph stream mode: []."),
        ({"type": "update", "ns": [], "data": {}}, "has a type that is no LangGraph stream mode: 'update'."),
        ({"agent": {"messages": [SAID | {"usage_metadata": {"input_tokens": -1}}]}}, f"{USAGE} -1."),
        ({"agent": {"messages": [SAID | {"usage_metadata": {"input_tokens": True}}]}}, f"{USAGE} True."),
        ({"agent": {"messages": [SAID | {"usage_metadata": {"input_tokens": "12"}}]}}, f"{USAGE} '12'."),
        (
            {"agent": {"messages": [SAID | {"usage_metadata": {"input_tokens": 2**64}}]}},
            f"{USAGE} 18446744073709551616.",
        ),
        ([CHUNK | {"usage_metadata": {"input_tokens": -1}}, ABOUT], f"{USAGE} -1."),
        ({"agent": {"messages": nested(3000)}}, "holds too long a number or is nested too deeply."),
        ({"__interrupt__": [{"value": 10**5000}]}, "holds too long a number or is nested too deeply."),
    ],
)
def test_an_event_that_cannot_be_read_is_named(event, expected):
    """The payload, the event and what is wrong with it."""
    assert f"{PLACE}stream event 2 {expected}" == refusal(stream_events=[PAYLOAD["stream_events"][0], event])


JUNK = {
    "deep": ("[" * 100_000, "JSON with too long a number or too deep a nesting: '" + "[" * 99 + "...."),
    "digits": (
        '{"a":' + "9" * 5000 + "}",
        'JSON with too long a number or too deep a nesting: \'{"a":' + "9" * 94 + "....",
    ),
    "no JSON": (
        "Rye " * 1000,
        "no valid JSON (Expecting value: line 1 column 1 (char 0)): '" + "Rye " * 24 + "Rye....",
    ),
    "a list": (json.dumps(["Rye"] * 1000), "no JSON object: '" + '["Rye", "Rye", "Rye", "Rye", "Rye", "Rye", '),
    "no text": (nested(3000), "no JSON object: a value of type list."),
}


@pytest.mark.parametrize("junk", JUNK)
def test_a_call_that_a_model_wrote_as_nonsense_costs_no_session(junk):
    """The arguments are kept as they are, the turn says so in a short warning, and the other sessions are read."""
    arguments, shown = JUNK[junk]
    said = SAID | {"tool_calls": [{"name": "look_up", "args": arguments, "id": "c"}], "invalid_tool_calls": []}
    payloads = [
        {
            "session_id": session,
            "turn_id": 1,
            "stream_events": [{"__human__": {"messages": [ASKED]}}, {"agent": {"messages": [message]}}],
        }
        for session, message in (("fine", SAID), ("odd", said))
    ]
    fine, odd = (s["full_trace"] for s in LangGraphAdapter().transform_to_canonical(payloads))
    assert {"what": "herons"} == fine.tool_calls[0].arguments
    assert arguments is odd.tool_calls[0].arguments["_raw"]
    [warning] = odd.metadata["warnings"]
    assert warning.startswith(f"The arguments of a call of 'look_up' are {shown}")
    assert len(warning) < 250

    called = {"id": "c", "function": {"name": "look_up", "arguments": arguments}}
    chat = [{"role": "user", "content": "Herons?"}, {"role": "assistant", "content": None, "tool_calls": [called]}]
    trace = OpenAIMessagesAdapter().transform_to_canonical(chat)["full_trace"]
    assert (arguments, [warning]) == (trace.tool_calls[0].arguments["_raw"], trace.metadata["warnings"])
    assert arguments is Conversation.from_messages(chat).turns[0].trace.tool_calls[0].arguments["_raw"]


def test_pieces_of_a_call_may_be_nonsense():
    """A name, an index, an id or arguments of the wrong kind make an unnamed call with the text that there is."""
    piece = {"index": [0], "id": {"a": 1}, "name": 5, "args": ["x"]}
    chunk = {"type": "AIMessageChunk", "content": "", "id": "run-1", "tool_call_chunks": [piece]}
    trace = LangGraphAdapter().transform_to_canonical(
        {"stream_events": [{"__human__": {"messages": [ASKED]}}, [chunk, ABOUT]]}
    )
    assert [("unnamed", {"_raw": "['x']"}, "{'a': 1}")] == [
        (c.name, c.arguments, c.call_id) for c in trace.tool_calls
    ]


def test_a_chat_message_that_is_nested_too_deeply_is_named():
    """The position of the message, and no traceback."""
    with pytest.raises(AdapterTransformationError) as raised:
        OpenAIMessagesAdapter().transform_to_canonical(
            [{"role": "user", "content": "Hi", "tool_call_id": nested(3000)}]
        )
    assert "[openai] message 1: it is nested too deeply." == str(raised.value)
