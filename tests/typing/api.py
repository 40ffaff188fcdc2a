"""What a user writes, for the type checker: never run, checked by ``make types``."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from typing import assert_type

import uaef
from uaef import checks
from uaef.api import abatch_evaluate, aevaluate, batch_evaluate, evaluate
from uaef.data.ground_truth import build_multi_turn_ground_truth, load_ground_truth_file
from uaef.llm_judge import Judge
from uaef.metrics import Metric, get_metric, latency_score, list_metrics, metric, whole
from uaef.models import (
    AgentTrace,
    Conversation,
    DimensionResult,
    EvaluationResult,
    GroundTruth,
    Message,
    MessageRole,
    MetricScore,
    MultiAgentTrace,
    ScoreStatus,
    SessionDict,
    ToolCall,
    ToolStatus,
    Turn,
    Verdict,
)
from uaef.testing import ScriptedJudge

CALL = ToolCall(name="find_rooms", arguments={"city": "Oslo", "nights": 2}, result=["Fjord View"])
TRACE = AgentTrace(
    trace_id=uuid.uuid4(),
    messages=[
        Message(role=MessageRole.USER, content="A room in Oslo, please."),
        Message(role="assistant", content="Fjord View is free.", tool_calls=[CALL]),
    ],
    latency=1,
    metadata={"turn_id": 1},
)
EXPECTED = GroundTruth(expected_output="Fjord View", expected_tool_calls=[CALL])


@metric(dimension="Style", scope=whole)
def is_brief(window: Conversation, *, most_words: int = 50) -> tuple[bool, str]:
    """Whether the answer is short."""
    words = len(window.answer.split())
    return words <= most_words, f"{words} words"


class Polite(Metric):
    """A metric in the long form."""

    name = "polite"
    dimension = "Style"

    def measure(self, window: Conversation) -> MetricScore:
        """Whether the answer says please."""
        return self.scored("please" in window.answer, "a word", counted=1)


def evaluates_what_was_recorded() -> None:
    """Each kind of input, with names and metrics mixed, and each option."""
    assert_type(evaluate(trace=TRACE, ground_truth=EXPECTED, metrics=["coherence"]), EvaluationResult)
    assert_type(evaluate(MultiAgentTrace(messages=TRACE.messages)), EvaluationResult)
    assert_type(evaluate(Conversation.of([TRACE, TRACE]), {"expected_output": "Fjord View"}), EvaluationResult)
    session: SessionDict = {"session_id": "s", "per_turn_traces": [TRACE], "full_trace": TRACE}
    judge = ScriptedJudge({"coherence": 0.5})
    results = batch_evaluate(
        [TRACE, session],
        [EXPECTED, None],
        ["coherence", latency_score(target_s=1.5), is_brief(most_words=20), Polite().on(whole)],
        progress=True,
        judge=judge,
        metric_params={"turn_efficiency": {"expected_turns": 4}},
        dimension_weights={"Multi-Turn": 1},
        thresholds={"Multi-Turn": 0.7},
        max_concurrency=4,
    )
    assert_type(results, list[EvaluationResult])
    assert_type(uaef.batch_evaluate([TRACE]), list[EvaluationResult])
    _: Judge = judge


async def evaluates_in_a_running_loop() -> None:
    """The same, to be awaited."""
    assert_type(
        await aevaluate(TRACE, EXPECTED, metric_set={"Tool Calling": ["parameter_quality"]}), EvaluationResult
    )
    assert_type(await abatch_evaluate([TRACE], [EXPECTED], judge=None), list[EvaluationResult])


def reads_results(result: EvaluationResult) -> None:
    """What a result answers."""
    assert_type(result.passed, bool)
    assert_type(result.verdict, Verdict | None)
    assert_type(result.overall_score, float | None)
    assert_type(result.broken_turn, int | None)
    assert_type(result.failures, list[str])
    assert_type(result.to_dict(), dict[str, object])
    for dimension in result.dimension_results:
        assert_type(dimension, DimensionResult)
        for score in dimension.metric_scores:
            assert_type(score.score, float | None)
            assert_type(score.status, ScoreStatus)


def slices_conversations(conversation: Conversation) -> None:
    """A turn is a conversation, and so is any stretch of turns."""
    assert_type(conversation[2], Conversation)
    assert_type(conversation[1:3], Conversation)
    assert_type([turn.answer for turn in conversation], list[str])
    assert_type(conversation.turns, tuple[Turn, ...])
    assert_type(conversation.tool_calls, list[ToolCall])
    assert_type(conversation.expected, GroundTruth | None)


def reads_models(trace: AgentTrace, call: ToolCall) -> None:
    """What was left out is filled in where it follows, and then it is there for the type checker too."""
    assert_type(trace.trace_id, str)
    assert_type(trace.tool_calls, list[ToolCall])
    assert_type(trace.cost, float | None)
    assert_type(call.status, ToolStatus)
    assert_type(call.arguments, dict[str, object])
    assert_type(AgentTrace.from_dict(trace.to_dict()), AgentTrace)


def finds_metrics_and_ground_truth(path: str) -> None:
    """The catalogue by name, and what a file expects."""
    assert_type(get_metric("coherence"), Metric)
    assert_type(list_metrics(), list[str])
    rows = load_ground_truth_file(path)
    assert_type(build_multi_turn_ground_truth(rows), GroundTruth)
    given: Mapping[str, object] = rows[0]
    assert_type(evaluate(TRACE, given), EvaluationResult)


def checks_are_typed() -> list[Metric]:
    """A check takes what it says it takes, and is a metric."""
    checks.includes(5)  # type: ignore[arg-type]
    checks.includes("Oslo", ignorecase=True)  # type: ignore[call-arg]
    checks.includes("Oslo", where="last")  # type: ignore[arg-type]
    checks.called_tool("find_rooms", times="2")  # type: ignore[arg-type]
    checks.tool_order("find_rooms")  # type: ignore[arg-type]
    return [
        checks.includes("Oslo", ignore_case=False, where="final"),
        checks.called_tool("find_rooms", {"city": "Oslo"}, times=2),
        checks.did_not_call("refund", lambda given: given["amount"] == 5),
        checks.numbers_match([1, 2.5], tolerance=0.1),
        checks.all_of(checks.no_tool_errors(), {"excludes": "sorry"}, "used_no_tools").on(whole),
        checks.check(lambda window: len(window.answer) < 100, name="short"),
    ]
