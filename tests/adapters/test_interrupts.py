"""Runs that stop for a person, go on, are refused, or fail."""

from __future__ import annotations

import pytest
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langgraph.checkpoint.memory import MemorySaver
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode
from langgraph.types import Command, interrupt

from uaef.adapters import LangGraphAdapter
from uaef.models import MultiAgentTrace, ToolStatus, WorkflowStatus

NO_USER = (
    "The turn has no user message; put {'__human__': {'messages': [HumanMessage(...)]}} first in its stream_events."
)
TEAM = ["agent", "other"]
VERSION_2 = {"stream_mode": ["values"], "version": "v2"}
ANSWER_MODES = ["updates", "values", "debug", VERSION_2, ["updates", "values", "messages", "debug"]]


def careful(graphs, *lines):
    """An agent whose calls a person has to approve; a rejection is worded as LangChain's middleware words it."""
    model = graphs.ScriptedModel(lines=list(lines))

    def agent(state):
        return {"messages": [model.invoke(state["messages"])]}

    def approval(state):
        call = state["messages"][-1].tool_calls[0]
        if interrupt({"question": "May it?", "calls": [call["name"]]}) == "yes":
            return None
        refusal = f"User rejected the tool call for `{call['name']}` with id {call['id']}"
        return {"messages": [ToolMessage(refusal, tool_call_id=call["id"], status="error")]}

    def after_agent(state):
        return "approval" if state["messages"][-1].tool_calls else END

    def after_approval(state):
        return "agent" if isinstance(state["messages"][-1], ToolMessage) else "tools"

    graph = StateGraph(MessagesState)
    graph.add_node(agent)
    graph.add_node(approval)
    graph.add_node("tools", ToolNode([graphs.look_up], handle_tool_errors=True))
    graph.add_edge(START, "agent")
    graph.add_conditional_edges("agent", after_agent, ["approval", END])
    graph.add_conditional_edges("approval", after_approval, ["agent", "tools"])
    graph.add_edge("tools", "agent")
    return graph.compile(checkpointer=MemorySaver())


def runs(graphs, reply, mode):
    """The events of a run that stops, and of the one that goes on with a reply."""
    graph = careful(graphs, graphs.line("Let me look.", ("c1", "herons")), graphs.line("Well then."))
    config = {"configurable": {"thread_id": "1"}}
    options = mode if isinstance(mode, dict) else {"stream_mode": mode}
    asked = list(graph.stream({"messages": [HumanMessage("Herons?")]}, config, **options))
    return [graphs.human("Herons?"), *asked], list(graph.stream(Command(resume=reply), config, **options))


def statuses(trace):
    """How the calls of a trace ended."""
    return [call.status for call in trace.tool_calls]


@pytest.mark.parametrize("mode", ANSWER_MODES, ids=str)
def test_a_turn_that_waits_is_partial_and_its_call_pending(graphs, mode):
    """What the person is asked stands in the metadata; nothing is known of the call's result."""
    asked, _ = runs(graphs, "yes", mode)
    trace = LangGraphAdapter(agent_nodes=TEAM).transform_to_canonical({"stream_events": asked})
    assert [{"question": "May it?", "calls": ["look_up"]}] == trace.metadata["interrupts"]
    assert WorkflowStatus.PARTIAL is trace.workflow_status
    assert [ToolStatus.PENDING] == statuses(trace)
    assert [None] == [call.result for call in trace.tool_calls]


@pytest.mark.parametrize(
    ("reply", "status", "result", "error"),
    [
        ("yes", ToolStatus.COMPLETED, "page about herons", None),
        ("no", ToolStatus.DENIED, None, "User rejected the tool call for `look_up` with id c1"),
    ],
)
@pytest.mark.parametrize("mode", ANSWER_MODES, ids=str)
def test_a_turn_that_went_on_waits_no_more(graphs, mode, reply, status, result, error):
    """Both runs in one turn: the call has its result, or a person denied it, and the turn is complete."""
    asked, answered = runs(graphs, reply, mode)
    trace = LangGraphAdapter(agent_nodes=TEAM).transform_to_canonical({"stream_events": asked + answered})
    assert ["Herons?", "Let me look.", result or error, "Well then."] == [m.content for m in trace.messages]
    assert [(status, result, error)] == [(c.status, c.result, c.error) for c in trace.tool_calls]
    assert WorkflowStatus.COMPLETED is trace.workflow_status
    assert "interrupts" not in trace.metadata


@pytest.mark.parametrize("mode", ANSWER_MODES, ids=str)
def test_a_run_that_goes_on_may_be_a_turn_of_its_own(graphs, mode):
    """The first turn stays pending, as it was known then; the whole knows the result; nobody is warned of it."""
    parts = runs(graphs, "yes", mode)
    payloads = [{"session_id": "s", "turn_id": n, "stream_events": events} for n, events in enumerate(parts, 1)]
    [session] = LangGraphAdapter().transform_to_canonical(payloads)
    first, second = session["per_turn_traces"]
    assert [ToolStatus.PENDING] == statuses(first)
    assert ["page about herons", "Well then."] == [m.content for m in second.messages]
    assert [NO_USER] == second.metadata["warnings"]
    assert [(ToolStatus.COMPLETED, "page about herons")] == [
        (call.status, call.result) for call in session["full_trace"].tool_calls
    ]
    assert ["Herons?", "Let me look.", "page about herons", "Well then."] == [
        m.content for m in session["full_trace"].messages
    ]


def test_a_breakpoint_waits_without_a_question(graphs):
    """``interrupt_before`` asks nothing, and the run waits all the same."""
    graph = graphs.booking(graphs.line("", ("c1", "herons")))
    [payload] = graphs.play(graph, "Herons?", stream_mode="updates", interrupt_before=["tools"])
    trace = LangGraphAdapter(agent_nodes=TEAM).transform_to_canonical(payload)
    assert ([None], WorkflowStatus.PARTIAL) == (trace.metadata["interrupts"], trace.workflow_status)


def test_an_interrupt_in_a_json_dump_is_read(graphs):
    """``dumpd`` leaves of an interrupt only its text; the run still waits."""
    asked, _ = runs(graphs, "yes", "updates")
    trace = LangGraphAdapter().transform_to_canonical({"stream_events": graphs.as_json(asked)})
    [question] = trace.metadata["interrupts"]
    assert question.startswith("Interrupt(value={'question': 'May it?'")


def test_what_a_person_replies_to_an_interrupt_is_the_users():
    """A human node that hands on what it was told, after an interrupt, hands on the user's words."""
    events = [
        {"__human__": {"messages": [HumanMessage("Book a table.")]}},
        {"desk": {"messages": [AIMessage("For how many?")]}},
        {"__interrupt__": [{"value": "Ready for user input.", "id": "1"}]},
        {"ask": {"messages": [{"role": "human", "content": "Four."}]}},
        {"desk": {"messages": [AIMessage("Done.")]}},
    ]
    trace = LangGraphAdapter().transform_to_canonical({"stream_events": events})
    assert ["user", "assistant", "user", "assistant"] == [m.role.value for m in trace.messages]
    assert {} == trace.metadata


def test_a_failing_node_fails_the_turn(graphs):
    """The tasks of a debug stream tell of an error; so may the payload, for streams that do not."""

    def broken(state):  # noqa: ARG001 - a node takes the state
        raise RuntimeError("no power")

    graph = StateGraph(MessagesState).add_node(broken).add_edge(START, "broken").compile()
    events = [graphs.human("Hi")]
    with pytest.raises(RuntimeError):
        events.extend(graph.stream({"messages": [HumanMessage("Hi")]}, stream_mode="tasks"))
    adapter = LangGraphAdapter(agent_nodes=TEAM)
    trace = adapter.transform_to_canonical({"stream_events": events})
    assert isinstance(trace, MultiAgentTrace)
    told = adapter.transform_to_canonical({"stream_events": [graphs.human("Hi")], "error": "timed out"})
    assert ("timed out", WorkflowStatus.FAILED) == (told.metadata["error"], told.workflow_status)


@pytest.mark.parametrize("shape", ["tasks", "debug"])
def test_the_error_of_a_task_is_kept(graphs, shape):
    """A task's result with an error fails the turn and names the node."""
    result = {"id": "1", "name": "desk", "error": "RuntimeError('no power')", "result": {}, "interrupts": []}
    event = result if shape == "tasks" else {"type": "task_result", "timestamp": "", "step": 1, "payload": result}
    trace = LangGraphAdapter(agent_nodes=TEAM).transform_to_canonical({"stream_events": [graphs.human("Hi"), event]})
    assert "desk: RuntimeError('no power')" == trace.metadata["error"]
    assert WorkflowStatus.FAILED is trace.workflow_status


@pytest.mark.parametrize(
    ("last", "status"),
    [
        (AIMessage("Done."), WorkflowStatus.COMPLETED),
        (AIMessage(""), None),
        (AIMessage("Let me look.", tool_calls=[{"name": "look_up", "args": {}, "id": "c1"}]), None),
    ],
)
def test_how_a_workflow_ended_is_only_said_where_it_shows(last, status):
    """A last answer completes a turn; silence, or a call that is still open, says nothing."""
    events = [{"__human__": {"messages": [HumanMessage("Hi")]}}, {"agent": {"messages": [last]}}]
    trace = LangGraphAdapter(agent_nodes=TEAM).transform_to_canonical({"stream_events": events})
    assert trace.workflow_status is status
