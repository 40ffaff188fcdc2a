"""A message of a turn, whose it is, and how it was heard; and what a session has shown so far."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from enum import Enum

from uaef.adapters.langgraph.drafts import Draft
from uaef.adapters.langgraph.events import Namespace, Piece
from uaef.adapters.langgraph.messages import Said


class Part(Enum):
    """Whose message it is."""

    USER = "the user's"
    AGENT = "an agent's"
    UNSIGNED = "a human message that a node wrote and nobody signed"
    TOOL = "a tool's"
    SYSTEM = "an instruction"


@dataclass(slots=True)
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
    """

    said: Said
    part: Part
    namespace: Namespace
    node: str | None
    modes: set[str]
    draft: Draft | None = None
    was_kept_private: bool = False

    @property
    def mark(self) -> tuple[object, ...]:
        """What tells it from others where it has no id."""
        return (self.draft.said() if self.draft else self.said).mark


@dataclass(slots=True)
class Memory:
    """What the turns of a session have shown so far.

    Attributes:
        ids: of its messages.
        loose: how often each message without an id was shown, by its mark.
        calls: the ids of the tool calls.
    """

    ids: set[str] = field(default_factory=set)
    loose: Counter[object] = field(default_factory=Counter)
    calls: set[str | None] = field(default_factory=set)

    def keep(self, message: Said) -> None:
        """Remember a message."""
        self.calls.update(call.call_id for call in message.calls)
        if message.message_id:
            self.ids.add(message.message_id)
        else:
            self.loose[message.mark] += 1


def hands_on(heard: Heard, piece: Piece, name: str | None) -> bool:
    """Whether the place of ``piece`` is where a message heard inside it, or token by token, comes out."""
    if heard.namespace == piece.namespace:
        return heard.draft is not None and heard.node == piece.node
    depth = len(piece.namespace)
    inner = heard.namespace[depth : depth + 1]
    within = heard.namespace[:depth] == piece.namespace and bool(inner)
    return within and (piece.node or name) in (None, node_of(inner[0]))


def node_of(segment: str) -> str:
    """The node in a segment of a namespace: ``"coder"`` of ``"coder:975529cf"``."""
    return segment.partition(":")[0]
