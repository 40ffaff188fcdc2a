"""What is wrong with a dataset, collected until everything has been looked at."""

from __future__ import annotations

import datetime as dt
from typing import NamedTuple

from uaef.data.conversations.nodes import Node, Place, faults_in
from uaef.errors import DatasetSchemaError

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
