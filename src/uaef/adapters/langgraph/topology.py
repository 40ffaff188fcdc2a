"""Who the agents of a turn are, whose each message is, and who handed over to whom."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from uaef.adapters.langgraph.heard import Heard, Part, node_of
from uaef.adapters.langgraph.listening import Ear
from uaef.adapters.langgraph.messages import Said
from uaef.models.message import Message, MessageRole
from uaef.models.traces import CoordinationEvent

_BACK = "transfer_back_to_"
_HANDOFF_TOOLS = ("transfer_to_", _BACK)


@dataclass(frozen=True, slots=True)
class Topology:
    """Which nodes are agents, as far as the user has declared it.

    Attributes:
        agent_nodes: the agents; empty: every node that emits AI messages.
        ignore_nodes: nodes whose AI messages are not part of the conversation.
    """

    agent_nodes: tuple[str, ...] = ()
    ignore_nodes: frozenset[str] = frozenset()

    def speech(self, ear: Ear) -> list[Heard]:
        """The messages of a turn that an agent said: by a model, or signed by a worker."""
        tools = tool_nodes(ear.heard)
        signed = [heard for heard in ear.heard if heard.part is Part.AGENT and self._counts(heard)]
        agents = {*self.agent_nodes, *filter(None, (_place(heard, tools) for heard in signed))}
        return [
            heard
            for heard in ear.heard
            if (heard.part is Part.AGENT and self._counts(heard))
            or (heard.part is Part.UNSIGNED and _place(heard, tools) in agents)
        ]

    def is_ignored(self, heard: Heard) -> bool:
        """Whether the message comes from a node that is to be ignored."""
        return not self.ignore_nodes.isdisjoint(names_of(heard))

    def speakers(self, ear: Ear) -> list[str | None]:
        """The agent of each message of ``speech``; ``None`` where the stream does not say."""
        speech = self.speech(ear)
        if not self.agent_nodes:
            tools = tool_nodes(ear.heard)
            return [_place(heard, tools) for heard in speech]
        if len(self.agent_nodes) == 1:
            return [self.agent_nodes[0]] * len(speech)
        folded = self._folded(ear)
        return [next(self._declared(heard), folded[heard]) for heard in speech]

    def agents(self, ear: Ear) -> list[str]:
        """The names of the agents that spoke in the turn, first seen first."""
        return list(dict.fromkeys(name for name in self.speakers(ear) if name))

    def is_multi_agent(self, ear: Ear) -> bool:
        """Whether the turn is the work of several agents."""
        if self.agent_nodes:
            return len(self.agent_nodes) > 1
        return len(set(self.speakers(ear))) > 1

    def _counts(self, heard: Heard) -> bool:
        return not heard.was_kept_private and not self.is_ignored(heard)

    def _declared(self, heard: Heard) -> Iterator[str]:
        return (name for name in names_of(heard) if name in self.agent_nodes)

    def _folded(self, ear: Ear) -> dict[Heard, str]:
        """For each message the declared agent behind it if it names none: who acted last, or who never signs."""
        named = {heard: list(self._declared(heard)) for heard in ear.heard if heard.part is Part.AGENT}
        signing = {name for names in named.values() for name in names}
        silent = [agent for agent in self.agent_nodes if agent not in signing]
        acting, found = self.agent_nodes[0], {}
        for heard in ear.heard:
            is_silents = len(silent) == 1 and not names_of(heard)
            found[heard] = silent[0] if is_silents else acting
            acting = (named.get(heard) or [acting])[-1]
        return found


def _place(heard: Heard, tools: set[str]) -> str | None:
    """The outermost node; but an agent that runs inside a tool goes by its own name, where it has one."""
    names = names_of(heard)
    outermost = next(iter(names), None)
    return (heard.said.name or outermost) if heard.namespace and outermost in tools else outermost


def tool_nodes(heard: Iterable[Heard]) -> set[str]:
    """The nodes of the graph itself that return tool results."""
    return {h.node for h in heard if h.part is Part.TOOL and h.node and not h.namespace}


def names_of(heard: Heard) -> list[str]:
    """What a message could be called after: namespace from the outside in, node, its own name."""
    names = (*map(node_of, heard.namespace), heard.node, heard.said.name)
    return [name for name in names if name and not name.isspace()]


def handoffs(messages: Sequence[Message], agents: Iterable[str], trace_id: str) -> list[CoordinationEvent]:
    """A ``HANDOFF`` for each change of the acting agent; one that a tool announced is not counted again.

    Args:
        messages: of the turn, in order, each with its agent.
        agents: everybody who can be handed over to.
        trace_id: of the turn; the events are numbered within it.
    """
    known = {_plain(name): name for name in agents}
    changes: list[tuple[str, str, str]] = []
    acting: str | None = None
    for message in messages:
        if message.role is not MessageRole.ASSISTANT or not message.agent:
            continue
        if acting and message.agent != acting:
            changes.append((acting, message.agent, f"{message.agent} takes over from {acting}"))
        acting = message.agent
        for call in message.tool_calls:
            to = known.get(_plain(_target(call.name)))
            if to and to != acting:
                changes.append((acting, to, f"{acting} calls {call.name}"))
                acting = to
    return [
        CoordinationEvent(
            event_id=f"{trace_id}/handoff-{number}",
            from_agent=giver,
            to_agent=taker,
            event_type="HANDOFF",
            message=text,
        )
        for number, (giver, taker, text) in enumerate(changes, 1)
    ]


def hands_back(said: Said) -> bool:
    """Whether LangGraph's supervisor wrote the message, in a worker's name and without a model, to hand back."""
    return bool(said.calls) and all(call.name.startswith(_BACK) for call in said.calls)


def _target(tool: str) -> str:
    """Whom a handoff tool names; empty for any other tool."""
    return next((tool.removeprefix(prefix) for prefix in _HANDOFF_TOOLS if tool.startswith(prefix)), "")


def _plain(name: str) -> str:
    return name.casefold().replace(" ", "_").replace("-", "_")
