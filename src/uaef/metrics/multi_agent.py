"""Multi-Agent: how agents share the work. Not applicable where a single agent acted."""

from __future__ import annotations

import math
from statistics import fmean, pstdev
from typing import Annotated

from msgspec import Meta

from uaef.metrics.base import metric
from uaef.metrics.judged import judged
from uaef.models.conversation import Conversation
from uaef.models.message import MessageRole
from uaef.models.scores import MetricScore
from uaef.models.traces import MultiAgentTrace

DIMENSION = "Multi-Agent"

Ratio = Annotated[float, Meta(ge=0, lt=1)]


def _work(window: Conversation) -> dict[str, int]:
    """Messages and tool calls by agent."""
    work = dict.fromkeys(window.agents, 0)
    for message in window.messages:
        if message.agent in work and message.role is MessageRole.ASSISTANT:
            work[message.agent] += 1
    for call in window.tool_calls:
        if call.agent in work:
            work[call.agent] += 1
    return work


@metric(dimension=DIMENSION, needs=("several_agents",))
def agent_utilization(window: Conversation) -> MetricScore:
    """How evenly the agents shared the work.

    exp(-CV), where CV is the coefficient of variation (population standard deviation / mean) of each agent's
    messages and tool calls; no work at all is 1. Even is not always ideal: read it beside the roles.
    """
    work = _work(window)
    if not work:
        return agent_utilization.not_applicable("no message names its agent", warning="missing_data")
    mean = fmean(work.values())
    variation = pstdev(work.values()) / mean if mean else 0.0
    return agent_utilization.scored(
        math.exp(-variation),
        ", ".join(f"{name} {count}" for name, count in work.items()),
        agent_metrics=work,
        cv=variation,
        underutilized=[name for name, count in work.items() if count < mean / 2],
        overutilized=[name for name, count in work.items() if count > mean * 1.5],
    )


@metric(dimension=DIMENSION, needs=("several_agents",))
def coordination_efficiency(window: Conversation, *, ideal_ratio: Ratio = 0.10) -> MetricScore:
    """How little handing over the work took.

    With r = coordination events / (messages + tool calls): 1 up to the ideal ratio, exp(-5 (r - ideal)) beyond.
    """
    trace = window.trace
    events = len(trace.coordination_events) if isinstance(trace, MultiAgentTrace) else 0
    work = sum(_work(window).values())
    if not work:
        return coordination_efficiency.not_applicable("no agent did anything", warning="missing_data")
    ratio = events / work
    return coordination_efficiency.scored(
        1.0 if ratio <= ideal_ratio else math.exp(-5 * (ratio - ideal_ratio)),
        f"{events} handovers for {work} messages and tool calls",
        coordination_events=events,
        total_work=work,
        ratio=ratio,
        ideal_ratio=ideal_ratio,
    )


delegation_quality = judged("delegation_quality")
workflow_completion = judged("workflow_completion")

METRICS = (agent_utilization, delegation_quality, workflow_completion, coordination_efficiency)
