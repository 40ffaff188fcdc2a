"""What it costs to ask a model: our judges beside bare aiohttp that posts the same bodies to the same server."""

from __future__ import annotations

import asyncio
import gc
import json
import time
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import aiohttp
import msgspec

from benchmarks.conversations import recorded
from benchmarks.judge_server import judge_server
from benchmarks.speed import ROUNDS, Figure
from uaef.api import batch_evaluate
from uaef.llm.http_client import HttpClient
from uaef.llm.providers.openai import OpenAIProvider
from uaef.llm_judge import Judge
from uaef.llm_judge.llm import LLMJudge
from uaef.llm_judge.prompt import question
from uaef.metrics import get_metric
from uaef.models import Conversation, EvaluationResult

PER_TURN, ON_THE_WHOLE = "answer_relevance", "coherence"
TURNS = 5
MOST_CPU_MS = 0.6


class _Cost(NamedTuple):
    wall_s: float
    cpu_s: float


def judging(conversations: int, seconds: float, at_once: int, most: float) -> Figure:
    """One judge metric on each of five turns and one on the whole, ``at_once`` calls under way.

    Args:
        conversations: how many.
        seconds: that a verdict takes.
        at_once: calls.
        most: the wall time that is the goal, over that of bare aiohttp.
    """
    talks = [Conversation.of(traces) for traces in recorded(conversations, TURNS).traces]
    with judge_server(seconds) as url:
        provider = OpenAIProvider("m", base_url=url)
        judge = LLMJudge(HttpClient(provider))
        requests = list(requests_for(talks, provider))
        ours, bare = _best(lambda: judged(talks, judge, at_once), lambda: asyncio.run(posted(requests, at_once)))
    calls = len(requests)
    ratio = ours.wall_s / bare.wall_s
    cpu_ms = ours.cpu_s / calls * 1000
    return Figure(
        f"{calls:,} verdicts of {seconds * 1000:.0f} ms, {at_once} at once",
        _shown(ours, calls),
        _shown(bare, calls),
        f"{ratio:.2f}x, CPU {ours.cpu_s / bare.cpu_s:.1f}x",
        f"{most:g}x; CPU {MOST_CPU_MS} ms or 2x",
        ratio <= most and (cpu_ms <= MOST_CPU_MS or ours.cpu_s <= 2 * bare.cpu_s),
    )


def _best(*jobs: Callable[[], object]) -> list[_Cost]:
    """The least wall and CPU time of each job; they take turns, once unmeasured to load what they import."""
    found: list[list[_Cost]] = [[] for _ in jobs]
    for _ in range(ROUNDS + 1):
        for costs, job in zip(found, jobs, strict=True):
            gc.collect()
            wall, cpu = time.perf_counter(), time.process_time()
            job()
            costs.append(_Cost(time.perf_counter() - wall, time.process_time() - cpu))
    return [_Cost(min(c.wall_s for c in costs[1:]), min(c.cpu_s for c in costs[1:])) for costs in found]


def judged(talks: Sequence[Conversation], judge: Judge, at_once: int) -> list[EvaluationResult]:
    """Our results, each with six verdicts.

    Raises:
        RuntimeError: a verdict is missing.
    """
    results = batch_evaluate(talks, metrics=[PER_TURN, ON_THE_WHOLE], judge=judge, max_concurrency=at_once)
    unjudged = [m for result in results for m in result.measurements if m.score.score is None]
    if unjudged:
        raise RuntimeError(f"{len(unjudged)} verdicts are missing, the first: {unjudged[0]}")
    return results


class Request(NamedTuple):
    """One call as it goes over the wire."""

    url: str
    headers: dict[str, str]
    body: bytes


def requests_for(talks: Sequence[Conversation], provider: OpenAIProvider) -> Iterator[Request]:
    """What our judge sends, call by call."""
    for talk in talks:
        for name, window in [*((PER_TURN, turn) for turn in talk), (ON_THE_WHOLE, talk)]:
            request = provider.request(question(get_metric(name).rubric, window).prompt)
            yield Request(request.url, request.headers, msgspec.json.encode(request.payload))


async def posted(requests: Sequence[Request], at_once: int) -> list[object]:
    """The replies to ``requests``, as bare aiohttp gets them."""
    queue = iter(requests)
    replies = []
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=at_once)) as session:

        async def post() -> None:
            for url, headers, body in queue:
                async with session.post(url, data=body, headers=headers) as response:
                    replies.append(json.loads(await response.read()))

        async with asyncio.TaskGroup() as group:
            for _ in range(at_once):
                group.create_task(post())
    return replies


def _shown(cost: _Cost, calls: int) -> str:
    return f"{cost.wall_s:.2f} s, {cost.cpu_s / calls * 1000:.2f} ms CPU a call"
