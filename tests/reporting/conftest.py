"""Conversations that score as they are told, so that a report can be read beside what it was made of."""

from __future__ import annotations

import pytest

from uaef import AgentTrace, Conversation, Message, metric
from uaef.api import evaluate


@metric(dimension="Tool Calling")
def right_tools(turn):
    """What the turn says of itself."""
    return turn.metadata["right_tools"]


@metric(dimension="Performance")
def quick_enough(turn):
    """What the turn says of itself; an exception is raised."""
    found = turn.metadata.get("quick_enough")
    if isinstance(found, Exception):
        raise found
    return found


@metric(dimension="Tone")
def polite(turn):
    """A dimension that has no threshold."""
    return turn.metadata.get("polite")


def turn(number, question="Is it free?", answer="Yes.", **scores):
    """One turn that carries its own scores."""
    said = [Message(role="user", content=question), Message(role="assistant", content=answer)]
    return AgentTrace(trace_id=f"t{number}", messages=said, metadata={"turn_id": number, **scores})


@pytest.fixture
def measured():
    """A result for the turns ``{number: {metric: score}}``."""

    def measured(turns, *, name="refund", metrics=(right_tools, quick_enough), **options):
        traces = [turn(number, **scores) for number, scores in turns.items()]
        return evaluate(Conversation.of(traces, name=name), metrics=list(metrics), **options)

    return measured


@pytest.fixture
def bad_at_three(measured):
    """A conversation of four turns whose third goes wrong, and whose fourth could not be measured in full."""
    return measured(
        {
            1: {"right_tools": 1.0, "quick_enough": 1.0},
            2: {"right_tools": 1.0, "quick_enough": 0.9996},
            3: {"right_tools": (0.0, "missed cancel_booking"), "quick_enough": (None, "no clock ran")},
            4: {"right_tools": 0.5, "quick_enough": OSError("the clock broke")},
        }
    )
