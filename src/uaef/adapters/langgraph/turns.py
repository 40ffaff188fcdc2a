"""From a turn that was listened to, to its trace."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Mapping

from uaef.adapters.langgraph.heard import Heard, Part
from uaef.adapters.langgraph.listening import Ear
from uaef.adapters.langgraph.messages import Kind
from uaef.adapters.langgraph.payloads import Payload
from uaef.adapters.langgraph.tokens import tokens_of, uncounted
from uaef.adapters.langgraph.topology import Topology, handoffs
from uaef.models.base import replaced
from uaef.models.message import Message, MessageRole
from uaef.models.reading import answered, call_warnings
from uaef.models.tool_call import ToolStatus
from uaef.models.traces import AgentTrace, MultiAgentTrace, Trace, WorkflowStatus

_ROLES = {
    Part.USER: MessageRole.USER,
    Part.AGENT: MessageRole.ASSISTANT,
    Part.UNSIGNED: MessageRole.SYSTEM,
    Part.TOOL: MessageRole.TOOL,
    Part.SYSTEM: MessageRole.SYSTEM,
}


def trace_of(
    payload: Payload, ear: Ear, topology: Topology, *, is_multi_agent: bool, warnings: Iterable[str] = ()
) -> Trace:
    """The trace of one turn; ``warnings`` are further ones for its metadata."""
    messages, unasked = answered(_messages(ear, topology))
    odd = call_warnings(messages, [m for m in unasked if m.tool_call_id not in ear.memory.calls])
    read, written = tokens_of(payload, ear)
    trace_id = payload.trace_id or _trace_id(payload)
    common: dict[str, object] = {
        "trace_id": trace_id,
        "session_id": payload.session_id,
        "messages": messages,
        "input_tokens": read,
        "output_tokens": written,
        "framework": "langgraph",
        "metadata": _metadata(
            payload, ear, [*odd, *_warnings(ear, messages, topology), *uncounted(payload, ear), *warnings]
        ),
    }
    if not is_multi_agent:
        return AgentTrace(latency=payload.latency, cost=payload.cost_usd, **common)  # type: ignore[arg-type]
    agents = [*sorted(ear.nodes), *topology.agents(ear), *topology.agent_nodes]
    return MultiAgentTrace(
        total_latency=payload.latency,
        total_cost=payload.cost_usd,
        coordination_events=handoffs(messages, agents, trace_id),
        workflow_status=_status(payload, ear, messages),
        **common,  # type: ignore[arg-type]
    )


def _trace_id(payload: Payload) -> str:
    known = payload.session_id and payload.turn_id is not None
    return f"{payload.session_id}#{payload.turn_id}" if known else str(uuid.uuid4())


def _messages(ear: Ear, topology: Topology) -> list[Message]:
    speakers = dict(zip(map(id, topology.speech(ear)), topology.speakers(ear), strict=True))
    ignored = [heard for heard in ear.heard if topology.is_ignored(heard) and heard.part is Part.AGENT]
    gone = {call.call_id for heard in ignored for call in heard.said.calls if call.call_id}
    return [
        _message(heard, speakers)
        for heard in ear.heard
        if (heard.part is not Part.AGENT or id(heard) in speakers) and heard.said.answers not in gone
    ]


def _message(heard: Heard, speakers: Mapping[int, str | None]) -> Message:
    said = heard.said
    agent = speakers.get(id(heard))
    details: dict[str, object] = {
        "id": said.message_id,
        "node": heard.node,
        "namespace": list(heard.namespace),
        "name": said.name,
        "blocks": list(said.blocks),
        "status": "error" if said.failed else None,
    }
    return Message(
        role=MessageRole.ASSISTANT if id(heard) in speakers else _ROLES[heard.part],
        content=said.text,
        tool_calls=[replaced(call, agent=agent) for call in said.calls],
        agent=agent,
        tool_call_id=said.answers if said.kind is Kind.TOOL else None,
        metadata={key: value for key, value in details.items() if value},
    )


def _metadata(payload: Payload, ear: Ear, warnings: list[str]) -> dict[str, object]:
    metadata = dict(payload.metadata)
    if payload.turn_id is not None:
        metadata["turn_id"] = payload.turn_id
    if payload.error or ear.errors:
        metadata["error"] = payload.error or "; ".join(map(str, ear.errors))
    if ear.interrupts:
        metadata["interrupts"] = ear.interrupts
    if warnings:
        metadata["warnings"] = warnings
    return metadata


def _warnings(ear: Ear, messages: list[Message], topology: Topology) -> list[str]:
    found = []
    if not any(message.role is MessageRole.USER for message in messages):
        found.append(
            "The turn has no user message; put {'__human__': {'messages': [HumanMessage(...)]}} first in its "
            "stream_events."
        )
    if not any(message.role is MessageRole.ASSISTANT for message in messages):
        found.append("The turn has no assistant message.")
    private = dict.fromkeys(heard.node for heard in ear.heard if heard.was_kept_private)
    found += [f"Node {node!r} streamed a model's message that it did not return; it is left out." for node in private]
    if topology.agent_nodes[1:] and any(_is_anonymous(heard) for heard in topology.speech(ear)):
        found.append(
            "The stream does not say which agent wrote some of the messages, so they are given to the likeliest; "
            "record stream_mode='updates', which names the nodes."
        )
    return found


def _is_anonymous(heard: Heard) -> bool:
    return not (heard.namespace or heard.node or heard.said.name)


def _status(payload: Payload, ear: Ear, messages: list[Message]) -> WorkflowStatus | None:
    """How the turn ended, where it shows: failed, waiting for a person, or with an agent's answer."""
    if payload.error or ear.errors:
        return WorkflowStatus.FAILED
    if ear.interrupts:
        return WorkflowStatus.PARTIAL
    spoken = [message for message in messages if message.role is MessageRole.ASSISTANT]
    if not spoken or not spoken[-1].content.strip():
        return None
    is_open = any(call.status is ToolStatus.PENDING for call in spoken[-1].tool_calls)
    return None if is_open else WorkflowStatus.COMPLETED
