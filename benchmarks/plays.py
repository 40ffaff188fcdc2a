"""``run_evals`` beside a bare loop that asks the same agent and makes the same checks; and what overlaps."""

from __future__ import annotations

import asyncio
import logging
import re
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from benchmarks.speed import ROUNDS, Figure
from benchmarks.timing import best_of
from uaef import checks, run_evals
from uaef.llm_judge.rubric import Rubric
from uaef.metrics.checks.base import Check
from uaef.models import Conversation, MetricScore
from uaef.runs.results import RunResult

REPLY = "The forecast for Brooklyn tomorrow: sunny, 21 degrees, a light wind from the west and no rain at all."


@contextmanager
def _without_warnings() -> Iterator[None]:
    """The agents here have no memory, which every run would say."""
    log = logging.getLogger("uaef")
    level = log.level
    log.setLevel(logging.ERROR)
    try:
        yield
    finally:
        log.setLevel(level)


@_without_warnings()
def playing(what: str, conversations: int, turns: int, goal: float) -> Figure:
    """Conversations a CPU second with an instant agent and five checks on every turn, beside the bare loop.

    Those of a single turn are measured by the checks of the call, the others by those of their turns.

    Raises:
        RuntimeError: the two do not find the same.
    """
    data, asserted = _items(conversations, turns)
    if _found(run_evals(data, _instant, **asserted)) != _by_hand(conversations, turns):
        raise RuntimeError("uaef and the bare loop find different scores")
    ours, bare = best_of(
        ROUNDS, lambda: run_evals(data, _instant, **asserted), lambda: _by_hand(conversations, turns)
    )
    rate = conversations / ours
    return Figure(
        what,
        f"{rate:,.0f}/s",
        f"{conversations / bare:,.0f}/s",
        f"{ours / bare:.1f}x",
        f"{goal:,.0f}/s",
        rate >= goal,
    )


@_without_warnings()
def overlapping() -> Figure:
    """A conversation of five turns with an agent and three judges a turn that take 50 ms each."""

    async def slow(_: str, *, turn: int) -> str:
        await asyncio.sleep(0.05)
        return f"{REPLY} ({turn})"

    gates = ["answer_relevance", "completeness", "safety_score"]
    data = [{"turns": [{"input": f"Turn {i}?", "gates": gates} for i in range(5)]}]
    (ours,) = best_of(ROUNDS, lambda: run_evals(data, slow, judge=_SlowJudge()), clock=time.perf_counter)
    return Figure("5 turns of 50 ms, 3 judges of 50 ms on each", f"{ours:.2f} s", "", "", "0.45 s", ours < 0.45)  # noqa: PLR2004 - as the goal says


def blocking() -> Figure:
    """Eight conversations with a plain function that blocks for 0.2 s."""

    def blocks(_: str) -> str:
        time.sleep(0.2)
        return REPLY

    data = [{"input": f"Item {i}?"} for i in range(8)]
    (ours,) = best_of(ROUNDS, lambda: run_evals(data, blocks, [checks.includes("Brooklyn")]), clock=time.perf_counter)
    return Figure("8 functions that block for 0.2 s", f"{ours:.2f} s", "", "", "1 s", ours < 1)


class _SlowJudge:
    label = "slow"
    blocking = False

    async def judge(self, rubric: Rubric, _: Conversation) -> MetricScore:
        await asyncio.sleep(0.05)
        return MetricScore(metric_name=rubric.name, score=1.0)


async def _instant(_: str) -> str:
    return REPLY


def _items(conversations: int, turns: int) -> tuple[list[dict[str, object]], dict[str, list[Check]]]:
    """Items of so many turns, and what is asserted of all of them: two gates and three scorers on each turn."""

    def asserted() -> dict[str, list[Check]]:
        scorers = [checks.max_words(50), checks.used_no_tools(), checks.matches(r"\d+ degrees")]
        return {"gates": [checks.includes("Brooklyn"), checks.excludes("snow")], "scorers": scorers}

    if turns == 1:
        return [{"input": f"Item {number}?"} for number in range(conversations)], asserted()
    return [
        {"turns": [{"input": f"Turn {turn} of {number}?", **asserted()} for turn in range(turns)]}
        for number in range(conversations)
    ], {}


def _by_hand(conversations: int, turns: int) -> list[list[float]]:
    """The same agent and the same checks, and nothing else: no transcript, no reasons, no verdict."""

    async def play(number: int) -> list[float]:
        scores: list[float] = []
        for turn in range(turns):
            reply = await _instant(f"Turn {turn} of {number}?")
            folded = reply.casefold()
            scores += [
                float("brooklyn" in folded),
                float("snow" not in folded),
                float(len(reply.split()) <= 50),  # noqa: PLR2004 - the bound of the check
                1.0,
                float(re.search(r"\d+ degrees", reply) is not None),
            ]
        return scores

    async def all_of_them() -> list[list[float]]:
        return [await play(number) for number in range(conversations)]

    return asyncio.run(all_of_them())


def _found(result: RunResult) -> Sequence[Sequence[float | None]]:
    """The scores of each conversation, turn by turn, the gates first."""
    order = ("includes", "excludes", "max_words", "used_no_tools", "matches")
    found = []
    for item in result.items:
        in_order = sorted(item.measurements, key=lambda m: (m.turns, order.index(m.metric.partition("(")[0])))
        found.append([m.score.score for m in in_order])
    return found
