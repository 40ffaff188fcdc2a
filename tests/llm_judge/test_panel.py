"""More than one opinion: who is asked, what their scores come to, and what it means that some failed."""

from __future__ import annotations

import asyncio
import json

import pytest
from judged_conversations import RUBRICS, talk
from provider_server import USAGE, Answer, said, verdict

from uaef.api import batch_evaluate, evaluate
from uaef.errors import DataError, MetricError, UnknownNameError
from uaef.llm.prices import Price
from uaef.llm.retries import Patience
from uaef.llm_judge import Judge, Panel, judge_for
from uaef.models.scores import MetricScore
from uaef.testing import ScriptedJudge

RUBRIC = RUBRICS["0-1"]
NAME = RUBRIC.name
COST = Price(1, 1).of(*USAGE)


class Member:
    """A judge that finds one thing, and counts its runs."""

    def __init__(self, label: str, found: object) -> None:
        self.label = label
        self._found = found
        self.open = 0

    async def judge(self, rubric, window):
        """What it finds."""
        assert self.open == 1
        await asyncio.sleep(0)
        if isinstance(self._found, Exception):
            raise self._found
        if isinstance(self._found, str):
            return MetricScore(metric_name=rubric.name, reasoning=self._found, metadata={"warning": self._found})
        return MetricScore(metric_name=rubric.name, score=self._found, reasoning=f"by {self.label} of {window.name}")

    async def __aenter__(self):
        self.open += 1
        return self

    async def __aexit__(self, *exception):
        self.open -= 1


def _judged(panel: Judge, told=None, **options) -> MetricScore:
    return evaluate(told or talk(), metrics=[RUBRIC], judge=panel, **options).measurements[0].score


def _panel(*found: object, aggregate="mean") -> Panel:
    return Panel([Member(f"m{n}", what) for n, what in enumerate(found)], aggregate)


@pytest.mark.parametrize(
    ("aggregate", "found", "score"),
    [
        ("mean", [0.0, 0.5, 1.0, 0.3], 0.45),
        ("mean", [0.7], 0.7),
        ("median", [0.0, 0.9, 1.0], 0.9),
        ("median", [0.0, 0.4, 0.6, 1.0], 0.5),
        ("majority", [1.0, 1.0, 0.0], 1.0),
        ("majority", [1.0, 0.0, 0.0], 0.0),
        ("majority", [1.0, 0.0], 0.0),
        ("majority", [0.5, 0.5, 0.49], 1.0),
        ("mean", [0.2, "not_applicable", 0.4], 0.3),
        ("majority", [1.0, "not_applicable", 0.0], 0.0),
        ("mean", [0.2, "api_error", 0.4], 0.3),
        ("median", [RuntimeError("down"), 0.2, 0.4], 0.3),
    ],
)
def test_opinions_come_to_one_score(aggregate, found, score):
    """By mean, median or majority of those who gave one."""
    judged = _judged(_panel(*found, aggregate=aggregate))
    scores = [what for what in found if isinstance(what, float)]
    assert pytest.approx(score) == judged.score
    assert pytest.approx(max(scores) - min(scores)) == judged.metadata["spread"]
    assert judged.reasoning.startswith(f"{aggregate} of {len(scores)}: ")


@pytest.mark.parametrize(
    ("found", "failed", "warning"),
    [
        ([RuntimeError("down")], ["m0"], "api_error"),
        ([1.0, "api_error"], ["m1"], "api_error"),
        (["invalid_verdict", 1.0, "api_error", 1.0], ["m0", "m2"], "invalid_verdict"),
        (["not_applicable", "api_error"], ["m1"], "api_error"),
        ([1.0, "not_applicable", "api_error"], ["m2"], "api_error"),
        ([1.0, "not_applicable", "not_applicable", "api_error", "api_error"], ["m3", "m4"], "api_error"),
    ],
)
def test_as_many_failures_as_scores_are_a_failure(found, failed, warning):
    """It names them, and there is no score, however good the others' were; who cannot tell outvotes nobody."""
    judged = _judged(_panel(*found))
    assert (None, "failed", warning) == (judged.score, str(judged.status), judged.metadata["warning"])
    assert failed == judged.metadata["failed_members"]
    assert judged.metadata["error_details"]
    assert judged.reasoning.startswith(f"{len(failed)} of {len(found)} members failed: {', '.join(failed)}: ")


def test_nobody_who_can_tell_is_no_score():
    """And no failure."""
    judged = _judged(_panel("not_applicable", "not_applicable"))
    assert (None, "not_applicable", "no member could tell") == (judged.score, str(judged.status), judged.reasoning)


def test_every_member_is_told_of():
    """Who said what, and who failed."""
    judged = _judged(_panel(0.25, RuntimeError("down"), 0.75))
    down = "the judge gave no answer: RuntimeError: down"
    assert ["m1"] == judged.metadata["failed_members"]
    assert [
        {"judge": "m0", "score": 0.25, "status": "scored", "reasoning": "by m0 of booking"},
        {"judge": "m1", "score": None, "status": "failed", "reasoning": down},
        {"judge": "m2", "score": 0.75, "status": "scored", "reasoning": "by m2 of booking"},
    ] == judged.metadata["members"]
    assert ("panel[mean](m0, m1, m2)", "1") == (judged.metadata["judge"], judged.metadata["rubric_version"])


def test_a_panel_is_a_judge_and_opens_and_closes_its_members():
    """Sync members too; and the ones opened before one that fails to open are closed."""

    class Broken(Member):
        async def __aenter__(self):
            raise OSError("no door")

    first, last = Member("first", 1.0), Member("last", 1.0)
    panel = Panel([first, ScriptedJudge({NAME: 0.5}), last])
    assert isinstance(panel, Judge)
    assert 2.5 / 3 == _judged(panel).score
    with pytest.raises(OSError, match="no door"):
        _judged(Panel([first, Broken("broken", 1.0), last]))
    assert (0, 0) == (first.open, last.open)


# --- the same judge again ------------------------------------------------------------------------


@pytest.mark.parametrize("nested", [False, True])
def test_the_same_judge_several_times_is_several_opinions(providers, monkeypatch, tmp_path, nested):
    """As many calls, also with a cache; the next run has them all from it."""
    monkeypatch.setenv("UAEF_CACHE", str(tmp_path / "replies.sqlite"))
    scores = iter([0.1, 0.2, 0.3, 0.4])
    providers.script = lambda asked: said(asked.wire, verdict(asked, score=next(scores)))

    def panel():
        two = Panel(["openai:m", "openai:m"])
        return Panel([two, two]) if nested else Panel(["openai:m"] * 4)

    first, second = _judged(panel()), _judged(panel())
    assert pytest.approx(0.25) == first.score == second.score
    assert 4 == len(providers.asked)
    assert (4, False) == (first.metadata["calls"], first.metadata["cached"])
    assert (0, True) == (second.metadata["calls"], second.metadata["cached"])


def test_members_are_whatever_names_a_judge(providers):
    """Names, judges, functions, mixed; of different providers."""

    def member(text):
        token = text.partition('{"token": "')[2].partition('"')[0]
        return json.dumps({"token": token, "reasoning": "because", "score": 0.4})

    judged = _judged(Panel(["openai:m", "anthropic:m", judge_for("bedrock:m"), member]))
    assert pytest.approx(3.4 / 4) == judged.score
    assert {"openai", "anthropic", "bedrock"} == {asked.wire for asked in providers.asked}
    assert "panel[mean](openai:m, anthropic:m, bedrock:m, function:member)" == judged.metadata["judge"]


@pytest.mark.parametrize(
    ("judges", "aggregate", "error", "message"),
    [
        ([], "mean", MetricError, "A panel needs a list of at least one judge."),
        ("openai:m", "mean", MetricError, "A panel needs a list of at least one judge."),
        ([ScriptedJudge({})], "mode", MetricError, "A panel combines by mean, median or majority, got 'mode'."),
        (["opneai:m"], "mean", UnknownNameError, "Unknown judge"),
        ([5], "mean", DataError, "A judge is 'provider:model'"),
    ],
)
def test_what_is_no_panel_is_refused(judges, aggregate, error, message):
    """In a sentence."""
    with pytest.raises(error) as raised:
        Panel(judges, aggregate)
    assert str(raised.value).startswith(message)


# --- what it takes --------------------------------------------------------------------------------


def test_a_panel_adds_up_what_its_members_took(providers):
    """Calls, tokens and dollars; unknown as soon as one member does not say."""
    one = judge_for("openai:m", price=Price(1, 1))
    facts = _judged(Panel([one, Panel([one, one])])).metadata
    assert (3, 3000, 300) == (facts["calls"], facts["input_tokens"], facts["output_tokens"])
    assert pytest.approx(3 * COST) == facts["cost_usd"]
    mixed = _judged(Panel([one, ScriptedJudge({NAME: 1.0}, default=1.0)])).metadata
    assert (None, None) == (mixed["calls"], mixed["cost_usd"])
    unknown = _judged(Panel([one, "openai:m"])).metadata
    assert (2, None) == (unknown["calls"], unknown["cost_usd"])
    assert 6 == len(providers.asked)


def test_the_members_of_a_panel_share_a_budget(providers):
    """What one spends the others do not have; what was not asked is a failed member."""
    price = Price(3, 15)
    one = judge_for("openai:m", price=price)
    told = [talk(f"Case {n}.", name=f"case {n}") for n in range(20)]
    results = batch_evaluate(told, metrics=[RUBRIC], judge=Panel([one] * 3), max_cost_usd=0.1)
    scores = [result.measurements[0].score for result in results]
    assert 6 < len(providers.asked) <= 0.1 / price.of(*USAGE)
    assert {"scored", "failed"} == {str(score.status) for score in scores}
    assert any("would exceed max_cost_usd=$0.1" in score.reasoning for score in scores)


def test_one_member_that_is_down_does_not_stop_the_others(providers):
    """Over real sockets: a failing provider beside two that answer."""
    providers.script = lambda asked: Answer(500) if asked.wire == "anthropic" else said(asked.wire, verdict(asked))
    once = Patience(attempts=1)
    judged = _judged(Panel([judge_for(f"{wire}:m", patience=once) for wire in ("openai", "anthropic", "bedrock")]))
    assert (1.0, ["anthropic:m"], 0.0) == (judged.score, judged.metadata["failed_members"], judged.metadata["spread"])


@pytest.mark.parametrize("raised", [SystemExit, GeneratorExit, asyncio.CancelledError, StopIteration])
def test_whatever_a_member_raises_is_its_own_failure(raised):
    """Also what ends a program or a task: the other members are heard, and the run goes on."""

    class Raising:
        label = "raising"

        def judge(self, rubric, window):  # noqa: ARG002 - as any judge
            raise raised

    panel = Panel([Raising(), ScriptedJudge({}, default=0.5), ScriptedJudge({}, default=1.0)])
    score = batch_evaluate([talk()], metrics=["coherence"], judge=panel)[0].measurements[0].score
    assert (0.75, ["raising"]) == (score.score, score.metadata["failed_members"])


@pytest.mark.parametrize(
    ("answer", "score", "status"),
    [
        (0.8, 0.6, "scored"),
        (True, 2 / 3, "scored"),
        (False, 1 / 3, "scored"),
        ((0.8, "because"), 0.6, "scored"),
        (None, 0.5, "failed"),
        ("1", 0.5, "failed"),
        ({}, 0.5, "failed"),
        (1.5, 0.5, "failed"),
        (float("nan"), 0.5, "failed"),
    ],
)
def test_what_a_member_answers_is_read_as_outside_a_panel(answer, score, status):
    """A number in [0, 1] is a score, yes is 1 and no is 0; anything else is that one member's failure."""

    class Answering:
        label = "answering"
        blocking = False

        def judge(self, rubric, window):  # noqa: ARG002 - as any judge
            return answer

    panel = Panel([Answering(), ScriptedJudge({}, default=0.5), ScriptedJudge({}, default=0.5)])
    for found in (_judged(panel), asyncio.run(panel.judge(RUBRIC, talk()))):  # outside a run as well
        assert pytest.approx(score) == found.score
        assert [status, "scored", "scored"] == [member["status"] for member in found.metadata["members"]]
        assert (["answering"] if status == "failed" else []) == found.metadata["failed_members"]
    assert status == str(_judged(Answering()).status)
