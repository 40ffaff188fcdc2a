"""The judging by openevals: an evaluator a metric, awaited for each text.

It runs no batches and has no limit, so that tasks of our own take one text after the other.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Mapping
from functools import partial

from langchain.chat_models import init_chat_model
from openai import AsyncOpenAI
from openevals.llm import create_async_llm_as_judge
from openevals.types import SimpleAsyncEvaluator

from benchmarks.peers.job import TurnData
from benchmarks.peers.judging import ON_THE_WHOLE, OTHER_CLIENT, PER_TURN, as_recorded, measure, questions, rubric


def judge(
    given: list[list[TurnData]], url: str, at_once: int, *, runner: asyncio.Runner, plain_client: bool
) -> list[object]:
    """The scores of every turn and of every whole."""
    return runner.run(_judged(given, _evaluators(url, plain_client=plain_client), at_once))


def _evaluators(url: str, *, plain_client: bool) -> Mapping[str, SimpleAsyncEvaluator]:
    """One for each metric, with a LangChain model, as is the default, or with a client of openai."""
    if plain_client:
        asked = {"judge": AsyncOpenAI(base_url=url, api_key="none"), "model": "m"}
    else:
        asked = {"judge": init_chat_model("openai:m", base_url=url, api_key="none")}
    return {
        metric: create_async_llm_as_judge(
            prompt=f"{rubric(metric)}\n\n<conversation>\n{{outputs}}\n</conversation>",
            feedback_key=metric,
            continuous=True,
            **asked,
        )
        for metric in (PER_TURN, ON_THE_WHOLE)
    }


async def _judged(
    given: list[list[TurnData]], evaluators: Mapping[str, SimpleAsyncEvaluator], at_once: int
) -> list[object]:
    queue = questions(given)
    scores = []

    async def work() -> None:
        for metric, text in queue:
            result = await evaluators[metric](outputs=text)
            scores.append(result["score"])

    async with asyncio.TaskGroup() as group:
        for _ in range(at_once):
            group.create_task(work())
    return scores


if __name__ == "__main__":
    plain = OTHER_CLIENT in sys.argv
    packages = ["openevals", "openai"] if plain else ["openevals", "langchain-openai", "openai"]
    with asyncio.Runner() as loop:  # LangChain keeps its connections, which a second loop cannot use
        measure(packages, partial(judge, runner=loop, plain_client=plain), as_recorded)
