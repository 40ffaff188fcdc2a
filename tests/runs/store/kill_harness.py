"""Kills a process that writes a run, at a random instant, and goes on with the run; over and over.

``python kill_harness.py URL ROUNDS``: every round plays a run of scripted conversations in a process of its own, that
gets SIGKILL somewhere on its way, then once more, to the end, in another. A round whose process was faster does not
count. It prints a JSON object: ``killed`` (how many were killed), ``kept`` (how many results were there after each
round's first process) and ``wrong`` (rounds whose run differs from an undisturbed one, and how).
"""

from __future__ import annotations

import json
import os
import random
import signal
import sys
import time
from pathlib import Path

sys.path.append(str(Path(__file__).parent))

from kept_results import info, many

from uaef.models.results import Verdict
from uaef.runs.records import RunStatus
from uaef.runs.store import open_store, resumable

RESULTS = many(6, trials=2)


def play(url, number):
    """Play a run, or go on with it where it is there already: what is done is not played again."""
    with open_store(url) as store:
        there = [each.run_id for each in store.runs()]
        run = info(number)
        if run.run_id in there:
            store.resume(resumable(store, run.run_id).run_id)
        else:
            store.begin(run)
        done = store.done(run.run_id)
        for position, result in enumerate(RESULTS):
            if (result.name, result.trial) not in done:
                time.sleep(0.0005)  # the agent
                store.add(run.run_id, position, result)
        store.finish(run.run_id, verdict=Verdict.SCORED)


def in_process(url, number):
    """The id of a process that plays the run."""
    child = os.fork()
    if child:
        return child
    try:
        play(url, number)
        os._exit(0)
    except BaseException as error:  # noqa: BLE001 - whatever it is, the process must not go on as its parent
        sys.stderr.write(f"{error!r}\n")
        sys.stderr.flush()
        os._exit(1)


def ended(child):
    """How the process ended: 0, or the number of the signal with a minus before it, or something positive."""
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def looked_at(url, number):
    """How many results are kept of a run, each of them whole, and how it differs from an undisturbed one."""
    with open_store(url) as store:
        found = [each for each in store.listed() if each.info.run_id == info(number).run_id]
        if not found:
            return 0, "it has not begun"
        items = store.load(info(number).run_id).items
        assert items == [each for each in RESULTS if each in items], "something is there in part"
        return len(items), _difference(found[0], items, store.measurements(info(number).run_id))


def _difference(listed, items, stored):
    """How a run differs from an undisturbed one; ``None`` where it does not."""
    assert listed.info.status in (RunStatus.INTERRUPTED, RunStatus.COMPLETE), listed.info.status
    measured = [m for result in RESULTS for m in result.measurements]
    if listed.info.status is not RunStatus.COMPLETE or listed.info.verdict is not Verdict.SCORED:
        return f"it is {listed.info.status}, {listed.info.verdict}"
    if listed.results != len(RESULTS) or listed.measurements != len(measured):
        return f"it counts {listed.results} results and {listed.measurements} measurements"
    if items != RESULTS or [each.measurement for each in stored] != measured:
        return "its results differ"
    return None


def main(url, rounds):
    """Kill and go on, so many times."""
    chance = random.Random(20261201)  # noqa: S311 - instants, not secrets
    began = time.monotonic()
    assert ended(in_process(url, 0)) == 0
    lasts = time.monotonic() - began
    report = {"killed": 0, "kept": [], "wrong": {}}
    for number in range(1, 10 * rounds):
        child = in_process(url, number)
        time.sleep(chance.uniform(0, lasts))
        os.kill(child, signal.SIGKILL)
        code = ended(child)
        lasts *= 1.02 if code else 0.95  # how fast it is depends on who else is busy
        report["killed"] += code == -signal.SIGKILL
        count, problem = looked_at(url, number)
        report["kept"].append(count)
        if problem:
            assert ended(in_process(url, number)) == 0
            _, problem = looked_at(url, number)
        if problem:
            report["wrong"][number] = problem
        if report["killed"] == rounds:
            break
    sys.stdout.write(json.dumps(report))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
