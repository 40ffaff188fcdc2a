"""A judge with a plain method: it blocks, so it is asked in a thread, and several are asked at once."""

from __future__ import annotations

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
