"""What was said and done in a window, as text beside a verdict: bounded, and harmless wherever it is shown."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from uaef.models.base import plain
from uaef.models.conversation import Conversation
from uaef.reporting.plain import visible
from uaef.text.transcript import as_data

LONGEST = 2_000
"""How many characters of one text are shown."""
_CALLS = 8


class Said(NamedTuple):
    """One text: who it is from, and what it is."""

    who: str
    text: str


def said(window: Conversation, longest: int = LONGEST) -> Iterator[Said]:
    """What the user said, the tools that were called, and what the assistant said, turn by turn.

    Args:
        window: a turn, or several.
        longest: how many characters of one text are kept.
    """
    for turn in window:
        at = f" {turn.numbers[0]}" if len(window) > 1 else ""
        yield Said(f"user{at}", block(turn.question, longest))
        calls = [f"{call.name}({as_data(plain(call.arguments))})" for call in turn.tool_calls[:_CALLS]]
        if len(turn.tool_calls) > _CALLS:
            calls.append(f"and {len(turn.tool_calls) - _CALLS} more")
        if calls:
            yield Said(f"tools{at}", block("\n".join(calls), longest))
        error = turn.turns[0].error
        yield Said(f"assistant{at}", block(f"({error})" if error else turn.answer or "(nothing)", longest))


def block(text: str, longest: int = LONGEST) -> str:
    r"""``text`` in its lines, without its end if it is longer; what cannot be seen is written out: ``\\x1b``."""
    lines = "\n".join(map(visible, text[:longest].split("\n")))
    return lines if len(text) <= longest else f"{lines} [... {len(text):,} characters in all]"
