"""``python -m benchmarks.peers``: the tables of our speed beside that of other packages.

Each package is installed, in the version named in the tables, into an environment of its own below the one that runs
this. The packages take turns, each time in a new process, so that what else the machine does hits all of them.
"""

from __future__ import annotations

from benchmarks.peers import checks, judge_calls
from benchmarks.timing import machine


def main() -> None:
    """Print the tables."""
    print(f"{machine()}\n\n### Checks\n\n{checks.report()}\n")
    print(f"### Judges\n\n{judge_calls.report()}")


if __name__ == "__main__":
    main()
