"""The table of checks without a model: CPU time for the same job."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import NamedTuple, TypedDict

from benchmarks.peers.environments import last_line_of, progress
from benchmarks.peers.job import CHECKS, SECONDS_ALLOWED, TURNS
from benchmarks.table import table

CONVERSATIONS = 1_000
ROUNDS = 5

_EXPLAINED = f"""\
{CONVERSATIONS:,} conversations of {TURNS} turns, {len(CHECKS)} checks on each turn: expected tool called, text
contains, latency of at most {SECONDS_ALLOWED:g} s. From plain dicts to a score and a reason for every check of every
turn; all find the same. CPU time, best of {ROUNDS} processes each, in turn; imports and a warm-up are not counted.

- uaef gives a score for each turn, their averages, dimensions and a verdict.
- pydantic-evals knows no turns: a conversation is a case whose evaluators return an assertion for each turn, or each
  turn is a case. Its cases hold the plain dicts; those of the other two are checked models. No progress bar.
- deepeval gives one score for a conversation, here the mean over its turns, or each turn is a test case. Telemetry,
  cache file, printing and concurrency are off, all of which would slow it down.
"""


class Contender(NamedTuple):
    """A package that does the job, in one of its forms."""

    form: str
    module: str
    requirements: tuple[str, ...] = ()
    turn_by_turn: bool = False


_PYDANTIC = ("pydantic_evals_job", ("pydantic-evals==2.62.0",))
_DEEPEVAL = ("deepeval_job", ("deepeval==4.3.1",))
CONTENDERS = (
    Contender("a conversation", "uaef_job"),
    Contender("a case a conversation", *_PYDANTIC),
    Contender("a case a turn", *_PYDANTIC, turn_by_turn=True),
    Contender("a test case a conversation", *_DEEPEVAL),
    Contender("a test case a turn", *_DEEPEVAL, turn_by_turn=True),
)


class Report(TypedDict):
    """What one run of the job says of itself."""

    package: str
    seconds: float
    means: dict[str, float]


def report() -> str:
    """What was done, and the table.

    Raises:
        RuntimeError: the packages do not find the same.
    """
    best: dict[Contender, Report] = {}
    for number in range(1, ROUNDS + 1):
        for contender in CONTENDERS:
            progress(f"checks, round {number} of {ROUNDS}: {contender.module}, {contender.form}")
            found = run(contender, CONVERSATIONS)
            if contender not in best or found["seconds"] < best[contender]["seconds"]:
                best[contender] = found
    if any(found["means"] != best[CONTENDERS[0]]["means"] for found in best.values()):
        raise RuntimeError(f"The packages find different things: {best}")
    header = ("package", "form", "CPU s", "conversations a CPU s", "CPU time, uaef = 1")
    return f"{_EXPLAINED}\n{table(header, list(_rows(best)))}"


def run(contender: Contender, conversations: int) -> Report:
    """What the job says of itself, done once in a new process."""
    turn_by_turn = ["turn by turn"] if contender.turn_by_turn else []
    report: Report = json.loads(
        last_line_of(contender.module, contender.requirements, str(conversations), *turn_by_turn)
    )
    return report


def _rows(best: Mapping[Contender, Report]) -> Iterator[tuple[str, ...]]:
    ours = best[CONTENDERS[0]]["seconds"]
    for contender, report in best.items():
        seconds = report["seconds"]
        rate = f"{CONVERSATIONS / seconds:,.0f}"
        yield report["package"], contender.form, f"{seconds:.2f}", rate, f"{seconds / ours:.1f}"
