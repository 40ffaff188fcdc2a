"""``python -m benchmarks.peers``: the table of our speed beside that of other packages.

Each package is installed, in the version named here, into an environment of its own below the one that runs this.
The packages take turns, each time in a new process, so that what else the machine does hits all of them.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple, TypedDict

from benchmarks.peers.job import CHECKS, SECONDS_ALLOWED, TURNS
from benchmarks.table import table
from benchmarks.timing import machine

ROOT = Path(__file__).parents[2]
CONVERSATIONS = 1_000
ROUNDS = 5

_QUIET = {"DEEPEVAL_TELEMETRY_OPT_OUT": "YES", "DEEPEVAL_UPDATE_WARNING_OPT_IN": "NO"}
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
    requirement: str | None = None
    turn_by_turn: bool = False


_PYDANTIC = ("pydantic_evals_job", "pydantic-evals==2.62.0")
_DEEPEVAL = ("deepeval_job", "deepeval==4.3.1")
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


def main() -> None:
    """Print the table.

    Raises:
        RuntimeError: the packages do not find the same.
    """
    pythons = {needed: _environment(needed) for needed in {c.requirement for c in CONTENDERS}}
    best: dict[Contender, Report] = {}
    for number in range(1, ROUNDS + 1):
        for contender in CONTENDERS:
            _progress(f"round {number} of {ROUNDS}: {contender.module}, {contender.form}")
            report = run(contender, pythons[contender.requirement], CONVERSATIONS)
            if contender not in best or report["seconds"] < best[contender]["seconds"]:
                best[contender] = report
    if any(report["means"] != best[CONTENDERS[0]]["means"] for report in best.values()):
        raise RuntimeError(f"The packages find different things: {best}")
    print(f"{_EXPLAINED}\n{machine()}\n")
    print(table(("package", "form", "CPU s", "conversations a CPU s", "CPU time, uaef = 1"), list(_rows(best))))


def _environment(requirement: str | None) -> str:
    """The Python of an environment that holds ``requirement``; this one, for uaef itself."""
    if requirement is None:
        return sys.executable
    _progress(f"installing {requirement}")
    folder = Path(sys.prefix) / "peers" / requirement.replace("==", "-")
    python = folder / ("Scripts" if os.name == "nt" else "bin") / "python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)  # noqa: S603 - our own words
    pip = [python, "-m", "pip", "--disable-pip-version-check", "install", "--quiet", requirement]
    subprocess.run(pip, check=True)  # noqa: S603 - our own words
    return str(python)


def run(contender: Contender, python: str, conversations: int) -> Report:
    """What the job says of itself, done once by ``python`` in a new process."""
    turn_by_turn = ["turn by turn"] if contender.turn_by_turn else []
    with tempfile.TemporaryDirectory() as elsewhere:  # some packages write files where they run
        done = subprocess.run(  # noqa: S603 - our own words
            [python, "-m", f"benchmarks.peers.{contender.module}", str(conversations), *turn_by_turn],
            check=True,
            stdout=subprocess.PIPE,
            text=True,
            cwd=elsewhere,
            env={**os.environ, **_QUIET, "PYTHONPATH": str(ROOT)},
        )
    report: Report = json.loads(done.stdout.splitlines()[-1])
    return report


def _rows(best: Mapping[Contender, Report]) -> Iterator[tuple[str, ...]]:
    ours = best[CONTENDERS[0]]["seconds"]
    for contender, report in best.items():
        seconds = report["seconds"]
        rate = f"{CONVERSATIONS / seconds:,.0f}"
        yield report["package"], contender.form, f"{seconds:.2f}", rate, f"{seconds / ours:.1f}"


def _progress(doing: str) -> None:
    print(doing, file=sys.stderr)


if __name__ == "__main__":
    main()
