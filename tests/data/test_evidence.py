"""Tool results in events, whatever the stream mode and the form of the messages."""

from __future__ import annotations

import json

import pytest

from uaef.data.evidence import tool_results

RESULT = {"type": "tool", "content": "Fjord Inn", "name": "search", "tool_call_id": "1"}
ASKED = {"type": "ai", "content": "", "tool_calls": [{"name": "search", "args": {}, "id": "1", "type": "tool_call"}]}


@pytest.mark.parametrize(
    "event",
    [
        {"tools": {"messages": [ASKED, RESULT]}},
        {"tools": {"messages": RESULT}},
        (("worker:1",), {"tools": {"messages": [RESULT]}}),
        ("updates", {"tools": {"messages": [RESULT]}}),
        ("messages", (RESULT, {"langgraph_node": "tools"})),
        {"messages": [ASKED, RESULT, RESULT]},
        {"type": "task_result", "payload": {"name": "tools", "result": [["messages", [RESULT]]]}},
        {"tools": {"messages": [{"role": "tool", "content": "Fjord Inn", "tool_call_id": "1"}]}},
        {"tools": {"messages": [{"type": "tool", "data": RESULT}]}},
        {"tools": {"messages": [{"lc": 1, "type": "constructor", "id": ["ToolMessage"], "kwargs": RESULT}]}},
        {"tools": {"messages": [RESULT | {"content": [{"type": "text", "text": "Fjord Inn"}, {"type": "image"}]}]}},
        {"tools": {"messages": [RESULT | {"content": ["Fjord Inn"]}]}},
    ],
)
def test_shapes(event):
    """The same result in every shape that LangGraph streams it in, taken once."""
    assert ["Fjord Inn"] == tool_results([None, {"agent": None}, event, event])


@pytest.mark.parametrize(
    "event",
    [
        {"agent": {"messages": [ASKED]}},
        {"supervisor": {"next": "coder"}},
        {"__human__": {"messages": [{"type": "human", "content": "What did the tool say?"}]}},
        {"tools": {"messages": [RESULT | {"content": " "}]}},
        {"__interrupt__": ()},
        "updates",
        7,
    ],
)
def test_no_result(event):
    """Requests, other speakers, blank results and other values are no evidence."""
    assert tool_results([event]) == []


def test_order():
    """Results stand in the order in which they came."""
    texts = ["b", "a", "c"]
    assert texts == tool_results({"tools": {"messages": [RESULT | {"content": text}]}} for text in texts)


@pytest.fixture(scope="module")
def booking_graph():
    """A real compiled graph of an agent and its tool, without a model."""
    messages = pytest.importorskip("langchain_core.messages", reason="live messages need langchain-core")
    graphs = pytest.importorskip("langgraph.graph", reason="live events need langgraph")
    call = {"name": "search", "args": {}, "id": "1", "type": "tool_call"}
    graph = graphs.StateGraph(graphs.MessagesState)
    graph.add_node("agent", lambda _: {"messages": [messages.AIMessage("", tool_calls=[call])]})
    graph.add_node("tools", lambda _: {"messages": [messages.ToolMessage("Fjord Inn", tool_call_id="1")]})
    graph.add_edge(graphs.START, "agent")
    graph.add_edge("agent", "tools")
    return graph.compile()


@pytest.mark.parametrize("mode", ["updates", "values", "messages", "debug", ["updates", "values"]])
def test_live_events(booking_graph, mode):
    """Live objects of a real graph give the same evidence in every stream mode."""
    events = booking_graph.stream({"messages": [("user", "Find a hotel")]}, stream_mode=mode)
    assert ["Fjord Inn"] == tool_results(events)


@pytest.mark.parametrize(
    ("name", "count", "begin"),
    [
        ("sql_agent.cell26.json", 4, "Album, Artist, Customer"),
        ("tool_calling_errors.cell20.json", 1, ""),
    ],
)
def test_recordings(shared, name, count, begin):
    """Results in recordings of other people's agents."""
    path = shared / "langgraph-notebook-streams" / name
    found = tool_results(json.loads(path.read_text(encoding="utf-8"))["events"])
    assert count == len(found)
    assert found[0].startswith(begin)
