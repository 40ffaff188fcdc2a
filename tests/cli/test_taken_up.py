"""What a run that is gone on with, or retried, takes up of the one that was begun: its judge, and both plays."""

from __future__ import annotations

import pytest

from uaef.models.base import replaced
from uaef.runs.records import RunStatus
from uaef.runs.store import open_store

DATASET = """\
name: shop
conversations:
  - id: hours
    turns: [{user: When do you open?, reply: At 10., metrics: [answer_relevance], checks: [{includes: "10"}]}]
  - id: place
    turns: [{user: Where are you?, reply: In Rome., metrics: [answer_relevance], checks: [{includes: Rome}]}]
"""
AGENT = """\
import os

def answer(input):
    with open("asked.txt", "a") as file:
        print(input, file=file)
    if "Where" in input and not os.path.exists("mended"):
        raise ConnectionError("no line")
    return "At 10, in Rome."
"""
RUN = ("run", "shop.yaml", "--agent", "taken_bots:answer")


@pytest.fixture(autouse=True)
def _files(write, monkeypatch):
    for name in ("UAEF_STORE", "UAEF_JUDGE", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    write("shop.yaml", DATASET)
    write("taken_bots.py", AGENT)


def newest():
    """The newest run in the store."""
    with open_store() as store:
        return store.find("latest")


def kept(*, beside=False):
    """The results of the newest run."""
    with open_store() as store:
        return store.load("latest", beside=beside).items


def cut(**known):
    """Make of the newest run one that was killed after its first conversation."""
    with open_store() as store:
        info, items = store.load("latest")
        beside = store.load("latest", beside=True).items
        store.delete(info.run_id)
        store.begin(replaced(info, verdict=None, finished_at=None, **known))
        for which in (False, True):
            for item in (beside if which else items)[:1]:
                store.add(info.run_id, 0, item, beside=which)
        store.finish(info.run_id, RunStatus.INTERRUPTED)


def judges(item):
    """Who judged a conversation."""
    return {m.score.metadata["judge"] for m in item.measurements if "judge" in m.score.metadata}


@pytest.mark.parametrize("again", [("run", "--resume"), ("retry", "latest", "--errors")])
@pytest.mark.parametrize("place", ["environment", "project", "option"])
def test_the_judge_is_the_one_that_the_run_was_begun_with(call, write, monkeypatch, folder, again, place):
    """Wherever it was named then, and whatever is named now; it says of itself who judged."""
    monkeypatch.setenv("UAEF_JUDGE", {"environment": "local", "option": "none"}.get(place, ""))
    write("pyproject.toml", '[tool.uaef]\njudge = "local"\n' if place == "project" else "")
    call(*RUN, *(("--judge", "local") if place == "option" else ()))
    if again[0] == "run":
        cut()
    monkeypatch.setenv("UAEF_JUDGE", "none")
    (folder / "mended").touch()
    code, _, err = call(*again)
    assert (code, newest().judge, newest().parameters["judge"]) == (0, "local/1", "local"), err
    assert [judges(item) for item in kept()] == [{"local/1"}] * 2


def test_where_nobody_judged_nobody_does(call, monkeypatch, folder):
    """A judge that the environment names since would measure one half of the run."""
    call(*RUN)
    monkeypatch.setenv("UAEF_JUDGE", "local")
    (folder / "mended").touch()
    call("retry", "latest", "--errors")
    assert newest().judge is None
    assert [judges(item) for item in kept()] == [set()] * 2


@pytest.mark.parametrize(
    ("known", "said"),
    [
        ({"judge": "local/0"}, "it was judged by local/0, and would be by local/1 now"),
        ({"judge": None}, "it was judged by nobody, and would be by local/1 now"),
        ({"judge": "openai:m"}, "OPENAI_API_KEY"),
    ],
)
@pytest.mark.parametrize("again", [("run", "--resume"), ("retry", "latest", "--errors")])
def test_a_judge_that_cannot_be_had_is_refused(call, folder, again, known, said):
    """In one sentence; nothing is played, and the run is as it was."""
    call(*RUN, "--judge", "local")
    named = {**newest().parameters, "judge": "openai:m" if known["judge"] == "openai:m" else "local"}
    cut(parameters=named, **known)
    asked = (folder / "asked.txt").read_text("utf-8")
    code, out, err = call(*again)
    assert (code, out, len(err.splitlines())) == (2, "", 1)
    assert said in err
    assert (folder / "asked.txt").read_text("utf-8") == asked
    assert newest().status is RunStatus.INTERRUPTED


@pytest.mark.parametrize(
    "again", [("run", "--resume"), ("retry", "latest", "--errors"), ("retry", "latest", "--failed")]
)
def test_both_plays_of_a_conversation_that_stood_are_taken_over(call, folder, again):
    """The agent is asked for the other conversation alone, once for each of its plays."""
    call(*RUN, "--history", "both", "--judge", "local")
    if again[0] == "run":
        cut()
    before = len((folder / "asked.txt").read_text("utf-8").splitlines())
    (folder / "mended").touch()
    call(*again)
    assert (folder / "asked.txt").read_text("utf-8").splitlines()[before:] == ["Where are you?"] * 2
    for beside in (False, True):
        assert [(item.name, item.failures) for item in kept(beside=beside)] == [("hours", []), ("place", [])]


def test_the_play_that_does_not_decide_is_played_again_alone(call, folder):
    """Where that is the one that could not be played."""
    (folder / "mended").touch()
    call(*RUN, "--history", "both", "--judge", "local")
    with open_store() as store:
        run_id = store.resume(newest().run_id).run_id
        item = store.load(run_id, beside=True).items[1]
        store.add(run_id, 1, replaced(item, errors=["no line"]), beside=True)
        store.finish(run_id)
    before = len((folder / "asked.txt").read_text("utf-8").splitlines())
    call("retry", "latest", "--errors")
    assert (folder / "asked.txt").read_text("utf-8").splitlines()[before:] == ["Where are you?"]
    assert [item.errors for item in kept(beside=True)] == [[], []]
