"""``python -m benchmarks``: the table of our own speed. It needs 5 GB of memory and a few minutes."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.judges import judging
from benchmarks.plays import blocking, overlapping, playing
from benchmarks.speed import ROUNDS, Figure, growth, start, throughput, waiting
from benchmarks.table import table
from benchmarks.timing import in_fresh_process, machine
from uaef import __version__

_HELP = """
import sys
sys.argv = ["uaef", "--help"]
from uaef.cli import main
try:
    main()
except SystemExit:
    pass
"""


_EXPLAINED = f"""\
CPU time, best of {ROUNDS} (at 100,000: one run, results kept), of full results: scores, reasons, `per_turn`,
averages, dimensions and a verdict, of conversations that are all different. The bare loop makes the same five checks
of the same traces by hand; its results are plain dicts of the same scores, reasons and averages, and nothing else.
Verdicts come from a server in a process of its own; there the bare loop is aiohttp, which posts the same bodies, and
what is compared is wall time. Where conversations are played, the bare loop asks the same instant agent and makes the
same checks; it keeps numbers alone.
"""


def figures() -> Iterator[Figure]:
    """Every figure, as it is measured."""
    yield in_fresh_process(throughput, "sessions of 5 turns, 5 metrics on each", 1_000, 5, 2_000)
    yield in_fresh_process(throughput, "single turns, 5 metrics", 1_000, 1, 5_000)
    yield growth(1_000, 100_000)
    yield in_fresh_process(waiting, 25, 0.05)
    yield in_fresh_process(judging, 200, 0.05, 100, 1.35)
    yield in_fresh_process(judging, 200, 0.05, 20, 1.1)
    yield in_fresh_process(playing, "single turns played, 5 checks", 1_000, 1, 5_000)
    yield in_fresh_process(playing, "conversations of 5 turns played, 25 checks", 300, 5, 1_000)
    yield in_fresh_process(overlapping)
    yield in_fresh_process(blocking)
    yield start("import uaef", "import uaef", 0.060)
    yield start("from uaef.api import evaluate", "from uaef.api import evaluate", 0.400)
    yield start("uaef --help", _HELP, 0.400)


def main() -> None:
    """Print the table."""
    print(f"{_EXPLAINED}\nuaef {__version__}, {machine()}\n")
    rows = [(f.what, f.uaef, f.bare, f.ratio, f.goal, "yes" if f.met else "no") for f in figures()]
    print(table(("what", "uaef", "bare loop", "ratio", "goal", "met"), rows))


if __name__ == "__main__":
    main()
