"""Reading a turn takes time in proportion to its messages: counted in calls, which no busy machine changes."""

from __future__ import annotations

import sys

import pytest

from uaef.adapters import LangGraphAdapter, OpenAIMessagesAdapter

ASKED = {"__human__": {"messages": [{"type": "human", "content": "Go!"}]}}
SMALL, LARGE = 60, 120


def said(text, message_id=None, **more):
    """An AI message."""
    return {"type": "ai", "content": text, **({"id": message_id} if message_id else {}), **more}


def update(*messages, node="agent"):
    """What a node returned, with its mode."""
    return ["updates", {node: {"messages": list(messages)}}]


def token(text, message_id=None, node="agent", **more):
    """A chunk, with its mode."""
    chunk = {"type": "AIMessageChunk", "content": text, **({"id": message_id} if message_id else {}), **more}
    return ["messages", [chunk, {"langgraph_node": node, "langgraph_checkpoint_ns": f"{node}:7"}]]


def pieces_of_arguments(index, call_id):
    """A chunk with a piece of a tool call."""
    return {"tool_call_chunks": [{"index": index, "id": call_id, "name": "look_up", "args": "{}"}]}


TURNS = {
    "updates-with-ids": lambda n: [update(said(f"m{i}", f"{i}")) for i in range(n)],
    "updates-without-ids": lambda n: [update(said(f"m{i}")) for i in range(n)],
    "updates-of-the-same-words": lambda n: [update(said("ok")) for _ in range(n)],
    "updates-of-the-same-words-with-ids": lambda n: [update(said("ok", f"{i}")) for i in range(n)],
    "one-update-twice": lambda n: [update(*[said("ok")] * n)] * 2,
    "one-state-twice": lambda n: [["values", {"messages": [said("ok")] * n}]] * 2,
    "updates-then-the-state": lambda n: [
        *(update(said("ok")) for _ in range(n)),
        ["values", {"messages": [said("ok", f"{i}") for i in range(n)]}],
    ],
    "before-what-was-heard": lambda n: [update(said(f"m{i}", f"{i}"), said("z", "z")) for i in range(n)],
    "before-the-first": lambda n: [update(said("ok", f"{i}"), said("ok", f"{i - 1}")) for i in range(1, n)],
    "tokens-with-one-id": lambda n: [token("ok ", "run-1") for _ in range(n)],
    "tokens-without-ids": lambda n: [token("ok ") for _ in range(n)],
    "tokens-and-updates": lambda n: [
        event for i in range(n) for event in (token("ok ", "run-1"), update(said(f"m{i}"), node="other"))
    ],
    "streamed-then-returned": lambda n: [
        event for i in range(n) for event in (token("ok", f"run-{i}"), update(said("ok", f"{i}")))
    ],
    "streamed-and-kept": lambda n: [
        *(token(f"m{i}", f"run-{i}") for i in range(n)),
        *(update(said(f"n{i}"), node="other") for i in range(n)),
    ],
    "pieces-of-arguments": lambda n: [token("", "run-1", **pieces_of_arguments(0, "c")) for _ in range(n)],
    "pieces-of-many-calls": lambda n: [token("", "run-1", **pieces_of_arguments(i, f"c{i}")) for i in range(n)],
    "subgraphs": lambda n: [
        *([[f"coder:{i}"], {"model": {"messages": [said("ok")]}}] for i in range(n)),
        *(update(said("ok"), node="coder") for _ in range(n)),
    ],
    "states-of-subgraphs": lambda n: [[[f"coder:{i}"], "values", {"messages": [said("ok")]}] for i in range(n)],
    "parallel-calls": lambda n: [
        update(said("", tool_calls=[{"name": "look_up", "args": {}, "id": f"c{i}"} for i in range(n)])),
        *(update({"type": "tool", "content": "page", "tool_call_id": f"c{i}"}, node="tools") for i in range(n)),
    ],
    "results-nobody-asked-for": lambda n: [
        update({"type": "tool", "content": "page", "tool_call_id": f"c{i}"}, node="tools") for i in range(n)
    ],
    "humans-that-a-node-wrote": lambda n: [
        update(*({"type": "human", "content": f"h{i}"} for i in range(n))),
        *(update({"type": "human", "content": f"g{i}"}) for i in range(n)),
    ],
    "interrupts": lambda n: [{"__interrupt__": [{"value": i, "id": "1"}]} for i in range(n)],
}


def calls(function):
    """How many functions, Python's own included, are called on the way."""
    counted = 0

    def count(_frame, event, _argument):
        nonlocal counted
        counted += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        function()
    finally:
        sys.setprofile(before)
    return counted


def growth(small, large):
    """By how much the calls grow from one function to the other; the first run warms up."""
    small()
    return calls(large) / calls(small)


@pytest.mark.parametrize("agents", [None, ["agent", "other"]], ids=["undeclared", "declared"])
@pytest.mark.parametrize("turn", TURNS)
def test_a_turn_twice_as_long_takes_twice_the_calls(turn, agents):
    """Whatever the mode, with and without ids, with different and with the same words."""
    adapter = LangGraphAdapter(agent_nodes=agents)
    small, large = ({"stream_events": [ASKED, *TURNS[turn](n)]} for n in (SMALL, LARGE))
    grown = growth(lambda: adapter.transform_to_canonical(small), lambda: adapter.transform_to_canonical(large))
    assert 1 < grown < 2.3


@pytest.mark.parametrize("has_ids", [True, False])
def test_states_take_calls_in_proportion_to_what_they_show(has_ids):
    """Twice as many states, each one message longer, show four times as many messages."""

    def payload(n):
        messages = [said(f"m{i}", f"{i}" if has_ids else None) for i in range(n)]
        return {"stream_events": [ASKED, *({"messages": messages[:shown]} for shown in range(1, n + 1))]}

    small, large = payload(SMALL), payload(LARGE)
    adapter = LangGraphAdapter()
    grown = growth(lambda: adapter.transform_to_canonical(small), lambda: adapter.transform_to_canonical(large))
    assert 3 < grown < 4.3


def test_chat_messages_take_calls_in_proportion():
    """Results that answer no call included."""

    def chat(n):
        results = [{"role": "tool", "tool_call_id": f"c{i}", "content": "page"} for i in range(n)]
        return [{"role": "user", "content": "Go!"}, *results]

    small, large = chat(SMALL), chat(LARGE)
    adapter = OpenAIMessagesAdapter()
    grown = growth(lambda: adapter.transform_to_canonical(small), lambda: adapter.transform_to_canonical(large))
    assert 1 < grown < 2.3


@pytest.mark.parametrize("known", [lambda _: "z", lambda i: str(i - 1)], ids=["before-the-last", "before-the-first"])
def test_however_many_are_put_before_others_keep_their_order(known):
    """A node that returns each message with one that was heard already puts it before that one."""
    pairs = [(str(i), known(i)) for i in range(1, 600)]
    events = [update(said(name, name), said(other, other)) for name, other in pairs]
    expected = [*(name for name, _ in pairs), "z"] if known(1) == "z" else [str(i) for i in reversed(range(600))]
    trace = LangGraphAdapter().transform_to_canonical({"stream_events": [ASKED, *events]})
    assert ["Go!", *expected] == [message.content for message in trace.messages]
