"""What is asked next, and what should come of it."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import TypeAlias

from uaef.agents.workers import Workers, is_async
from uaef.errors import UsageError
from uaef.foreign import OverdueError, apart
from uaef.models.base import replaced
from uaef.models.case import Ask, Case
from uaef.models.ground_truth import GroundTruth
from uaef.models.reading import shown
from uaef.models.turns import Turn

NextTurn: TypeAlias = Callable[[Case, Sequence[Turn]], Ask | Awaitable[Ask | None] | None]
"""From a case and the turns played so far to what is asked next; ``None`` ends the conversation."""

MOST_TURNS = 100
"""Where a conversation ends whose next turn is never ``None``."""

_WORKERS = Workers()


class Asking:
    """The asks of a conversation, one after the other.

    Args:
        case: the case.
        next_turn: where the asks come from; left out, they are the case's own.
        timeout_s: how long that may take; ``None``: as long as it takes.
    """

    def __init__(self, case: Case, next_turn: NextTurn | None = None, timeout_s: float | None = None) -> None:
        self._case = case
        self._next_turn = next_turn
        self._timeout_s = timeout_s
        # what is expected of the whole is expected of an only turn, too
        self._only = next_turn is None and len(case.asks) == 1

    async def after(self, turns: Sequence[Turn]) -> Ask | None:
        """What is asked after ``turns``, or ``None`` at the end.

        Raises:
            UsageError: there is no end, or what comes is no ask, or nothing comes in time; or whatever the caller's
                function raises.
        """
        if self._next_turn is None:
            return self._case.asks[len(turns)] if len(turns) < len(self._case.asks) else None
        if len(turns) >= MOST_TURNS:
            raise UsageError(f"a conversation has at most {MOST_TURNS} turns; next_turn never returned None")
        try:
            ask = await apart(self._asked(self._next_turn, turns), self._timeout_s)
        except OverdueError:
            raise UsageError(f"next_turn gave no answer within {self._timeout_s:g} s") from None
        if not (ask is None or isinstance(ask, Ask)):
            raise UsageError(f"next_turn must return an Ask or None, got {shown(ask)}")
        if ask is None and not turns:
            raise UsageError("next_turn asked nothing at all")
        return ask and self._case.completed(ask, len(turns) + 1)

    async def _asked(self, next_turn: NextTurn, turns: Sequence[Turn]) -> object:
        """What the function says; a plain one may block, and gets a thread of its own, as plain agents do."""
        ask = partial(next_turn, self._case, tuple(turns))
        found = ask() if is_async(next_turn) else await _WORKERS.run(ask)
        return await found if inspect.isawaitable(found) else found

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
