"""Places for calls under way: one is free again when all that was begun in it has really ended."""

from __future__ import annotations

import asyncio
import warnings
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from contextvars import ContextVar

HELD_S = 60.0
"""How long a call that was given up, and goes on all the same, keeps its place."""

_CURRENT: ContextVar[_Slot | None] = ContextVar("uaef_slot", default=None)


@asynccontextmanager
async def slot(limit: asyncio.Semaphore) -> AsyncIterator[None]:
    """A place under ``limit`` for what is begun inside.

    It is kept until everything that says ``taken_part`` has ended, such as a thread, which nothing can stop: or more
    calls would be under way than the limit allows. What never ends keeps it for ``HELD_S``.
    """
    await limit.acquire()
    place = _Slot(limit)
    token = _CURRENT.set(place)
    try:
        yield
    finally:
        _CURRENT.reset(token)
        place.give_up()


def taken_part() -> Callable[[], None]:
    """Keep the current place, if there is one; what is returned is to be called, in the same loop, at the end."""
    place = _CURRENT.get()
    return (lambda: None) if place is None else place.kept()


class _Slot:
    """A place that several parts of a call keep."""

    def __init__(self, limit: asyncio.Semaphore) -> None:
        self._limit = limit
        self._parts = 1
        self._is_lost = False
        self._timer: asyncio.TimerHandle | None = None

    def kept(self) -> Callable[[], None]:
        self._parts += 1
        return self._end

    def give_up(self) -> None:
        """The call itself is over, whatever goes on of it."""
        self._end()
        if self._parts:
            self._timer = asyncio.get_running_loop().call_later(HELD_S, self._lose_patience)

    def _end(self) -> None:
        self._parts -= 1
        if not self._parts and not self._is_lost:
            if self._timer is not None:
                self._timer.cancel()
            self._limit.release()

    def _lose_patience(self) -> None:
        self._is_lost = True
        self._limit.release()
        warnings.warn(
            f"A call of the agent was given up {HELD_S:g} s ago and still goes on. Its place goes to another call, "
            "so more calls are under way than the concurrency allows.",
            RuntimeWarning,
            stacklevel=2,
        )
