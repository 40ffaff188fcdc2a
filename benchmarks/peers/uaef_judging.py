"""The judging by uaef."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.judges import judged
from benchmarks.peers.job import TurnData
from benchmarks.peers.judging import as_recorded, measure
from benchmarks.peers.uaef_job import trace
from uaef.llm.http_client import HttpClient
from uaef.llm.providers.openai import OpenAIProvider
from uaef.llm_judge.llm import LLMJudge
from uaef.models import Conversation


def talks(given: list[list[TurnData]]) -> Iterator[Conversation]:
    """The conversations as uaef has them."""
    return (Conversation.of([trace(turn) for turn in turns]) for turns in given)


def judge(given: list[list[TurnData]], url: str, at_once: int) -> list[float | None]:
    """The scores of every turn and of every whole."""
    asked = LLMJudge(HttpClient(OpenAIProvider("m", base_url=url)))
    return [m.score.score for result in judged(list(talks(given)), asked, at_once) for m in result.measurements]


if __name__ == "__main__":
    measure(["uaef"], judge, as_recorded)
