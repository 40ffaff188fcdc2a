"""Turns: what a conversation is cut into."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Self

from uaef.errors import DataError, ModelError
from uaef.models.base import Model, converted, replaced
from uaef.models.ground_truth import GroundTruth
from uaef.models.message import Message, MessageRole
from uaef.models.traces import AgentTrace, MultiAgentTrace, Trace, as_trace, user_messages


class Turn(Model, frozen=True, gc=False):
    """One exchange: everything from one user message to the next.

    Attributes:
        trace: what was recorded of it.
        number: its number; gaps are allowed, order is not changed by them.
        expected: what should have come back, for this turn.
        tags: the cohorts it belongs to.
        error: what went wrong, where the agent failed at this turn; nothing is measured on it then.
        shown: the messages that the agent was shown as history, where they were not what was really said.
    """

    trace: AgentTrace | MultiAgentTrace
    number: int
    expected: GroundTruth | None = None
    tags: tuple[str, ...] = ()
    error: str | None = None
    shown: tuple[Message, ...] | None = None

    @classmethod
    def from_dict(cls, data: object) -> Self:
        """The turn that ``to_dict`` described, whichever kind of trace it holds.

        Raises:
            ValueError: naming what does not fit.
        """
        fields = converted(data, dict[str, object])
        try:
            return cls(**{**fields, "trace": as_trace(fields.get("trace"), "trace")})  # type: ignore[arg-type]
        except TypeError as error:
            raise ModelError(f"Turn: {error}") from None


def numbered(traces: Sequence[Trace], name: str) -> tuple[Turn, ...]:
    """The traces as turns, each with the ``turn_id`` that was recorded, else its place; its ``tags``; its ``error``.

    Raises:
        DataError: two turns have the same number.
    """
    numbers = [_number(trace, place) for place, trace in enumerate(traces, 1)]
    if len(set(numbers)) < len(numbers):
        twice = sorted({n for n in numbers if numbers.count(n) > 1})
        raise DataError(f"Conversation {name!r} has more than one turn {', '.join(map(str, twice))}.")
    return tuple(
        Turn(trace=trace, number=number, tags=_tags(trace), error=_error(trace))
        for trace, number in zip(traces, numbers, strict=True)
    )


def numbered_trace(turn: Turn, place: int) -> Trace:
    """The turn's trace, which says the turn's number where that is not its place."""
    if _number(turn.trace, place) == turn.number:
        return turn.trace
    return replaced(turn.trace, metadata={**turn.trace.metadata, "turn_id": turn.number})


def _number(trace: Trace, place: int) -> int:
    """The recorded ``turn_id``, if it is a whole number, however it is written; else the turn's place."""
    given = trace.metadata.get("turn_id")
    if isinstance(given, str) and re.fullmatch(r"-?[0-9]{1,18}", given.strip(), re.ASCII):
        return int(given)
    if isinstance(given, float) and given.is_integer():
        return int(given)
    return given if isinstance(given, int) and not isinstance(given, bool) else place


def _error(trace: Trace) -> str | None:
    """What the recording says went wrong with the agent."""
    error = trace.metadata.get("error")
    return str(error) if error else None


def _tags(trace: Trace) -> tuple[str, ...]:
    """The cohorts that were recorded with a turn."""
    tags = trace.metadata.get("tags")
    return tuple(str(tag) for tag in tags) if isinstance(tags, list | tuple) else ()


def check_same_story(full: Trace | None, turns: Sequence[Turn], name: str) -> None:
    """Make sure that ``full`` holds the user messages of ``turns``, no more and no less.

    Raises:
        DataError: naming the first difference.
    """
    if full is None:
        return
    told = user_messages(full.messages)
    said = [(turn.number, text) for turn in turns for text in user_messages(turn.trace.messages)]
    for place, (number, text) in enumerate(said):
        if place >= len(told) or told[place] != text:
            there = repr(told[place]) if place < len(told) else "nothing"
            raise DataError(
                f"Conversation {name!r}: full_trace and the turns tell different stories from turn {number} on: "
                f"the turn's user says {text!r}, full_trace has {there}."
            )
    if len(told) > len(said):
        raise DataError(
            f"Conversation {name!r}: full_trace has a user message that no turn has: {told[len(said)]!r}."
        )


def split(messages: Sequence[Message]) -> list[list[Message]]:
    """The messages turn by turn: a new one begins at each user message after the first."""
    parts: list[list[Message]] = [[]]
    asked = False
    for message in messages:
        if message.role is MessageRole.USER:
            if asked:
                parts.append([])
            asked = True
        parts[-1].append(message)
    return parts
