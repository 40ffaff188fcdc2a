"""The client for providers that speak HTTP: one wire shape, one pool, retries, a pace and a breaker."""

from __future__ import annotations

from collections.abc import MutableMapping
from functools import partial
from typing import Self

import msgspec

from uaef.errors import ProviderError
from uaef.llm.breaker import Breaker
from uaef.llm.chat import Prompt, Reply
from uaef.llm.pace import Pace
from uaef.llm.providers.base import HttpRequest, Provider, dig
from uaef.llm.retries import Patience, patiently
from uaef.llm.transport import Transport

CHARACTERS_PER_TOKEN = 4
"""A rule of thumb for English text; only used where a count is needed before the provider gives one."""

_BAD_REQUESTS = (400, 422)


class HttpClient:
    """Answers prompts through a provider.

    Args:
        provider: the wire shape.
        timeout_s: for one attempt.
        connections: how many calls may be under way at once, at most.
        patience: how often to try, and how long to wait in between.
        pace: requests and tokens a minute.
    """

    def __init__(
        self,
        provider: Provider,
        *,
        timeout_s: float = 60.0,
        connections: int = 256,
        patience: Patience | None = None,
        pace: Pace | None = None,
    ) -> None:
        self.label = provider.label
        self.origin = provider.origin
        self._provider = provider
        self._transport = Transport(timeout_s, connections)
        self._patience = patience or Patience()
        self._pace = pace or Pace()
        self._breaker = Breaker()
        self._left_out: frozenset[str] = frozenset()

    async def __aenter__(self) -> Self:
        await self._transport.__aenter__()
        return self

    async def __aexit__(self, *exception: object) -> None:
        await self._transport.__aexit__(*exception)

    async def complete(self, prompt: Prompt) -> Reply:
        """The answer.

        Raises:
            ProviderError: there is none, after everything that could be tried again was.
        """
        return await patiently(partial(self._attempt, prompt), self._patience)

    async def _attempt(self, prompt: Prompt) -> Reply:
        self._breaker.check()  # before waiting for a turn that would come to nothing
        await self._pace.turn(tokens_in(prompt))
        try:
            reply = await self._breaker.guarded(partial(self._call, prompt))
        except ProviderError as error:
            self._pace.refused(error)
            raise
        self._pace.accepted()
        return reply

    async def _call(self, prompt: Prompt) -> Reply:
        request = self._provider.request(prompt)
        for path in self._left_out:
            _leave_out(request.payload, path)
        body = msgspec.json.encode(request.payload)
        try:
            data = await self._transport.post(request.url, await self._provider.signed(request, body), body)
        except ProviderError as error:
            refused = self._refused(error, request)
            if refused is None:
                raise
            self._left_out |= {refused}
            return await self._call(prompt)
        return self._provider.reply(data)

    def _refused(self, error: ProviderError, request: HttpRequest) -> str | None:
        """The optional field of ``request`` that the server refuses by name, if that is what it says."""
        if error.status not in _BAD_REQUESTS:
            return None
        sent = (path for path in self._provider.optional if dig(request.payload, *path.split(".")) is not None)
        return next((path for path in sent if path.rpartition(".")[2] in str(error)), None)


def tokens_in(prompt: Prompt) -> int:
    """About how many tokens a prompt has."""
    return (len(prompt.system) + sum(len(text) for _, text in prompt.messages)) // CHARACTERS_PER_TOKEN + 1


def most_tokens_in(prompt: Prompt) -> int:
    """How many tokens a prompt has at most: no token is shorter than a byte."""
    return len(msgspec.json.encode(prompt))


def _leave_out(payload: MutableMapping[str, object], path: str) -> None:
    at: object = payload
    *parents, last = path.split(".")
    for step in parents:
        at = at[step] if isinstance(at, dict) else {}
    if isinstance(at, dict):
        at.pop(last, None)
