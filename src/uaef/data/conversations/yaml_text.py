"""YAML as a tree with places.

It is built from the parser's events and not with the library's own loader: that one forgets places, keeps the last
of two equal keys, recurses as deep as the text does, and writes aliases of aliases out without a limit.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from typing import cast

import yaml
from yaml import events as ev
from yaml.constructor import ConstructorError, SafeConstructor
from yaml.resolver import Resolver

from uaef.data.conversations.nodes import (
    Budget,
    Fault,
    Node,
    NotReadError,
    Place,
    check_depth,
    half_pair,
    total,
    twice,
)

_TAG = "tag:yaml.org,2002:"
_TEXT, _MERGE = f"{_TAG}str", f"{_TAG}merge"
_COLLECTIONS = {None, "!", f"{_TAG}map", f"{_TAG}seq"}
_NO_CHARACTER = re.compile("[\ud800-\udfff]")

_construct = SafeConstructor()
_resolve = Resolver()
_READERS = {
    f"{_TAG}int": _construct.construct_yaml_int,
    f"{_TAG}float": _construct.construct_yaml_float,
    f"{_TAG}bool": _construct.construct_yaml_bool,
    f"{_TAG}null": _construct.construct_yaml_null,
    f"{_TAG}timestamp": _construct.construct_yaml_timestamp,
}


def yaml_node(text: str) -> Node:
    """The one document in ``text``.

    Raises:
        NotReadError: it is not YAML, holds several documents, or stands for too much.
    """
    stray = _NO_CHARACTER.search(text)
    if stray:
        before = text[: stray.start()]
        at = before.count("\n") + 1, stray.start() - before.rfind("\n")
        raise NotReadError(at, half_pair(stray[0]) or "")
    try:
        return _Builder(text).document()
    except yaml.reader.ReaderError as error:
        raise NotReadError(_of_reader(error, text), f"not YAML: {_visible(error)}") from None
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        raise NotReadError((mark.line + 1, mark.column + 1) if mark else (1, 1), _why(error, text)) from None


def _visible(error: yaml.reader.ReaderError) -> str:
    return f"the character U+{error.character:04X} cannot stand there; in double quotes it can, as an escape"


def _of_reader(error: yaml.reader.ReaderError, text: str) -> Place:
    """Where the character stands; the library counts it in bytes or in characters, so it is looked for."""
    start = max(text.find(chr(error.character)), 0)
    return text.count("\n", 0, start) + 1, start - text.rfind("\n", 0, start)


def _why(error: yaml.MarkedYAMLError, text: str) -> str:
    mark = error.problem_mark
    lines = text.split("\n")
    rest = lines[mark.line][mark.column :] if mark and mark.line < len(lines) else ""
    if rest.startswith("\t"):
        return "not YAML: a tab; YAML is indented with spaces"
    if rest[:1] in ("@", "`", "%"):
        return f"not YAML: text that begins with {rest[0]} has to be put in quotes"
    words = ", ".join(part for part in (error.context, error.problem) if part)
    hint = "; put text that holds a colon and a blank in quotes" if "mapping values are not allowed" in words else ""
    return f"not YAML: {words}{hint}"


class _Builder:
    def __init__(self, text: str) -> None:
        loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
        self._events: Iterator[ev.Event] = iter(yaml.parse(text, Loader=loader))
        self._anchors: dict[str, Node | None] = {}
        self._budget = Budget()

    def document(self) -> Node:
        next(self._events)  # the start of the stream
        first = next(self._events)
        if isinstance(first, ev.StreamEndEvent):
            return Node(None, (1, 1))
        node = self._node(next(self._events), 1)
        next(self._events)  # the end of the document
        after = next(self._events)
        if not isinstance(after, ev.StreamEndEvent):
            raise NotReadError(_at(after), "a second document begins here; a file holds one dataset")
        return node

    def _node(self, event: ev.Event, depth: int) -> Node:
        at = _at(event)
        check_depth(depth, at)
        if isinstance(event, ev.AliasEvent):
            return self._alias(event, at)
        anchor = cast("str | None", getattr(event, "anchor", None))
        if anchor is not None:
            self._anchors[anchor] = None  # until it is complete, nothing can stand for it
        self._budget.spend(1, at)
        if isinstance(event, ev.ScalarEvent):
            node = _scalar(event, at)
        elif isinstance(event, ev.SequenceStartEvent):
            node = self._sequence(event, at, depth)
        else:
            node = self._mapping(cast("ev.MappingStartEvent", event), at, depth)
        if anchor is not None:
            self._anchors[anchor] = node
        return node

    def _alias(self, event: ev.AliasEvent, at: Place) -> Node:
        if event.anchor not in self._anchors:
            raise NotReadError(at, f"*{event.anchor} stands for nothing: there is no &{event.anchor} before it")
        node = self._anchors[event.anchor]
        if node is None:
            raise NotReadError(at, f"*{event.anchor} stands inside &{event.anchor} itself")
        self._budget.spend(node.size, at)
        return node

    def _sequence(self, start: ev.SequenceStartEvent, at: Place, depth: int) -> Node:
        items = []
        while not isinstance(event := next(self._events), ev.SequenceEndEvent):
            items.append(self._node(event, depth + 1))
        return Node(items, at, faults=_unknown_tag(start, at), size=total(items))

    def _mapping(self, start: ev.MappingStartEvent, at: Place, depth: int) -> Node:
        pairs: dict[str, Node] = {}
        keys: dict[str, Place] = {}
        faults = list(_unknown_tag(start, at))
        merged: list[Node] = []
        while not isinstance(event := next(self._events), ev.MappingEndEvent):
            key_at = _at(event)
            if isinstance(event, ev.ScalarEvent) and _tag(event) == _MERGE:
                merged += self._merged(self._node(next(self._events), depth + 1), key_at, faults)
                continue
            key = self._node(event, depth + 1)
            value = self._node(next(self._events), depth + 1)
            if not isinstance(key.value, str):
                faults.append(Fault(key_at, _no_key(key)))
            elif key.value in pairs:
                faults.append(Fault(key_at, twice(key.value, keys[key.value])))
            else:
                pairs[key.value], keys[key.value] = value, key_at
        for node in merged:
            pairs = cast("dict[str, Node]", node.value) | pairs
            keys = {**node.keys, **keys}
        return Node(pairs, at, keys=keys, faults=tuple(faults), size=total(pairs.values()))

    def _merged(self, node: Node, at: Place, faults: list[Fault]) -> Sequence[Node]:
        """The objects whose pairs ``<<`` brings in, the weakest last."""
        found = node.value if isinstance(node.value, list) else [node]
        if not all(isinstance(each.value, dict) for each in found):
            faults.append(Fault(at, "<< takes an alias of an object, or a list of them"))
            return ()
        for each in found:
            self._budget.spend(each.size, at)
        return found


def _at(event: ev.Event) -> tuple[int, int]:
    mark = event.start_mark
    return (mark.line + 1, mark.column + 1) if mark else (1, 1)


def _tag(event: ev.ScalarEvent) -> str:
    if event.tag == "!" or (event.tag is None and not event.implicit[0]):  # in quotes, or a block
        return _TEXT
    if event.tag is not None:
        return str(event.tag)
    return str(_resolve.resolve(yaml.ScalarNode, event.value, event.implicit))  # type: ignore[no-untyped-call]


def _scalar(event: ev.ScalarEvent, at: Place) -> Node:
    tag, text = _tag(event), event.value
    if tag == _TEXT:
        wrong = half_pair(text)
        return Node(text, at, text, faults=(Fault(at, wrong),) if wrong else ())
    if tag not in _READERS:  # "=" and "<<" as values, or a tag that somebody wrote
        unknown = () if event.tag is None else _unknown_tag(event, at)
        return Node(text, at, text, faults=unknown)
    try:
        value = _READERS[tag](yaml.ScalarNode(tag, text))
    except (ValueError, LookupError, ArithmeticError, ConstructorError) as error:
        return Node(text, at, text, faults=(Fault(at, f"{text[:40]!r} cannot be read: {str(error)[:80]}"),))
    if isinstance(value, float) and not math.isfinite(value):
        return Node(value, at, text, faults=(Fault(at, f"{text} is not a finite number; JSON has no other"),))
    return Node(value, at, text)


def _unknown_tag(event: ev.ScalarEvent | ev.CollectionStartEvent, at: Place) -> tuple[Fault, ...]:
    if event.tag in _COLLECTIONS:
        return ()
    shown = str(event.tag).replace(_TAG, "!!")
    return (Fault(at, f"the tag {shown} means nothing in a dataset; leave it out"),)


def _no_key(key: Node) -> str:
    if isinstance(key.value, list | dict):
        return "a key must be text, not a list or an object"
    return f"the key {key.written or 'null'} is no text; put it in quotes"
