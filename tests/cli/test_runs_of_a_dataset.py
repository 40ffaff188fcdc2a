"""Runs from the command line: kept, gone on with, retried, scored anew, compared, gated."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import time
import xml.etree.ElementTree as ET

import pytest

from uaef.runs.store import open_store

DATASET = """\
name: shop
conversations:
  - id: refund
    tags: [returns]
    metadata: {plan: gold}
    turns:
      - {user: I want to return my boots., reply: What is the order number?, checks: [{includes: order number}]}
      - {user: It is 48., reply: You have 30 days., checks: [{includes: 30 days}]}
      - {user: Send it to my office., checks: [{includes: office}], tags: [context-retention]}
  - id: hours
    turns:
      - {user: When do you open?, checks: [{includes: "10"}]}
"""
AGENTS = """\
import os, signal, time

ANSWERS = {
    "I want to return my boots.": "What is your order number?",
    "It is 48.": "You have 30 days.",
    "Send it to my office.": "It goes to your office.",
    "When do you open?": "At 10.",
}

def good(input, *, history):
    with open("asked.txt", "a") as file:
        print(input, file=file)
    return ANSWERS[input]

def interrupted(input, *, history):
    if "office" in input and os.path.exists("asked.txt") and open("asked.txt").read().count("office") > 1:
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(60)
    good(input, history=history)
    return forgetful(input, history=history)

def forgetful(input, *, history):
    return "Where to?" if "office" in input else ANSWERS[input]

def slow(input, *, history):
    if "open" in input and not os.path.exists("go"):
        time.sleep(60)
    return good(input, history=history)
"""


@pytest.fixture(autouse=True)
def _files(write, monkeypatch):
    monkeypatch.delenv("UAEF_STORE", raising=False)
    write("shop.yaml", DATASET)
    write("shop_bots.py", AGENTS)


def played(call, agent, *options):
    """The exit code, the report and standard error of a run with this agent."""
    return call("run", "shop.yaml", "--agent", f"shop_bots:{agent}", *options)


def runs():
    """The runs in the store, the newest first."""
    with open_store() as store:
        return store.runs()


def test_a_run_is_kept_with_where_it_comes_from(call):
    """Its dataset, agent, history, label and verdict; every conversation with its measurements."""
    code, report, _ = played(call, "good", "--label", "first", "--mark", "nightly")
    (info,) = runs()
    assert (0, "first", ["nightly"], "shop", "good", "expected", "passed", 2) == (
        code,
        info.label,
        info.tags,
        info.dataset,
        info.agent,
        info.history,
        info.verdict,
        info.n_planned,
    )
    assert f"kept as {info.run_id}" in report
    with open_store() as store:
        items = store.load("first").items
    assert ["refund", "hours"] == [item.name for item in items]
    assert ["refund#1", "refund#2", "refund#3"] == [key.name for key in items[0].turn_keys]


def test_a_run_need_not_be_kept(call, folder):
    """No file is made."""
    assert 0 == played(call, "good", "--no-save")[0]
    assert not (folder / ".uaef").exists()


def test_a_killed_run_goes_on_where_it_was(call, folder):
    """What was played is not played again; together it is the run that it would have been."""
    command = [sys.executable, "-m", "uaef", "run", "shop.yaml", "--agent", "shop_bots:slow", "--concurrency", "1"]
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:  # noqa: S603 - our own program
        for _ in range(600):
            if (folder / ".uaef" / "uaef.db").exists() and runs() and _kept_of_newest():
                break
            time.sleep(0.1)
        os.kill(process.pid, signal.SIGKILL)
    assert "interrupted" == runs()[0].status
    (folder / "go").touch()
    code, report, _ = call("run", "--resume")
    (info,) = runs()
    assert (0, "complete", "passed") == (code, info.status, info.verdict)
    assert "2 conversations: 2 passed" in report
    asked = (folder / "asked.txt").read_text("utf-8").splitlines()
    assert sorted(asked) == sorted(set(asked))


def test_a_run_that_is_gone_on_with_has_the_rules_that_it_was_begun_with(call, folder):
    """Killing a run and resuming it is no way around its gate."""
    played(call, "good")
    rules = ["--compare", "latest", "--fail-on", "any", "--min-pass-rate", "turn:1=0.5", "--strict"]
    asked = ["run", "shop.yaml", "--agent", "shop_bots:slow", "--concurrency", "1", *rules]
    with subprocess.Popen([sys.executable, "-m", "uaef", *asked], cwd=folder, stderr=subprocess.DEVNULL) as process:  # noqa: S603 - our own program
        for _ in range(600):
            if len(runs()) == 2 and _kept_of_newest():
                break
            time.sleep(0.1)
        os.kill(process.pid, signal.SIGKILL)
    (folder / "go").touch()
    code, _, stderr = call("run", "--resume")
    assert 0 == code, stderr
    assert "gate met: any" in stderr
    assert "gate met: pass_rate@turn:1 >= 0.5" in stderr


def test_a_run_whose_gates_were_eased_is_not_gone_on_with(call, folder, write):
    """Its halves would have been held to different things."""
    assert 0 == played(call, "good")[0]
    (info,) = runs()
    with sqlite3.connect(folder / ".uaef" / "uaef.db") as connection:
        connection.execute("update uaef_runs set status = 'running'")  # as after a kill
    connection.close()
    write("shop.yaml", DATASET.replace("includes: office", "includes: o"))
    code, _, stderr = call("run", "--resume", info.run_id)
    assert 2 == code
    assert "its dataset has changed since it began" in stderr


def _kept_of_newest():
    with open_store() as store:
        return store.done(store.runs()[0].run_id)


def test_there_is_nothing_to_go_on_with(call):
    """Where every run came to its end."""
    played(call, "good")
    code, _, stderr = call("run", "--resume")
    assert (2, True) == (code, "no run was interrupted" in stderr)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["run"], "DATASET and --agent"),
        (["run", "shop.yaml"], "DATASET and --agent"),
        (["run", "--resume", "--no-save"], "--no-save makes no sense"),
        (["run", "--resume", "--agent", "shop_bots:good"], "takes no --agent"),
        (["run", "shop.yaml", "--resume", "--only", "hours"], "takes no DATASET... and no --only"),
        (["run", "--resume", "--history", "none", "--repeat", "3"], "takes no --history and no --repeat"),
        (["run", "--resume", "--judge", "local", "--label", "x"], "takes no --judge and no --label"),
        (["run", "shop.yaml", "--agent", "shop_bots:good", "--label", "a\n::error::b"], "a label is a line of text"),
        (["run", "shop.yaml", "--agent", "shop_bots:good", "--label", "latest"], "names a run by itself"),
        (["retry", "latest"], "--failed or --errors"),
        (["retry", "nothing", "--failed"], "Unknown run 'nothing'"),
        (["score", "nothing"], "Unknown run 'nothing'"),
        (["run", "shop.yaml", "--agent", "shop_bots:good", "--compare", "nothing"], "Unknown run 'nothing'"),
        (["run", "shop.yaml", "--agent", "shop_bots:good", "--fail-on", "any"], "needs a run to compare with"),
        (["run", "shop.yaml", "--agent", "shop_bots:good", "--fail-on", "sometimes"], "sometimes"),
        (["run", "shop.yaml", "--agent", "shop_bots:good", "--min", "acuracy=0.5"], "acuracy"),
        (["run", "shop.yaml", "--agent", "shop_bots:good", "--compare", "absent.json"], "absent.json"),
    ],
)
def test_what_cannot_be_is_refused_before_anything_is_played(call, folder, arguments, words):
    """One sentence and exit code 2; the agent is not asked."""
    if arguments[0] in ("retry", "score"):
        played(call, "good")
        (folder / "asked.txt").unlink()
    code, _, stderr = call(*arguments)
    assert 2 == code
    assert words in stderr
    assert not (folder / "asked.txt").exists()
    assert "running" not in {info.status for info in runs()}
    assert len(runs()) == (arguments[0] in ("retry", "score"))


def test_what_failed_is_played_again_and_the_rest_is_taken_over(call, folder, write):
    """A new run, whole; only the conversation that failed was asked."""
    played(call, "forgetful")
    write("shop_bots.py", AGENTS.replace("def forgetful", "def was_forgetful").replace("def good", "def forgetful"))
    sys.modules.pop("shop_bots", None)
    code, report, _ = call("retry", "latest", "--failed")
    newest, before = runs()
    assert (0, "passed", f"retry of {before.run_id}") == (code, newest.verdict, newest.label)
    assert "2 conversations: 2 passed" in report
    assert 3 == len((folder / "asked.txt").read_text("utf-8").splitlines())
    sys.modules.pop("shop_bots", None)


def test_conversations_that_were_kept_are_measured_by_other_metrics(call, folder):
    """Without asking the agent."""
    played(call, "good")
    (folder / "asked.txt").unlink()
    code, report, _ = call("score", "latest", "--metrics", "turn_efficiency,latency_score")
    assert 0 == code
    assert "latency_" in report
    assert not (folder / "asked.txt").exists()
    assert [2, 2] == [info.n_planned for info in runs()]


def test_the_turn_that_regressed_is_named(call):
    """With what was said before and now; a comparison alone changes no exit code."""
    played(call, "good")
    assert 0 == call("baseline", "set")[0]
    code, report, stderr = played(call, "forgetful", "--compare", "baseline")
    assert 1 == code  # by its own gate
    words = " ".join(report.split())
    assert "refund#3 regressed: includes('office') 1.00 -> 0.00" in words
    assert "It goes to your office." in words
    assert "gate" not in stderr


@pytest.mark.parametrize("rule", ["any", "confirmed", "confirmed:2"])
def test_a_rule_decides_and_says_so(call, rule):
    """The last lines name the rule and the turn; nothing changed is no regression."""
    played(call, "good")
    call("baseline", "set")
    code, _, stderr = played(call, "good", "--compare", "baseline", "--fail-on", rule)
    assert 0 == code
    assert "gate met" in stderr
    code, _, stderr = played(call, "forgetful", "--compare", "baseline", "--fail-on", rule)
    assert 1 == code
    assert f"gate missed: {rule}" in stderr.replace("confirmed:3", "confirmed") or "gate missed: confirmed" in stderr
    assert "refund#3" in stderr


def test_an_interruption_of_the_replays_loses_no_report(call, folder):
    """What was measured is shown; nothing was decided, so the exit code is that of an interruption."""
    played(call, "good")
    asked = ["--agent", "shop_bots:interrupted", "--compare", "latest", "--fail-on", "confirmed"]
    done = subprocess.run(  # noqa: S603 - our own program
        [sys.executable, "-m", "uaef", "run", "shop.yaml", *asked],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert 130 == done.returncode, done.stderr
    assert "refund#3" in done.stdout
    assert "verdict: FAILED" in done.stdout
    assert "nothing was decided" in done.stderr


def test_a_floor_is_a_rule_too(call):
    """How many turns must pass, in all or in a cohort."""
    assert 0 == played(call, "good", "--min-pass-rate", "1")[0]
    _, _, stderr = played(call, "forgetful", "--min-pass-rate", "tag:context-retention=0.5")
    assert "gate missed: pass_rate@tag:context-retention >= 0.5" in stderr


def test_a_missing_baseline_warns_or_fails(call):
    """As is asked for."""
    code, _, stderr = played(call, "good", "--compare", "baseline")
    assert 0 == code
    assert "there is no baseline of 'shop'" in stderr
    assert 1 == played(call, "good", "--compare", "baseline", "--require-baseline")[0]


def test_the_gate_of_the_project(call, write):
    """``[tool.uaef.gate]`` says the same as the command line."""
    write("pyproject.toml", "[tool.uaef.gate]\ncompare = 'baseline'\nfail_on = 'any'\n")
    played(call, "good")
    call("baseline", "set")
    assert 1 == played(call, "forgetful")[0]
    assert 0 == played(call, "good")[0]


def test_a_run_is_compared_with_a_file(call):
    """What ``--json`` wrote, on a machine that has no store."""
    played(call, "good", "--json", "before.json")
    report = " ".join(played(call, "forgetful", "--compare", "before.json", "--no-save")[1].split())
    assert "refund#3 regressed" in report


def test_reports_for_pipelines(call, folder):
    """JUnit and Markdown beside the report."""
    played(call, "forgetful", "--junit", "junit.xml", "--pr-comment", "comment.md")
    failures = ET.parse(folder / "junit.xml").getroot().iter("failure")  # noqa: S314 - we wrote it
    assert 1 == len(list(failures))
    assert "uaef: failed" in (folder / "comment.md").read_text("utf-8")


def test_evaluated_recordings_are_kept_if_that_is_asked_for(call, write):
    """As a run without an agent."""
    chat = [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello"}]
    write("chat.json", chat)
    code, _, stderr = call("evaluate", "chat.json", "--metrics", "turn_efficiency", "--save", "--label", "old")
    assert 0 == code
    (info,) = runs()
    assert ("old", "recorded", "complete") == (info.label, info.history, info.status)
    assert f"kept as {info.run_id}" in stderr


def test_a_cohort_of_the_datasets_metadata(call):
    """What a dataset says of a conversation is a cohort of the comparison, in both runs."""
    call("run", "shop.yaml", "--agent", "shop_bots:good")
    code, shown, _ = call("run", "shop.yaml", "--agent", "shop_bots:forgetful", "--compare", "latest", "--by", "plan")
    assert code == 1
    assert "plan:gold" in shown
