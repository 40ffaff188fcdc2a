"""The client for providers that speak HTTP: one wire shape, one pool, retries, a pace and a breaker."""

from __future__ import annotations

import re
from collections.abc import MutableMapping
from functools import partial
from typing import Self

import msgspec

from uaef.errors import ProviderError
from uaef.llm.breaker import Breaker
from uaef.llm.chat import Prompt, Reply
from uaef.llm.limits import above_zero
from uaef.llm.pace import Pace
from uaef.llm.providers.base import HttpRequest, Provider, dig
from uaef.llm.retries import Patience, patiently
from uaef.llm.tokens import tokens_in
from uaef.llm.transport import Transport
from uaef.models.base import replaced

_BAD_REQUESTS = (400, 422)


class HttpClient:
    """Answers prompts through a provider.

    Args:
        provider: the wire shape.
        timeout_s: for one attempt.
        connections: how many calls may be under way at once, at most.
        patience: how often to try, and how long to wait in between.
        pace: requests and tokens a minute.

    Raises:
        UsageError: the timeout is no number of seconds above 0.
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
        self._transport = Transport(above_zero("timeout_s", timeout_s), connections)
        self._patience = patience or Patience()
        self._pace = pace or Pace()
        self._breaker = Breaker()
        self._left_out: frozenset[str] = frozenset()
        self._renamed: dict[str, str] = {}

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
        lost = 0

        async def attempt() -> Reply:
            nonlocal lost
            try:
                return await self._attempt(prompt)
            except ProviderError as error:
                lost += error.may_be_billed
                raise

        try:
            reply = await patiently(attempt, self._patience)
        except ProviderError as error:
            error.args, error.lost = (self._scrubbed(str(error)),), lost
            raise
        return replaced(reply, lost=lost) if lost else reply

    def _scrubbed(self, text: str) -> str:
        """What a server says may hold what it was sent: the key must not get into a report."""
        for secret in self._provider.secrets:
            text = text.replace(secret, "[secret]")
        return text

    async def _attempt(self, prompt: Prompt) -> Reply:
        self._breaker.check()  # before waiting for a turn that would come to nothing
        started = await self._pace.turn(tokens_in(prompt), self._patience.waiting_s)
        try:
            reply = await self._breaker.guarded(partial(self._call, prompt))
        except ProviderError as error:
            self._pace.refused(error, started)
            raise
        self._pace.accepted()
        return reply

    async def _call(self, prompt: Prompt) -> Reply:
        request = self._provider.request(prompt)
        for path in self._left_out:
            _leave_out(request.payload, path)
        for name, other in self._renamed.items():
            if name in request.payload:
                request.payload[other] = request.payload.pop(name)
        body = msgspec.json.encode(request.payload)
        try:
            data = await self._transport.post(request.url, await self._provider.signed(request, body), body)
        except ProviderError as error:
            if not self._learns(error, request):
                raise
            return await self._call(prompt)
        return self._provider.reply(data)

    def _learns(self, error: ProviderError, request: HttpRequest) -> bool:
        """Whether the server refuses a field of ``request`` that can be renamed or left out; from now on it is."""
        if error.status not in _BAD_REQUESTS:
            return False
        for name, other in self._provider.other_names.items():
            if name in request.payload and _names(str(error), name):
                return self._renames(name, other)
        sent = (path for path in self._provider.optional if dig(request.payload, *path.split(".")) is not None)
        refused = next((path for path in sent if _names(str(error), path.rpartition(".")[2])), None)
        if refused is not None:
            self._left_out |= {refused}
        return refused is not None

    def _renames(self, name: str, other: str) -> bool:
        """Whether ``name`` goes by the ``other`` name from now on, or did already when the refusal came."""
        if other in self._renamed:  # this is its other name: the server takes neither
            return False
        self._renamed = {**self._renamed, name: other}
        return True


def _names(refusal: str, field: str) -> bool:
    """Whether a refusal names ``field`` as a field, and not just as a word of what was asked."""
    return re.search(rf"""['"`](?:[\w.\[\]]*\.)?{field}['"`]""", refusal) is not None


def _leave_out(payload: MutableMapping[str, object], path: str) -> None:
    at: object = payload
    *parents, last = path.split(".")
    for step in parents:
        at = at[step] if isinstance(at, dict) else {}
    if isinstance(at, dict):
        at.pop(last, None)
