"""What is asked next, and what should come of it."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Sequence
from typing import TypeAlias

from uaef.errors import UsageError
from uaef.models.base import replaced
from uaef.models.case import Ask, Case
from uaef.models.ground_truth import GroundTruth
from uaef.models.reading import shown
from uaef.models.turns import Turn

NextTurn: TypeAlias = Callable[[Case, Sequence[Turn]], Ask | Awaitable[Ask | None] | None]
"""From a case and the turns played so far to what is asked next; ``None`` ends the conversation."""

MOST_TURNS = 100
"""Where a conversation ends whose next turn is never ``None``."""


class Asking:
    """The asks of a conversation, one after the other.

    Args:
        case: the case.
        next_turn: where the asks come from; left out, they are the case's own.
    """

    def __init__(self, case: Case, next_turn: NextTurn | None = None) -> None:
        self._case = case
        self._next_turn = next_turn
        # what is expected of the whole is expected of an only turn, too
        self._only = next_turn is None and len(case.asks) == 1

    async def after(self, turns: Sequence[Turn]) -> Ask | None:
        """What is asked after ``turns``, or ``None`` at the end.

        Raises:
            UsageError: there is no end, or what comes is no ask; or whatever the caller's function raises.
        """
        if self._next_turn is None:
            return self._case.asks[len(turns)] if len(turns) < len(self._case.asks) else None
        if len(turns) >= MOST_TURNS:
            raise UsageError(f"a conversation has at most {MOST_TURNS} turns; next_turn never returned None")
        found = self._next_turn(self._case, tuple(turns))
        ask = await found if inspect.isawaitable(found) else found
        if not (ask is None or isinstance(ask, Ask)):
            raise UsageError(f"next_turn must return an Ask or None, got {shown(ask)}")
        if ask is None and not turns:
            raise UsageError("next_turn asked nothing at all")
        return ask

    def expected(self, ask: Ask) -> GroundTruth | None:
        """What should come back: what the ask expects, and what the case expects of every turn."""
        overall = self._case.expected
        if overall is None:
            return ask.expected
        entry = ask.expected or GroundTruth()
        merged: dict[str, object] = {
            "expected_arguments": overall.extras | entry.expected_arguments,
            "context_documents": list(dict.fromkeys([*overall.context_documents, *entry.context_documents])),
        }
        if self._only:
            merged["expected_output"] = overall.expected_output if _unsaid(entry) else entry.expected_output
            merged["criteria"] = entry.criteria or (overall.criteria if _unsaid(entry) else [])
            tools = entry.expected_tool_calls
            merged["expected_tool_calls"] = overall.expected_tool_calls if tools is None else tools
        return replaced(entry, **merged)


def _unsaid(entry: GroundTruth) -> bool:
    return entry.expected_output is None and not entry.criteria
