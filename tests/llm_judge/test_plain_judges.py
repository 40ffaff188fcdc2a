"""A judge with a plain method: it blocks, so it is asked in a thread, and several are asked at once."""

from __future__ import annotations

import asyncio
import threading

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


@pytest.mark.parametrize("deadline", [0, -1, True, "5", float("nan")])
def test_a_deadline_lies_ahead(deadline):
    """Anything else is refused before anybody is asked."""
    with pytest.raises(ValueError, match="deadline_s must be a number of seconds above 0"):
        batch_evaluate([turn("a", "b")], metrics=["coherence"], judge=_SlowJudge(), deadline_s=deadline)
