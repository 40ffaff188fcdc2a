"""How many tokens a turn took: known of all model calls, or unknown."""

from __future__ import annotations

import pytest
from langchain_core.messages import AIMessage

from uaef.adapters import LangGraphAdapter

ASKED = {"__human__": {"messages": [{"type": "human", "content": "Herons?"}]}}


def ai(text, usage=None, **more):
    """An AI message that took ``usage`` tokens, read and written."""
    counted = {} if usage is None else {"usage_metadata": {"input_tokens": usage[0], "output_tokens": usage[1]}}
    return {"type": "ai", "content": text, **counted, **more}


def read(*messages, adapter=None, **more):
    """The trace of a turn in which each message is of a node of its own."""
    events = [ASKED, *({f"node{place}": {"messages": [message]}} for place, message in enumerate(messages))]
    return (adapter or LangGraphAdapter()).transform_to_canonical({"stream_events": events, **more})


WARNING = (
    "1 of 2 AI messages do not say how many tokens they took, so the turn's tokens are unknown; put input_tokens and "
    "output_tokens into its payload."
)


@pytest.mark.parametrize(
    ("messages", "tokens"),
    [
        ([ai("a", (10, 5)), ai("b", (20, 6))], (30, 11)),
        ([ai("a", (0, 0)), ai("b", (20, 6))], (20, 6)),
        ([ai("a"), ai("b")], (None, None)),
        ([], (None, None)),
    ],
)
def test_tokens_are_the_sum_over_the_messages(messages, tokens):
    """Known if every message says what it took, unknown if none does; 0 is known."""
    trace = read(*messages)
    assert tokens == (trace.input_tokens, trace.output_tokens)
    assert not any("tokens" in warning for warning in trace.metadata.get("warnings", []))


@pytest.mark.parametrize(
    ("messages", "tokens"),
    [
        ([ai("a", (10, 5)), ai("b")], (None, None)),
        ([ai("a", id="run-1"), ai("b", (10, 5), id="run-2")], (None, None)),
        ([ai("a", response_metadata={"model_name": "m-1"}), ai("b", (10, 5), id="run-2")], (None, None)),
        ([ai("a", (10, 5)), ai("b", (10, None))], (20, None)),
    ],
)
def test_half_a_sum_is_no_sum(messages, tokens):
    """Where one message does not say what it took the turn does not know, and says why."""
    trace = read(*messages)
    assert tokens == (trace.input_tokens, trace.output_tokens)
    assert [WARNING] == trace.metadata["warnings"]


def test_what_the_caller_counted_counts():
    """The payload's own numbers need no messages that say theirs."""
    trace = read(ai("a", (10, 5)), ai("b"), input_tokens=40, output_tokens=9)
    assert (40, 9, {}) == (trace.input_tokens, trace.output_tokens, trace.metadata)


def test_a_session_does_not_know_what_a_turn_does_not():
    """One turn of which the tokens are unknown makes the whole unknown."""
    payloads = [
        {"session_id": "s", "turn_id": n, "stream_events": [ASKED, {"agent": {"messages": messages}}]}
        for n, messages in enumerate(([ai("a", (10, 5))], [ai("b", (10, 5)), ai("c")]), 1)
    ]
    [session] = LangGraphAdapter().transform_to_canonical(payloads)
    assert [(10, 5), (None, None), (None, None)] == [
        (t.input_tokens, t.output_tokens) for t in (*session["per_turn_traces"], session["full_trace"])
    ]


@pytest.mark.parametrize(
    "written",
    [
        AIMessage("Let me see."),
        ai("Let me see."),
        ai("", id="run-9", tool_calls=[{"name": "transfer_back_to_supervisor", "args": {}, "id": "c9"}]),
    ],
    ids=["live", "plain", "handed back"],
)
def test_what_code_wrote_took_no_tokens(written):
    """A message without any sign of a model beside models' own, and one that LangGraph writes to hand back."""
    trace = read(written, ai("Two.", (10, 5), id="run-1"))
    assert (10, 5) == (trace.input_tokens, trace.output_tokens)


def test_tokens_of_ignored_nodes_were_spent_too():
    """The turn's latency and cost hold an ignored node's call, and so do its tokens."""
    adapter = LangGraphAdapter(ignore_nodes=["node0"])
    trace = read(ai("to booking", (6, 1)), ai("Two.", (10, 5)), adapter=adapter)
    assert ["Herons?", "Two."] == [message.content for message in trace.messages]
    assert (16, 6) == (trace.input_tokens, trace.output_tokens)
    trace = read(ai("to booking"), ai("Two.", (10, 5)), adapter=adapter)
    assert (None, None) == (trace.input_tokens, trace.output_tokens)
