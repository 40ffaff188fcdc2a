"""A document as a tree in which every value knows its place, whether it was YAML, JSON or Python's own dicts."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

DEEPEST = 64
"""How many levels a document may have."""
MOST_VALUES = 1_000_000
"""How many values it may have, each alias counted as what it stands for."""

Place: TypeAlias = tuple[int, int] | str
"""Line and column, both from 1; of a value without a text around it, its path: ``conversations[0].id``."""


class Fault(NamedTuple):
    """What is wrong with a value whatever it is for: a key given twice, half a surrogate pair."""

    at: Place
    sentence: str


class NotReadError(Exception):
    """The document cannot be read any further."""

    def __init__(self, at: Place, sentence: str) -> None:
        """Args: at: where; sentence: why, without the place."""
        super().__init__(sentence)
        self.fault = Fault(at, sentence)


@dataclass(slots=True)
class Node:
    """A value and its place.

    Attributes:
        value: text, a number, true or false, ``None``, a date; a list of nodes; a dict of nodes by key.
        at: where it begins.
        written: a plain value as it stands in the document, or text in place of it.
        keys: where each key of an object stands.
        faults: what is wrong with it.
        size: how many values it stands for, itself included.
    """

    value: object
    at: Place
    written: str = ""
    keys: Mapping[str, Place] = field(default_factory=dict)
    faults: tuple[Fault, ...] = ()
    size: int = 1


class Budget:
    """Counts values, so that a small document with aliases of aliases cannot stand for a huge one."""

    def __init__(self) -> None:
        self.left = MOST_VALUES

    def spend(self, values: int, at: Place) -> None:
        """Count ``values`` more.

        Raises:
            NotReadError: those were too many.
        """
        self.left -= values
        if self.left < 0:
            raise NotReadError(at, f"there are more than {MOST_VALUES:,} values; split it, or use fewer aliases")


def check_depth(depth: int, at: Place) -> None:
    """Make sure that ``depth`` levels are not too many.

    Raises:
        NotReadError: they are.
    """
    if depth > DEEPEST:
        raise NotReadError(at, f"is nested more than {DEEPEST} levels deep")


def total(parts: Iterable[Node]) -> int:
    """How many values an object or a list of ``parts`` stands for."""
    return 1 + sum(part.size for part in parts)


def plain(node: Node) -> object:
    """The value as JSON has it; a date is the text that stands in the document."""
    match node.value:
        case dict() as pairs:
            return {key: plain(value) for key, value in pairs.items()}
        case list() as items:
            return [plain(item) for item in items]
        case dt.date():
            return node.written
    return node.value


def faults_in(node: Node) -> Iterable[Fault]:
    """What is wrong with the value, and with everything inside it."""
    yield from node.faults
    match node.value:
        case dict() as pairs:
            for value in pairs.values():
                yield from faults_in(value)
        case list() as items:
            for item in items:
                yield from faults_in(item)


def twice(key: str, first: Place) -> str:
    """What is wrong with a key that stood there before."""
    line = f", first in line {first[0]}" if isinstance(first, tuple) else ""
    return f"the key {key!r} is given twice{line}; keep one"


def half_pair(text: str) -> str | None:
    """What is wrong with ``text`` if it cannot be written as UTF-8."""
    if text.isascii():
        return None
    try:
        text.encode()
    except UnicodeEncodeError as error:
        return f"holds half of a surrogate pair, \\u{ord(text[error.start]):04x}"
    return None
