"""The table of a judge's calls: wall time and the client's CPU time for the same calls, beside bare aiohttp."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Literal, NamedTuple

from benchmarks.judge_server import judge_server
from benchmarks.peers.environments import last_line_of, progress
from benchmarks.peers.job import TURNS
from benchmarks.peers.judging import OTHER_CLIENT, Judged
from benchmarks.table import table

CONVERSATIONS, FEW = 200, 25
SECONDS = 0.05
AT_ONCE = (20, 100)
ROUNDS = 3

_EXPLAINED = f"""\
{CONVERSATIONS} conversations of {TURNS} turns, one judge metric on each turn and one on the whole: {TURNS + 1} calls
a conversation. A server in a process of its own, which speaks the wire of OpenAI, takes {SECONDS * 1000:.0f} ms for
each call, makes its answer up from the schema that it is asked for, and counts: nobody asks more than once a verdict.
From plain dicts to scores with reasons; best of {ROUNDS} processes each, in turn, wall time and the client's CPU time
each by itself; imports and a warm-up are not counted. All judge by the same two rubrics, within prompts of their own.
"At once" is what was allowed; where fewer calls ever met at the server, it says so.

- aiohttp posts the bodies of uaef, made beforehand, and decodes the replies: what the calls cost at the least.
- uaef shows its judge the turns before and the tools called as well, and reads verdicts that have to repeat a token.
- pydantic-evals: a case a verdict, each with an LLMJudge, whose model answers by a tool call, as is its default.
- openevals runs no batches and has no limit of its own: as many tasks of ours as may be at once await its evaluator.
  It asks through a LangChain model, as is its default, or through the client of openai.
- deepeval: GEval for turns, ConversationalGEval for wholes, their steps given, in two runs one after the other.
  LocalModel, its model for servers of one's own, makes a client and a connection for each call, and is measured on
  {FEW} conversations; OpenAIModel can be given one HTTP client for all. Telemetry, cache file and progress are off.
"""


class Contender(NamedTuple):
    """A package that asks a judge, in one of its forms."""

    form: str
    module: str
    requirements: tuple[str, ...] = ()
    conversations: int = CONVERSATIONS
    other_client: bool = False


_OPENEVALS = ("openevals_judging", ("openevals==0.2.2",))
_DEEPEVAL = ("deepeval_judging", ("deepeval==4.3.1",))
BARE, OURS = Contender("bodies made beforehand", "aiohttp_judging"), Contender("batch_evaluate", "uaef_judging")
CONTENDERS = (
    BARE,
    OURS,
    Contender("LLMJudge", "pydantic_evals_judging", ("pydantic-evals==2.62.0", "pydantic-ai-slim[openai]==2.62.0")),
    Contender("LangChain model", *_OPENEVALS),
    Contender("client of openai", *_OPENEVALS, other_client=True),
    Contender("GEval, LocalModel", *_DEEPEVAL, conversations=FEW),
    Contender("GEval, OpenAIModel, one HTTP client", *_DEEPEVAL, other_client=True),
)


def report() -> str:
    """What was done, and the table."""
    header = (
        *("package", "form", "at once", "calls", "wall ms a call", "wall, aiohttp = 1", "CPU ms a call"),
        *("CPU, uaef = 1", "connections", "kB a call"),
    )
    rows = [row for at_once in AT_ONCE for row in _rows(_measured(at_once), at_once)]
    return f"{_EXPLAINED}\n{table(header, rows)}"


def _measured(at_once: int) -> dict[Contender, Judged]:
    """The least times of each; the rest is that of its last run."""
    best: dict[Contender, Judged] = {}
    for number in range(1, ROUNDS + 1):
        for contender in CONTENDERS:
            progress(f"judges, {at_once} at once, round {number} of {ROUNDS}: {contender.module}, {contender.form}")
            found = run(contender, contender.conversations, SECONDS, at_once)
            before = best.get(contender, found)
            found["wall_s"] = min(found["wall_s"], before["wall_s"])
            found["cpu_s"] = min(found["cpu_s"], before["cpu_s"])
            best[contender] = found
    return best


def run(contender: Contender, conversations: int, seconds: float, at_once: int) -> Judged:
    """What the judging says of itself, done once in a new process, with a server of its own."""
    other = [OTHER_CLIENT] if contender.other_client else []
    with judge_server(seconds) as url:
        arguments = (url, str(conversations), str(at_once), *other)
        found: Judged = json.loads(last_line_of(contender.module, contender.requirements, *arguments))
    return found


def _rows(best: Mapping[Contender, Judged], at_once: int) -> Iterator[tuple[str, ...]]:
    bare_ms = _ms_a_call(best[BARE], "wall_s")
    our_cpu_ms = _ms_a_call(best[OURS], "cpu_s")
    for contender, found in best.items():
        most, wall_ms, cpu_ms = found["most_at_once"], _ms_a_call(found, "wall_s"), _ms_a_call(found, "cpu_s")
        yield (
            found["packages"],
            contender.form,
            f"{at_once}" if most == at_once else f"{at_once}, {most} met",
            f"{found['calls']:,}",
            f"{wall_ms:.2f}",
            f"{wall_ms / bare_ms:.2f}",
            f"{cpu_ms:.2f}",
            f"{cpu_ms / our_cpu_ms:.1f}",
            f"{found['connections']:,}",
            f"{found['bytes'] / found['calls'] / 1000:.1f}",
        )


def _ms_a_call(found: Judged, clock: Literal["wall_s", "cpu_s"]) -> float:
    return found[clock] / found["calls"] * 1000
