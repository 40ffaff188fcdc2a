"""Trying again: what was refused for the moment is asked for again, what was refused for good is not."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from uaef.errors import ProviderError
from uaef.llm.chat import Reply
from uaef.models.base import Record


class Patience(Record, frozen=True):
    """How hard to try.

    Attributes:
        attempts: calls in all, at least 1.
        waiting_s: seconds spent waiting between them, at most; a server that asks for more is not waited for.
    """

    attempts: int = 4
    waiting_s: float = 20.0


async def patiently(call: Callable[[], Awaitable[Reply]], patience: Patience) -> Reply:
    """What ``call`` answers, tried again while its failure is transient.

    The wait grows from half a second, with jitter; ``Retry-After`` is honoured.

    Raises:
        ProviderError: the last failure.
    """
    try:
        return await call()  # most calls are answered at once, and need no machinery
    except ProviderError as error:
        if not error.transient or patience.attempts == 1:
            raise
        failures = iter([error])

    async def again() -> Reply:
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
    return isinstance(error, ProviderError) and error.transient


def _asked_for(error: BaseException | None) -> float:
    return (error.retry_after or 0.0) if isinstance(error, ProviderError) else 0.0
