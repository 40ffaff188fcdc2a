"""``python -m benchmarks.store``: how a run of 1,000,000 measurements is listed, and streams out.

It needs 1 GB of disk and a few minutes. ``--url`` puts the run into another store than a new file.
"""

from __future__ import annotations

import argparse
import resource
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from benchmarks.table import table
from benchmarks.timing import in_fresh_process, machine
from uaef import __version__
from uaef.models.conversation import Conversation
from uaef.models.measurement import Measurement
from uaef.models.results import EvaluationResult
from uaef.models.scores import scored
from uaef.runs.records import RunInfo
from uaef.runs.store import open_store, origin
from uaef.runs.store.export import json_lines
from uaef.runs.store.parquet import write_parquet

TURNS, METRICS = 10, 5
CONVERSATIONS = 1_000_000 // (TURNS * METRICS)


def results(count: int) -> Iterator[EvaluationResult]:
    """So many conversations of ten turns, with five metrics on each turn."""
    for number in range(count):
        name = f"conversation-{number:06}"
        said = [
            message
            for turn in range(1, TURNS + 1)
            for message in (
                {"role": "user", "content": f"Question {turn} of {name}, please."},
                {"role": "assistant", "content": f"The answer to question {turn} of {name} is {number * turn}."},
            )
        ]
        measurements = [
            Measurement(
                slice_name=f"{name}#{turn}",
                turns=(turn,),
                whole=False,
                metric=f"metric_{metric}",
                dimension="Quality",
                score=scored(f"metric_{metric}", (number + turn) % 11 / 10, f"what was said in turn {turn} fits"),
                tags=("returns", "vip"),
                seconds=0.001,
                cost=0.0,
            )
            for turn in range(1, TURNS + 1)
            for metric in range(METRICS)
        ]
        conversation = Conversation.from_messages(said, name=name)
        yield EvaluationResult(trace_id=name, conversation=conversation, measurements=measurements)


def write(url: str, count: int) -> float:
    """The seconds that it takes to keep so many conversations, each in a transaction."""
    started = time.perf_counter()
    with open_store(url) as store:
        info = RunInfo(**origin(), dataset="benchmark", n_planned=count)
        store.begin(info)
        for position, result in enumerate(results(count)):
            store.add(info.run_id, position, result)
        store.finish(info.run_id)
    return time.perf_counter() - started


def listing(url: str) -> float:
    """The seconds that it takes to open the store and to list its runs, with their counts."""
    started = time.perf_counter()
    with open_store(url, create=False) as store:
        assert store.listed()[0].measurements  # noqa: S101 - what is measured must be what is meant
    return time.perf_counter() - started


def lines(url: str, path: str) -> tuple[float, float]:
    """The seconds that the run takes as JSON lines, and the most megabytes that the process took."""

    def write_out() -> None:
        with open_store(url, create=False) as store, Path(path).open("w", encoding="utf-8") as file:
            file.writelines(json_lines(store.measurements(store.find("latest").run_id)))

    return _measured(write_out)


def rows(url: str, path: str) -> tuple[float, float]:
    """The same as Parquet."""

    def write_out() -> None:
        with open_store(url, create=False) as store:
            write_parquet(store.measurements(store.find("latest").run_id), path)

    return _measured(write_out)


def _measured(job: Callable[[], None]) -> tuple[float, float]:
    started = time.perf_counter()
    job()
    return time.perf_counter() - started, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main() -> None:
    """Print the table."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--url", help="a store; left out, a new file")
    options.add_argument("--conversations", type=int, default=CONVERSATIONS)
    given = options.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        url = given.url or f"sqlite:///{folder}/uaef.db"
        count = given.conversations
        written = in_fresh_process(write, url, count)
        found = [("kept, a transaction each", f"{written:.1f} s, {count / written:,.0f} conversations/s", "")]
        found.append(("listed", f"{in_fresh_process(listing, url) * 1_000:.0f} ms", ""))
        for what, job, name in (("as JSON lines", lines, "run.jsonl"), ("as Parquet", rows, "run.parquet")):
            path = Path(folder) / name
            seconds, most = in_fresh_process(job, url, str(path))
            found.append((what, f"{seconds:.1f} s, {path.stat().st_size / 1e6:,.0f} MB", f"{most:.0f} MB"))
        print(f"A run of {count * TURNS * METRICS:,} measurements, on {url.partition(':')[0]}")
        print(f"uaef {__version__}, {machine()}\n")
        print(table(("what", "took", "most memory"), found))


if __name__ == "__main__":
    main()
