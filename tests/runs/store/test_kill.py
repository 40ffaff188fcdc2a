"""SIGKILL at any instant loses nothing that was kept, and what is gone on with becomes what it would have been."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

HARNESS = Path(__file__).with_name("kill_harness.py")
ROUNDS = 50


def test_a_killed_run_becomes_the_same_run(url):
    """At 50 random instants: before the first result, between results, within a transaction, at the end."""
    done = subprocess.run(  # noqa: S603 - our own script
        [sys.executable, str(HARNESS), url, str(ROUNDS)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert {} == report["wrong"]
    assert ROUNDS == report["killed"]
    assert len(set(report["kept"])) >= 5, "the instants do not lie all over the run"
