"""A booking agent: a compiled LangGraph graph with four tools, a small calendar behind them, and a memory."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from booking.scripted_model import ScriptedChatModel
from langchain_core.messages import SystemMessage
from langchain_core.tools import BaseTool, StructuredTool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode, tools_condition

if TYPE_CHECKING:
    from langgraph.graph.state import CompiledStateGraph

PROMPT = SystemMessage("You look after the bookings of three meeting rooms: Ada, Boole and Curie.")
BOOKED = [
    ("Ada", "2026-04-07", "09:00", "planning"),
    ("Ada", "2026-04-21", "09:00", "planning"),
    ("Curie", "2026-04-22", "15:00", "workshop"),
    ("Boole", "2026-05-12", "11:00", "interview"),
    ("Ada", "2026-05-13", "09:00", "design standup"),
    ("Ada", "2026-05-14", "13:00", "onboarding"),
    ("Ada", "2026-05-18", "09:00", "sales call"),
    ("Ada", "2026-05-21", "09:00", "training"),
]


class Calendar:
    """The bookings of three rooms, kept in memory; its methods are the agent's tools."""

    def __init__(self) -> None:
        self._bookings: dict[str, dict[str, str]] = {}
        for room, date, start, purpose in BOOKED:
            self.create_booking(room, date, start, purpose)

    def list_bookings(self, date: str) -> list[dict[str, str]]:
        """The bookings of one day (YYYY-MM-DD), in every room."""
        return [booking for booking in self._bookings.values() if booking["date"] == date]

    def create_booking(self, room: str, date: str, start: str, purpose: str) -> dict[str, str]:
        """Book a room on a day (YYYY-MM-DD) for the hour that begins at start (HH:MM)."""
        reference = f"{room[0]}-{date[5:]}-{start[:2]}"
        if reference in self._bookings:
            raise ValueError(f"{room} is taken on {date} at {start}")
        made = {"reference": reference, "room": room, "date": date, "start": start, "purpose": purpose}
        return self._bookings.setdefault(reference, made)

    def cancel_booking(self, reference: str) -> dict[str, str]:
        """Cancel the booking with this reference and return it."""
        if reference not in self._bookings:
            raise ValueError(f"there is no booking {reference}")
        return self._bookings.pop(reference)

    def get_statistics(self, month: str) -> dict[str, int]:
        """How many bookings each room has in a month (YYYY-MM)."""
        return dict(Counter(b["room"] for b in self._bookings.values() if b["date"].startswith(month)))

    def tools(self) -> list[BaseTool]:
        """The four methods as tools for a model."""
        methods = (self.list_bookings, self.create_booking, self.cancel_booking, self.get_statistics)
        return [StructuredTool.from_function(method) for method in methods]


def booking_graph() -> CompiledStateGraph:
    """The agent with a calendar of its own; it remembers each conversation under its ``thread_id``."""
    tools = Calendar().tools()
    model = ScriptedChatModel().bind_tools(tools)

    def agent(state: MessagesState) -> MessagesState:
        return {"messages": [model.invoke([PROMPT, *state["messages"]])]}

    graph = StateGraph(MessagesState)
    graph.add_node("agent", agent)
    graph.add_node("tools", ToolNode(tools, handle_tool_errors=True))
    graph.add_edge(START, "agent")
    graph.add_conditional_edges("agent", tools_condition)
    graph.add_edge("tools", "agent")
    return graph.compile(checkpointer=InMemorySaver())
