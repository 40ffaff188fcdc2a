"""What is measured, each figure with the goal it should meet."""

from __future__ import annotations

import asyncio
import math
import subprocess
import sys
import time
from collections.abc import Sequence
from typing import NamedTuple

from benchmarks import bare_loop
from benchmarks.conversations import METRICS, Recorded, recorded
from benchmarks.timing import best_of, in_fresh_process
from uaef.api import batch_evaluate, evaluate
from uaef.metrics import Metric, metric
from uaef.models import Conversation, EvaluationResult

ROUNDS = 5


class Figure(NamedTuple):
    """One line of the table."""

    what: str
    uaef: str
    bare: str
    ratio: str
    goal: str
    met: bool


def throughput(what: str, conversations: int, turns: int, goal: float) -> Figure:
    """Conversations a CPU second with the five metrics on every turn, beside the bare loop.

    Raises:
        RuntimeError: the two do not find the same scores.
    """
    given = recorded(conversations, turns)
    _check_same_scores(_evaluated(given), bare_loop.evaluated(given.traces, given.ground_truths))
    ours, bare = best_of(
        ROUNDS,
        lambda: _evaluated(given),
        lambda: bare_loop.evaluated(given.traces, given.ground_truths),
    )
    rate = conversations / ours
    return Figure(
        what,
        f"{rate:,.0f}/s",
        f"{conversations / bare:,.0f}/s",
        f"{ours / bare:.1f}x",
        f"{goal:,.0f}/s or 8x",
        rate >= goal or ours / bare <= 8,  # noqa: PLR2004 - as the goal says
    )


def growth(few: int, many: int) -> Figure:
    """What a conversation of five turns costs among ``many``, over what it costs among ``few``; results kept."""
    cost_few = in_fresh_process(cost, few, ROUNDS)
    cost_many = in_fresh_process(cost, many, 1)
    return Figure(
        f"cost at {many:,} over cost at {few:,}",
        f"{cost_many * 1e6:,.0f} µs over {cost_few * 1e6:,.0f} µs",
        "",
        f"{cost_many / cost_few:.2f}x",
        "1.5x",
        cost_many / cost_few <= 1.5,  # noqa: PLR2004 - as the goal says
    )


def cost(conversations: int, rounds: int) -> float:
    """CPU seconds that one conversation of five turns costs among so many."""
    given = recorded(conversations, 5)
    return best_of(rounds, lambda: _evaluated(given))[0] / conversations


def waiting(metrics: int, seconds: float) -> Figure:
    """The time it takes that many asynchronous metrics, each of which waits, to measure five turns."""
    conversation = Conversation.of(recorded(1, 5).traces[0])
    waiters = [_waiter(f"waits_{i}", seconds) for i in range(metrics)]

    def bare() -> None:
        asyncio.run(_all_at_once(metrics * len(conversation), seconds))

    ours, bare_s = best_of(ROUNDS, lambda: evaluate(conversation, metrics=waiters), bare, clock=time.perf_counter)
    return Figure(
        f"{metrics} async metrics that wait {seconds * 1000:.0f} ms on each of 5 turns",
        f"{ours * 1000:.0f} ms",
        f"{bare_s * 1000:.0f} ms",
        f"{ours / bare_s:.1f}x",
        "about one wait",
        ours <= 2 * seconds,
    )


def start(what: str, code: str, goal: float) -> Figure:
    """CPU milliseconds and modules that ``code`` costs a new Python, less what Python itself costs."""
    (nothing, of_python), (cpu, modules) = _start("pass"), _start(code)
    return Figure(
        what,
        f"{(cpu - nothing) * 1000:.0f} ms, {modules - of_python} modules",
        "",
        "",
        f"{goal * 1000:.0f} ms",
        cpu - nothing <= goal,
    )


def _start(code: str) -> tuple[float, int]:
    timed = f"{code}\nimport sys, time; print(time.process_time(), len(sys.modules), file=sys.stderr)"
    command = [sys.executable, "-c", timed]
    runs = [
        subprocess.run(command, check=True, capture_output=True, text=True).stderr.split()  # noqa: S603 - our own code
        for _ in range(ROUNDS)
    ]
    return min(float(cpu) for cpu, _ in runs), int(runs[0][1])


def _evaluated(given: Recorded) -> list[EvaluationResult]:
    return batch_evaluate(given.items, given.ground_truths, metrics=METRICS)


def _check_same_scores(results: Sequence[EvaluationResult], by_hand: Sequence[dict]) -> None:
    for result, expected in zip(results, by_hand, strict=True):
        turns = result.metadata.get("per_turn") or []
        same = [
            (ours["turn"], ours["metric_scores"], all(ours["reasoning"].values()))
            == (bare["turn"], bare["metric_scores"], all(bare["reasoning"].values()))
            for ours, bare in zip(turns, expected["per_turn"], strict=True)
        ]
        averages = result.metadata["per_turn_averages"]
        means = [math.isclose(averages[name], mean) for name, mean in expected["per_turn_averages"].items()]
        if not all(same) or not all(means):
            raise RuntimeError(f"uaef and the bare loop differ on {result.trace_id}: {turns}, {expected}")


def _waiter(name: str, seconds: float) -> Metric:
    @metric(name=name)
    async def waits(_: Conversation) -> bool:
        await asyncio.sleep(seconds)
        return True

    return waits


async def _all_at_once(sleeps: int, seconds: float) -> None:
    await asyncio.gather(*(asyncio.sleep(seconds) for _ in range(sleeps)))
