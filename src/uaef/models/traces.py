"""Traces: what was recorded of an agent, or of several that work together. Facts, no opinion."""

from __future__ import annotations

import datetime as dt
import math
import uuid
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import StrEnum
from typing import Any, TypeVar

import msgspec

from uaef.errors import DataError, ModelError
from uaef.models.base import DERIVED, Identifier, Model, replaced
from uaef.models.message import Message, MessageRole
from uaef.models.tool_call import ToolCall

_GENERATED: Any = msgspec.field(default_factory=lambda: str(uuid.uuid4()))
"""The default of an identifier: one made up."""
_Item = TypeVar("_Item", Message, ToolCall)


class AgentTrace(Model, frozen=True):
    """What one agent did: for a turn, or for a whole conversation.

    Attributes:
        trace_id: any non-empty string or UUID; one is made up when it is left out.
        session_id: the conversation it belongs to.
        messages: what was said, in order.
        tool_calls: the calls made, in order; left out, they are those that the messages carry.
        input_tokens: tokens read by the model, at least 0; ``None`` is unknown, never 0.
        output_tokens: tokens written by the model, at least 0.
        latency: seconds, at least 0.
        cost: dollars, at least 0; 0 is a price, ``None`` is unknown.
        metadata: anything else; ``turn_id`` numbers the turn.
        framework: what recorded it, for example ``"langgraph"``.
        timestamp: when it began; time zone required, kept in UTC.
    """

    trace_id: Identifier = _GENERATED
    session_id: str | None = None
    messages: list[Message] = []
    tool_calls: list[ToolCall] = DERIVED
    input_tokens: int | None = None
    output_tokens: int | None = None
    latency: float | None = None
    cost: float | None = None
    metadata: dict[str, object] = {}
    framework: str | None = None
    timestamp: dt.datetime | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        self._not_blank("trace_id", "session_id")
        self._not_negative("input_tokens", "output_tokens", "latency", "cost")
        self._aware()
        if self._left_out("tool_calls"):
            self._set("tool_calls", _carried(self.messages))

    @property
    def agents(self) -> tuple[str, ...]:
        """The names of those who spoke or called a tool, first seen first."""
        return _names(self)


class CoordinationEvent(Model, frozen=True):
    """One agent handing something to another.

    Attributes:
        from_agent: who hands over.
        to_agent: who takes over.
        event_type: for example ``"HANDOFF"``.
        message: what was said about it.
        event_id: any non-empty string or UUID; made up when left out.
        timestamp: when; time zone required, kept in UTC.
        metadata: anything else.
    """

    from_agent: str
    to_agent: str
    event_type: str
    message: str
    event_id: Identifier = _GENERATED
    timestamp: dt.datetime | None = None
    metadata: dict[str, object] = {}

    def __post_init__(self) -> None:
        super().__post_init__()
        self._not_blank("from_agent", "to_agent", "event_type", "message", "event_id")
        self._aware()


class WorkflowStatus(StrEnum):
    """How a workflow of several agents ended."""

    COMPLETED = "completed"
    FAILED = "failed"
    PARTIAL = "partial"


class MultiAgentTrace(Model, frozen=True):
    """What several agents did together: one ordered list of messages, each with its agent.

    Build it from ``messages`` (each with ``agent``), or from ``agent_traces``, whose messages are put in
    the order of their timestamps where all have one and one agent after the other where they do not.

    Attributes:
        trace_id: any non-empty string or UUID; one is made up when it is left out.
        session_id: the conversation it belongs to.
        messages: everything said, in order.
        tool_calls: the calls made, in order; left out, they are those that the messages carry.
        agent_traces: the same by agent; left out, it is derived from ``messages``.
        coordination_events: who handed over to whom.
        workflow_status: how it ended, where that is known.
        total_latency: seconds, at least 0; also answers to ``latency``.
        total_cost: dollars, at least 0; also answers to ``cost``.
        input_tokens: of all agents together; left out, the sum over ``agent_traces`` if all know theirs.
        output_tokens: likewise.
        metadata: anything else; ``turn_id`` numbers the turn.
        framework: what recorded it.
        timestamp: when it began; time zone required, kept in UTC.
    """

    trace_id: Identifier = _GENERATED
    session_id: str | None = None
    messages: list[Message] = DERIVED
    tool_calls: list[ToolCall] = DERIVED
    agent_traces: dict[str, AgentTrace] = DERIVED
    coordination_events: list[CoordinationEvent] = []
    workflow_status: WorkflowStatus | None = None
    total_latency: float | None = None
    total_cost: float | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None
    metadata: dict[str, object] = {}
    framework: str | None = None
    timestamp: dt.datetime | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        self._not_blank("trace_id", "session_id")
        self._not_negative("input_tokens", "output_tokens", "total_latency", "total_cost")
        self._aware()
        if self._left_out("messages"):
            self._set("messages", _interleaved(self.agent_traces or {}))
        if self._left_out("tool_calls"):
            self._set("tool_calls", _calls_of(self.agent_traces or {}, _carried(self.messages)))
        if self._left_out("agent_traces"):
            self._set("agent_traces", _by_agent(self))
        for name in ("input_tokens", "output_tokens"):
            if getattr(self, name) is None:
                self._set(name, total(getattr(trace, name) for trace in self.agent_traces.values()))

    @property
    def latency(self) -> float | None:
        """Seconds: ``total_latency``."""
        return self.total_latency

    @property
    def cost(self) -> float | None:
        """Dollars: ``total_cost``."""
        return self.total_cost

    @property
    def agents(self) -> tuple[str, ...]:
        """The names of the agents, first seen first."""
        return tuple(dict.fromkeys((*_names(self), *self.agent_traces)))


Trace = AgentTrace | MultiAgentTrace


def total(values: Iterable[float | None]) -> float | None:
    """The sum, or ``None`` where there is nothing to add or a part is unknown: half a sum is no sum."""
    parts = list(values)
    known = [value for value in parts if value is not None]
    if not parts or len(known) < len(parts):
        return None
    return sum(known) if all(isinstance(value, int) for value in known) else math.fsum(known)


def joined(traces: Sequence[Trace], trace_id: str) -> Trace:
    """The traces of successive turns as one trace of the whole, with figures summed.

    It is a ``MultiAgentTrace`` as soon as one of them is. What one turn does not know, the whole does not know.
    """
    first = traces[0]
    if len(traces) == 1:
        return first
    common: dict[str, object] = {
        "trace_id": trace_id,
        "session_id": first.session_id,
        "messages": _all(traces, lambda t: t.messages),
        "tool_calls": _all(traces, lambda t: t.tool_calls),
        "input_tokens": total(t.input_tokens for t in traces),
        "output_tokens": total(t.output_tokens for t in traces),
        "framework": first.framework,
        "timestamp": first.timestamp,
        "metadata": {"num_turns": len(traces)},
    }
    latency, cost = total(t.latency for t in traces), total(t.cost for t in traces)
    if all(isinstance(t, AgentTrace) for t in traces):
        return AgentTrace(latency=latency, cost=cost, **common)  # type: ignore[arg-type]
    events = [e for t in traces if isinstance(t, MultiAgentTrace) for e in t.coordination_events]
    return MultiAgentTrace(
        total_latency=latency,
        total_cost=cost,
        coordination_events=events,
        workflow_status=_last_status(traces),
        **common,  # type: ignore[arg-type]
    )


def user_messages(messages: Iterable[Message]) -> list[str]:
    """What the user said, message by message."""
    return [m.content for m in messages if m.role is MessageRole.USER]


def _all(traces: Sequence[Trace], part: Callable[[Trace], Iterable[object]]) -> list[object]:
    return [item for trace in traces for item in part(trace)]


def _last_status(traces: Sequence[Trace]) -> WorkflowStatus | None:
    last = traces[-1]
    return last.workflow_status if isinstance(last, MultiAgentTrace) else None


def _names(trace: Trace) -> tuple[str, ...]:
    spoke = (m.agent for m in trace.messages if m.role is MessageRole.ASSISTANT)
    called = (c.agent for c in trace.tool_calls)
    return tuple(dict.fromkeys(name for name in (*spoke, *called) if name))


def _carried(messages: Iterable[Message]) -> list[ToolCall]:
    return [_of_agent(call, message.agent) for message in messages for call in message.tool_calls]


def _calls_of(traces: Mapping[str, AgentTrace], carried: list[ToolCall]) -> list[ToolCall]:
    """The agents' calls: in the order of the messages if they carry them all, else one agent after the other."""
    calls = [_of_agent(call, name) for name, trace in traces.items() for call in trace.tool_calls]
    return calls if len(calls) > len(carried) else carried


def _of_agent(item: _Item, name: str | None) -> _Item:
    return item if item.agent or not name else replaced(item, agent=name)


def _interleaved(traces: dict[str, AgentTrace]) -> list[Message]:
    heard = [m for name, trace in traces.items() for m in _as_of(name, trace)]
    messages = [m for m, again in zip(heard, _said_again(traces), strict=True) if not again]
    stamps = [m.timestamp for m in messages]
    if None in stamps:
        return messages
    return [m for _, m in sorted(zip(stamps, messages, strict=True), key=lambda pair: pair[0])]  # type: ignore[arg-type,return-value]


def _as_of(name: str, trace: AgentTrace) -> list[Message]:
    return [m if m.role is MessageRole.USER else _of_agent(m, name) for m in trace.messages]


def _said_again(traces: dict[str, AgentTrace]) -> list[bool]:
    """Whether each message is the user's, and another agent was told the same before: it was said once."""
    again: list[bool] = []
    told: Counter[str] = Counter()
    for trace in traces.values():
        here: Counter[str] = Counter()
        for message in trace.messages:
            asked = message.role is MessageRole.USER
            here[message.content] += asked
            again.append(asked and here[message.content] <= told[message.content])
        told |= here
    return again


def _by_agent(trace: MultiAgentTrace) -> dict[str, AgentTrace]:
    return {
        name: AgentTrace(
            trace_id=f"{trace.trace_id}/{name}",
            session_id=trace.session_id,
            messages=[m for m in trace.messages if m.agent == name],
            tool_calls=[c for c in trace.tool_calls if c.agent == name],
            framework=trace.framework,
        )
        for name in _names(trace)
    }


def as_trace(value: object, where: str) -> Trace:
    """A trace, or the plain data of one as ``to_dict`` writes it.

    Raises:
        DataError: it is neither; ``where`` says which one.
    """
    if isinstance(value, AgentTrace | MultiAgentTrace):
        return value
    if isinstance(value, Mapping):
        several = {"agent_traces", "coordination_events", "workflow_status", "total_latency"} & set(value)
        try:
            return (MultiAgentTrace if several else AgentTrace).from_dict(value)
        except ModelError as error:
            raise DataError(f"{where}: {error}") from error
    raise DataError(f"{where} must be an AgentTrace or a MultiAgentTrace, got {type(value).__name__}.")
