"""Sessions: turns grouped, ordered, listened to one after the other, and put together."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from uaef.adapters.langgraph.declared import Missing, absent_nodes, missing_nodes, misspelt_nodes
from uaef.adapters.langgraph.heard import Memory
from uaef.adapters.langgraph.listening import Ear
from uaef.adapters.langgraph.payloads import Payload
from uaef.adapters.langgraph.topology import Topology
from uaef.adapters.langgraph.turns import trace_of
from uaef.models.base import DERIVED, replaced
from uaef.models.conversation import SessionDict
from uaef.models.reading import answered
from uaef.models.traces import MultiAgentTrace, Trace, joined

_Turns = list[tuple[Payload, Ear]]


def sessions_of(payloads: Iterable[Payload], topology: Topology) -> tuple[list[SessionDict], list[str]]:
    """The session dicts in first-seen order, and a sentence for each misspelt node and each mixed session."""
    grouped: dict[str, list[Payload]] = {}
    for payload in payloads:
        grouped.setdefault(payload.session_id or "", []).append(payload)
    heard = {name: _listened(several) for name, several in grouped.items()}
    ears = [ear for turns in heard.values() for _, ear in turns]
    missing = missing_nodes(topology, ears)
    mixed = (_mixture(name, turns, topology) for name, turns in heard.items())
    problems = [*misspelt_nodes(missing, topology, ears), *filter(None, mixed)]
    if problems:
        return [], problems
    return [_session(name, turns, topology, missing) for name, turns in heard.items()], []


def turn_of(payload: Payload, topology: Topology) -> tuple[Trace, list[str]]:
    """The trace of a payload that stands by itself, and a sentence for each declared node that is misspelt."""
    ((_, ear),) = _listened([payload])
    missing = missing_nodes(topology, [ear])
    absent = absent_nodes(missing, topology, [ear])
    trace = trace_of(payload, ear, topology, is_multi_agent=topology.is_multi_agent(ear), warnings=absent)
    return trace, misspelt_nodes(missing, topology, [ear])


def _listened(payloads: Sequence[Payload]) -> _Turns:
    memory = Memory()
    turns = []
    for payload in sorted(payloads, key=lambda p: p.turn_id or 0):
        ear = Ear(memory)
        ear.hear(payload.pieces)
        turns.append((payload, ear))
    return turns


def _session(name: str, turns: _Turns, topology: Topology, missing: Missing) -> SessionDict:
    several = any(topology.is_multi_agent(ear) for _, ear in turns)
    absent = absent_nodes(missing, topology, [ear for _, ear in turns])
    traces = [
        trace_of(payload, ear, topology, is_multi_agent=several, warnings=() if at else absent)
        for at, (payload, ear) in enumerate(turns)
    ]
    return {"session_id": name, "per_turn_traces": traces, "full_trace": _whole(name, traces)}


def _whole(name: str, traces: Sequence[Trace]) -> Trace:
    """The turns as one trace, in which a call also has the result that only a later turn brought."""
    if len(traces) == 1:
        return traces[0]
    whole = joined(traces, name)
    messages, _ = answered(whole.messages)
    derived: dict[str, object] = {"tool_calls": DERIVED}
    if isinstance(whole, MultiAgentTrace):
        derived["agent_traces"] = DERIVED
    return replaced(whole, messages=messages, **derived)


def _mixture(name: str, turns: _Turns, topology: Topology) -> str | None:
    """What is wrong with a session in which some turns are one agent's work and others are several agents'."""
    single = [(p, ear) for p, ear in turns if topology.speakers(ear) and not topology.is_multi_agent(ear)]
    several = [(p, ear) for p, ear in turns if topology.is_multi_agent(ear)]
    if topology.agent_nodes or not single or not several:
        return None
    agents = dict.fromkeys(agent for _, ear in turns for agent in topology.agents(ear))
    names = ", ".join(f'"{agent}"' for agent in agents)
    return (
        f"Session {name!r} mixes single-agent and multi-agent turns: {_listing(single, topology, 'single')}; "
        f"{_listing(several, topology, 'multi')}. Declare its agents and every turn is read alike: "
        f"LangGraphAdapter(agent_nodes=[{names}])"
    )


def _listing(turns: _Turns, topology: Topology, kind: str) -> str:
    numbers = ", ".join(str(payload.turn_id) for payload, _ in turns)
    agents = ", ".join(dict.fromkeys(agent for _, ear in turns for agent in topology.agents(ear)))
    verb = "turn {} is" if len(turns) == 1 else "turns {} are"
    return f"{verb.format(numbers)} {kind}-agent ({agents or 'no agent named'})"
