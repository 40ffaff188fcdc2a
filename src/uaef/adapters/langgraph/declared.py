"""Nodes that were declared and that the recording does not know: misspelt, or only absent."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from uaef.adapters.langgraph.heard import Part
from uaef.adapters.langgraph.listening import Ear
from uaef.adapters.langgraph.topology import Topology, names_of
from uaef.errors import closest, misspelt

Missing = list[tuple[str, str]]


def missing_nodes(topology: Topology, ears: Iterable[Ear]) -> Missing:
    """The declared nodes of which the turns show nothing, each with the argument that declares it."""
    seen: set[str] = set()
    for ear in ears:
        seen.update(ear.nodes, *map(names_of, ear.heard))
    declared = (("agent_nodes", topology.agent_nodes), ("ignore_nodes", sorted(topology.ignore_nodes)))
    return [(argument, name) for argument, names in declared for name in names if name not in seen]


def misspelt_nodes(missing: Missing, topology: Topology, ears: Iterable[Ear]) -> list[str]:
    """A sentence for each missing node that is spelt like one which speaks and which nobody declared."""
    strangers = _strangers(topology, ears)
    return [
        f"{argument} names {name!r}, of which the recording shows nothing; did you mean {near!r}? If not, say what "
        f"{near!r} is: put it into agent_nodes or ignore_nodes too."
        for argument, name in missing
        if (near := _meant(name, strangers))
    ]


def absent_nodes(missing: Missing, topology: Topology, ears: Iterable[Ear]) -> list[str]:
    """A sentence for each missing node, if others speak in these turns that nobody declared."""
    strangers = ", ".join(map(repr, _strangers(topology, ears)))
    if not strangers:
        return []
    return [
        f"{argument} names {name!r}, of which the recording shows nothing; nodes that speak here and are not "
        f"declared: {strangers}."
        for argument, name in missing
    ]


def _strangers(topology: Topology, ears: Iterable[Ear]) -> list[str]:
    """What the speakers that nobody declared are called, first seen first."""
    declared = {*topology.agent_nodes, *topology.ignore_nodes}
    speakers = (heard for ear in ears for heard in ear.heard if heard.part is Part.AGENT)
    names = map(names_of, speakers)
    return list(dict.fromkeys(name for several in names if declared.isdisjoint(several) for name in several))


def _meant(name: str, strangers: Iterable[str]) -> str | None:
    others = [other for other in strangers if not _is_sibling(name, other)]
    return next(_alike(name, others), None)


def _alike(name: str, others: list[str]) -> Iterator[str]:
    near = misspelt(name, others)
    if near and closest(name, [near]):  # two edits make another word of a short one
        yield near
    yield from (other for other in others if _letters(other) == _letters(name))


def _is_sibling(name: str, other: str) -> bool:
    """Whether they differ in their numbers only: ``worker_1`` and ``worker_2`` are two nodes."""
    return re.sub(r"\d+", "0", name) == re.sub(r"\d+", "0", other)


def _letters(name: str) -> str:
    return re.sub(r"[\W_]", "", name).casefold()
