"""A message of a turn, whose it is, and how it was heard; and what a session has shown so far."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import Enum

from uaef.adapters.langgraph.drafts import Draft
from uaef.adapters.langgraph.events import HUMAN_NODE, Namespace, Piece
from uaef.adapters.langgraph.messages import Mark, Said


class Part(Enum):
    """Whose message it is."""

    USER = "the user's"
    AGENT = "an agent's"
    UNSIGNED = "a human message that a node wrote and nobody signed"
    TOOL = "a tool's"
    SYSTEM = "an instruction"


@dataclass(slots=True, eq=False)
class Heard:
    """A message of the turn and how it was heard.

    Attributes:
        said: the message, in the latest form in which it was shown.
        part: whose it is.
        namespace: of the subgraph that it comes from.
        node: the node that it comes from, where the stream says.
        modes: the stream modes that showed it.
        draft: its tokens, as long as it was heard in no other way.
        was_kept_private: whether its node went on without returning it.
        place: grows from message to message of the turn.
    """

    said: Said
    part: Part
    namespace: Namespace
    node: str | None
    modes: frozenset[str]
    draft: Draft | None = None
    was_kept_private: bool = False
    place: int = 0

    @property
    def mark(self) -> Mark:
        """What tells it from others where it has no id."""
        return (self.draft.said() if self.draft else self.said).mark

    @property
    def traits(self) -> tuple[object, ...]:
        """All that decides, besides its mark, whether it may be the message that a piece shows."""
        return self.modes, self.said.message_id is None, self.part is Part.USER, self.node == HUMAN_NODE


@dataclass(slots=True)
class Memory:
    """What the turns of a session have shown so far.

    Attributes:
        ids: of its messages.
        seen: its messages with ids, by id and mark, in each form in which they were shown.
        loose: how often each message without an id was shown, by its mark.
        calls: the ids of the tool calls.
        ids_restart: whether the recorder counts the messages of each turn anew.
    """

    ids: set[str] = field(default_factory=set)
    seen: set[tuple[str | None, Mark]] = field(default_factory=set)
    loose: Counter[Mark] = field(default_factory=Counter)
    calls: set[str | None] = field(default_factory=set)
    ids_restart: bool = False

    def keep(self, message: Said) -> None:
        """Remember a message."""
        self.calls.update(call.call_id for call in message.calls)
        if message.message_id is None:
            self.loose[message.mark] += 1
        else:
            self.see((message.message_id, message.mark))

    def see(self, *seen: tuple[str | None, Mark]) -> None:
        """Remember what was shown under which id."""
        self.seen.update(seen)
        self.ids.update(message_id for message_id, _ in seen if message_id is not None)


def outlets(heard: Heard) -> Iterator[tuple[object, ...]]:
    """Where a message heard inside a subgraph, or token by token, may come out under the same words."""
    for depth, segment in enumerate(heard.namespace):
        around = heard.namespace[:depth]
        yield "around", around, node_of(segment)
        yield "around", around, None
    if heard.draft:
        yield "itself", heard.namespace, heard.node


def outlets_at(piece: Piece, name: str | None) -> Iterator[tuple[object, ...]]:
    """Those of the ``outlets`` that the place of ``piece`` is, where a message signed by ``name`` is shown."""
    yield "around", piece.namespace, piece.node or name
    yield "itself", piece.namespace, piece.node


def node_of(segment: str) -> str:
    """The node in a segment of a namespace: ``"coder"`` of ``"coder:975529cf"``."""
    return segment.partition(":")[0]
