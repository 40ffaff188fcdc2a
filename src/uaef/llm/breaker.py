"""A circuit breaker: when a provider is down, the calls of a run fail at once instead of one after the other."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from time import monotonic

from uaef.errors import ProviderError
from uaef.llm.chat import Reply

FAILURES = 5
"""So many attempts in a row must have failed ..."""
LASTING_S = 3.0
"""... over so many seconds, before the provider counts as down."""
PAUSE_S = 5.0
"""Then one call in so many seconds tries whether it is back."""
FORGOTTEN_S = 60.0
"""After so long without a call or a failure, what failed before says nothing about the provider of now."""


class Breaker:
    """Counts failures in a row; a success, or an error that is only about one request, clears the count."""

    def __init__(self) -> None:
        self._failures = 0
        self._since = 0.0
        self._last = 0.0
        self._last_call = 0.0
        self._next_try = 0.0

    def check(self) -> None:
        """Nothing, unless the provider is down and it is not yet time to try again.

        Raises:
            ProviderError: then.
        """
        if self._is_open() and monotonic() < self._next_try:
            raise ProviderError(f"not tried: the provider is down ({self._failures} failures in a row)")

    async def guarded(self, call: Callable[[], Awaitable[Reply]]) -> Reply:
        """What ``call`` answers.

        Raises:
            ProviderError: of the call, or at once while the provider is down.
        """
        self.check()
        started = monotonic()
        if started - max(self._last, self._last_call) > FORGOTTEN_S:
            self._failures = 0
        self._last_call = started
        if self._is_open():
            self._next_try = started + PAUSE_S
        try:
            reply = await call()
        except ProviderError as error:
            self._note(error, started)
            raise
        self._failures = 0
        return reply

    def _note(self, error: ProviderError, started: float) -> None:
        if error.status is not None and error.status < 500:  # noqa: PLR2004 - it is up, and said no
            self._failures = 0
            return
        if not self._failures:
            self._since = started
        self._failures += 1
        self._last = monotonic()
        if self._is_open():
            error.transient = False
            self._next_try = max(self._next_try, self._last + PAUSE_S)

    def _is_open(self) -> bool:
        """Whether the failures went on for long; how long ago the first was says nothing about that."""
        return self._failures >= FAILURES and self._last - self._since >= LASTING_S
