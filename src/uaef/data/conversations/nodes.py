"""A document as a tree in which every value knows its place, and what is wrong with it, value by value.

It is the same tree for YAML, JSON and Python's own dicts. Problems are collected until everything was looked at.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

from uaef.errors import DatasetSchemaError

DEEPEST = 64
"""How many levels a document may have."""
MOST_VALUES = 1_000_000
"""How many values it may have, each alias counted as what it stands for."""

_SHOWN = 40
_WORDS: dict[type, str] = {
    type(None): "nothing",
    bool: "true or false ({})",
    int: "a number ({})",
    float: "a number ({})",
    dt.date: "a date ({})",
    str: "text",
    list: "a list",
    dict: "an object",
}

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


def as_text(node: Node) -> object:
    """The value if everything in it that is a number, or true or false, had been put in quotes."""
    match node.value:
        case dict() as pairs:
            return {key: as_text(value) for key, value in pairs.items()}
        case list() as items:
            return [as_text(item) for item in items]
        case None:
            return None
    return node.written


def numbers_in(node: Node) -> Iterable[str]:
    """Everything in the value that is a number, or true or false, as it stands in the document."""
    match node.value:
        case dict() as pairs:
            for value in pairs.values():
                yield from numbers_in(value)
        case list() as items:
            for item in items:
                yield from numbers_in(item)
        case bool() | int() | float():
            yield node.written


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


class Trail(NamedTuple):
    """Which conversation and turn a value belongs to, as far as that is known."""

    conversation: str = ""
    turn: int = 0

    def __str__(self) -> str:
        parts = [self.conversation and f"conversation {self.conversation}", self.turn and f"turn {self.turn}"]
        return ", ".join(str(part) for part in parts if part)


class Problems:
    """The problems of one dataset.

    Args:
        source: what messages call it, a file's path for one that was read from a file.
    """

    def __init__(self, source: str) -> None:
        self.source = source
        self._found: dict[tuple[Place, str], Trail] = {}

    def add(self, at: Place, sentence: str, trail: Trail = Trail()) -> None:  # noqa: B008 - immutable
        """Note that ``sentence`` holds at that place; what an alias brings in again counts once."""
        self._found.setdefault((at, sentence), trail)

    def add_faults(self, node: Node, trail: Trail) -> bool:
        """Note what is wrong with a value or inside it, whatever it is for; whether there was anything."""
        found = list(faults_in(node))
        for at, sentence in found:
            self.add(at, sentence, trail)
        return bool(found)

    def place(self, at: Place) -> str:
        """The place in words that editors can follow: ``support.yaml:12:9``."""
        if isinstance(at, str):
            return f"{self.source}: {at}" if at else self.source
        return f"{self.source}:{at[0]}:{at[1]}"

    def refuse(self) -> None:
        """Raise what was found, if anything was, in the order of the file.

        Raises:
            DatasetSchemaError: one sentence for each problem, with its place, its conversation and its turn.
        """
        found = sorted(self._found.items(), key=lambda item: (0, 0) if isinstance(item[0][0], str) else item[0][0])
        if found:
            raise DatasetSchemaError(
                *(": ".join(filter(None, (self.place(at), str(trail), what))) for (at, what), trail in found)
            )


def shape(node: Node) -> str:
    """What a value is, for a sentence that ends with "got"."""
    if isinstance(node.value, str) and not node.value.strip():
        return "blank text"
    words = next((words for kind, words in _WORDS.items() if isinstance(node.value, kind)), None)
    return (words or f"a {type(node.value).__name__}").format(node.written[:_SHOWN])
