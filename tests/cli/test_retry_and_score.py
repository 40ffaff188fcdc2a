"""What ``uaef retry`` refuses, what ``uaef score`` leaves behind, and which run is the latest of a dataset."""

from __future__ import annotations

import pytest

from uaef.runs.store import open_store

DATASET = """\
name: shop
conversations:
  - {id: hours, turns: [{user: When do you open?, checks: [{includes: "10"}]}]}
  - {id: place, turns: [{user: Where are you?, checks: [{includes: Rome}]}]}
"""
AGENTS = """\
def half(input):
    with open("asked.txt", "a") as file:
        print(input, file=file)
    return "At 10."
"""


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
    """Neither a selection nor what was scored anew; a retry is, as it holds everything."""
    play(call, "--only", "hours")
    assert "there is no latest of 'shop' yet" in play(call, "--only", "hours", "--compare", "latest")[1]
    assert call("baseline", "set")[0] == 2
    play(call)
    whole = newest()
    call("score", "latest", "--metrics", "turn_efficiency")
    assert newest().parameters == {"scored": whole.run_id}
    assert f"Compared with run {whole.run_id}" in play(call, "--only", "hours", "--compare", "latest")[0]
    call("retry", whole.run_id, "--failed")
    retried = newest()
    play(call, "--only", "hours")
    assert f"Compared with run {retried.run_id}" in play(call, "--only", "hours", "--compare", "latest")[0]
    assert f"is now run {retried.run_id}" in call("baseline", "set")[1]


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
