"""A budget: what was spent and what is under way must not exceed it."""

from __future__ import annotations

import asyncio

from uaef.errors import ProviderError


class Budget:
    """Dollars for one run.

    Args:
        most_usd: ``None``: no limit.
    """

    def __init__(self, most_usd: float | None = None) -> None:
        self._most_usd = float("inf") if most_usd is None else most_usd
        self._under_way: list[float] = []
        self._waiting: list[asyncio.Future[None]] = []
        self.spent_usd = 0.0

    async def reserve(self, usd: float) -> None:
        """Set ``usd`` aside for a call that is about to be made, once there is enough left.

        Raises:
            ProviderError: there will not be, whatever the calls under way give back.
        """
        while self.spent_usd + usd <= self._most_usd < self.spent_usd + sum(self._under_way) + usd:
            settled = asyncio.get_running_loop().create_future()
            self._waiting.append(settled)
            await settled
        if self.spent_usd + usd > self._most_usd:
            raise ProviderError(
                f"not asked: ${self.spent_usd:.4f} are spent, and a call of up to ${usd:.4f} would exceed "
                f"max_cost_usd=${self._most_usd:g}"
            )
        self._under_way.append(usd)

    def settle(self, reserved: float, spent: float) -> None:
        """The call is over: free what was set aside and count what it cost."""
        self._under_way.remove(reserved)
        self.spent_usd += spent
        waiting, self._waiting = self._waiting, []
        for settled in (future for future in waiting if not future.done()):
            settled.get_loop().call_soon_threadsafe(_wake, settled)


def _wake(settled: asyncio.Future[None]) -> None:
    if not settled.done():
        settled.set_result(None)
