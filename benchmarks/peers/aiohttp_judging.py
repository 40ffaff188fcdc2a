"""The yardstick of the judging: bare aiohttp posts the bodies of uaef, made beforehand, and decodes the replies."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from benchmarks.judges import Request, posted, requests_for
from benchmarks.peers.job import TurnData
from benchmarks.peers.judging import measure
from benchmarks.peers.uaef_judging import talks
from uaef.llm.providers.openai import OpenAIProvider


def prepare(given: list[list[TurnData]], url: str) -> list[Request]:
    """The bodies."""
    return list(requests_for(list(talks(given)), OpenAIProvider("m", base_url=url)))


def judge(requests: Sequence[Request], _: str, at_once: int) -> list[object]:
    """The replies."""
    return asyncio.run(posted(requests, at_once))


if __name__ == "__main__":
    measure(["aiohttp"], judge, prepare)
