"""``uaef run``, killed at random instants and gone on with each time, becomes the run that it would have been."""

from __future__ import annotations

import json
import random
import signal
import subprocess
import sys
import time

import pytest

from uaef.errors import StoreError
from uaef.runs.store import open_store

CONVERSATIONS = 40
KILLS = 10
AGENT = """\
import time

def answer(input, *, history):
    time.sleep(0.05)
    with open("asked.txt", "a") as file:
        print(input, file=file)
    return "It is " + input
"""


def turns(number):
    """Two turns: one that passes, and one that passes in half of the conversations."""
    return [
        {"user": f"first of {number}", "reply": "It is.", "checks": [{"includes": "first"}]},
        {"user": f"second of {number}", "checks": [{"matches": "[02468]$"}]},
    ]


BEGIN = ["many.json", "--agent", "echo_bot:answer", "--concurrency", "2"]


def command(url, *arguments):
    """``uaef run``, begun, in the folder that is the current one."""
    return subprocess.Popen(  # noqa: S603 - our own program
        [sys.executable, "-m", "uaef", "run", "--store", url, *arguments],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )


def state(url):
    """How far the run has come, as a text; ``None`` while there is none."""
    try:
        with open_store(url, create=False) as store:
            return next((str(each.status) for each in store.runs()), None)
    except StoreError:
        return None


def measured(url):
    """Every measurement of the only run there is."""
    with open_store(url) as store:
        (run,) = store.runs()
        return sorted(
            (m.measurement.slice_name, m.measurement.metric, m.measurement.score.score)
            for m in store.measurements(run.run_id)
        )


@pytest.fixture
def _files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    data = {"name": "many", "conversations": [{"id": f"c{n:02}", "turns": turns(n)} for n in range(CONVERSATIONS)]}
    (tmp_path / "many.json").write_text(json.dumps(data), "utf-8")
    (tmp_path / "echo_bot.py").write_text(AGENT, "utf-8")


@pytest.mark.usefixtures("_files")
def test_a_killed_command_becomes_the_same_run(url, tmp_path):
    """Nothing is lost, nothing is there twice, and what was kept is not asked again."""
    undisturbed = f"sqlite:///{tmp_path / 'undisturbed.db'}"
    with command(undisturbed, *BEGIN) as process:
        stderr = process.communicate()[1]
    assert process.returncode == 1, stderr  # half of the second turns do not pass
    (tmp_path / "asked.txt").unlink()
    chance = random.Random(20261201)  # noqa: S311 - instants, not secrets
    killed = 0
    while (found := state(url)) != "complete":
        with command(url, *(["--resume"] if found else BEGIN)) as process:
            if killed < KILLS:
                time.sleep(chance.uniform(0.3, 2.0))
                process.kill()
            stderr = process.communicate()[1]
        assert process.returncode in {1, -signal.SIGKILL}, stderr
        killed += process.returncode != 1
    assert measured(undisturbed) == measured(url)
    assert len(measured(url)) == 2 * CONVERSATIONS
    assert killed >= 1
    asked = (tmp_path / "asked.txt").read_text("utf-8").splitlines()
    assert len(asked) <= 2 * (CONVERSATIONS + 2 * killed), "only what was in flight is asked again"
