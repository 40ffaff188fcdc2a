"""How a run is named on the command line: what names none, and which run is meant once others have been played."""

from __future__ import annotations

import pytest

from uaef.models.base import replaced
from uaef.runs.records import RunStatus
from uaef.runs.store import open_store

DATASET = """\
name: {}
conversations:
  - {{id: hours-{}, turns: [{{user: When do you open?, checks: [{{includes: "10"}}]}}]}}
  - {{id: place-{}, turns: [{{user: Where are you?, checks: [{{includes: Rome}}]}}]}}
"""
AGENTS = """\
def half(input):
    return "At 10."

def right(input):
    return "At 10. In Rome."
"""
PLAY = ("run", "shop.yaml", "--agent", "named_bots:right")


@pytest.fixture(autouse=True)
def _files(write, monkeypatch):
    monkeypatch.delenv("UAEF_STORE", raising=False)
    for name in ("shop", "desk"):
        write(f"{name}.yaml", DATASET.format(*[name] * 3))
    write("named_bots.py", AGENTS)


def names_kept():
    """The names of all runs in the store, the newest first."""
    with open_store() as store:
        return [info.run_id for info in store.runs()]


def play(call, agent, *options):
    """The name of a run of this agent."""
    call("run", "shop.yaml", "--agent", f"named_bots:{agent}", *options)
    return names_kept()[0]


def cut(run_id):
    """Make of a run one that was killed after its first conversation."""
    with open_store() as store:
        info, items = store.load(run_id)
        store.delete(run_id)
        store.begin(replaced(info, verdict=None, finished_at=None))
        store.add(run_id, 0, items[0])
        store.finish(run_id, RunStatus.INTERRUPTED)


BY_NAME = [
    ("runs", "show", "{}"),
    ("runs", "export", "{}"),
    ("runs", "delete", "{}"),
    ("baseline", "set", "{}"),
    ("retry", "{}", "--failed"),
    ("score", "{}"),
    ("run", "--resume", "{}"),
    ("run", "--resume", "--compare", "{}"),
    (*PLAY, "--compare", "{}"),
]


@pytest.mark.parametrize("command", BY_NAME)
@pytest.mark.parametrize(("given", "said"), [("", "names no run"), (" ", "names no run"), ("\udcff", "Unknown run")])
def test_what_names_no_run_is_refused(call, command, given, said):
    """An unset variable of the shell, or bytes that are no text: one sentence, and the only run is as it was."""
    run_id = play(call, "half")
    if "--resume" in command:
        cut(run_id)
    code, out, err = call(*(word.replace("{}", given) for word in command))
    assert (code, out, len(err.splitlines())) == (2, "", 1)
    assert f"{said} {given!r}" in err or f"{given!r} {said}" in err
    assert names_kept() == [run_id]


@pytest.mark.parametrize("given", ["--dataset", "--branch", "--label", "--tag"])
def test_runs_are_listed_by_what_is_no_text(run, call, given):
    """There is none of that name, and that is no fault of ours."""
    play(call, "half")
    assert run("runs", "list", given, "\udcff") == (0, "No such run is kept in .uaef/uaef.db.\n", "")


def test_a_baseline_of_what_is_no_text(run, call):
    """There is none, and it can be said of which dataset and branch."""
    play(call, "half")
    assert (
        "'\\udcff' on '\\udcff' has no baseline"
        in run("baseline", "show", "--dataset", "\udcff", "--branch", "\udcff")[1]
    )
    assert run("baseline", "set", "--dataset", "\udcff")[0] == 2
    assert run("baseline", "set", "--branch", "\udcff")[0] == 0


def test_a_beginning_that_several_names_have_deletes_none(call):
    """Nor what was named beside it."""
    kept = [play(call, "half"), play(call, "half")]
    code, _, err = call("runs", "delete", kept[0], kept[0][:4])
    assert (code, "2 runs have names that begin with" in err) == (2, True)
    assert names_kept() == kept[::-1]


@pytest.mark.parametrize("options", [("--failed",), ("--errors",)])
def test_a_retry_is_not_compared_with_what_it_took_its_results_from(call, options):
    """What is the latest, or has the label, is what was so when the run began; also for a retry of the retry."""
    first = play(call, "right", "--label", "nightly")
    for reference in ("latest", "nightly"):
        tried = play(call, "half", "--compare", reference, "--label", "nightly", "--fail-on", "any")
        break_measure(tried)
        for again in (tried, "latest"):
            code, out, _ = call("retry", again, *options)
            assert (code, f"Compared with run {first}" in " ".join(out.split())) == (1, True)
            break_measure(names_kept()[0])
        with open_store() as store:
            for run_id in set(names_kept()) - {first}:
                store.delete(run_id)


def break_measure(run_id):
    """Make the last conversation of a run one that could not be evaluated, so that there is something to retry."""
    with open_store() as store:
        store.resume(run_id)
        item = store.load(run_id).items[1]
        store.add(run_id, 1, replaced(item, errors=["no line"]))
        store.finish(run_id)


def test_where_nothing_failed_a_run_is_not_compared_with_itself(call):
    """It is the baseline by now, or the last one left of its label: then it decides by itself, and that is said."""
    for options in (("--compare", "baseline", "--require-baseline"), ("--compare", "nightly", "--label", "nightly")):
        call("runs", "delete", *names_kept()) if names_kept() else None
        play(call, "right", "--label", "nightly")
        call("baseline", "set")
        run_id = play(call, "right", *options, "--fail-on", "any")
        call("baseline", "set")
        call("runs", "delete", names_kept()[1])
        code, _, err = call("retry", "latest", "--failed")
        assert (code, f"warning: {options[1]} is run {run_id} itself by now" in err) == (0, True)


def test_a_run_that_is_gone_on_with_is_compared_with_the_one_before_of_its_label(call):
    """Its label is its own by now, and meant another one when it began."""
    first = play(call, "right", "--label", "nightly")
    run_id = play(call, "right", "--label", "nightly", "--compare", "nightly")
    cut(run_id)
    code, out, err = call("run", "--resume")
    assert (code, f"Compared with run {first}" in " ".join(out.split())) == (0, True), err


def test_the_latest_may_be_of_a_clock_that_is_ahead(call):
    """It was complete before this run began; for one that has begun, and is gone on with, it came later."""
    first = play(call, "right")
    ahead = "20990101T000000000000-ahead"
    with open_store() as store:
        info, items = store.load(first)
        store.begin(replaced(info, run_id=ahead))
        for place, item in enumerate(items):
            store.add(ahead, place, item)
        store.finish(ahead)
    _, out, _ = call(*PLAY, "--compare", "latest")
    assert f"Compared with run {ahead}" in " ".join(out.split())
    cut(names_kept()[1])
    assert f"Compared with run {first}" in " ".join(call("run", "--resume")[1].split())


def test_two_datasets_are_the_same_two_in_any_order(call):
    """A baseline of both is found however they are given."""
    datasets = ["shop.yaml", "desk.yaml"]
    for given in (datasets, datasets[::-1]):
        code, _, err = call("run", *given, "--agent", "named_bots:right", "--compare", "baseline")
        assert (code, "there is no baseline of 'desk+shop'" in err) == (0, given == datasets)
        assert "The baseline of 'desk+shop' is now" in call("baseline", "set")[1]
