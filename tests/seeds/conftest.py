"""A bicycle workshop's assistant: the turn payloads and traces that the pages' calls are made with."""

from __future__ import annotations

import pytest

from uaef.models import AgentTrace, Message, MultiAgentTrace, ToolCall


def _message(kind, content, **more):
    return {"type": kind, "content": content, **more}


@pytest.fixture
def payload():
    """Builds the payload of one turn: who asked what, which agent called which tools, and its answer."""

    def build(session_id, turn_id, user, answer, *, tools=(), agent="mechanic", **figures):
        events = [{"__human__": {"messages": [_message("human", user)]}}]
        if tools:
            calls = [
                {"name": name, "args": {"bike": "tandem"}, "id": f"{turn_id}.{place}"}
                for place, name in enumerate(tools)
            ]
            results = [
                _message("tool", f"{call['name']} done", name=call["name"], tool_call_id=call["id"]) for call in calls
            ]
            events += [
                {agent: {"messages": [_message("ai", "", tool_calls=calls)]}},
                {"tools": {"messages": results}},
            ]
        events.append({agent: {"messages": [_message("ai", answer)]}})
        return {"session_id": session_id, "turn_id": turn_id, "stream_events": events, **figures}

    return build


@pytest.fixture
def turn():
    """Builds the trace of one turn: what was asked, which tools were called, and the answer."""

    def build(number, user, answer, *, tools=(), **fields):
        calls = [ToolCall(name=name, arguments={"bike": "tandem"}) for name in tools]
        asking = [Message(role="assistant", content="", tool_calls=calls)] if calls else []
        return AgentTrace(
            messages=[
                Message(role="user", content=user),
                *asking,
                Message(role="assistant", content=answer),
            ],
            session_id="tandem",
            metadata={"turn_id": number, **fields.pop("metadata", {})},
            **fields,
        )

    return build


@pytest.fixture
def session(turn):
    """A session dict of three turns: four of five tools were right, then one of two, then none was needed."""
    turns = [
        turn(1, "The tandem creaks.", "Booked for Monday.", tools=["look_up", "a", "b", "c", "d"]),
        turn(2, "And the brakes?", "They are worn.", tools=["inspect"]),
        turn(3, "Thanks!", "See you on Monday."),
    ]
    messages = [message for trace in turns for message in trace.messages]
    return {
        "session_id": "tandem",
        "per_turn_traces": turns,
        "full_trace": AgentTrace(messages=messages, session_id="tandem"),
    }


@pytest.fixture
def team_turn():
    """Builds the trace of one turn of a desk that hands over to a workshop."""

    def build(number, user, answer):
        return MultiAgentTrace(
            messages=[
                Message(role="user", content=user),
                Message(role="assistant", content="Workshop, please.", agent="desk"),
                Message(role="assistant", content=answer, agent="workshop"),
            ],
            session_id="team",
            metadata={"turn_id": number},
        )

    return build
