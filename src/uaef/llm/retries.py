"""Trying again: what was refused for the moment is asked for again, what was refused for good is not."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TypeVar

from uaef.errors import UsageError
from uaef.llm.limits import not_below_zero
from uaef.models.base import Record

_Answer = TypeVar("_Answer")


class Patience(Record, frozen=True):
    """How hard to try.

    Attributes:
        attempts: calls in all, at least 1.
        waiting_s: seconds spent waiting between them, at most. A pause that a provider asks for is waited for if it
            fits in, by the call that was refused and by those behind it; limits are by the minute, so it is a minute.

    Raises:
        UsageError: it is no number of calls, or no number of seconds.
    """

    attempts: int = 4
    waiting_s: float = 60.0

    def __post_init__(self) -> None:
        if type(self.attempts) is not int or self.attempts < 1:
            raise UsageError(f"attempts must be a whole number of at least 1, got {self.attempts!r}.")
        not_below_zero("waiting_s", self.waiting_s)


async def patiently(call: Callable[[], Awaitable[_Answer]], patience: Patience) -> _Answer:
    """What ``call`` answers, tried again while its failure is transient: an exception that says so of itself.

    The wait grows from half a second, with jitter; the exception's ``retry_after`` is honoured.

    Raises:
        Exception: the last failure.
    """
    try:
        return await call()  # most calls are answered at once, and need no machinery
    except Exception as error:
        if not _is_transient(error) or patience.attempts == 1:
            raise
        failures = iter([error])

    async def again() -> _Answer:
        for failure in failures:  # the first attempt, told to those who count
            raise failure
        return await call()

    from tenacity import (  # noqa: PLC0415 - on first use
        AsyncRetrying,
        RetryCallState,
        retry_if_exception,
        stop_after_attempt,
        wait_exponential,
        wait_random,
    )

    growing = wait_exponential(multiplier=0.5, max=8) + wait_random(0, 0.5)

    def wait(state: RetryCallState) -> float:
        return max(growing(state), _asked_for(state.outcome.exception() if state.outcome else None))

    def out_of_patience(state: RetryCallState) -> bool:
        return state.idle_for + state.upcoming_sleep > patience.waiting_s

    retrying = AsyncRetrying(
        retry=retry_if_exception(_is_transient),
        stop=stop_after_attempt(patience.attempts) | out_of_patience,  # type: ignore[operator]
        wait=wait,
        reraise=True,
    )
    return await retrying(again)


def _is_transient(error: BaseException) -> bool:
    return isinstance(error, Exception) and getattr(error, "transient", None) is True


def _asked_for(error: BaseException | None) -> float:
    asked = getattr(error, "retry_after", None)
    return asked if isinstance(asked, int | float) else 0.0
