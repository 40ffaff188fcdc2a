"""Dicts and lists that a program built, as a tree whose places are paths."""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Mapping

from uaef.data.cells import kind
from uaef.data.conversations.nodes import Budget, Fault, Node, check_depth, half_pair, total


def python_node(value: object) -> Node:
    """The tree of ``value``: mappings, lists and tuples, text, numbers, true, false, ``None`` and dates.

    Raises:
        NotReadError: it is nested too deeply, or too much of it.
    """
    return _node(value, "", 1, Budget())


def _node(value: object, path: str, depth: int, budget: Budget) -> Node:
    check_depth(depth, path)
    budget.spend(1, path)
    if isinstance(value, Mapping):
        return _mapping(value, path, depth, budget)
    if isinstance(value, list | tuple):
        items = [_node(item, f"{path}[{place}]", depth + 1, budget) for place, item in enumerate(value)]
        return Node(items, path, size=total(items))
    wrong = _wrong(value)
    return Node(value, path, str(value), faults=(Fault(path, wrong),) if wrong else ())


def _mapping(value: Mapping[object, object], path: str, depth: int, budget: Budget) -> Node:
    faults, pairs = [], {}
    for key, inner in value.items():
        inside = f"{path}.{key}" if path else str(key)
        if not isinstance(key, str):
            faults.append(Fault(inside, f"the key {key!r} is no text; put it in quotes"))
        elif wrong := half_pair(key):
            faults.append(Fault(path, f"a key {wrong}"))
        else:
            pairs[key] = _node(inner, inside, depth + 1, budget)
    keys = {key: node.at for key, node in pairs.items()}
    return Node(pairs, path, keys=keys, faults=tuple(faults), size=total(pairs.values()))


def _wrong(value: object) -> str | None:
    """What keeps a plain value from being JSON."""
    if isinstance(value, str):
        return half_pair(value)
    if isinstance(value, float) and not math.isfinite(value):
        return f"{value} is not a finite number; JSON has no other"
    if value is None or isinstance(value, bool | int | float | dt.date):
        return None
    return f"is {kind(value)}, which a dataset cannot hold"
