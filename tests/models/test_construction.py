"""A model that is built holds what its annotations say, or says in one sentence why it cannot."""

from __future__ import annotations

import datetime as dt
import uuid

import pytest

from uaef.errors import ModelError
from uaef.models import (
    AgentTrace,
    Ask,
    Case,
    CoordinationEvent,
    GroundTruth,
    Message,
    MessageRole,
    MetricScore,
    MultiAgentTrace,
    ScoreStatus,
    ToolCall,
    ToolStatus,
    Turn,
    WorkflowStatus,
)

NAIVE = dt.datetime(2025, 1, 2, 3, 4, 5)  # noqa: DTZ001 - what is refused
HANDOVER = {"from_agent": "desk", "to_agent": "shop", "event_type": "HANDOFF", "message": "over to you"}


@pytest.mark.parametrize(
    ("model", "fields", "message"),
    [
        (ToolCall, {"name": ""}, "ToolCall.name: must not be blank"),
        (ToolCall, {"name": " \n"}, "ToolCall.name: must not be blank"),
        (ToolCall, {"name": 5}, "ToolCall.name: Expected str, got int"),
        (ToolCall, {"name": None}, "ToolCall.name: Expected str, got null"),
        (ToolCall, {"name": "a", "arguments": "b"}, "ToolCall.arguments: Expected object, got str"),
        (ToolCall, {"name": "a", "status": "lost"}, "ToolCall.status: Invalid enum value 'lost'"),
        (
            ToolCall,
            {"name": "a", "execution_time": -0.1},
            "ToolCall.execution_time: must be a finite number of at least 0, got -0.1",
        ),
        (
            ToolCall,
            {"name": "a", "timestamp": NAIVE},
            "ToolCall.timestamp: needs a time zone; for UTC write .replace(tzinfo=datetime.UTC)",
        ),
        (Message, {"role": "robot", "content": ""}, "Message.role: Invalid enum value 'robot'"),
        (Message, {"role": "user", "content": None}, "Message.content: Expected str, got null"),
        (Message, {"role": "user", "content": ["a"]}, "Message.content: Expected str, got array"),
        (
            Message,
            {"role": "user", "content": "", "tool_calls": [{}]},
            "Message.tool_calls: Object missing required field name - at tool_calls[0]",
        ),
        (
            Message,
            {"role": "user", "content": "", "timestamp": "2025-01-02T03:04:05"},
            "Message.timestamp: needs a time zone; for UTC write .replace(tzinfo=datetime.UTC)",
        ),
        (AgentTrace, {"trace_id": ""}, "AgentTrace.trace_id: must not be blank"),
        (AgentTrace, {"trace_id": "  "}, "AgentTrace.trace_id: must not be blank"),
        (AgentTrace, {"trace_id": None}, "AgentTrace.trace_id: Expected str, got null"),
        (AgentTrace, {"trace_id": 7}, "AgentTrace.trace_id: Expected str, got int"),
        (AgentTrace, {"session_id": ""}, "AgentTrace.session_id: must not be blank"),
        (AgentTrace, {"messages": "hello"}, "AgentTrace.messages: Expected array, got str"),
        (AgentTrace, {"messages": ["hello"]}, "AgentTrace.messages: Expected object, got str - at messages[0]"),
        (AgentTrace, {"input_tokens": "9"}, "AgentTrace.input_tokens: Expected int | null, got str"),
        (AgentTrace, {"input_tokens": True}, "AgentTrace.input_tokens: must be a number, got True"),
        (AgentTrace, {"output_tokens": 1.5}, "AgentTrace.output_tokens: Expected int | null, got float"),
        (
            AgentTrace,
            {"output_tokens": -1},
            "AgentTrace.output_tokens: must be a finite number of at least 0, got -1",
        ),
        (AgentTrace, {"latency": float("nan")}, "AgentTrace.latency: must be a finite number of at least 0, got nan"),
        (AgentTrace, {"cost": float("inf")}, "AgentTrace.cost: must be a finite number of at least 0, got inf"),
        (AgentTrace, {"metadata": [1]}, "AgentTrace.metadata: Expected object, got array"),
        (MultiAgentTrace, {"trace_id": ""}, "MultiAgentTrace.trace_id: must not be blank"),
        (MultiAgentTrace, {"workflow_status": "done"}, "MultiAgentTrace.workflow_status: Invalid enum value 'done'"),
        (
            MultiAgentTrace,
            {"agent_traces": {"desk": 5}},
            "MultiAgentTrace.agent_traces: Expected object, got int - at agent_traces[...]",
        ),
        (
            MultiAgentTrace,
            {"total_cost": -1},
            "MultiAgentTrace.total_cost: must be a finite number of at least 0, got -1.0",
        ),
        (CoordinationEvent, HANDOVER | {"to_agent": " "}, "CoordinationEvent.to_agent: must not be blank"),
        (CoordinationEvent, HANDOVER | {"event_id": ""}, "CoordinationEvent.event_id: must not be blank"),
        (Turn, {"trace": "a", "number": 1}, "Turn.trace: Expected AgentTrace | MultiAgentTrace, got str"),
        (Ask, {"user": " "}, "Ask.user: must not be blank"),
        (Case, {"case_id": "", "asks": [{"user": "a"}]}, "Case.case_id: must not be blank"),
        (Case, {"case_id": "a", "asks": []}, "Case.asks: must hold at least one ask"),
        (Case, {"case_id": "a", "asks": [{}]}, "Case.asks: Object missing required field user - at asks[0]"),
        (GroundTruth, {"expected_output": 5}, "GroundTruth.expected_output: Expected str | null, got int"),
        (GroundTruth, {"context_documents": "a"}, "GroundTruth.context_documents: Expected array, got str"),
        (MetricScore, {"metric_name": " "}, "MetricScore.metric_name: must not be blank"),
        (MetricScore, {"metric_name": "a", "score": 1.01}, "MetricScore.score: a must lie in [0, 1], got 1.01"),
        (MetricScore, {"metric_name": "a", "score": -0.0001}, "MetricScore.score: a must lie in [0, 1], got -0.0001"),
        (
            MetricScore,
            {"metric_name": "a", "score": float("nan")},
            "MetricScore.score: a must lie in [0, 1], got nan",
        ),
        (MetricScore, {"metric_name": "a", "score": True}, "MetricScore.score: Expected float | null, got bool"),
        (
            MetricScore,
            {"metric_name": "a", "score": 0.5, "status": "failed"},
            "MetricScore.status: failed and score 0.5 contradict each other",
        ),
        (
            MetricScore,
            {"metric_name": "a", "status": "scored"},
            "MetricScore.status: scored and score None contradict each other",
        ),
    ],
)
def test_wrong_values_are_refused_by_name(model, fields, message):
    """The error names the model, the field and what was expected of it."""
    with pytest.raises(ModelError) as raised:
        model(**fields)
    assert message == str(raised.value)


def test_unknown_fields_are_refused():
    """A misspelt field is an error and not a field that nobody reads."""
    with pytest.raises(TypeError, match="latencey"):
        AgentTrace(latencey=1.0)


def test_values_that_mean_the_same_are_converted():
    """Role names, dicts for models, tuples for lists, whole numbers for floats: taken as what they mean."""
    trace = AgentTrace(
        messages=({"role": "user", "content": "Hi"}, Message(role="assistant", content="Hello")),
        tool_calls=[{"name": "look_up", "status": "denied"}],
        latency=2,
    )
    assert [MessageRole.USER, MessageRole.ASSISTANT] == [m.role for m in trace.messages]
    assert list is type(trace.messages)
    assert (ToolStatus.DENIED, "look_up") == (trace.tool_calls[0].status, trace.tool_calls[0].name)
    assert WorkflowStatus.PARTIAL is MultiAgentTrace(workflow_status="partial").workflow_status


def test_trace_id_is_any_text_or_a_uuid():
    """Text and UUIDs are taken; what is left out is made up, differently each time."""
    number = uuid.uuid4()
    assert "trace_001" == AgentTrace(trace_id="trace_001").trace_id
    assert str(number) == AgentTrace(trace_id=number).trace_id
    assert str(number) == MultiAgentTrace(trace_id=number).trace_id
    assert str(number) == CoordinationEvent(**HANDOVER, event_id=number).event_id
    made_up = {AgentTrace().trace_id, AgentTrace().trace_id, MultiAgentTrace().trace_id}
    assert 3 == len({uuid.UUID(text) for text in made_up})


@pytest.mark.parametrize(
    "given",
    [
        dt.datetime(2025, 1, 2, 5, 4, 5, tzinfo=dt.timezone(dt.timedelta(hours=2))),
        dt.datetime(2025, 1, 2, 3, 4, 5, tzinfo=dt.UTC),
        "2025-01-02T03:04:05Z",
        "2025-01-02T08:34:05+05:30",
    ],
)
def test_timestamps_are_kept_in_utc(given):
    """A time in any zone, or its text, becomes the same moment in UTC."""
    moment = dt.datetime(2025, 1, 2, 3, 4, 5, tzinfo=dt.UTC)
    for model, fields in (
        (Message, {"role": "user", "content": ""}),
        (ToolCall, {"name": "a"}),
        (AgentTrace, {}),
        (MultiAgentTrace, {}),
        (CoordinationEvent, HANDOVER),
    ):
        kept = model(**fields, timestamp=given).timestamp
        assert (moment, dt.UTC) == (kept, kept.tzinfo)


def test_timestamps_are_optional():
    """Nobody makes up a time that was not recorded."""
    assert AgentTrace().timestamp is None
    assert ToolCall(name="a").timestamp is None


@pytest.mark.parametrize(
    ("fields", "status"),
    [
        ({}, ToolStatus.COMPLETED),
        ({"result": {"rooms": 3}}, ToolStatus.COMPLETED),
        ({"error": "no such table"}, ToolStatus.FAILED),
        ({"error": "no such table", "status": "denied"}, ToolStatus.DENIED),
        ({"status": "pending"}, ToolStatus.PENDING),
    ],
)
def test_tool_call_status_follows_from_the_error(fields, status):
    """A call with an error failed, any other was completed, unless the recording says otherwise."""
    assert status is ToolCall(name="a", **fields).status


@pytest.mark.parametrize(
    ("warning", "status"),
    [
        (None, ScoreStatus.NOT_APPLICABLE),
        ("missing_data", ScoreStatus.NOT_APPLICABLE),
        ("invalid_data", ScoreStatus.NOT_APPLICABLE),
        ("not_applicable", ScoreStatus.NOT_APPLICABLE),
        ("no_judge", ScoreStatus.FAILED),
        ("api_error", ScoreStatus.FAILED),
        ("invalid_verdict", ScoreStatus.FAILED),
        ("metric_error", ScoreStatus.FAILED),
        ("agent_error", ScoreStatus.FAILED),
    ],
)
def test_score_status_follows_from_the_warning(warning, status):
    """Nothing to measure and a failure to measure differ, by the documented warning."""
    metadata = {} if warning is None else {"warning": warning}
    assert status is MetricScore(metric_name="a", metadata=metadata).status


@pytest.mark.parametrize("score", [0, 0.0, 0.5, 1, 1.0])
def test_score_with_a_number_is_scored(score):
    """Zero is a number like any other."""
    made = MetricScore(metric_name="a", score=score)
    assert (ScoreStatus.SCORED, float(score)) == (made.status, made.score)


def test_models_do_not_change():
    """A field of a model cannot be set after it was built."""
    with pytest.raises(AttributeError):
        AgentTrace().latency = 1.0


def test_defaults_are_not_shared():
    """Each model has containers of its own."""
    first, second = AgentTrace(), AgentTrace()
    first.metadata["turn_id"] = 4
    first.messages.append(Message(role="user", content="Hi"))
    assert ({}, []) == (second.metadata, second.messages)
