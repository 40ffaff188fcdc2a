"""The LangGraph adapter: what ``graph.stream`` yields as traces and sessions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from uaef.adapters.base import BaseAdapter
from uaef.adapters.langgraph.payloads import PayloadReader
from uaef.adapters.langgraph.sessions import sessions_of, turn_of
from uaef.adapters.langgraph.topology import Topology
from uaef.errors import UsageError
from uaef.models.conversation import SessionDict
from uaef.models.traces import Trace


class LangGraphAdapter(BaseAdapter):
    """Reads LangGraph's stream events, live or as JSON, in every stream mode.

    A dict with ``stream_events`` becomes one trace. A list of turn payloads (``session_id``, ``turn_id``,
    ``stream_events``) becomes a list of session dicts, in first-seen order, turns in the order of ``turn_id``. Both
    may carry ``latency``, ``input_tokens``, ``output_tokens``, ``cost_usd``, ``tags``, ``metadata``, ``error`` and
    ``trace_id``; other keys are kept in the trace's metadata.

    Agents are the nodes that emit AI messages; of a subgraph, the node that runs it.

    Tokens that the payload does not give are the sum of what the AI messages say (``usage_metadata``), those of
    ignored nodes included, which the turn's latency and cost hold as well; where one does not say, they are unknown.

    Args:
        agent_nodes: the nodes that are agents. One: every turn is an ``AgentTrace``, and what other nodes say is
            that agent's. Several: every turn is a ``MultiAgentTrace``, and what other nodes say belongs to the agent
            that acted last. Left out, each turn shows it.
        ignore_nodes: nodes whose AI messages are not part of the conversation: a router, a summariser.

    A declared node of which the recording shows nothing, while nodes speak that are not declared, is an error where
    it is spelt like one of these, and a warning in the first turn of each such session otherwise.

    Raises:
        UsageError: one node is given under both.
    """

    name = "langgraph"

    def __init__(self, agent_nodes: Iterable[str] | None = None, ignore_nodes: Iterable[str] | None = None) -> None:
        agents, ignored = _names(agent_nodes, "agent_nodes"), _names(ignore_nodes, "ignore_nodes")
        both = [node for node in agents if node in ignored]
        if both:
            raise UsageError(f"{both[0]!r} is in agent_nodes and in ignore_nodes; it can only be one of them.")
        self._topology = Topology(agents, frozenset(ignored))

    @classmethod
    def recognises(cls, raw: object) -> bool:
        """Whether ``raw`` is a dict with ``stream_events``, or a list of dicts of which at least one has them."""
        if isinstance(raw, list):
            return all(isinstance(item, Mapping) for item in raw) and any("stream_events" in item for item in raw)
        return isinstance(raw, Mapping) and "stream_events" in raw

    def transform_to_canonical(self, raw: object) -> Trace | list[SessionDict]:
        """A trace for a dict, session dicts for a list of turn payloads.

        Raises:
            AdapterTransformationError: naming every payload that cannot be read, and why; or every session whose
                turns do not go together.
        """
        reader = PayloadReader()
        if isinstance(raw, Mapping):
            payload = reader.one(raw)
            if reader.problems:
                self.refuse(*reader.problems)
            trace, problems = turn_of(payload, self._topology)
            return self.refuse(*problems) if problems else trace
        if not isinstance(raw, list | tuple):
            self.refuse(f"Expected a dict with stream_events or a list of turn payloads, got {type(raw).__name__}.")
        payloads = reader.several(raw)
        if reader.problems:
            self.refuse(*reader.problems)
        sessions, problems = sessions_of(payloads, self._topology)
        return self.refuse(*problems) if problems else sessions


def _names(given: Iterable[str] | None, what: str) -> tuple[str, ...]:
    names = (given,) if isinstance(given, str) else tuple(given or ())
    if not all(isinstance(name, str) and name.strip() for name in names):
        raise UsageError(f"{what} must be names of nodes, got {given!r}.")
    return tuple(dict.fromkeys(names))
