"""Ways to ask a client: once, many times at once, in batches, against the clock."""

from __future__ import annotations

import asyncio
from collections import Counter
from time import monotonic

from provider_server import Answer, said
from setup_of_judges import a_prompt

from uaef.errors import ProviderError
from uaef.llm.http_client import HttpClient
from uaef.llm.providers.anthropic import AnthropicProvider
from uaef.llm.providers.bedrock import BedrockProvider
from uaef.llm.providers.openai import OpenAIProvider
from uaef.llm.retries import Patience

PROVIDERS = {"openai": OpenAIProvider, "anthropic": AnthropicProvider, "bedrock": BedrockProvider}
ONCE = Patience(attempts=1)


def client_of(wire="openai", **how) -> HttpClient:
    """A client for the model "m" of one of the providers."""
    return HttpClient(PROVIDERS[wire]("m"), **how)


def ask(client: HttpClient, calls: int = 1, **changes) -> list:
    """The replies, or the errors, of so many calls at once, in one run."""

    async def run():
        async with client:
            asked = (client.complete(a_prompt(f"call {n}", **changes)) for n in range(calls))
            return await asyncio.gather(*asked, return_exceptions=True)

    return asyncio.run(run())


def timed(client: HttpClient, calls: int = 1) -> tuple[list, float]:
    """As ``ask``, and the seconds it took."""
    started = monotonic()
    return ask(client, calls), monotonic() - started


def hello(asked) -> Answer:
    """A word that is no verdict."""
    return said(asked.wire, "hello")


def first(*answers, then=hello):
    """A script that gives these answers first."""
    left = list(answers)
    return lambda asked: left.pop(0) if left else then(asked)


def in_batches(client: HttpClient, calls: int, at_once: int) -> tuple[Counter, float]:
    """What became of so many calls, at most so many at once; and the seconds it took."""

    async def run() -> Counter:
        free = asyncio.Semaphore(at_once)
        ended: Counter = Counter()

        async def one(n: int) -> None:
            async with free:
                try:
                    ended[(await client.complete(a_prompt(f"{n}"))).text] += 1
                except ProviderError as error:
                    ended["not tried" if str(error).startswith("not tried") else "failed"] += 1

        async with client, asyncio.TaskGroup() as group:
            for n in range(calls):
                group.create_task(one(n))
        return ended

    started = monotonic()
    return asyncio.run(run()), monotonic() - started
