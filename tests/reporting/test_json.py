"""Results as JSON: nothing is lost on the way there and back, and nothing stops them on the way there."""

from __future__ import annotations

import datetime as dt
import json
import uuid
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.reporting.played import answered, ruled

import uaef
from uaef import AgentTrace, Conversation, GroundTruth, Message, MultiAgentTrace, ToolCall, metric
from uaef.api import batch_evaluate, evaluate
from uaef.errors import DataError
from uaef.models import CoordinationEvent, Turn, WorkflowStatus
from uaef.models.whole import Whole
from uaef.reporting.json import results_from_json, results_to_json, run_from_json, run_to_json
from uaef.testing import ScriptedJudge

NOON = dt.datetime(2026, 5, 14, 12, tzinfo=dt.UTC)

# A file of the first version, as short as its readers accept. It stays readable.
FIRST_VERSION = """{"schema": "uaef.results/1", "uaef": "0.1.0", "results": [{"trace_id": "t1", "verdict": "failed",
"failures": ["Tone: score 0.500 below threshold 0.700"], "missed": ["Tone"], "broken_turn": 1, "overall_score": 0.5,
"dimension_results": [{"dimension_name": "Tone", "metric_scores": [{"metric_name": "polite", "score": 0.5}]}],
"measurements": [{"slice_name": "c", "turns": [1], "whole": true, "metric": "polite", "dimension": "Tone",
"score": {"metric_name": "polite", "score": 0.5, "status": "scored"}}], "conversation": {"name": "c", "turns":
[{"trace": {"trace_id": "t1", "messages": [{"role": "user", "content": "hi"}]}, "number": 1}], "expected": null,
"tags": [], "trial": 0, "recorded": null, "window": [0, 1]}}]}"""


def said(text, **fields):
    """What a user said and an agent answered."""
    return [Message(role="user", content=text), Message(role="assistant", content="Done.", agent="desk", **fields)]


def rich_results():
    """Results of every kind: several agents, ground truth by turn, a window, a judge, failures, no conversation."""
    call = ToolCall(name="cancel", arguments={"id": 7}, result={"ok": True}, timestamp=NOON)
    one = AgentTrace(messages=said("Cancel it.", tool_calls=[call]), latency=1.5, cost=0, timestamp=NOON)
    team = MultiAgentTrace(
        messages=said("And?"),
        coordination_events=[
            CoordinationEvent(from_agent="desk", to_agent="back", event_type="HANDOFF", message="go")
        ],
        workflow_status=WorkflowStatus.PARTIAL,
    )
    truth = GroundTruth(
        expected_output="It is cancelled.",
        turns={
            1: GroundTruth(expected_tool_calls=[ToolCall(name="cancel")], context_documents=["Rule 5."]),
            2: GroundTruth(expected_output="That is all.", expected_tool_calls=[]),
        },
    )
    single = Conversation.of([one, one], name="single", expected=truth, tags=["gold"], trial=2)
    shown = Turn(trace=team, number=4, tags=("late",), shown=(Message(role="user", content="Before."),))
    window = Conversation(Whole(name="team", turns=(Turn(trace=team, number=3), shown), recorded=team), 1, 2)
    judge = ScriptedJudge({"coherence": 0.5, "accuracy": RuntimeError("no network")}, default=0.9996)
    return [
        evaluate(
            single, truth, metrics=["tool_selection_accuracy", "coherence", "accuracy", "latency_score"], judge=judge
        ),
        evaluate(single, truth),
        evaluate(window),
        evaluate(team, thresholds={"Multi-Agent": 1.0}),
        *batch_evaluate([{"session_id": "unreadable"}]),
    ]


def test_round_trip_loses_nothing():
    """Results of every kind come back equal, and are written the same again."""
    results = rich_results()
    text = results_to_json(results)
    back = results_from_json(text)
    assert results == back
    assert text == results_to_json(back)
    assert results == results_from_json(text.encode())


def test_a_window_comes_back_with_its_whole():
    """A window keeps what came before it, its own turn's tags and what the agent was shown."""
    window = rich_results()[2].conversation
    back = Conversation.from_dict(json.loads(json.dumps(window.to_dict())))
    assert window == back
    assert ("team#4", ("late",), ["Before."]) == (back.name, back.tags, [m.content for m in back.history])


def test_document_names_its_format_and_its_author():
    """The document says what it is, so that a later reader knows what it holds."""
    document = json.loads(results_to_json([]))
    assert {"schema": "uaef.results/1", "uaef": uaef.__version__, "results": []} == document


def test_first_version_stays_readable():
    """A file of the first version is read, whatever has been added since."""
    (result,) = results_from_json(FIRST_VERSION)
    assert ("c", "failed", 1, 0.5) == (
        result.conversation.name,
        result.verdict,
        result.broken_turn,
        result.measurements[0].score.score,
    )


class _Stranger:
    def __str__(self):
        return "a stranger"


class _Text(str):
    __slots__ = ()


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (float("nan"), "nan"),
        (float("-inf"), "-inf"),
        (_Stranger(), "a stranger"),
        ({(1, 2): {3: _Stranger()}}, {"(1, 2)": {"3": "a stranger"}}),
        ({None: 1, True: 2}, {"None": 1, "True": 2}),
        ((1, {2}), [1, [2]]),
        (_Text("text"), "text"),
        (NOON, "2026-05-14T12:00:00Z"),
        (uuid.UUID(int=5), "00000000-0000-0000-0000-000000000005"),
        (Decimal("1.50"), "1.50"),
        (b"\xff", "/w=="),
        (2**80, 2**80),
        ("\ud800 and 한국어", "\ud800 and 한국어"),
        (ToolCall, str(ToolCall)),
    ],
)
def test_what_json_has_no_word_for_becomes_text(value, written):
    """Anything may stand in recorded metadata; the document is strict JSON all the same, and can be encoded."""
    trace = AgentTrace(messages=[Message(role="user", content="\udc80", metadata={"odd": value})])
    text = results_to_json([evaluate(trace, metrics=["prompt_injection_detection"])])

    def refuse(constant):
        raise AssertionError(constant)

    document = json.loads(text.encode(), parse_constant=refuse)
    message = document["results"][0]["conversation"]["turns"][0]["trace"]["messages"][0]
    assert ("\udc80", {"odd": written}) == (message["content"], message["metadata"])
    assert text == results_to_json(results_from_json(text))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "These results are not valid JSON: Expecting property name"),
        (b"\xff", "These results are not valid JSON: 'utf-8' codec can't decode byte 0xff"),
        ("[" * 100_000, "These results are not valid JSON: maximum recursion depth exceeded"),
        ("[]", "Expected an object with schema 'uaef.results/1' and a list of results, got a list."),
        (
            '{"schema": "uaef.results/9"}',
            "Expected an object with schema 'uaef.results/1' and a list of results, got",
        ),
        ('{"schema": "uaef.results/1", "results": 3}', "Expected an object with schema 'uaef.results/1' and a list"),
        (
            '{"schema": "uaef.results/1", "results": [{}]}',
            "results[0]: EvaluationResult: Object missing required field",
        ),
        (
            FIRST_VERSION.replace("[0, 1]", "[0, 9]"),
            "results[0]: EvaluationResult: The window 0 to 9 does not lie in 1",
        ),
        (
            FIRST_VERSION.replace('"content": "hi"', '"text": 1'),
            "results[0]: EvaluationResult: trace: AgentTrace: Object",
        ),
        (FIRST_VERSION.replace('"number": 1', '"nr": 1'), "results[0]: EvaluationResult: Turn: "),
    ],
)
def test_what_is_not_such_a_document_is_refused(text, message):
    """A reader is told what is wrong, and in which result."""
    with pytest.raises(DataError) as raised:
        results_from_json(text)
    assert str(raised.value).startswith(message)


_JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False, allow_infinity=False), st.text()),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.text(), inner, max_size=3)),
    max_leaves=8,
)


@given(st.dictionaries(st.text(), _JSON, max_size=3), st.lists(st.floats(0, 1), min_size=1, max_size=4))
def test_round_trip_of_any_json(metadata, scores):
    """Whatever JSON a recording and a score carry, and however long a number is, comes back the same."""

    @metric(dimension="Performance")
    def noted(turn):
        return noted.scored(scores[turn.numbers[0] - 1], "because", details=metadata)

    traces = [AgentTrace(metadata=metadata | {"turn_id": n}) for n in range(1, len(scores) + 1)]
    results = [evaluate(Conversation.of(traces, name="any"), metrics=[noted])]
    assert results == results_from_json(results_to_json(results))


def test_a_run_brings_the_rules_of_its_gate():
    """Rule by rule, and nothing where there are none; who reads the run reads it as before."""
    run = answered("sun")
    text = run_to_json(run, gate=ruled("missed", "met"))
    rules = json.loads(text)["gate"]
    assert [("pass_rate 1", "missed"), ("pass_rate 2", "met")] == [(each["rule"], each["decision"]) for each in rules]
    assert "a fell" == rules[0]["evidence"][0]["text"]
    assert run.to_dict() == run_from_json(text).to_dict()
    assert {"schema", "uaef", "run"} == json.loads(run_to_json(run, gate=ruled())).keys()
