"""Agents behind HTTP: a chat endpoint as OpenAI's API has it, and any endpoint that takes and gives JSON."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from functools import cached_property
from typing import Self

import msgspec

from uaef.agents.answers import trace_of
from uaef.agents.base import Agent, Call
from uaef.agents.secrets import Secrets, of_data, of_headers, of_url, public
from uaef.errors import DataError, UsageError
from uaef.llm.chat import Prompt
from uaef.llm.prices import Price, price_of
from uaef.llm.providers.base import dig, server
from uaef.llm.providers.openai import OpenAIProvider
from uaef.llm.transport import Transport
from uaef.models.base import plain, replaced
from uaef.models.reading import shown
from uaef.models.traces import AgentTrace, Trace

_CONNECTIONS = 256
_TIMEOUT_S = 600.0
_NOTHING = Prompt(system="", messages=(), schema={})


@asynccontextmanager
async def opened(agent: Agent) -> AsyncIterator[None]:
    """Keep open what the calls of ``agent`` share, for the length of a run; without it, each call opens its own."""
    if isinstance(agent, _Endpoint):
        async with agent:
            yield
    else:
        yield


class _Endpoint(ABC):
    """Posts JSON through a pool of connections, opened for a run or for a call.

    What a server says may hold what it was sent: no key gets from there into an error, and so into a report.
    """

    name: str
    remembers: bool

    def __init__(self, timeout_s: float = _TIMEOUT_S) -> None:
        self._transport = Transport(timeout_s, _CONNECTIONS)
        self._secrets: list[str] = []

    async def __aenter__(self) -> Self:
        await self._transport.__aenter__()
        return self

    async def __aexit__(self, *exception: object) -> None:
        await self._transport.__aexit__(*exception)

    async def answer(self, call: Call) -> Trace:
        """What the server answers, as a trace."""
        try:
            return await self._answered(call)
        except Exception as error:
            Secrets([*self._secrets, *of_data(call.options)]).scrub(error)
            raise

    @abstractmethod
    async def _answered(self, call: Call) -> Trace:
        """What the server answers; an error may still hold a secret."""

    async def _posted(self, url: str, headers: Mapping[str, str], payload: object) -> dict[str, object]:
        async with self._transport as transport:
            return await transport.post(url, headers, msgspec.json.encode(plain(payload)))


class ChatAgent(_Endpoint):
    """A model behind OpenAI's chat completions, or an agent that speaks them: ``openai:MODEL``.

    The server is ``OPENAI_BASE_URL``, else OpenAI, the key ``OPENAI_API_KEY``. It keeps nothing between turns, so it
    is given the conversation so far. ``target_options`` goes into the request: ``{"temperature": 0}``.

    Args:
        model: the model's name.
        system: what it is told to do.
        base_url: the server, in place of ``OPENAI_BASE_URL``.

    Raises:
        UsageError: there is no key where one is needed, or the address is none.
    """

    remembers = True
    reads_history = True
    wants_history = True

    def __init__(self, model: str, *, system: str | None = None, base_url: str | None = None) -> None:
        super().__init__()
        self.name = f"openai:{model}"
        self._model = model
        self._system = [{"role": "system", "content": system}] if system else []
        try:
            provider = OpenAIProvider(model, base_url=base_url)
        except DataError as error:
            raise UsageError(f"The agent{str(error).removeprefix('The judge')}") from None
        self._request = provider.request(_NOTHING)
        self._secrets = [*provider.secrets, *of_headers(self._request.headers), *of_url(self._request.url)]

    async def _answered(self, call: Call) -> Trace:
        """The completion, as a trace, with its tokens and, where the model has a price, its cost."""
        payload = {"model": self._model, "messages": [*self._system, *call.request], **call.options}
        trace = trace_of(await self._posted(self._request.url, self._request.headers, payload), call)
        read, written = trace.input_tokens, trace.output_tokens
        if self._price is None or read is None or written is None:
            return trace
        return replaced(trace, cost=self._price.of(read, written))

    @cached_property
    def _price(self) -> Price | None:
        return price_of(self.name)


class HttpAgent(_Endpoint):
    """An agent behind an HTTP endpoint that takes a JSON object by ``POST`` and answers with one.

    A field is a path: ``"reply.text"`` is ``{"reply": {"text": ...}}``, and a number is a place in a list.

    Args:
        url: the endpoint.
        input: the field for what the user says.
        output: where the answer is found: text, or messages.
        history: the field for what came before, as chat messages; ``None`` does not send it.
        thread_id: the field for the thread; likewise.
        resource: the field for whose conversation it is; likewise.
        headers: of every request: a key, for example.
        body: what else every request holds; ``target_options`` is laid over it.
        tokens: where the tokens read and the tokens written are found.
        cost: where the cost in dollars is found.
        timeout_s: for one call.
        name: what reports call it; left out, the URL without user, password and query.

    Raises:
        UsageError: the URL is none.
    """

    def __init__(  # noqa: PLR0913 - a map has as many fields as it has
        self,
        url: str,
        *,
        input: str = "message",  # noqa: A002 - what it is called everywhere else
        output: str = "reply",
        history: str | None = None,
        thread_id: str | None = None,
        resource: str | None = None,
        headers: Mapping[str, str] | None = None,
        body: Mapping[str, object] | None = None,
        tokens: tuple[str, str] | None = None,
        cost: str | None = None,
        timeout_s: float = _TIMEOUT_S,
        name: str | None = None,
    ) -> None:
        super().__init__(timeout_s)
        try:
            server(url, url)
        except DataError:
            raise UsageError(
                f"HttpAgent: {public(url)!r} is no address; one begins with http:// or https:// and a host."
            ) from None
        self.name = name or public(url)
        self.remembers = thread_id is not None or history is not None
        self.reads_history = history is not None
        self.wants_history = history is not None and thread_id is None
        self._url = url
        self._headers = {"Content-Type": "application/json", **(headers or {})}
        self._body = dict(body or {})
        self._secrets = [*of_headers(self._headers), *of_url(url), *of_data(self._body)]
        self._fields = {"input": input, "history": history, "thread_id": thread_id, "resource": resource}
        self._output = output
        self._tokens = tokens or ("", "")
        self._cost = cost or ""

    async def _answered(self, call: Call) -> Trace:
        """What stands in the answer's field, as a trace."""
        payload = plain({**self._body, **call.options})
        for name, path in self._fields.items():
            if path:
                _put(payload, path, getattr(call, name))
        data = await self._posted(self._url, self._headers, payload)
        found = _at(data, self._output)
        if found is None:
            raise DataError(f"the endpoint's answer has nothing at {self._output!r}: {shown(data, 300)}")
        trace = trace_of(found, call)
        read, written, cost = (_number(_at(data, path)) for path in (*self._tokens, self._cost))
        known = {"input_tokens": read, "output_tokens": written, "cost": cost}
        if not isinstance(trace, AgentTrace) or not any(value is not None for value in known.values()):
            return trace
        return replaced(trace, **{key: value for key, value in known.items() if value is not None})


def _put(payload: object, path: str, value: object) -> None:
    *parents, last = path.split(".")
    at = payload
    for step in parents:
        at = at.setdefault(step, {}) if isinstance(at, dict) else None
    if not isinstance(at, dict):
        raise DataError(f"the field {path!r} lies inside something that is no object.")
    at[last] = value


def _at(data: object, path: str) -> object:
    steps = [int(step) if step.isdecimal() else step for step in path.split(".")]
    return dig(data, *steps) if path else None


def _number(value: object) -> float | None:
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None
