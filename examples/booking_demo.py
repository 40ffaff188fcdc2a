"""Play LangGraph agents, evaluate what was recorded, and show which conversation broke at which turn.

Then one of them is played against a dataset of conversations, whose gates say what has to hold of each turn.

The agents are real compiled graphs: a booking agent with tools, and a supervisor with two workers. Only their
chat model is scripted, and one of its conversations goes wrong on purpose. Run it with ``make demo``.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

from booking.graph import booking_graph
from booking.team import team_graph
from langchain_core.messages import HumanMessage

from uaef.adapters import LangGraphAdapter
from uaef.api import batch_evaluate, run_evals
from uaef.data.ground_truth import build_multi_turn_ground_truth, group_by_session, load_ground_truth_file
from uaef.demo import METRICS
from uaef.reporting.runs import render_run
from uaef.reporting.terminal import render_results

if TYPE_CHECKING:
    from collections.abc import Iterator

    from langgraph.graph.state import CompiledStateGraph

SPREADSHEET = Path(__file__).parent / "booking" / "ground_truth.xlsx"
CONVERSATIONS = Path(__file__).parent / "booking" / "conversations.yaml"


def play(graph: CompiledStateGraph, session_id: str, questions: list[str]) -> list[dict[str, object]]:
    """One payload per question: what the adapter needs to know about each turn of a conversation."""
    config = {"configurable": {"thread_id": session_id}}
    payloads: list[dict[str, object]] = []
    for number, text in enumerate(questions, start=1):
        question = HumanMessage(text)
        started = time.perf_counter()
        events = list(graph.stream({"messages": [question]}, config, stream_mode="updates"))
        payloads.append(
            {
                "session_id": session_id,
                "turn_id": number,
                "stream_events": [{"__human__": {"messages": [question]}}, *events],
                "latency": time.perf_counter() - started,
            }
        )
    return payloads


def play_all() -> Iterator[tuple[list[dict[str, object]], list[dict[str, object]]]]:
    """The rows of each session in the spreadsheet, and the payloads of playing them."""
    graphs = {"team": team_graph(), "booking": booking_graph()}
    for session_id, turns in group_by_session(load_ground_truth_file(SPREADSHEET)).items():
        graph = graphs["team" if session_id.startswith("team") else "booking"]
        yield turns, play(graph, session_id, [str(turn["query"]) for turn in turns])


def main() -> None:
    """Play every session, evaluate them in one batch and print what was found."""
    payloads, ground_truths = [], []
    for turns, played in play_all():
        events = [event for payload in played for event in payload["stream_events"]]
        payloads += played
        ground_truths.append(build_multi_turn_ground_truth(turns, events=events))
    traces = LangGraphAdapter().transform_to_canonical(payloads)
    results = batch_evaluate(traces=traces, ground_truths=ground_truths, metrics=METRICS, judge="local")
    print(render_results(results))
    print("Judged by word counts alone. A model judges with judge='openai:MODEL' (or anthropic:, bedrock:).")
    print("\nThe booking agent again, played against the gates of examples/booking/conversations.yaml:\n")
    print(render_run(run_evals(CONVERSATIONS, booking_graph())))


if __name__ == "__main__":
    main()
