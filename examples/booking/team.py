"""A supervisor with two workers: one looks after the calendar, the other writes to people."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from booking.graph import Calendar
from booking.scripted_model import ScriptedChatModel
from langchain_core.messages import SystemMessage
from langchain_core.tools import BaseTool, tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode, tools_condition
from langgraph.types import Command

if TYPE_CHECKING:
    from collections.abc import Callable

    from langgraph.graph.state import CompiledStateGraph

SUPERVISOR = "Hand work over as 'calendar: task' or 'writer: task'; when nothing is left to do, answer."
CALENDAR = "You look up and change room bookings."
WRITER = "You write short, friendly messages and send them."


@tool
def send_message(to: str, text: str) -> str:
    """Send a text to a person, or to everybody."""
    return f"sent to {to}: {len(text.split())} words"


def team_graph() -> CompiledStateGraph:
    """The team with a calendar of its own; it remembers each conversation under its ``thread_id``."""
    ask = _asked("supervisor", SUPERVISOR, [])

    def supervisor(state: MessagesState) -> Command[Literal["calendar", "writer", "__end__"]]:
        update = ask(state)
        worker = update["messages"][-1].text.partition(":")[0]
        return Command(goto=worker if worker in {"calendar", "writer"} else END, update=update)

    graph = StateGraph(MessagesState)
    graph.add_node("supervisor", supervisor)
    graph.add_edge(START, "supervisor")
    _add_worker(graph, "calendar", CALENDAR, Calendar().tools())
    _add_worker(graph, "writer", WRITER, [send_message])
    return graph.compile(checkpointer=InMemorySaver())


def _add_worker(graph: StateGraph, name: str, prompt: str, tools: list[BaseTool]) -> None:
    """Give ``graph`` a worker that uses its tools until it has an answer for the supervisor."""
    graph.add_node(name, _asked(name, prompt, tools))
    graph.add_node(f"{name}_tools", ToolNode(tools, handle_tool_errors=True))
    graph.add_conditional_edges(name, tools_condition, {"tools": f"{name}_tools", END: "supervisor"})
    graph.add_edge(f"{name}_tools", name)


def _asked(name: str, prompt: str, tools: list[BaseTool]) -> Callable[[MessagesState], MessagesState]:
    """A node in which the model speaks as ``name``."""
    model = ScriptedChatModel().bind_tools(tools)

    def node(state: MessagesState) -> MessagesState:
        message = model.invoke([SystemMessage(prompt), *state["messages"]])
        message.name = name
        return {"messages": [message]}

    return node
