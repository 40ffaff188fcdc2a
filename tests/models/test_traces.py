"""What a trace derives from what was recorded: its calls, its agents, the order of what several of them said."""

from __future__ import annotations

import datetime as dt

import pytest

from uaef.models import AgentTrace, CoordinationEvent, Message, MultiAgentTrace, ToolCall, WorkflowStatus
from uaef.models.traces import joined, total
from uaef.testing import turn

NOON = dt.datetime(2025, 1, 2, 12, tzinfo=dt.UTC)


def said(content, agent=None, *, at=None, calls=()):
    """An assistant's message, so many seconds after noon."""
    timestamp = None if at is None else NOON + dt.timedelta(seconds=at)
    made = [ToolCall(name=name) for name in calls]
    return Message(role="assistant", content=content, agent=agent, timestamp=timestamp, tool_calls=made)


def asked(content, *, at=None):
    """The user's message, so many seconds after noon."""
    return Message(role="user", content=content, timestamp=None if at is None else NOON + dt.timedelta(seconds=at))


def contents(trace):
    """What was said, in order."""
    return [message.content for message in trace.messages]


def names(calls):
    """The names of calls, in order."""
    return [call.name for call in calls]


def test_tool_calls_are_those_that_the_messages_carry():
    """Left out, the calls of a trace are derived, in order."""
    messages = [asked("Hi"), said("", calls=["find", "book"]), said("", calls=["pay"]), said("Done")]
    assert ["find", "book", "pay"] == names(AgentTrace(messages=messages).tool_calls)


def test_tool_calls_that_are_given_stand():
    """A list that is given is kept, the empty one too."""
    messages = [said("", calls=["find"])]
    assert [] == AgentTrace(messages=messages, tool_calls=[]).tool_calls
    assert ["pay"] == names(AgentTrace(messages=messages, tool_calls=[ToolCall(name="pay")]).tool_calls)


def test_calls_belong_to_the_agent_whose_message_carries_them():
    """A call that names no agent is its message's agent's; it used to be nobody's, and no agent's work."""
    trace = MultiAgentTrace(
        messages=[asked("Hi"), said("", "desk", calls=["find"]), said("Hello", "shop", calls=["pay"])]
    )
    assert [("find", "desk"), ("pay", "shop")] == [(call.name, call.agent) for call in trace.tool_calls]
    assert ["find"] == names(trace.agent_traces["desk"].tool_calls)
    assert ["pay"] == names(trace.agent_traces["shop"].tool_calls)


def test_agents_are_named_in_the_order_in_which_they_acted():
    """Whoever spoke or called a tool is an agent; the user is not."""
    trace = MultiAgentTrace(
        messages=[asked("Hi"), said("One moment", "desk"), said("Found it", "shop"), said("Here", "desk")],
        tool_calls=[ToolCall(name="pay", agent="till")],
    )
    assert ("desk", "shop", "till") == trace.agents
    assert () == turn("Hi", "Hello").agents


def test_messages_of_several_agents_are_put_in_order_of_time():
    """Grouped by agent, a transcript is scrambled: the last thing said must come last."""
    trace = MultiAgentTrace(
        agent_traces={
            "desk": AgentTrace(messages=[asked("Hi", at=0), said("Asking the shop", at=1), said("Here it is", at=3)]),
            "shop": AgentTrace(messages=[said("It is on shelf 3", at=2)]),
        }
    )
    assert ["Hi", "Asking the shop", "It is on shelf 3", "Here it is"] == contents(trace)
    assert [None, "desk", "shop", "desk"] == [message.agent for message in trace.messages]


def test_messages_without_times_stay_agent_by_agent():
    """Where one time is missing there is no order to be had, so none is made up."""
    trace = MultiAgentTrace(
        agent_traces={
            "desk": AgentTrace(messages=[said("a", at=5), said("b")]),
            "shop": AgentTrace(messages=[said("c", at=1)]),
        }
    )
    assert ["a", "b", "c"] == contents(trace)


def test_messages_at_one_moment_keep_their_order():
    """The sort is stable."""
    traces = {"desk": AgentTrace(messages=[said("a", at=1), said("b", at=1)])}
    assert ["a", "b"] == contents(MultiAgentTrace(agent_traces=traces))


def test_no_agent_loses_its_calls():
    """A call that no message carries counts as well as one that a message carries."""
    trace = MultiAgentTrace(
        agent_traces={
            "desk": AgentTrace(messages=[said("", calls=["find"])]),
            "shop": AgentTrace(tool_calls=[ToolCall(name="pay")]),
        }
    )
    assert [("find", "desk"), ("pay", "shop")] == [(call.name, call.agent) for call in trace.tool_calls]


def test_calls_follow_the_messages_that_carry_them():
    """Where all calls are in messages, they are in the order of the messages."""
    trace = MultiAgentTrace(
        agent_traces={
            "desk": AgentTrace(messages=[said("", at=1, calls=["find"]), said("", at=3, calls=["pay"])]),
            "shop": AgentTrace(messages=[said("", at=2, calls=["count"])]),
        }
    )
    assert ["find", "count", "pay"] == names(trace.tool_calls)


def test_view_by_agent_is_derived_from_the_messages():
    """Each agent's trace holds what that agent said; the user's words are nobody's."""
    trace = MultiAgentTrace(
        trace_id="t", session_id="s", messages=[asked("Hi"), said("a", "desk"), said("b", "shop"), said("c", "desk")]
    )
    assert {"desk": ["a", "c"], "shop": ["b"]} == {name: contents(t) for name, t in trace.agent_traces.items()}
    assert [("t/desk", "s"), ("t/shop", "s")] == [(t.trace_id, t.session_id) for t in trace.agent_traces.values()]


@pytest.mark.parametrize(
    ("tokens", "expected"),
    [([3, 4], 7), ([0, 0], 0), ([3, None], None), ([None, None], None), ([], None)],
)
def test_tokens_of_all_agents_are_their_sum_or_unknown(tokens, expected):
    """Half a sum is no sum, and nothing known is not zero; a payload's own figure used to be lost altogether."""
    traces = {f"agent{i}": AgentTrace(input_tokens=n, output_tokens=n) for i, n in enumerate(tokens)}
    trace = MultiAgentTrace(agent_traces=traces)
    assert (expected, expected) == (trace.input_tokens, trace.output_tokens)
    assert 5 == MultiAgentTrace(agent_traces=traces, input_tokens=5).input_tokens


def test_latency_and_cost_answer_to_both_names():
    """Whoever reads a trace need not know how many agents it is of."""
    trace = MultiAgentTrace(total_latency=1.5, total_cost=0.02)
    assert (1.5, 0.02) == (trace.latency, trace.cost)


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([1, 2], 3),
        ([0.1] * 10, 1.0),
        ([1, 0.5], 1.5),
        ([None], None),
        ([], None),
        ([0], 0),
        ([2**60, 1], 2**60 + 1),
    ],
)
def test_total_is_exact_or_unknown(values, expected):
    """Sums of whole numbers are whole, sums of floats are rounded once, a missing part makes the sum unknown."""
    found = total(values)
    assert (expected, type(expected)) == (found, type(found))


def test_turns_joined_are_one_trace():
    """The whole says everything that its turns say, in order, with summed figures."""
    first = turn("Hi", "Hello", ["find"], latency=1.0, cost=0.01, input_tokens=10, output_tokens=1, session_id="s")
    second = turn("Thanks", "Bye", latency=0.5, cost=0.0, input_tokens=20, output_tokens=2)
    whole = joined([first, second], "talk")
    assert ["Hi", "", "Hello", "Thanks", "Bye"] == contents(whole)
    assert (["find"], 1.5, 0.01, 30, 3) == (
        names(whole.tool_calls),
        whole.latency,
        whole.cost,
        whole.input_tokens,
        whole.output_tokens,
    )
    assert ("s", {"num_turns": 2}) == (whole.session_id, whole.metadata)


def test_what_one_turn_does_not_know_the_whole_does_not_know():
    """A latency that one turn lacks makes the latency of the whole unknown, not smaller."""
    whole = joined([turn("a", "b", latency=1.0, cost=0.0), turn("c", "d", cost=0.5)], "talk")
    assert (None, 0.5) == (whole.latency, whole.cost)


def test_one_turn_joined_is_itself():
    """A conversation of one turn is that turn's trace, not a copy."""
    only = turn("a", "b")
    assert joined([only], "talk") is only


def test_turns_of_several_agents_joined():
    """Handovers of all turns are kept; the workflow ended as its last turn ended."""
    handover = CoordinationEvent(from_agent="desk", to_agent="shop", event_type="HANDOFF", message="over")
    turns = [
        MultiAgentTrace(messages=[said("a", "desk")], coordination_events=[handover], total_latency=1, total_cost=2),
        MultiAgentTrace(
            messages=[said("b", "shop")],
            coordination_events=[handover],
            workflow_status="failed",
            total_latency=3,
            total_cost=4,
        ),
    ]
    whole = joined(turns, "talk")
    assert (["desk", "shop"], 2, WorkflowStatus.FAILED) == (
        list(whole.agent_traces),
        len(whole.coordination_events),
        whole.workflow_status,
    )
    assert (4, 6) == (whole.latency, whole.cost)


def test_what_the_user_told_several_agents_was_said_once():
    """Two agents that were shown the same question make one user message; a question asked twice stays two."""
    asked, again = Message(role="user", content="Book it."), Message(role="user", content="Book it.")
    done = Message(role="assistant", content="Done.")
    trace = MultiAgentTrace(
        agent_traces={"a": AgentTrace(messages=[asked, done, again]), "b": AgentTrace(messages=[asked, done])}
    )
    assert ["user", "assistant", "user", "assistant"] == [str(m.role) for m in trace.messages]
