"""Multi-Agent: how the work is shared, worked out by hand."""

from __future__ import annotations

import math

import pytest

from uaef.api import evaluate
from uaef.metrics import coordination_efficiency
from uaef.models import AgentTrace, CoordinationEvent, Message, MultiAgentTrace, ScoreStatus, ToolCall
from uaef.testing import ScriptedJudge, turn

HANDOVER = CoordinationEvent(from_agent="desk", to_agent="shop", event_type="HANDOFF", message="over to you")


def team(work, events=0, **recorded):
    """A trace in which these agents did so much work each, half of it tool calls, with so many handovers."""
    messages = [Message(role="user", content="Hi")]
    calls = []
    for agent, amount in work.items():
        messages += [Message(role="assistant", content="done", agent=agent)] * (amount - amount // 2)
        calls += [ToolCall(name="find", agent=agent)] * (amount // 2)
    return MultiAgentTrace(messages=messages, tool_calls=calls, coordination_events=[HANDOVER] * events, **recorded)


def found(metric, trace):
    """The score of this trace."""
    return evaluate(trace, metrics=[metric], judge=ScriptedJudge({}, default=0.5)).measurements[0].score


@pytest.mark.parametrize(
    ("work", "variation"),
    [
        ({"desk": 4, "shop": 4}, 0.0),
        ({"desk": 1}, 0.0),
        ({"desk": 2, "shop": 6}, 2 / 4),  # mean 4, both 2 away: deviation 2
        ({"desk": 1, "shop": 1, "till": 4}, math.sqrt(2) / 2),  # mean 2, variance (1 + 1 + 4) / 3 = 2
    ],
)
def test_agent_utilization(work, variation):
    """exp(-CV), with the population's deviation of the agents' messages and tool calls."""
    result = found("agent_utilization", team(work))
    assert math.exp(-variation) == pytest.approx(result.score)
    assert work == result.metadata["agent_metrics"]
    assert variation == pytest.approx(result.metadata["cv"])


def test_agent_utilization_names_those_far_from_the_mean():
    """Below half of the mean, above one and a half of it."""
    result = found("agent_utilization", team({"desk": 1, "shop": 4, "till": 10}))  # mean 5
    assert (["desk"], ["till"]) == (result.metadata["underutilized"], result.metadata["overutilized"])
    assert "desk 1, shop 4, till 10" == result.reasoning


def test_agents_that_did_nothing_shared_nothing_unevenly():
    """No work at all is shared evenly."""
    assert 1.0 == found("agent_utilization", MultiAgentTrace(agent_traces={"desk": AgentTrace()})).score


@pytest.mark.parametrize(
    ("events", "work", "score"),
    [
        (0, {"desk": 4}, 1.0),
        (1, {"desk": 5, "shop": 5}, 1.0),  # 0.1, the ideal
        (1, {"desk": 2, "shop": 3}, math.exp(-5 * (0.2 - 0.1))),
        (3, {"desk": 3}, math.exp(-5 * 0.9)),
    ],
)
def test_coordination_efficiency(events, work, score):
    """1 up to a tenth of handovers per piece of work, exp(-5 (r - 0.1)) beyond."""
    assert score == pytest.approx(found("coordination_efficiency", team(work, events)).score)


def test_ideal_ratio_is_a_parameter():
    """A short run of two agents is all handover; who finds that in order says so."""
    result = found(coordination_efficiency(ideal_ratio=0.5), team({"desk": 1, "shop": 1}, 1))
    assert (1.0, "1 handovers for 2 messages and tool calls") == (result.score, result.reasoning)
    assert {"coordination_events": 1, "total_work": 2, "ratio": 0.5, "ideal_ratio": 0.5} == result.metadata


@pytest.mark.parametrize(
    ("metric", "reasoning"),
    [
        ("agent_utilization", "no message names its agent"),
        ("coordination_efficiency", "no agent did anything"),
    ],
)
def test_without_named_agents_there_is_nothing_to_measure(metric, reasoning):
    """Messages of nobody are nobody's work."""
    result = found(metric, MultiAgentTrace(messages=turn("a", "b").messages))
    assert (None, "missing_data", reasoning) == (result.score, result.metadata["warning"], result.reasoning)


@pytest.mark.parametrize(
    "metric", ["agent_utilization", "coordination_efficiency", "delegation_quality", "workflow_completion"]
)
def test_one_agent_alone_is_no_team(metric):
    """On the trace of a single agent these metrics do not apply, so they lower nothing."""
    result = found(metric, turn("a", "b"))
    assert (None, ScoreStatus.NOT_APPLICABLE, "not_applicable", "a single agent acted") == (
        result.score,
        result.status,
        result.metadata["warning"],
        result.reasoning,
    )


def test_delegation_needs_a_handover():
    """Without one, a judge has nothing to judge, and is not asked."""
    judge = ScriptedJudge({"delegation_quality": 0.75})
    scores = [
        evaluate(team({"desk": 1, "shop": 1}, n), metrics=["delegation_quality"], judge=judge).measurements[0].score
        for n in (0, 1)
    ]
    assert [(None, "no agent handed anything over"), (0.75, "scripted: 0.75")] == [
        (s.score, s.reasoning) for s in scores
    ]
    assert 1 == len(judge.asked)


def test_a_failing_agent_of_the_default_set_counts_for_one_agent_nowhere():
    """A flawless trace of one agent is not pulled down by a Multi-Agent dimension of 0, as it used to be."""
    result = evaluate(turn("a", "b", latency=1.0))
    assert "Multi-Agent" not in {d.dimension_name for d in result.dimension_results}
    assert 1.0 == result.overall_score
