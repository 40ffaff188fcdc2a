"""A judge with a plain method: it blocks, so it is asked in a thread, and several are asked at once."""

from __future__ import annotations

import asyncio
import threading
import time

import pytest

from uaef.api import batch_evaluate
from uaef.models import MetricScore
from uaef.testing import turn

TOGETHER = 4


class PlainJudge:
    """Answers only once as many are under way as can be."""

    label = "plain"

    def __init__(self):
        self.threads = set()
        self._all_there = threading.Barrier(TOGETHER, timeout=20)

    def judge(self, rubric, window):  # noqa: ARG002 - as any judge
        """Wait for the others, as for a network."""
        self.threads.add(threading.get_ident())
        self._all_there.wait()
        return MetricScore(metric_name=rubric.name, score=1.0)


class QuickJudge(PlainJudge):
    """Says that it does not block."""

    blocking = False

    def judge(self, rubric, window):  # noqa: ARG002 - as any judge
        """Answer where it stands."""
        self.threads.add(threading.get_ident())
        return MetricScore(metric_name=rubric.name, score=1.0)


@pytest.mark.parametrize("kind", [PlainJudge, QuickJudge])
def test_plain_judges_are_asked_at_once(kind):
    """Four that wait for each other all answer; one that says it is quick needs no thread."""
    judge = kind()
    results = batch_evaluate([turn("a", "b")] * TOGETHER, metrics=["answer_relevance"], judge=judge)
    assert [1.0] * TOGETHER == [result.overall_score for result in results]
    assert (TOGETHER if kind is PlainJudge else 1) == len(judge.threads)


class _SlowJudge:
    """Never answers."""

    label = "slow"

    async def judge(self, rubric, window):  # noqa: ARG002 - as any judge
        """Wait for ever."""
        await asyncio.Event().wait()


def test_after_the_deadline_nobody_is_waited_for():
    """What was not judged by then is failed and said to be; what code measures is there."""
    metrics = ["answer_relevance", "prompt_injection_detection"]
    results = batch_evaluate(
        [turn("a", "b")] * 3, metrics=metrics, judge=_SlowJudge(), deadline_s=0.1, max_concurrency=1
    )
    for result in results:
        judged, measured = result.measurements
        assert (None, "api_error") == (judged.score.score, judged.score.metadata["warning"])
        assert "the deadline of the run, 0.1 s, is over" in judged.score.reasoning
        assert 1.0 == measured.score.score


class _Counting:
    """Takes its time, and counts who asks it and how many at once."""

    label = "counting"

    def __init__(self, *, blocking: bool):
        self.blocking = blocking
        self.calls = self.at_once = self.most_at_once = 0

    def judge(self, rubric, window):  # noqa: ARG002 - as any judge
        """A score, later."""
        self.calls += 1
        self.at_once += 1
        self.most_at_once = max(self.most_at_once, self.at_once)
        time.sleep(0.15)
        self.at_once -= 1
        return MetricScore(metric_name=rubric.name, score=1.0)


@pytest.mark.parametrize("blocking", [False, True])
def test_after_the_deadline_nobody_is_asked(blocking):
    """Also where the judge never lets go, or goes on in a thread; an answer after the deadline counts no more."""
    judge = _Counting(blocking=blocking)
    results = batch_evaluate(
        [turn("a", "b")] * 20, metrics=["answer_relevance"], judge=judge, deadline_s=0.2, max_concurrency=1
    )
    scores = [result.measurements[0].score for result in results]
    time.sleep(0.2)  # in which whoever was asked too late would have been
    assert judge.calls <= 2
    assert judge.most_at_once == 1
    assert sum(score.score is not None for score in scores) <= 1
    assert {"the deadline of the run, 0.2 s, is over"} == {
        score.metadata["error_details"] for score in scores if score.score is None
    }


@pytest.mark.parametrize(
    ("options", "detail"),
    [({"deadline_s": 0.1}, "the deadline of the run, 0.1 s, is over"), ({}, "ValueError: no")],
)
def test_who_gave_no_answer_is_in_the_score(options, detail):
    """With the rubric's version, and with what it took: nobody knows."""

    class Failing(_SlowJudge):
        async def judge(self, rubric, window):
            if not options:
                raise ValueError("no")
            await super().judge(rubric, window)

    score = batch_evaluate([turn("a", "b")], metrics=["answer_relevance"], judge=Failing(), **options)[0]
    assert {
        "warning": "api_error",
        "error_details": detail,
        "judge": "slow",
        "rubric_version": "1",
        "calls": None,
        "input_tokens": None,
        "output_tokens": None,
        "cost_usd": None,
    } == score.measurements[0].score.metadata


@pytest.mark.parametrize("deadline", [0, -1, True, "5", float("nan")])
def test_a_deadline_lies_ahead(deadline):
    """Anything else is refused before anybody is asked."""
    with pytest.raises(ValueError, match="deadline_s must be a number of seconds above 0"):
        batch_evaluate([turn("a", "b")], metrics=["coherence"], judge=_SlowJudge(), deadline_s=deadline)
