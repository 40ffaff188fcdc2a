"""The other job: one judge metric on each turn of recorded conversations and one on each conversation as a whole.

It starts from plain dicts, like the first one, and ends with a verdict of a judge for each of the six questions a
conversation. Everybody's judge is given the text of uaef's own rubrics. Only the standard library is at hand here.
"""

from __future__ import annotations

import gc
import http.client
import json
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import TypedDict, TypeVar
from urllib.parse import urlsplit

from benchmarks.peers.job import TURNS, TurnData, conversations

_Given = TypeVar("_Given")

PER_TURN, ON_THE_WHOLE = "answer_relevance", "coherence"
OTHER_CLIENT = "other client"
"""The word in ``argv`` for a package's other way to reach the server."""

_RUBRICS = Path(__file__).parents[2] / "src" / "uaef" / "metrics" / "rubrics"
_WARM_UP = 10


class Judged(TypedDict):
    """What one run says of itself, and the server of it."""

    packages: str
    wall_s: float
    cpu_s: float
    calls: int
    bytes: int
    most_at_once: int
    connections: int


def rubric(metric: str) -> str:
    """The text by which ``metric`` of uaef is judged."""
    return (_RUBRICS / f"{metric}.md").read_text("utf-8").split("+++")[2].strip()


def questions(given: list[list[TurnData]]) -> Iterator[tuple[str, str]]:
    """A metric and the text that it judges, six for each conversation, for packages that judge texts."""
    for turns in given:
        said = [f"User: {turn['user']}\nAssistant: {turn['answer']}" for turn in turns]
        yield from ((PER_TURN, text) for text in said)
        yield ON_THE_WHOLE, "\n".join(said)


def measure(
    packages: Sequence[str],
    judge: Callable[[_Given, str, int], Sequence[object]],
    prepare: Callable[[list[list[TurnData]], str], _Given],
) -> None:
    """Print, as a line of JSON, what the job cost.

    ``argv`` holds the base URL of the judge's server, the number of conversations and that of calls at once.

    Args:
        packages: whose versions are to be named.
        judge: gives a verdict for each question, ``None`` where there is none.
        prepare: makes what ``judge`` is given; it is not measured.

    Raises:
        RuntimeError: a verdict is missing, or took more calls than one.
    """
    url, count, at_once = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    judge(prepare(conversations(_WARM_UP), url), url, at_once)
    given = prepare(conversations(count), url)
    _tally(url)
    gc.collect()
    wall, cpu = time.perf_counter(), time.process_time()
    verdicts = judge(given, url, at_once)
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    tally = _tally(url)
    given_verdicts = sum(verdict is not None for verdict in verdicts)
    if not given_verdicts == tally["calls"] == count * (TURNS + 1):
        raise RuntimeError(f"{given_verdicts} verdicts for {tally}, of {count} conversations")
    named = ", ".join(f"{package} {version(package)}" for package in packages)
    print(json.dumps({"packages": named, "wall_s": wall, "cpu_s": cpu, **tally}))


def as_recorded(given: list[list[TurnData]], _: str) -> list[list[TurnData]]:
    """The plain dicts, from which everything is measured."""
    return given


def _tally(url: str) -> dict[str, int]:
    """What the server was asked since this was last called."""
    connection = http.client.HTTPConnection(urlsplit(url).netloc)
    connection.request("GET", "/")
    numbers: dict[str, int] = json.loads(connection.getresponse().read())
    connection.close()
    return numbers
