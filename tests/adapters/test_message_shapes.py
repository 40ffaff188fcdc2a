"""The shapes of messages and of what nodes return: live objects, dumps, dicts, shorthands, wrappers."""

from __future__ import annotations

from dataclasses import dataclass
from types import SimpleNamespace

import pytest
from langchain_core.load import dumpd
from langchain_core.messages import (
    AIMessage,
    ChatMessage,
    FunctionMessage,
    HumanMessage,
    RemoveMessage,
    SystemMessage,
    ToolMessage,
    message_to_dict,
)
from langgraph.types import Command, Overwrite

from uaef.adapters import LangGraphAdapter
from uaef.models import ToolStatus

HUMAN = {"__human__": {"messages": [HumanMessage("Herons?")]}}
CALL = {"name": "look_up", "args": {"what": "herons"}, "id": "c1", "type": "tool_call"}
USAGE = {"input_tokens": 5, "output_tokens": 3, "total_tokens": 8}
AI = AIMessage("Let me look.", id="a", name="guide", tool_calls=[CALL], usage_metadata=USAGE)
TOOL = ToolMessage("boom", id="t", tool_call_id="c1", name="look_up", status="error")


def read(*events):
    """The trace of a turn with these events."""
    return LangGraphAdapter().transform_to_canonical({"trace_id": "x", "stream_events": [HUMAN, *events]})


SHAPES = {
    "live": (AI, TOOL),
    "lc-dump": (dumpd(AI), dumpd(TOOL)),
    "message_to_dict": (message_to_dict(AI), message_to_dict(TOOL)),
    "model_dump": (AI.model_dump(), TOOL.model_dump()),
    "class-name": ({**AI.model_dump(), "type": "AIMessage"}, {**TOOL.model_dump(), "type": "ToolMessage"}),
    "javascript-dump": (
        {
            "lc": 1,
            "type": "constructor",
            "id": ["langchain_core", "messages", "AIMessageChunk"],
            "kwargs": AI.model_dump(),
        },
        {
            "lc": 1,
            "type": "constructor",
            "id": ["langchain_core", "messages", "ToolMessage"],
            "kwargs": TOOL.model_dump(),
        },
    ),
    "openai": (
        {
            "role": "assistant",
            "content": "Let me look.",
            "id": "a",
            "name": "guide",
            "usage_metadata": USAGE,
            "tool_calls": [
                {"id": "c1", "type": "function", "function": {"name": "look_up", "arguments": '{"what": "herons"}'}}
            ],
        },
        {"role": "tool", "content": "boom", "id": "t", "name": "look_up", "tool_call_id": "c1", "status": "error"},
    ),
    "additional-kwargs": (
        {
            **AI.model_dump(exclude={"tool_calls"}),
            "additional_kwargs": {
                "tool_calls": [{"id": "c1", "function": {"name": "look_up", "arguments": '{"what":"herons"}'}}]
            },
        },
        TOOL,
    ),
    "duck": (
        SimpleNamespace(
            type="ai", content="Let me look.", id="a", name="guide", tool_calls=[CALL], usage_metadata=USAGE
        ),
        SimpleNamespace(type="tool", content="boom", id="t", name="look_up", tool_call_id="c1", status="error"),
    ),
}


@pytest.mark.parametrize("shape", SHAPES)
def test_all_shapes_of_a_message_are_one(shape):
    """A message in any shape gives the trace that the live objects give."""
    ai, tool = SHAPES[shape]
    trace = read({"agent": {"messages": [ai]}}, {"tools": {"messages": [tool]}})
    assert read({"agent": {"messages": [AI]}}, {"tools": {"messages": [TOOL]}}) == trace
    assert [("look_up", {"what": "herons"}, "c1", ToolStatus.FAILED, "boom", None, "agent")] == [
        (c.name, c.arguments, c.call_id, c.status, c.error, c.result, c.agent) for c in trace.tool_calls
    ]
    assert (5, 3) == (trace.input_tokens, trace.output_tokens)
    assert {"id": "t", "node": "tools", "name": "look_up", "status": "error"} == trace.messages[2].metadata


@pytest.mark.parametrize(
    ("message", "role"),
    [
        (SystemMessage("Be brief."), "system"),
        ({"role": "developer", "content": "Be brief."}, "system"),
        (ChatMessage("Be brief.", role="system"), "system"),
        (ChatMessage("Yes.", role="assistant"), "assistant"),
        (("ai", "Yes."), "assistant"),
        (["assistant", "Yes."], "assistant"),
        (FunctionMessage("4", name="add"), "tool"),
    ],
    ids=str,
)
def test_roles(message, role):
    """Every kind of message has its role."""
    assert ["user", role] == [m.role.value for m in read({"agent": {"messages": [message]}}).messages]


@dataclass
class State:
    """A state that is no dict."""

    messages: list


@pytest.mark.parametrize(
    "update",
    [
        AI,
        [AI],
        {"messages": AI},
        {"messages": [AI]},
        {"messages": (AI,)},
        {"messages": Overwrite([AI])},
        {"messages": {"__overwrite__": [AI]}},
        {"messages": {"type": "__overwrite__", "value": [AI]}},
        {"messages": {"$writes": [[AI], []]}},
        {"chat": [AI], "count": 3},
        [{"messages": [AI]}, None, {"count": 3}],
        [["messages", [AI]]],
        ("messages", [AI]),
        Command(update={"messages": [AI]}, goto="tools"),
        [Command(update={"messages": [AI]}), {"count": 3}],
        {"update": {"messages": [AI]}, "goto": ["tools"], "graph": None, "resume": None},
        State([AI]),
        {"messages": [AI, RemoveMessage(id="z")]},
    ],
    ids=str,
)
def test_what_a_node_returns_may_be_wrapped(update):
    """States, bare messages, lists, commands, overwrites and several writes hold the same message."""
    assert read({"agent": {"messages": [AI]}}) == read({"agent": update})


def test_a_bare_text_among_messages_is_a_humans():
    """LangGraph takes a text in a list of messages for a human message, and so do we."""
    trace = LangGraphAdapter().transform_to_canonical({"stream_events": [{"__human__": {"messages": "Hi"}}]})
    assert [("user", "Hi")] == [(m.role.value, m.content) for m in trace.messages]


@pytest.mark.parametrize(
    ("content", "text", "blocks"),
    [
        ("Yes.", "Yes.", None),
        ([{"type": "text", "text": "Two "}, {"type": "text", "text": "herons."}], "Two herons.", None),
        ([{"type": "thinking", "thinking": "Hm."}, {"type": "text", "text": "Yes."}], "Yes.", None),
        ([{"type": "reasoning", "summary": []}, "Yes."], "Yes.", None),
        ([{"type": "tool_use", "id": "c1", "name": "look_up", "input": {}}], "", None),
        ([{"type": "text", "text": "See:"}, {"type": "image_url", "image_url": {}}], "See:", ["image_url"]),
        ([{"type": "refusal", "refusal": "I can't."}], "I can't.", None),
        ([{"type": "text", "text": None}, 5], "", None),
        ([], "", None),
        (None, "", None),
    ],
    ids=str,
)
def test_text_is_what_the_text_blocks_say(content, text, blocks):
    """Reasoning and tool blocks are no text; other blocks are named in the metadata."""
    message = read({"agent": {"messages": [{"type": "ai", "content": content}]}}).messages[1]
    assert (text, blocks) == (message.content, message.metadata.get("blocks"))


def test_a_tools_list_of_data_is_kept_as_json():
    """A result that is a list without text blocks is data, and not lost."""
    tool = {"type": "tool", "content": [{"city": "Rye", "km": 3}], "tool_call_id": "c1"}
    trace = read({"agent": {"messages": [AI]}}, {"tools": {"messages": [tool]}})
    assert '[{"city": "Rye", "km": 3}]' == trace.tool_calls[0].result


def test_a_call_that_the_model_wrote_badly_failed():
    """LangChain's ``invalid_tool_calls``: the text is kept, the call failed, and the turn says so."""
    bad = {"name": "look_up", "args": '{"what": her', "id": "c9", "error": None, "type": "invalid_tool_call"}
    trace = read(
        {
            "agent": {
                "messages": [
                    {
                        "type": "ai",
                        "content": "",
                        "invalid_tool_calls": [bad, {**bad, "name": None, "error": "cut off"}],
                    }
                ]
            }
        }
    )
    assert [
        ("look_up", {"_raw": '{"what": her'}, ToolStatus.FAILED, "The model wrote a tool call that cannot be read."),
        ("unnamed", {"_raw": '{"what": her'}, ToolStatus.FAILED, "cut off"),
    ] == [(c.name, c.arguments, c.status, c.error) for c in trace.tool_calls]
    assert trace.metadata["warnings"][0].startswith("The arguments of a call of 'look_up' are no valid JSON (")


def test_a_result_that_nobody_asked_for_is_kept_with_a_warning():
    """A tool's message that answers no call of the session stays, and stands out."""
    trace = read({"tools": {"messages": [ToolMessage("4", tool_call_id="c7")]}})
    assert ["user", "tool"] == [m.role.value for m in trace.messages]
    expected = ["A tool's result answers no call: '4'.", "The turn has no assistant message."]
    assert expected == trace.metadata["warnings"]


def test_an_edited_call_is_the_edited_one():
    """A message that is shown again under its id with other arguments was edited; the tool saw the edit."""
    edited = AI.model_copy(update={"tool_calls": [{**CALL, "args": {"what": "storks"}}]})
    trace = read(
        {"agent": {"messages": [AI]}},
        {"approval": {"messages": [edited]}},
        {"tools": {"messages": [ToolMessage("page", tool_call_id="c1")]}},
    )
    assert [("agent", {"what": "storks"}, "page")] == [(c.agent, c.arguments, c.result) for c in trace.tool_calls]


def test_a_call_id_that_is_used_again_means_the_new_call():
    """Some models number their calls from 1 in every message; a result answers the latest."""
    again = AIMessage("And?", id="b", tool_calls=[{**CALL, "args": {"what": "storks"}}])
    trace = read(
        {"agent": {"messages": [AI]}},
        {"tools": {"messages": [ToolMessage("first", tool_call_id="c1", id="1")]}},
        {"agent": {"messages": [again]}},
        {"tools": {"messages": [ToolMessage("second", tool_call_id="c1", id="2")]}},
    )
    assert ["first", "second"] == [c.result for c in trace.tool_calls]


def test_a_final_state_that_shows_the_user_last_of_all_puts_them_first():
    """What a state shows before a message that was heard already goes before it."""
    trace = LangGraphAdapter().transform_to_canonical(
        {
            "stream_events": [
                {"agent": {"messages": [AIMessage("Yes.", id="a")]}},
                {"messages": [HumanMessage("Herons?", id="h"), AIMessage("Yes.", id="a")]},
            ]
        }
    )
    assert ["Herons?", "Yes."] == [m.content for m in trace.messages]
