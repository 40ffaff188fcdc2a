"""Where the packages live and how they are run: an environment for each, below the one that runs this."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]

_QUIET = {
    "DEEPEVAL_TELEMETRY_OPT_OUT": "YES",
    "DEEPEVAL_UPDATE_WARNING_OPT_IN": "NO",
    "LANGSMITH_TRACING": "false",
    "LANGCHAIN_TRACING_V2": "false",
    "LOGFIRE_SEND_TO_LOGFIRE": "false",
}
_DIRECT = {"NO_PROXY": "127.0.0.1", "no_proxy": "127.0.0.1"}  # the judges' server is on this machine


@cache
def python_with(*requirements: str) -> str:
    """The Python of an environment that holds ``requirements``, named for the first; this one, if there are none.

    What they need beside is not pinned: it is what pip takes on the day.
    """
    if not requirements:
        return sys.executable
    progress(f"installing {' '.join(requirements)}")
    folder = Path(sys.prefix) / "peers" / requirements[0].replace("==", "-")
    python = folder / ("Scripts" if os.name == "nt" else "bin") / "python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)  # noqa: S603 - our own words
    pip = [python, "-m", "pip", "--disable-pip-version-check", "install", "--quiet", *requirements]
    subprocess.run(pip, check=True)  # noqa: S603 - our own words
    return str(python)


def last_line_of(module: str, requirements: Sequence[str], *arguments: str) -> str:
    """What a module of ``benchmarks.peers`` prints last, run in a new process where ``requirements`` are at hand."""
    with tempfile.TemporaryDirectory() as elsewhere:  # some packages write files where they run
        done = subprocess.run(  # noqa: S603 - our own words
            [python_with(*requirements), "-m", f"benchmarks.peers.{module}", *arguments],
            check=True,
            stdout=subprocess.PIPE,
            text=True,
            cwd=elsewhere,
            env={**os.environ, **_QUIET, **_DIRECT, "PYTHONPATH": str(ROOT)},
        )
    return done.stdout.splitlines()[-1]


def progress(doing: str) -> None:
    """Say on standard error what is done now."""
    print(doing, file=sys.stderr)
