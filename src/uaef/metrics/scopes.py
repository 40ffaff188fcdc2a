"""Scopes: where a metric is measured. A scope is an ordinary function, so users write their own.

It goes from a conversation's outline, which is known before the conversation is played, to spans of turns
``(start, stop)``, counted from 0 like slices.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable

from uaef.models.base import Record
from uaef.models.conversation import Conversation
from uaef.models.ground_truth import GroundTruth

Span = tuple[int, int]


class Outline(Record, frozen=True):
    """What is known of a conversation before anything was said.

    Attributes:
        numbers: the turns' numbers.
        tags: each turn's cohorts.
        expected: what is expected of the whole.
    """

    numbers: tuple[int, ...]
    tags: tuple[tuple[str, ...], ...] = ()
    expected: GroundTruth | None = None

    @classmethod
    def of(cls, conversation: Conversation) -> Outline:
        """The outline of a conversation that was recorded."""
        turns = conversation.turns
        return cls(
            numbers=tuple(turn.number for turn in turns),
            tags=tuple(window.tags for window in conversation),  # which has those of the whole too
            expected=conversation.expected,
        )

    def __len__(self) -> int:
        return len(self.numbers)


Scope = Callable[[Outline], Iterable[Span]]


def whole(outline: Outline) -> Iterable[Span]:
    """The whole conversation, once."""
    return [(0, len(outline))]


def each_turn(outline: Outline) -> Iterable[Span]:
    """Every turn by itself."""
    return [(i, i + 1) for i in range(len(outline))]


def each_turn_or_whole_for_tools(outline: Outline) -> Iterable[Span]:
    """Every turn; and the whole, where tools are expected of the conversation but of no turn in particular."""
    spans = list(each_turn(outline))
    expected = outline.expected
    if len(spans) > 1 and expected and expected.expected_tool_calls is not None:
        return spans if expected.specifies_turn_tools else [*spans, *whole(outline)]
    return spans


@functools.cache
def turn_numbered(number: int) -> Scope:
    """The turn of this number, if there is one."""

    def scope(outline: Outline) -> Iterable[Span]:
        return [(i, i + 1) for i, n in enumerate(outline.numbers) if n == number]

    scope.__name__ = f"turn_numbered({number})"
    return scope


@functools.cache
def either(*scopes: Scope) -> Scope:
    """Everything that one of these scopes names, each window once."""

    def scope(outline: Outline) -> Iterable[Span]:
        return dict.fromkeys(span for one in scopes for span in one(outline))

    scope.__name__ = f"either({', '.join(getattr(one, '__name__', repr(one)) for one in scopes)})"
    return scope


def tagged(tag: str) -> Scope:
    """Every turn that carries ``tag``."""

    def scope(outline: Outline) -> Iterable[Span]:
        return [(i, i + 1) for i, tags in enumerate(outline.tags) if tag in tags]

    scope.__name__ = f"tagged({tag!r})"
    return scope


def from_turn(number: int) -> Scope:
    """Everything from turn ``number`` to the end, as one window."""

    def scope(outline: Outline) -> Iterable[Span]:
        start = next((i for i, n in enumerate(outline.numbers) if n >= number), None)
        return [] if start is None else [(start, len(outline))]

    scope.__name__ = f"from_turn({number})"
    return scope
