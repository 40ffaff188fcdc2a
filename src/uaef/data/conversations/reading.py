"""From YAML, a JSON document, a conversation on each line, or what a program built, to the tree of a dataset."""

from __future__ import annotations

import datetime as dt
import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Literal, TypeAlias

from uaef.data.cells import kind
from uaef.data.conversations.fields import CONVERSATION
from uaef.data.conversations.json_text import json_node
from uaef.data.conversations.nodes import (
    Budget,
    Fault,
    Node,
    NotReadError,
    Problems,
    check_depth,
    half_pair,
    total,
)
from uaef.data.conversations.yaml_text import yaml_node
from uaef.data.files import read_content, utf8
from uaef.errors import DataError

Format: TypeAlias = Literal["yaml", "json", "jsonl"]

_BY_ENDING: Mapping[str, Format] = {
    ".yaml": "yaml",
    ".yml": "yaml",
    ".json": "json",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
}
_OF_CONVERSATIONS = {key for field in CONVERSATION.fields if field.required for key in (field.name, *field.aliases)}


def format_of(name: str, text: str) -> Format:
    """The format by the ending of a name, else by what the text looks like."""
    known = _BY_ENDING.get(Path(name).suffix.lower())
    if known is not None:
        return known
    lines = [line for line in text.split("\n") if line.strip()]
    if _is_object(text):
        return "json" if len(lines) > 1 or not _OF_CONVERSATIONS & json.loads(text).keys() else "jsonl"
    return "jsonl" if lines and all(map(_is_object, lines[:2])) else "yaml"


def _is_object(text: str) -> bool:
    try:
        return text.lstrip().startswith("{") and isinstance(json.loads(text), dict)
    except (ValueError, RecursionError):
        return False


def is_dataset(path: Path) -> bool:
    """Whether a file holds conversations, and not rows of a table; what cannot be read is for its reader to say."""
    known = _BY_ENDING.get(path.suffix.lower())
    if known is None or known == "yaml":
        return known is not None
    try:
        text = utf8(read_content(path), path.name)
        lines = [text] if known == "json" else [line for line in text.split("\n") if line.strip()][:2]
        found = [json.loads(line) for line in lines]
    except (DataError, ValueError, RecursionError):
        return False
    key = "conversations" if known == "json" else "turns"
    return any(isinstance(value, dict) and key in value for value in found)


def read_text(text: str, format: Format, problems: Problems) -> Node | None:  # noqa: A002 - what it is called
    """The tree of the dataset in ``text``, or ``None`` where there is none, which is noted in ``problems``."""
    if not text.strip():
        problems.add((1, 1), "the dataset is empty; it has conversations, each with an id and turns")
        return None
    try:
        if format == "jsonl":
            return _lines(text, problems)
        return json_node(text) if format == "json" else yaml_node(text)
    except NotReadError as error:
        problems.add(*error.fault)
    return None


def _lines(text: str, problems: Problems) -> Node | None:
    """Conversations line by line; a first line that is none holds the keys of the dataset."""
    budget = Budget()
    found: list[Node] = []
    is_whole = True
    # Not splitlines: JSON texts may hold other line separators than the newline.
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            try:
                found.append(json_node(line, line=number, budget=budget))
            except NotReadError as error:
                problems.add(*error.fault)
                is_whole = False
    head, pairs = Node({}, (1, 1)), dict[str, Node]()
    if found and isinstance(found[0].value, dict) and not _OF_CONVERSATIONS & found[0].value.keys():
        head = found.pop(0)
        pairs |= head.value if isinstance(head.value, dict) else {}
    if not found:
        return head if is_whole else None
    if "conversations" in pairs:
        problems.add(head.keys["conversations"], "conversations stand on the lines below; take the key away")
    pairs["conversations"] = Node(found, found[0].at)
    return Node(pairs, head.at, keys=head.keys, faults=head.faults)


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
