"""Pace: requests and tokens a minute, slowed down by what the provider refuses."""

from __future__ import annotations

import asyncio
from time import monotonic

from uaef.errors import ProviderError

_TOO_MANY = 429
_SLOWER, _FASTER = 0.7, 1.02
_LEAST = 0.05

LONGEST_PAUSE_S = 60.0
"""Limits are by the minute; a provider that asks for a longer pause is out of reach for this run."""


class Pace:
    """Lets calls start at most so often.

    After a 429 nothing starts until the time the provider names is over, and the pace drops to 70%; each
    success brings 2% back.

    Args:
        requests_per_minute: ``None``: as many as there is room for.
        tokens_per_minute: likewise, by the tokens a call is expected to take.
    """

    def __init__(self, requests_per_minute: float | None = None, tokens_per_minute: float | None = None) -> None:
        self._requests_s = requests_per_minute / 60 if requests_per_minute else None
        self._tokens_s = tokens_per_minute / 60 if tokens_per_minute else None
        self._share = 1.0
        self._next = 0.0
        self._closed_until = 0.0

    async def turn(self, tokens: int) -> None:
        """Wait until a call of so many tokens may start.

        Raises:
            ProviderError: the provider asked for a pause of which more than ``LONGEST_PAUSE_S`` are left.
        """
        now = monotonic()
        pause = self._closed_until - now
        if pause > LONGEST_PAUSE_S:
            raise ProviderError(f"not tried: the provider asked for a pause of {pause:.0f} s more", status=_TOO_MANY)
        start = max(now, self._next, self._closed_until)
        if self._limited:
            self._next = start + self._gap(tokens)
        if start > now:
            await asyncio.sleep(start - now)

    def refused(self, error: ProviderError) -> None:
        """Take note of a failure."""
        if error.status == _TOO_MANY:
            self._share = max(_LEAST, self._share * _SLOWER)
            self._closed_until = max(self._closed_until, monotonic() + (error.retry_after or 0.0))

    def accepted(self) -> None:
        """Take note of a success."""
        self._share = min(1.0, self._share * _FASTER)

    @property
    def _limited(self) -> bool:
        return self._requests_s is not None or self._tokens_s is not None

    def _gap(self, tokens: int) -> float:
        by_requests = 1 / self._requests_s if self._requests_s else 0.0
        by_tokens = tokens / self._tokens_s if self._tokens_s else 0.0
        return max(by_requests, by_tokens) / self._share
