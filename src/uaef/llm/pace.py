"""Pace: requests and tokens a minute, slowed down by what the provider refuses."""

from __future__ import annotations

import asyncio
from time import monotonic

from uaef.errors import ProviderError
from uaef.llm.limits import above_zero

_TOO_MANY = 429
_SLOWER, _FASTER = 0.7, 1.02
_LEAST = 0.05


class Pace:
    """Lets calls start at most so often.

    After a 429 nothing starts until the time the provider names is over, not even what had its turn already. The
    pace drops to 70%, once for all the calls that were under way together; each success brings 2% back.

    Args:
        requests_per_minute: ``None``: as many as there is room for.
        tokens_per_minute: likewise, by the tokens a call is expected to take.

    Raises:
        UsageError: a limit is no finite number above 0.
    """

    def __init__(self, requests_per_minute: float | None = None, tokens_per_minute: float | None = None) -> None:
        self._requests_s = _by_the_second("requests_per_minute", requests_per_minute)
        self._tokens_s = _by_the_second("tokens_per_minute", tokens_per_minute)
        self._share = 1.0
        self._next = 0.0
        self._closed_until = 0.0
        self._slowed_at = 0.0

    async def turn(self, tokens: int, longest_pause_s: float) -> float:
        """Wait until a call of so many tokens may start, and say when that was.

        Raises:
            ProviderError: the provider asked for a pause of which more than ``longest_pause_s`` are left.
        """
        while True:
            now = monotonic()
            pause = self._closed_until - now
            if pause > longest_pause_s:
                asked = f"not tried: the provider asked for a pause of {pause:.0f} s more"
                raise ProviderError(asked, status=_TOO_MANY)
            start = max(now, self._next, self._closed_until)
            if self._limited:
                self._next = start + self._gap(tokens)
            if start > now:
                await asyncio.sleep(start - now)
            started = monotonic()
            if started >= self._closed_until:  # else a pause was asked for meanwhile, and the turn is over
                return started

    def refused(self, error: ProviderError, started: float) -> None:
        """Take note of the failure of a call that was ``started`` then."""
        if error.status != _TOO_MANY:
            return
        now = monotonic()
        if started >= self._slowed_at:  # it was made at the pace of now, and not before others were refused
            self._share = max(_LEAST, self._share * _SLOWER)
            self._slowed_at = now
        self._closed_until = max(self._closed_until, now + (error.retry_after or 0.0))

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


def _by_the_second(name: str, a_minute: float | None) -> float | None:
    return None if a_minute is None else above_zero(name, a_minute) / 60
