"""What ``uaef retry`` refuses, what ``uaef score`` leaves behind, and which run is the latest of a dataset."""

from __future__ import annotations

import pytest
from tests.cli.shop import AGENTS, DATASET

from uaef.models.base import replaced
from uaef.models.results import EvaluationResult, Verdict
from uaef.runs.records import RunStatus
from uaef.runs.store import open_store


@pytest.fixture(autouse=True)
def _files(write, monkeypatch):
    monkeypatch.delenv("UAEF_STORE", raising=False)
    write("shop.yaml", DATASET)
    write("retried_bots.py", AGENTS)


def newest():
    """The newest run in the store."""
    with open_store() as store:
        return store.find("latest")


def play(call, *options):
    """Play the dataset; what was printed, on one line, and standard error."""
    _, out, err = call("run", "shop.yaml", "--agent", "retried_bots:half", *options)
    return " ".join(out.split()), err


@pytest.mark.parametrize(("old", "new"), [("Where are you?", "Where is it?"), ("Rome", "Oslo")])
@pytest.mark.parametrize("again", ["--failed", "--errors"])
def test_a_run_of_a_dataset_that_was_edited_is_not_retried(call, write, folder, old, new, again):
    """Its results and the new ones would not be of one dataset; nothing is played and nothing is kept."""
    play(call)
    before, asked = newest(), (folder / "asked.txt").read_text("utf-8")
    write("shop.yaml", DATASET.replace(old, new))
    code, out, err = call("retry", "latest", again)
    assert (code, out) == (2, "")
    assert f"Run {before.run_id} cannot be retried: its dataset has changed since it began" in err
    assert newest().run_id == before.run_id
    assert (folder / "asked.txt").read_text("utf-8") == asked


def test_the_latest_is_of_the_whole_dataset(call):
    """Neither a selection, nor what was scored anew, nor what failed and was tried again until it passed."""
    play(call, "--only", "hours")
    assert "there is no latest of 'shop' yet" in play(call, "--only", "hours", "--compare", "latest")[1]
    assert call("baseline", "set")[0] == 2
    play(call)
    whole = newest()
    call("score", "latest", "--metrics", "turn_efficiency")
    assert newest().parameters == {"scored": whole.run_id}
    assert f"Compared with run {whole.run_id}" in play(call, "--only", "hours", "--compare", "latest")[0]
    call("retry", whole.run_id, "--failed")
    assert newest().label == f"retry of {whole.run_id}"
    assert f"Compared with run {whole.run_id}" in play(call, "--only", "hours", "--compare", "latest")[0]
    assert f"is now run {whole.run_id}" in call("baseline", "set")[1]
    taken = call("baseline", "set", f"retry of {whole.run_id}")
    assert (taken[0], f"played again what had failed in run {whole.run_id} alone" in taken[2]) == (0, True)


def test_what_a_part_was_not_to_play_is_not_removed(call):
    """Neither way round: the dataset is as it was."""
    play(call, "--label", "whole")
    shown, _ = play(call, "--only", "hours", "--compare", "whole")
    assert "measured-before-only: place#1" in shown
    assert "removed" not in shown
    play(call, "--only", "hours", "--label", "part")
    shown, _ = play(call, "--compare", "part")
    assert "measured-now-only: place#1" in shown
    assert ": place#1 (not in the earlier run)" not in shown


def test_a_comparison_with_what_was_scored_anew_says_what_was_measured(call):
    """Every conversation is in both runs, so none is called removed."""
    play(call)
    call("score", "latest", "--metrics", "turn_efficiency", "--label", "anew")
    shown, _ = play(call, "--compare", "anew")
    assert "Compared with run" in shown
    assert "removed" not in shown


@pytest.mark.parametrize("command", ["retry", "score"])
def test_the_exit_codes_are_told(call, command):
    """As for the other commands."""
    assert "Exit codes:" in call(command, "--help")[1]


def test_recordings_are_kept_in_the_store_that_is_named(call, write, folder):
    """``--store`` goes with ``--save``."""
    chat = [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello"}]
    write("chat.json", chat)
    url = f"sqlite:///{folder}/elsewhere.db"
    given = ("evaluate", "chat.json", "--metrics", "turn_efficiency", "--store", url)
    code, _, err = call(*given)
    assert (code, "--save" in err) == (2, True)
    assert call(*given, "--save")[0] == 0
    with open_store(url, create=False) as store:
        assert store.find("latest").history == "recorded"


CUT = "20260101T000000-cut"


def cut(reference="latest"):
    """A run like the one that is named, which was interrupted after its first conversation."""
    with open_store() as store:
        before = store.load(reference)
        store.begin(replaced(before.info, run_id=CUT, verdict=None, finished_at=None))
        store.add(CUT, 0, before.items[0])
        store.finish(CUT, RunStatus.INTERRUPTED)
        store.delete(before.info.run_id)


def names_kept():
    """The names of all runs in the store."""
    with open_store() as store:
        return [info.run_id for info in store.runs()]


@pytest.mark.parametrize("command", [("retry", "--failed"), ("retry", "--errors"), ("score",)])
def test_a_run_that_is_being_written_is_left_to_who_writes_it(call, folder, command):
    """What it lacks so far would be taken for what it is; nothing is played and nothing is kept."""
    play(call)
    run_id = newest().run_id
    asked = (folder / "asked.txt").read_text("utf-8")
    with open_store() as writing:
        writing.resume(run_id)
        verb, *options = command
        said = f"uaef: .uaef/uaef.db: the run {run_id} is being written by another process.\n"
        assert call(verb, "latest", *options) == (2, "", said)
        writing.finish(run_id)
    assert names_kept() == [run_id]
    assert (folder / "asked.txt").read_text("utf-8") == asked


@pytest.mark.parametrize(
    ("agent", "options", "again", "code"),
    [
        ("right", (), "--failed", 0),
        ("right", (), "--errors", 0),
        ("half", (), "--errors", 1),
        ("right", ("--compare", "baseline", "--require-baseline"), "--failed", 1),
        ("half", ("--only", "hours"), "--failed", 0),
        ("right", ("--judge", "none"), "--errors", 0),
    ],
)
def test_with_nothing_to_play_again_the_run_itself_decides(call, folder, agent, options, again, code):
    """As it did when it was played, in the same words; nobody is asked, and no run is made."""
    ended, _, said = call("run", "shop.yaml", "--agent", f"retried_bots:{agent}", *options)
    assert ended == code
    run_id = newest().run_id
    asked = (folder / "asked.txt").read_text("utf-8")
    kind = {"--failed": "failed", "--errors": "errors"}[again]
    assert call("retry", "latest", again)[::2] == (code, f"uaef: Nothing in run {run_id} has {kind}.\n{said}")
    assert names_kept() == [run_id]
    assert (folder / "asked.txt").read_text("utf-8") == asked


def test_a_run_that_was_cut_short_before_anything_failed_is_undecided(call):
    """A retry plays none of what was never played, and says who does."""
    play(call)
    cut()
    code, _, err = call("retry", CUT, "--failed")
    assert code == 3
    nothing, unplayed = err.splitlines()
    assert nothing == f"uaef: Nothing in run {CUT} has failed."
    assert unplayed.startswith(f"uaef: Run {CUT} was interrupted: 1 of its 2 conversations were not played; ")
    assert unplayed.endswith(f"uaef run --resume {CUT} plays them.")
    assert names_kept() == [CUT]


def test_strict_makes_a_run_with_nothing_to_play_again_fail_too(call, write):
    """A threshold that was missed counts then."""
    missed = "thresholds: [{similarity: {reference: Nobody knows, at_least: 0.9}}]"
    write("shop.yaml", DATASET.replace("checks: [{includes: Rome}]", missed))
    assert call("run", "shop.yaml", "--agent", "retried_bots:right")[0] == 0
    assert [call("retry", "latest", "--errors", *strict)[0] for strict in ((), ("--strict",))] == [0, 1]


@pytest.mark.parametrize("metrics", [("--metrics", "turn_efficiency"), ()])
def test_what_is_scored_of_a_run_that_was_cut_short_is_cut_short(call, metrics):
    """It never passes, and it says how much is lacking; it is not what is gone on with, unasked or by name."""
    play(call)
    cut()
    code, _, err = call("score", CUT, *metrics)
    lacking = f"Run {CUT} was interrupted: 1 of its 2 conversations could be measured, so this one cannot pass."
    assert code == 3
    assert lacking in err
    scored = newest()
    assert (scored.status, scored.verdict, scored.n_planned) == (RunStatus.INTERRUPTED, None, 2)
    code, out, err = call("run", "--resume", scored.run_id)
    assert (code, out) == (2, "")
    assert f"the run {scored.run_id} measures anew what run {CUT} played, so there is nothing to go on with" in err
    told = call("baseline", "set", scored.run_id)[2]
    assert f"Finish run {CUT} with uaef run --resume {CUT}, and score it anew." in told
    assert f"kept as {CUT} in" in call("run", "--resume")[1]
    assert "no run was interrupted" in call("run", "--resume")[2]


BRIEF = """\
from uaef.metrics import metric

@metric(dimension="Responsible AI")
def is_brief(turn):
    return 0.0
"""


def test_a_missed_threshold_of_a_run_that_was_cut_short_is_missed(call, write):
    """What the rest would have been changes nothing in that."""
    write("brief_checks.py", BRIEF)
    play(call)
    cut()
    code, _, err = call("score", CUT, "--metrics", "brief_checks:is_brief")
    assert code == 1
    assert "1 of its 2 conversations could be measured" in err
    assert (newest().status, newest().verdict) == (RunStatus.INTERRUPTED, Verdict.FAILED)


def test_conversations_that_were_lost_are_lacking_in_what_is_scored(call):
    """The run is complete, and one of its conversations came to nothing: what is measured anew does not pass."""
    play(call)
    run_id = newest().run_id
    with open_store() as store:
        store.resume(run_id)
        store.add(run_id, 1, EvaluationResult(trace_id="place", failures=["the agent is gone"]))
        store.finish(run_id)
    code, _, err = call("score", run_id, "--metrics", "turn_efficiency")
    assert code == 3
    assert f"Run {run_id} could not play everything: 1 of its 2 conversations could be measured" in err
    assert (newest().status, newest().verdict, newest().n_planned) == (RunStatus.COMPLETE, None, 2)


def test_only_a_run_of_this_command_can_be_played_on(call):
    """One of recordings, of Python or of pytest says nothing of its agent: it is passed over, or refused."""
    play(call)
    cut()
    with open_store() as store:
        other = replaced(store.find(CUT), run_id="20990101T000000-other", parameters={})
        store.begin(other)
        store.finish(other.run_id, RunStatus.INTERRUPTED)
    for command in (("run", "--resume", other.run_id), ("retry", other.run_id, "--failed")):
        code, out, err = call(*command)
        assert (code, out, len(err.splitlines())) == (2, "", 1)
        assert f"Run {other.run_id} is none of `uaef run`" in err
    assert f"kept as {CUT}" in call("run", "--resume")[1]


def test_a_crash_in_what_is_scored_is_told(call, write):
    """It decides the exit code, so it stands on standard error."""
    write(
        "crashing_bots.py",
        "def half(input):\n    if 'Where' in input:\n        raise OSError('no line')\n    return 'At 10.'\n",
    )
    call("run", "shop.yaml", "--agent", "crashing_bots:half")
    code, _, err = call("score", "latest", "--metrics", "latency_score")
    assert (code, "uaef: place: the agent failed at turn 1: OSError: no line" in err) == (1, True)
