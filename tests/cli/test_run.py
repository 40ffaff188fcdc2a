"""``uaef run``: what it prints, how it ends, and what it refuses."""

from __future__ import annotations

import json
import signal
import subprocess
import sys

import pytest

from uaef.reporting.json import run_from_json
from uaef.runs.store import open_store

DATASET = """\
name: shop
conversations:
  - id: refund
    tags: [returns]
    turns:
      - user: I want to return my boots.
        reply: What is the order number?
        checks: [{includes: order number}]
      - user: It is 48.
        reply: You have 30 days.
        checks: [{includes: 30 days}]
        tags: [policy]
      - user: Send it to my office.
        checks: [{includes: office}, {not: {asked_again_for: order number}}]
        tags: [context-retention]
  - id: hours
    turns:
      - user: When do you open?
        checks: [{includes: "10"}]
"""
AGENT = """\
def good(input, *, history):
    return {
        "I want to return my boots.": "What is your order number?",
        "It is 48.": "You have 30 days.",
        "Send it to my office.": "It goes to your office.",
        "When do you open?": "At 10.",
    }[input]

def forgetful(input, *, history):
    return "What is your order number?" if "office" in input else good(input, history=history)

def broken(input):
    raise ConnectionError("no line")

def nothing(input):
    return None
"""


@pytest.fixture(autouse=True)
def _files(write):
    write("shop.yaml", DATASET)
    write("shop_agents.py", AGENT)


@pytest.mark.parametrize(
    ("agent", "code", "said"),
    [
        ("shop_agents:good", 0, ""),
        ("shop_agents:forgetful", 1, "uaef: missed: \"includes('office') of refund#3\""),
        ("shop_agents:broken", 1, "uaef: missed: "),
        ("shop_agents:nothing", 1, "uaef: missed: "),
        ("control:silent", 1, "uaef: missed: "),
        ("control:echo", 1, "uaef: missed: "),
    ],
)
def test_exit_codes(run, agent, code, said):
    """0 where every gate holds, else 1, and what decided it; an agent that fails has missed them."""
    found, report, stderr = run("run", "shop.yaml", "--agent", agent)
    assert code == found
    assert "Traceback" not in stderr
    assert "2 conversations" in report
    assert said in stderr


def test_the_turn_that_broke_is_named_with_its_reason(run):
    """The conversation, the turn, the check, and the evidence."""
    _, report, _ = run("run", "shop.yaml", "--agent", "shop_agents:forgetful")
    assert "refund  FAILED" in report
    assert "turn 3 broke" in report
    assert "does not say 'office'" in report
    assert "(agent forgetful; history: expected)" in " ".join(report.split())


@pytest.mark.parametrize(
    ("options", "conversations", "measured"),
    [
        (["--only", "refund#3"], 1, {"refund#3"}),
        (["--only", "refund#1", "--only", "hours"], 2, {"refund#1", "hours"}),
        (["--only", "refund"], 1, {"refund#1", "refund#2", "refund#3"}),
        (["--tag", "policy"], 1, {"refund#2"}),
        (["--tag", "returns"], 1, {"refund#1", "refund#2", "refund#3"}),
        (["--limit", "1"], 1, {"refund#1", "refund#2", "refund#3"}),
        (["--tag", "policy", "--tag", "context-retention", "--history", "actual"], 1, {"refund#2", "refund#3"}),
    ],
)
def test_a_part_of_a_dataset(call, folder, options, conversations, measured):
    """Conversations and turns by name and by tag; what is not wanted is not measured."""
    code, _, _ = call("run", "shop.yaml", "--agent", "shop_agents:good", *options, "--json", "run.json")
    run = run_from_json((folder / "run.json").read_text("utf-8"))
    assert (0, conversations) == (code, len(run.items))
    assert measured == {m.slice_name for m in run.measurements}
    assert "passed" == run.verdict


def test_a_turn_alone_is_the_only_one_asked(call, folder, write):
    """On the expected history, the turns before it cost nothing."""
    write(
        "counting_agent.py",
        "def answer(input):\n"
        "    with open('asked.txt', 'a') as file:\n"
        "        print(input, file=file)\n"
        "    return 'office'\n",
    )
    call("run", "shop.yaml", "--agent", "counting_agent:answer", "--only", "refund#3")
    assert "Send it to my office.\n" == (folder / "asked.txt").read_text("utf-8")


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--only", "refund#4"], "Unknown conversation or turn 'refund#4'. Did you mean 'refund#"),
        (["--tag", "polcy"], "Unknown tag 'polcy'. Did you mean 'policy'?"),
        (["--agent", "shop_agents:goood"], "shop_agents"),
        (["--agent", "nowhere:answer"], "nowhere"),
        (["--agent", "good"], "MODULE:ATTRIBUTE"),
        (["--history", "golden"], "golden"),
        (["--repeat", "0"], "--repeat"),
        (["--json", "nowhere/run.json"], "nowhere"),
        (["--judge", "nobody"], "nobody"),
    ],
)
def test_what_cannot_be_is_refused_before_anything_is_played(call, options, sentence):
    """One sentence and exit code 2."""
    code, report, stderr = call("run", "shop.yaml", "--agent", "shop_agents:broken", *options)
    assert (2, "") == (code, report)
    assert sentence in stderr


@pytest.mark.parametrize("name", ["absent.yaml", "broken.yaml"])
def test_a_dataset_that_cannot_be_read(call, write, name):
    """All its problems with their places, and exit code 2."""
    write("broken.yaml", "conversations:\n  - id: a\n    turns:\n      - usr: hello\n  - id: 5\n")
    code, _, stderr = call("run", name, "--agent", "control:echo")
    assert 2 == code
    assert name in stderr
    assert name == "absent.yaml" or len(stderr.splitlines()) > 1


def test_without_a_judge_what_needs_one_is_open(call, write, monkeypatch):
    """Exit code 3, and the line that says how to give one."""
    monkeypatch.delenv("UAEF_JUDGE", raising=False)
    write("judged.yaml", "conversations:\n  - id: a\n    turns:\n      - {user: Hello?, expect: greets back}\n")
    code, report, stderr = call("run", "judged.yaml", "--agent", "control:echo")
    assert 3 == code
    assert "meets_expectation of a" in stderr
    assert "judge=" in stderr or "--judge" in stderr
    assert "FAILED" in report


def test_nothing_required_is_said(call, write):
    """Metrics alone are shown; the exit code is 0 and a line says why."""
    write("shown.yaml", "metrics: [latency_score]\nconversations:\n  - id: a\n    turns: [{user: Hello?}]\n")
    code, _, stderr = call("run", "shown.yaml", "--agent", "control:echo")
    assert 0 == code
    assert stderr.startswith("uaef: Nothing was required")


@pytest.mark.parametrize(("strict", "code"), [([], 0), (["--strict"], 1)])
def test_a_missed_threshold_fails_only_if_strict(call, write, strict, code):
    """It is said either way."""
    write(
        "graded.yaml",
        "conversations:\n  - id: a\n    turns:\n      - user: Hello?\n        thresholds: [{similarity: "
        "{reference: good morning, at_least: 0.9}}]\n",
    )
    found, report, stderr = call("run", "graded.yaml", "--agent", "control:echo", *strict)
    assert code == found
    assert "SCORED" in report
    assert "missed" in stderr


def test_failures_that_share_a_tag_are_told(call, write):
    """What most of them have in common, beside how often it occurs where nothing failed."""
    turns = "\n".join(
        f"      - {{user: question {i}, reply: a, checks: [{{includes: x}}], tags: [{tag}]}}"
        for i, tag in enumerate(["memory"] * 4 + ["facts"])
    )
    good = "\n".join(f"      - {{user: x {i}, reply: a, checks: [{{includes: x}}]}}" for i in range(4))
    write("tagged.yaml", f"conversations:\n  - id: a\n    turns:\n{turns}\n  - id: b\n    turns:\n{good}\n")
    _, report, _ = call("run", "tagged.yaml", "--agent", "control:echo")
    assert "4 of 5 failures are tagged memory (0 of 4 turns that passed are)" in " ".join(report.split())


def test_a_dry_run_plays_nothing(call):
    """It counts conversations, turns and judgements."""
    code, report, _ = call("run", "shop.yaml", "--agent", "shop_agents:broken", "--repeat", "2", "--dry-run")
    assert (0, "4 conversations with 8 turns would be played; no judge would be asked.\n") == (code, report)


@pytest.mark.parametrize("options", [["--dry-run"], []])
@pytest.mark.parametrize("history", ["expected", "both"])
def test_a_slip_in_the_number_of_plays_is_refused(call, options, history):
    """At once, and nothing is begun; both plays of a conversation count."""
    times = 2 * 10**8 if history == "expected" else 10**8
    play = ("run", "shop.yaml", "--agent", "control:echo", "--history", history, "--repeat", str(times))
    code, _, stderr = call(*play, *options, "--only", "hours")
    said = "That is 200,000,000 plays of conversations, and a run has at most 1,000,000: lower repeat, or play fewer"
    assert (2, f"uaef: {said} conversations.\n") == (code, stderr)
    with open_store() as store:
        assert [] == store.runs()


def test_as_many_plays_as_there_may_be_are_counted_at_once(call):
    """Nothing is made of them."""
    play = ("run", "shop.yaml", "--agent", "control:echo", "--repeat", "500000", "--dry-run")
    code, report, _ = call(*play)
    assert (0, True) == (code, report.startswith("1000000 conversations with 2000000 turns would be played")), report


def test_json_on_standard_output_is_all_there_is(run):
    """For a program to read: every conversation with its transcript and measurements."""
    code, report, _ = run("run", "shop.yaml", "--agent", "shop_agents:good", "--json", "-")
    found = run_from_json(report)
    assert (0, "uaef.run/1") == (code, json.loads(report)["schema"])
    assert ["What is your order number?"] == [found.items[0].conversation[0].answer]
    assert json.loads(json.dumps(found.to_dict())) == json.loads(report)["run"]


def test_trials_are_told(call):
    """How many there were and how they were taken together."""
    _, report, _ = call("run", "shop.yaml", "--agent", "shop_agents:good", "--repeat", "3", "--trials", "majority")
    assert "3 trials, majority decides" in " ".join(report.split())
    assert "6 plays of 2 conversations" in report


GATED = """\
gates: [{excludes: forbidden}]
conversations:
  - id: a
    turns:
      - {user: one, reply: x}
      - {user: two, tags: [late]}
"""


@pytest.mark.parametrize("options", [["--only", "a#2"], ["--tag", "late"]])
def test_what_a_part_leaves_out_is_said_and_never_taken_for_met(call, write, options):
    """A gate on the whole says nothing of a turn; with nothing else required, the exit code is 3."""
    write("gated.yaml", GATED)
    assert 0 == call("run", "gated.yaml", "--agent", "control:echo")[0]
    code, _, stderr = call("run", "gated.yaml", "--agent", "control:echo", *options)
    assert 3 == code
    assert "Not measured, because only a part was chosen: \"excludes('forbidden') of a\"" in stderr
    assert "Nothing was required" not in stderr


def test_nothing_left_is_refused(call):
    """Both exist, but not together."""
    code, _, stderr = call("run", "shop.yaml", "--agent", "control:echo", "--only", "hours", "--tag", "policy")
    assert (2, "uaef: Nothing is both named hours and tagged policy.\n") == (code, stderr)


def test_an_agent_that_fails_where_nothing_is_required_is_no_success(call, write):
    """There is nothing to miss, and still nothing that went right."""
    write("shown.yaml", "metrics: [latency_score]\nconversations:\n  - id: a\n    turns: [{user: Hello?}]\n")
    assert 3 == call("run", "shown.yaml", "--agent", "shop_agents:broken")[0]


def test_a_dry_run_refuses_what_the_run_would_refuse(call, write):
    """Every case that cannot be played, before anything is."""
    turns = "[{user: one, checks: [json_valid]}, {user: two}]"
    write("silent.yaml", f"conversations:\n  - {{id: a, turns: {turns}}}\n  - {{id: b, turns: {turns}}}\n")
    for options in ([], ["--dry-run"]):
        code, _, stderr = call("run", "silent.yaml", "--agent", "control:echo", *options)
        assert 2 == code
        assert "'a', turn 1" in stderr
        assert "'b', turn 1" in stderr
    assert 1 == call("run", "silent.yaml", "--agent", "control:echo", "--history", "actual")[0]


def test_an_agent_that_ends_the_program_does_not_end_it_well(run, write):
    """Not with exit code 0, and not without what was played by then."""
    write(
        "leaving.py",
        "import asyncio, sys\n"
        "async def answer(input):\n"
        "    if 'open' in input:\n"
        "        asyncio.get_running_loop().call_soon(sys.exit, 0)\n"
        "        await asyncio.sleep(5)\n"
        "    return 'your order number? 30 days, office'\n",
    )
    code, report, stderr = run("run", "shop.yaml", "--agent", "leaving:answer", "--concurrency", "1")
    assert 2 == code
    assert "ended the program" in stderr
    assert "Traceback" not in stderr
    assert "refund" in report


@pytest.mark.parametrize("kind", ["def", "async def"])
@pytest.mark.parametrize("history", ["thread", "none"])
@pytest.mark.parametrize("everywhere", [False, True])
def test_an_agent_that_interrupts_the_program_is_taken_for_a_person(run, write, kind, history, everywhere):
    """One line and exit code 130, whether one turn does so or all at once do; what was played by then is shown."""
    write(
        "stopping.py",
        f"{kind} answer(input):\n"
        f"    if {everywhere} or 'open' in input:\n"
        "        raise KeyboardInterrupt\n"
        "    return {'s': 'your order number?', '8': '30 days'}.get(input[-2], 'to your office')\n",
    )
    options = ["--history", history, *(() if everywhere else ("--concurrency", "1"))]
    code, report, stderr = run("run", "shop.yaml", "--agent", "stopping:answer", *options)
    assert (130, 0 if everywhere else 1) == (code, report.count("refund  PASSED"))
    said = [line for line in stderr.splitlines() if line]
    assert said[0].endswith(f"{0 if everywhere else 1} of 2 conversations were played before the end.")
    assert ["uaef: interrupted"] == said[1:]


@pytest.mark.parametrize(("error", "code"), [("KeyboardInterrupt", 130), ("SystemExit", 2)])
def test_tasks_of_an_agent_that_end_the_program_leave_no_traceback(run, write, error, code):
    """However many of them do so, and although the agent does not wait for them."""
    write(
        "tasked.py",
        "import asyncio\n"
        f"async def end(): raise {error}\n"
        "async def answer(input):\n"
        "    task = asyncio.create_task(end())\n"
        "    await asyncio.sleep(5)\n",
    )
    found, _, stderr = run("run", "shop.yaml", "--agent", "tasked:answer", "--history", "none")
    assert code == found
    assert [line for line in stderr.splitlines() if line and not line.startswith("uaef: ")] == []


def test_an_interrupted_run_never_passes(folder, write):
    """Ctrl-C: what was played is shown and written, and is not taken for the whole."""
    write(
        "slow.py",
        "import asyncio\n"
        "async def answer(input):\n"
        "    if 'open' in input:\n"
        "        print('here', flush=True)\n"
        "        await asyncio.sleep(60)\n"
        "    return {'s': 'your order number?', '8': '30 days'}.get(input[-2], 'to your office')\n",
    )
    command = [sys.executable, "-m", "uaef", "run", "shop.yaml", "--agent", "slow:answer", "--json", "run.json"]
    command += ["--concurrency", "1"]  # so that the first is there when the second begins
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:  # noqa: S603 - our own program
        assert "here" in process.stdout.readline()
        process.send_signal(signal.SIGINT)
        report, stderr = process.communicate(timeout=30)
    found = run_from_json((folder / "run.json").read_text("utf-8"))
    assert (130, None, 1, 2) == (process.returncode, found.verdict, len(found.items), found.n_planned)
    assert "1 of 2 conversations were played" in stderr
    assert "refund  PASSED" in report


def test_what_an_agent_prints_does_not_get_into_the_json(run, write):
    """Standard output holds one thing."""
    write("chatty.py", "def answer(input):\n    print('noise')\n    return 'At 10.'\n")
    code, report, stderr = run("run", "shop.yaml", "--agent", "chatty:answer", "--only", "hours", "--json", "-")
    assert 0 == code
    assert "passed" == run_from_json(report).verdict
    assert "noise" in stderr


def test_warnings_are_told_once(run):
    """In the report, and not by the logger as well."""
    _, report, stderr = run("run", "shop.yaml", "--agent", "control:echo", "--history", "actual", "--only", "refund")
    assert "warning" not in stderr
    assert report.count("takes no history") <= 1
