"""What a value of a dataset may be. Each kind says it twice: as a reading of a value, and as a JSON Schema."""

from __future__ import annotations

import datetime as dt
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from uaef.data.conversations.nodes import Node, Problems, Trail, plain, shape

Schema: TypeAlias = dict[str, object]
_SHOWN = 40


class Kind(ABC):
    """The base of all kinds."""

    @abstractmethod
    def read(self, node: Node, name: str, trail: Trail, problems: Problems) -> object:
        """The value, or ``None`` where it is not what it has to be, which is noted in ``problems``.

        Args:
            node: the value.
            name: what it is called in messages: its key.
            trail: where it belongs.
            problems: where mistakes are noted.
        """

    @abstractmethod
    def schema(self) -> Schema:
        """The same in JSON Schema, as far as that can say it, with kinds in place of their schemas."""

    @property
    def title(self) -> str:
        """What the schema calls it; two kinds of one title have the same schema."""
        return type(self).__name__.lower()


@dataclass(frozen=True)
class Text(Kind):
    """Text that is not blank."""

    def read(self, node: Node, name: str, trail: Trail, problems: Problems) -> object:
        """See ``Kind``."""
        if problems.add_faults(node, trail):
            return None
        if isinstance(node.value, str) and node.value.strip():
            return node.value
        problems.add(node.at, f"{name} must be text, got {shape(node)}{in_quotes(node)}", trail)
        return None

    def schema(self) -> Schema:
        """See ``Kind``."""
        return {"type": "string", "pattern": r"\S"}


def in_quotes(node: Node) -> str:
    """What to do about a value that would be text in quotes; nothing about others."""
    match node.value:
        case bool() | int() | float() | dt.date():
            return f'; put it in quotes: "{node.written[:_SHOWN]}"'
        case dict() as pairs if len(pairs) == 1:
            ((key, value),) = pairs.items()
            if not isinstance(value.value, list | dict):
                return f'; put text that holds a colon in quotes: "{f"{key}: {value.written}"[:_SHOWN]}"'
    return ""


@dataclass(frozen=True)
class Name(Text):
    """Text that can stand in the name of a turn: ``refund#3``."""

    def read(self, node: Node, name: str, trail: Trail, problems: Problems) -> object:
        """See ``Kind``."""
        text = super().read(node, name, trail, problems)
        if not isinstance(text, str):
            return None
        if "#" in text:
            problems.add(node.at, f"{name} {text!r} holds a #, which belongs to turns (refund#3); take it out", trail)
        elif text != text.strip():
            problems.add(node.at, f"{name} {text!r} has white space around it; take it away", trail)
        return text

    def schema(self) -> Schema:
        """See ``Kind``."""
        return {"type": "string", "pattern": r"^[^#\s]([^#]*[^#\s])?$"}


@dataclass(frozen=True)
class Choice(Kind):
    """One of a few words."""

    words: tuple[str, ...]

    def read(self, node: Node, name: str, trail: Trail, problems: Problems) -> object:
        """See ``Kind``."""
        if problems.add_faults(node, trail):
            return None
        if isinstance(node.value, str) and node.value in self.words:
            return node.value
        got = repr(node.value) if isinstance(node.value, str) else shape(node)
        problems.add(node.at, f"{name} must be one of {', '.join(self.words)}, got {got}", trail)
        return None

    def schema(self) -> Schema:
        """See ``Kind``."""
        return {"enum": list(self.words)}


@dataclass(frozen=True)
class Count(Kind):
    """A whole number of at least 1."""

    def read(self, node: Node, name: str, trail: Trail, problems: Problems) -> object:
        """See ``Kind``."""
        if problems.add_faults(node, trail):
            return None
        value = node.value
        if isinstance(value, int) and not isinstance(value, bool) and value >= 1:
            return value
        problems.add(node.at, f"{name} must be a whole number of at least 1, got {shape(node)}", trail)
        return None

    def schema(self) -> Schema:
        """See ``Kind``."""
        return {"type": "integer", "minimum": 1}


@dataclass(frozen=True)
class Data(Kind):
    """An object with whatever keys and values, except those that are reserved."""

    reserved: tuple[str, ...] = ()

    def read(self, node: Node, name: str, trail: Trail, problems: Problems) -> object:
        """See ``Kind``."""
        has_faults = problems.add_faults(node, trail)
        if not isinstance(node.value, dict):
            if not has_faults:
                problems.add(node.at, f"{name} must be an object, got {shape(node)}", trail)
            return None
        for key in node.value.keys() & set(self.reserved):
            sentence = f"{name} cannot hold {key!r}, which every row has by itself; take another key"
            problems.add(node.keys.get(key, node.at), sentence, trail)
        return None if has_faults else plain(node)

    def schema(self) -> Schema:
        """See ``Kind``."""
        reserved: Schema = {"propertyNames": {"not": {"enum": list(self.reserved)}}} if self.reserved else {}
        return {"type": "object", **reserved}

    @property
    def title(self) -> str:
        """See ``Kind``."""
        return "metadata" if self.reserved else "data"


@dataclass(frozen=True)
class ListOf(Kind):
    """A list.

    Attributes:
        item: what its items are.
        can_be_empty: whether it says something to have none.
        hint: what to do about anything else.
        lone: whether a single item, a text, may stand for a list of one.
        follow: from where the list belongs, an item and its place to where that belongs.
    """

    item: Kind
    can_be_empty: bool = False
    hint: str = ""
    lone: bool = False
    follow: Callable[[Trail, Node, int], Trail] = lambda trail, _node, _place: trail

    def read(self, node: Node, name: str, trail: Trail, problems: Problems) -> object:
        """See ``Kind``."""
        if self.lone and not isinstance(node.value, list | dict):
            return None if (one := self.item.read(node, name, trail, problems)) is None else [one]
        for fault in node.faults:
            problems.add(fault.at, fault.sentence, trail)
        if not isinstance(node.value, list):
            wanted = "text or a list of texts" if self.lone else "a list"
            problems.add(node.at, f"{name} must be {wanted}, got {shape(node)}{self._hint(node)}", trail)
            return None
        if not node.value and not self.can_be_empty:
            problems.add(node.at, f"{name} is empty: {self.hint or 'leave the key out'}", trail)
        items = [self._item(item, place, name, trail, problems) for place, item in enumerate(node.value, 1)]
        return [item for item in items if item is not None]

    def _hint(self, node: Node) -> str:
        if self.lone:
            return in_quotes(node)
        if isinstance(node.value, str) and node.value.strip():
            return f"; write [{node.value.strip()[:_SHOWN]}]"
        return "; begin each item with a dash" if isinstance(node.value, dict) else ""

    def _item(self, node: Node, place: int, name: str, trail: Trail, problems: Problems) -> object:
        return self.item.read(node, f"item {place} of {name}", self.follow(trail, node, place), problems)

    def schema(self) -> Schema:
        """See ``Kind``."""
        several: Schema = {"type": "array", "items": self.item}
        if not self.can_be_empty:
            several["minItems"] = 1
        return {"anyOf": [self.item, several]} if self.lone else several

    @property
    def title(self) -> str:
        """See ``Kind``."""
        return f"{self.item.title}{'_or_list' if self.lone else '_list'}"
