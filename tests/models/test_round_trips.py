"""What is written comes back: models, conversations, windows and results lose nothing on their way through JSON."""

from __future__ import annotations

import datetime as dt
import math

import msgspec
import pytest

from uaef.api import evaluate
from uaef.errors import ModelError
from uaef.metrics import metric
from uaef.models import (
    AgentTrace,
    Ask,
    Case,
    Conversation,
    CoordinationEvent,
    EvaluationResult,
    GroundTruth,
    Message,
    MetricScore,
    MultiAgentTrace,
    ToolCall,
    Turn,
)
from uaef.testing import turn

NOON = dt.datetime(2025, 1, 2, 12, tzinfo=dt.UTC)
CALL = ToolCall(
    name="find", arguments={"q": [1, {"a": None}]}, call_id="1", error="lost", approver="Ida", timestamp=NOON
)
TEAM = MultiAgentTrace(
    trace_id="team",
    messages=[
        Message(role="user", content="Hi", timestamp=NOON),
        Message(role="assistant", content="", agent="desk", tool_calls=[CALL], metadata={"model": "small"}),
        Message(role="tool", content="2", tool_call_id="1"),
    ],
    coordination_events=[CoordinationEvent(from_agent="a", to_agent="b", event_type="HANDOFF", message="over")],
    workflow_status="partial",
    total_latency=1.5,
)
TRUTH = GroundTruth(expected_output="all", turns={2: GroundTruth(expected_tool_calls=[])}, context_documents=["doc"])


def through_json(model):
    """The model, written to JSON text and read again."""
    return type(model).from_dict(msgspec.json.decode(msgspec.json.encode(model.to_dict())))


@pytest.mark.parametrize(
    "model",
    [
        CALL,
        Message(role="system", content="", agent="desk"),
        turn("Hi", "Hello", [CALL], cost=0.0, input_tokens=0, metadata={"turn_id": 3}, timestamp=NOON),
        TEAM,
        TRUTH,
        Case(
            case_id="a",
            asks=[
                Ask(
                    user="Hi", expected=TRUTH, tags=["vip"], claims=[{"name": "max_words", "arguments": {"limit": 3}}]
                )
            ],
        ),
        MetricScore(metric_name="a", reasoning="b", metadata={"warning": "api_error"}),
        Turn(trace=TEAM, number=4, expected=TRUTH, tags=("vip",), shown=(Message(role="user", content="Hi"),)),
        Turn(trace=turn("a", "b"), number=1),
        Conversation.of([turn("a", "b"), turn("c", "d")], name="hotel", expected=TRUTH, tags=["vip"], trial=2),
        Conversation.of([turn("a", "b"), turn("c", "d")], expected=TRUTH)[1],
        Conversation.of([TEAM], full_trace=TEAM),
    ],
    ids=lambda model: type(model).__name__,
)
def test_models_survive_json(model):
    """Every field comes back as it was, whichever kind of trace is inside."""
    assert model == through_json(model)


@metric(dimension="Performance")
def moody(window):
    """Scores, declines and fails in turn."""
    number = window.numbers[0]
    if number == 3:
        raise RuntimeError("no idea")
    return (0.25, "a quarter") if number == 1 else None


def test_results_survive_json():
    """A result comes back with its conversation, its measurements and its verdict, so that it can be kept."""
    turns = [turn(f"question {n}", f"answer {n}", latency=n) for n in (1, 2, 3)]
    result = evaluate({"session_id": "hotel", "per_turn_traces": turns}, TRUTH, metrics=[moody, "latency_score"])
    again = through_json(result)
    assert result.conversation == again.conversation
    assert result.measurements == again.measurements
    assert result == again


@pytest.mark.parametrize(
    ("value", "kept"),
    [
        (dt.date(2025, 1, 2), "2025-01-02"),
        ({1: "a"}, {"1": "a"}),
        ({("a", 1): "b"}, {"('a', 1)": "b"}),
        (math, str(math)),
        ({"deep": [object]}, {"deep": [str(object)]}),
    ],
)
def test_what_json_does_not_know_becomes_text(value, kept):
    """A tool may return anything; writing it down must not fail."""
    assert kept == AgentTrace(tool_calls=[ToolCall(name="a", result=value)]).to_dict()["tool_calls"][0]["result"]


@pytest.mark.parametrize(
    ("model", "data", "message"),
    [
        (AgentTrace, {"trace_id": ""}, "AgentTrace.trace_id: must not be blank"),
        (
            AgentTrace,
            {"messages": [{"role": "user", "content": 1}]},
            "AgentTrace: Expected str, got int - at $.messages[0].content",
        ),
        (AgentTrace, {"latency": -1}, "AgentTrace.latency: must be a finite number of at least 0, got -1.0"),
        (AgentTrace, "a", "AgentTrace: Expected object, got str"),
        (EvaluationResult, {}, "EvaluationResult: Object missing required field trace_id"),
    ],
)
def test_data_that_does_not_fit_is_refused_with_its_path(model, data, message):
    """The path of the wrong value is named, and the model only once."""
    with pytest.raises(ModelError) as raised:
        model.from_dict(data)
    assert message == str(raised.value)


@pytest.mark.parametrize("window", [[0, 3], [1, 1], [-1, 1]])
def test_window_that_does_not_lie_in_the_turns_is_refused(window):
    """A window is checked when it is read."""
    data = Conversation.of([turn("a", "b"), turn("c", "d")]).to_dict() | {"window": window}
    with pytest.raises(ValueError, match=rf"The window {window[0]} to {window[1]} does not lie in 2 turns\."):
        Conversation.from_dict(data)
