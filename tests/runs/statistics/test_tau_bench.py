"""Recorded tau-bench runs, 16 tasks of 4 trials each: rates by hand, flaky tasks, writes beside the reward."""

from __future__ import annotations

import itertools
import json

import pytest

from uaef import Conversation, checks
from uaef.adapters import get_adapter
from uaef.api import batch_evaluate
from uaef.metrics import metric, whole
from uaef.models import GroundTruth, ToolCall
from uaef.runs.comparison import as_stored, summaries
from uaef.runs.records import RunInfo
from uaef.runs.results import RunResult
from uaef.runs.statistics import Trialled, flaky, trial_rates
from uaef.runs.store import open_store, origin

WRITE_TOOLS = [
    "book_reservation",
    "cancel_reservation",
    "send_certificate",
    "update_reservation_baggages",
    "update_reservation_flights",
    "update_reservation_passengers",
]
TASKS = [1, 2, 5, 6, 7, 11, 13, 15, 16, 17, 21, 26, 27, 29, 30, 31]


@metric(name="reward", dimension="Outcome", scope=whole)
def reward(window):
    """What the benchmark gave: 1 where the data base ends up as it should."""
    return window.turns[0].trace.metadata["reward"] == 1


def conversation(row):
    """One trajectory, the actions of its task as the calls that are expected."""
    name = f"airline-{row['task_id']}"
    session = get_adapter("openai").transform_to_canonical(
        {"messages": row["traj"], "id": name, "reward": row["reward"]}
    )
    actions = [ToolCall(name=action["name"], arguments=action["kwargs"]) for action in row["info"]["task"]["actions"]]
    return Conversation.of(
        session["per_turn_traces"],
        name=name,
        trial=row["trial"],
        expected=GroundTruth(expected_tool_calls=actions),
        full_trace=session["full_trace"],
    )


@pytest.fixture(scope="module")
def recorded(shared):
    """The trajectories, task by task, trial by trial."""
    text = (shared / "tau-bench-airline" / "trajectories.jsonl").read_text("utf-8")
    return sorted(map(json.loads, text.splitlines()), key=lambda row: (row["task_id"], row["trial"]))


@pytest.fixture(scope="module")
def run(recorded, tmp_path_factory):
    """All of them as one run of 16 conversations with 4 trials each, as it comes back from a store."""
    writes = checks.writes_match(write_tools=WRITE_TOOLS).named("writes").on(whole)
    made = batch_evaluate([conversation(row) for row in recorded], metrics=[reward, writes])
    info = RunInfo(**origin(), dataset="tau-bench-airline", repeat=4, n_planned=len(made))
    with open_store(f"sqlite:///{tmp_path_factory.mktemp('runs') / 'uaef.db'}") as store:
        store.begin(info)
        for position, result in enumerate(made):
            store.add(info.run_id, position, result)
        return store.load(info.run_id)


def scores(run, name):
    """By task and trial, what a metric found."""
    return {
        (item.name, item.trial): m.score.score
        for item in run.items
        for m in item.measurements
        if m.score.metric_name == name
    }


def counts(run):
    """By task, how many trials were rewarded."""
    rewards = scores(run, "reward")
    names = dict.fromkeys(name for name, _ in rewards)
    return {
        name: Trialled(sum(score == 1 for (other, _), score in rewards.items() if other == name), 4) for name in names
    }


def test_it_is_one_run_with_trials(run):
    """Sixteen conversations, four trials of each."""
    assert [(f"airline-{task}", trial) for task in TASKS for trial in range(4)] == [
        (item.name, item.trial) for item in run.items
    ]


def test_rates_equal_a_count_by_hand(run, recorded):
    """pass@k and pass^k for k of 1 to 4: every choice of k of the four rewards of a task, counted out."""
    by_task = [[row["reward"] == 1 for row in recorded if row["task_id"] == task] for task in TASKS]
    rates = trial_rates(counts(run).values())
    assert [1, 2, 3, 4] == [each.k for each in rates]
    for each in rates:
        chosen = [list(itertools.combinations(rewards, each.k)) for rewards in by_task]
        assert each.any_passes == pytest.approx(sum(sum(map(any, c)) / len(c) for c in chosen) / 16)
        assert each.all_pass == pytest.approx(sum(sum(map(all, c)) / len(c) for c in chosen) / 16)
        assert each.n == 16
    # Nine tasks were rewarded once, six twice, one three times.
    assert rates[0].any_passes == (9 * 1 + 6 * 2 + 1 * 3) / 64
    assert rates[1].all_pass == pytest.approx((6 * 1 / 6 + 1 * 3 / 6) / 16)
    assert rates[2].all_pass == pytest.approx((1 / 4) / 16)
    assert (rates[3].any_passes, rates[3].all_pass) == (1.0, 0.0)


def test_flaky_tasks_are_named(run):
    """Each of these tasks has mixed rewards; none would be if the first trial were all that counts."""
    assert [f"airline-{task}" for task in TASKS] == flaky(counts(run))


def test_writes_agree_with_the_reward(run):
    """What was written to the data base, compared with the actions of the task, tells what the reward was."""
    rewards, writes = scores(run, "reward"), scores(run, "writes")
    assert rewards.keys() == writes.keys()
    assert sum(rewards[key] == writes[key] for key in rewards) >= 60


def test_its_numbers_are_those_of_the_conversation(run):
    """The mean over tasks, with how much it rests on; without an interval, since sixteen are too few."""
    (found,) = [each for each in summaries(run.items) if each.name == "reward"]
    assert (found.mean, found.n, found.n_conversations, found.interval) == (24 / 64, 64, 16, None)
    again = as_stored(RunResult(verdict=None, items=run.items, repeat=4), run.info)
    assert summaries(again.items) == summaries(run.items)
