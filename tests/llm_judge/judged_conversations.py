"""A conversation that every scale has something to say about, and a rubric for each scale."""

from __future__ import annotations

from uaef.llm_judge import Rubric
from uaef.models import AgentTrace, Conversation, GroundTruth, Message, ToolCall


def a_rubric(**fields: object) -> Rubric:
    """A rubric that is asked of the whole conversation."""
    return Rubric(**{"name": "served", "text": "Was the user served?", "scope": "whole", **fields})


_SCALES = {
    "0-1": {"scale": "0-1"},
    "1-5": {"scale": "1-5"},
    "yes/no": {"scale": "yes/no"},
    "turns": {"scale": "items", "items": "turns", "inputs": ["role"]},
    "instructions": {"scale": "items", "items": "instructions", "inputs": ["instructions"]},
    "criteria": {"scale": "items", "items": "criteria"},
    "count": {"scale": "count"},
}
RUBRICS = {
    scale: a_rubric(name=f"served_{place}", text=f"Was the user served? Scale: {scale}.", **fields)
    for place, (scale, fields) in enumerate(_SCALES.items())
}

EXPECTED = GroundTruth(
    expected_output="The booking is moved to Friday.",
    expected_arguments={
        "chatbot_role": "a clerk of a hotel",
        "system_instructions": "- Be polite.\n- Never promise a refund.",
    },
    criteria=["The new day is confirmed.", "No fee is charged."],
)


def exchange(question: str, answer: str, *calls: ToolCall) -> AgentTrace:
    """One turn."""
    return AgentTrace(
        messages=[
            Message(role="user", content=question),
            Message(role="assistant", content=answer, tool_calls=list(calls)),
        ]
    )


def talk(*opening: str, name: str = "booking", expected: GroundTruth | None = EXPECTED) -> Conversation:
    """Three turns; ``opening`` is what the user says first."""
    moved = ToolCall(name="move", arguments={"day": "Friday"}, result={"moved": True})
    traces = [
        exchange(" ".join(opening) or "Can you move my booking?", "To which day?"),
        exchange("To Friday.", "It is moved to Friday.", moved),
        exchange("Thanks!", "You are welcome."),
    ]
    return Conversation.of(traces, name=name, expected=expected)
