"""A compiled LangGraph graph as an agent: asked by thread, read by the events that it streams."""

from __future__ import annotations

import functools
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping
from typing import Protocol

from uaef.adapters.langgraph import LangGraphAdapter
from uaef.agents.answers import trace_of_events
from uaef.agents.base import Call
from uaef.agents.langchain import Config, blocks, config_of, is_a, messages_of
from uaef.agents.workers import Workers
from uaef.models.traces import Trace


class Graph(Protocol):
    """What is used of a compiled graph."""

    def stream(self, state: object, config: Config, /, **options: object) -> Iterator[object]:
        """The events of a run, in the caller's thread."""

    def astream(self, state: object, config: Config, /, **options: object) -> AsyncIterator[object]:
        """The events of a run."""


class GraphAgent:
    """A compiled graph that is given ``{"messages": [...]}`` and keeps its thread by its checkpointer.

    A graph without a checkpointer has no memory: it is shown a history where the policy has one, and nothing
    otherwise. Nodes that block run in a thread of their own. ``target_options`` may hold a ``config``, which is laid
    under the thread's; everything else in it is passed to the graph's ``stream``.

    Args:
        graph: the graph.
        name: what reports call it; left out, the graph's own name.
        agent_nodes: the nodes that are agents; see ``LangGraphAdapter``.
        ignore_nodes: the nodes whose messages are not part of the conversation.
    """

    reads_history = True
    wants_history = False

    def __init__(
        self,
        graph: Graph,
        *,
        name: str | None = None,
        agent_nodes: Iterable[str] | None = None,
        ignore_nodes: Iterable[str] | None = None,
    ) -> None:
        self.name = name or str(getattr(graph, "name", None) or type(graph).__name__)
        # a graph on a server has no checkpointer here, and keeps its threads there
        self.remembers = bool(getattr(graph, "checkpointer", True))
        self._graph = graph
        self._adapter = LangGraphAdapter(agent_nodes, ignore_nodes)
        self._workers = Workers() if _blocks(graph) else None

    async def answer(self, call: Call) -> Trace:
        """What the graph streamed, as a trace: of several agents, if several spoke."""
        config, options = config_of(call)
        options = {"stream_mode": "updates", "subgraphs": True, **options}
        state = {"messages": messages_of(call.request)}
        if self._workers is None:
            events = [event async for event in self._graph.astream(state, config, **options)]
        else:
            stream = functools.partial(self._graph.stream, state, config, **options)
            events = await self._workers.run(lambda: list(stream()))
        return trace_of_events(events, call, self._adapter)


def is_graph(target: object) -> bool:
    """Whether it is a graph of LangGraph's, compiled or on a server."""
    return is_a(target, "langgraph.pregel.protocol", "PregelProtocol")


def _blocks(graph: object) -> bool:
    """Whether it can and should run in a thread: nodes that block, nothing that only an event loop can do."""
    saver = getattr(graph, "checkpointer", None)
    branches = getattr(getattr(graph, "builder", None), "branches", None)
    paths = [
        getattr(branch, "path", None)
        for group in (branches.values() if isinstance(branches, Mapping) else ())
        for branch in group.values()
    ]
    awaited = any(getattr(path, "func", True) is None for path in paths)
    return blocks(graph) and not awaited and not hasattr(saver, "loop")  # an async saver belongs to its loop
