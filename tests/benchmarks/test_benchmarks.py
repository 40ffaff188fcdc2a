"""The benchmarks still run: each once, at a size that says nothing about speed."""

from __future__ import annotations

import json
from urllib.request import Request, urlopen

import pytest
from benchmarks.bare_loop import evaluated
from benchmarks.conversations import recorded
from benchmarks.judge_server import judge_server
from benchmarks.judges import judging
from benchmarks.peers import checks, judge_calls
from benchmarks.plays import playing
from benchmarks.speed import growth, start, throughput, waiting
from benchmarks.table import table


@pytest.mark.parametrize("turns", [1, 5])
def test_throughput(turns):
    """The engine and the bare loop are timed and find the same, for conversations and for single turns."""
    figure = throughput("a few", 3, turns, goal=0)
    assert "a few" == figure.what
    assert figure.met


def test_bare_loop_finds_faults():
    """The yardstick measures something: right and wrong turns are among what it is given."""
    given = recorded(6, 5)
    found = evaluated(given.traces, given.ground_truths)
    scores = {score for result in found for turn in result["per_turn"] for score in turn["metric_scores"].values()}
    assert {0.0, 1.0} < scores


def test_growth():
    """The cost at two sizes is compared, each in a process of its own."""
    assert "cost at 6 over cost at 3" == growth(3, 6).what


def test_waiting():
    """Metrics that wait are measured."""
    assert "3 async metrics that wait 1 ms on each of 5 turns" == waiting(3, 0.001).what


def test_judging():
    """Judges and bare aiohttp ask the same server as often, and no verdict is missing."""
    assert "12 verdicts of 1 ms, 3 at once" == judging(2, 0.001, 3, most=1.35).what


@pytest.mark.parametrize("turns", [1, 2])
def test_playing(turns):
    """Playing and the bare loop find the same."""
    assert "a few" == playing("a few", 3, turns, goal=0).what


def test_start():
    """The start of a Python that imports something is measured."""
    assert start("an import", "import uaef", 1e9).met


def test_job_of_the_peers():
    """The job that the other packages do as well runs with uaef, and finds what stands in the data."""
    ours = next(contender for contender in checks.CONTENDERS if not contender.requirements)
    assert {"tool_called": 0.666666667, "says": 0.4, "in_time": 0.8} == checks.run(ours, 3)["means"]


@pytest.mark.parametrize("contender", [judge_calls.BARE, judge_calls.OURS], ids=lambda contender: contender.module)
def test_judging_of_the_peers(contender):
    """The server counts the calls of whoever judges: one a verdict, and no more at once than were allowed."""
    found = judge_calls.run(contender, 2, 0.001, 3)
    assert (12, 3, 3) == (found["calls"], found["most_at_once"], found["connections"])


_SCHEMA = {"type": "object", "properties": {"pass": {"type": "boolean"}, "score": {"anyOf": [{"type": "number"}]}}}


@pytest.mark.parametrize(
    ("asked", "verdict"),
    [
        ({"response_format": {"json_schema": {"schema": _SCHEMA}}}, {"pass": True, "score": 0.8}),
        ({"tools": [{"function": {"name": "verdict", "parameters": _SCHEMA}}]}, {"pass": True, "score": 0.8}),
        ({}, {"reason": "It answers what was asked.", "score": 0.8}),
    ],
    ids=["schema", "tool", "in words"],
)
def test_judge_server(asked, verdict):
    """A verdict has the shape that was asked for, in the place where it was asked for."""
    with judge_server(0.001) as url, urlopen(Request(url, json.dumps(asked).encode())) as response:  # noqa: S310 - ours
        message = json.load(response)["choices"][0]["message"]
    assert verdict == json.loads(message["content"] or message["tool_calls"][0]["function"]["arguments"])


def test_table():
    """A table is aligned, and Markdown."""
    assert "| a  | b |\n| -- | - |\n| cc | d |" == table(("a", "b"), [("cc", "d")])
