"""The workflow page's two notebook blocks, against a real compiled LangGraph graph with a scripted model."""

from __future__ import annotations

import asyncio
import time

import pytest

from uaef.adapters import LangGraphAdapter
from uaef.api import batch_evaluate
from uaef.data.ground_truth import (
    build_ground_truth,
    build_multi_turn_ground_truth,
    parse_ground_truth_row,
)

pytest.importorskip("langgraph", reason="the blocks drive LangGraph: install the extra 'examples'")

from langchain_core.language_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, HumanMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode, tools_condition

METRICS = ["tool_selection_accuracy", "parameter_quality", "latency_score", "turn_efficiency"]


def find_slot(day: str) -> str:
    """Free slots of a day."""
    return f"{day} 10:00"


def book(day: str, repair: str) -> str:
    """Book a repair."""
    return f"{repair} on {day}"


def call(name, **arguments):
    """A model's message that asks for a tool."""
    return AIMessage("", tool_calls=[{"name": name, "args": arguments, "id": f"{name}-{len(arguments)}"}])


def workshop(*replies):
    """The compiled graph of an agent with two tools and a memory, whose model gives these replies in order."""
    model = GenericFakeChatModel(messages=iter(replies))

    def agent(state: MessagesState) -> MessagesState:
        return {"messages": [model.invoke(state["messages"])]}

    graph = StateGraph(MessagesState)
    graph.add_node("agent", agent)
    graph.add_node("tools", ToolNode([find_slot, book]))
    graph.add_edge(START, "agent")
    graph.add_conditional_edges("agent", tools_condition)
    graph.add_edge("tools", "agent")
    return graph.compile(checkpointer=InMemorySaver())


def calls(*named):
    """The cell of a spreadsheet that expects these calls."""
    return [{"name": name, "arguments": arguments} for name, arguments in named]


SINGLE = [
    {
        "Question": "Is Monday free?",
        "Expected Answer": "At ten.",
        "Expected Tool Calls": calls(("find_slot", {"day": "Monday"})),
    },
    {"Question": "Where are you?", "Expected Answer": "At the canal.", "Expected Tool Calls": "[]"},
]


def asked(graph, session, number, query):
    """One question put to the graph: the payload of its turn, and the events."""
    message = HumanMessage(content=query)
    thread = {"configurable": {"thread_id": session}}
    before = time.perf_counter()
    events = list(graph.stream({"messages": [message]}, thread, stream_mode="updates"))
    payload = {
        "session_id": session,
        "turn_id": number,
        "stream_events": [{"__human__": {"messages": [message]}}, *events],
        "latency": time.perf_counter() - before,
    }
    return payload, events


def single_turn_batch():
    """What the page's first block does: one turn per session."""
    graph = workshop(
        call("find_slot", day="Monday"),
        AIMessage("Monday at ten."),
        call("find_slot", day="today"),
        AIMessage("At the canal."),
    )
    payloads, expected = [], []
    for place, row in enumerate(SINGLE):
        question = parse_ground_truth_row(row, query_only=True)
        payload, events = asked(graph, f"walk-in-{place}", 1, question)
        same_question, ground_truth = build_ground_truth(row, events=events)
        assert question == same_question
        payloads.append(payload)
        expected.append(ground_truth)
    sessions = LangGraphAdapter().transform_to_canonical(payloads)
    return batch_evaluate(traces=sessions, ground_truths=expected, metrics=METRICS)


SESSIONS = {
    "tandem": [
        {
            "query": "The tandem creaks. Is Monday free?",
            "expected_output": "At ten.",
            "expected_tool_calls": calls(("find_slot", {"day": "Monday"})),
        },
        {
            "query": "Take it, please.",
            "expected_output": "Booked.",
            "expected_tool_calls": calls(("book", {"day": "Monday", "repair": "crank"})),
        },
        {"query": "Thanks!", "expected_output": "You are welcome.", "expected_tool_calls": []},
    ],
    "bell": [{"query": "Do you sell bells?", "expected_output": "No.", "expected_tool_calls": []}],
}


def multi_turn_batch():
    """What the page's second block does: several turns per session, all sessions in one adapter call."""
    graph = workshop(
        call("find_slot", day="Monday"),
        AIMessage("Monday at ten."),
        call("book", day="Monday", repair="brakes"),
        AIMessage("Booked for Monday."),
        AIMessage("You are welcome."),
        AIMessage("We do not."),
    )
    payloads, expected = [], []
    for session, rows in SESSIONS.items():
        played = [asked(graph, session, number, row["query"]) for number, row in enumerate(rows, 1)]
        payloads += [payload for payload, _ in played]
        seen = [event for _, events in played for event in events]
        expected.append(build_multi_turn_ground_truth(rows, events=seen))
    sessions = LangGraphAdapter().transform_to_canonical(payloads)
    return batch_evaluate(traces=sessions, ground_truths=expected, metrics=METRICS)


def by_turn(result, name):
    """A metric's score at each turn."""
    return [entry["metric_scores"][name] for entry in result.metadata["per_turn"]]


def in_a_loop(block):
    """The block as a notebook runs it: in a cell, under a running event loop."""

    async def cell():
        return block()

    return asyncio.run(cell())


@pytest.mark.parametrize("run", [lambda block: block(), in_a_loop], ids=["script", "notebook"])
def test_single_turn_block(run):
    """Each row is a session of one turn, measured against its own row; the needless call costs its turn."""
    right, wrong = run(single_turn_batch)
    assert [1, 1] == [r.metadata["num_turns"] for r in (right, wrong)]
    assert [1.0] == by_turn(right, "tool_selection_accuracy") == by_turn(right, "latency_score")
    assert [0.0] == by_turn(wrong, "tool_selection_accuracy")
    assert (True, False) == (right.passed, wrong.passed)
    assert ["Monday 10:00"] == right.conversation.expected.context_documents


@pytest.mark.parametrize("run", [lambda block: block(), in_a_loop], ids=["script", "notebook"])
def test_multi_turn_block(run):
    """Turns are grouped into their sessions; the wrong argument shows in its turn and nowhere else."""
    tandem, bell = run(multi_turn_batch)
    assert ["tandem", "bell"] == [r.conversation.name for r in (tandem, bell)]
    assert [3, 1] == [r.metadata["num_turns"] for r in (tandem, bell)]
    assert [1.0, 1.0, 1.0] == by_turn(tandem, "tool_selection_accuracy")
    assert [1.0, 0.5, 1.0] == by_turn(tandem, "parameter_quality")
    assert [1.0] == by_turn(bell, "tool_selection_accuracy")
    assert 2 == tandem.broken_turn


def test_ground_truth_has_the_documented_arrays():
    """One expected output and one list of expected calls per turn, in the order of the turns."""
    arguments = build_multi_turn_ground_truth(SESSIONS["tandem"], events=[]).expected_arguments
    assert ["At ten.", "Booked.", "You are welcome."] == arguments["per_turn_expected"]
    assert [["find_slot"], ["book"], []] == [[c.name for c in tools] for tools in arguments["per_turn_tools"]]
    assert [1, 2, 3] == arguments["per_turn_ids"]
