"""The report says who judged, how often it was asked and what that cost."""

from __future__ import annotations

from uaef.api import batch_evaluate
from uaef.models import MetricScore
from uaef.reporting.judges import judged_by
from uaef.reporting.terminal import render_results
from uaef.testing import ScriptedJudge, turn


def _results(**facts: object):
    said = MetricScore(metric_name="m", score=1.0, metadata={"judge": "openai:m", **facts})
    return batch_evaluate([turn("a", "b")] * 2, metrics=["answer_relevance"], judge=ScriptedJudge({}, default=said))


def test_calls_dollars_and_what_was_remembered():
    """Summed over all conversations; an unknown cost is not 0."""
    assert ["judged by openai:m: 2 judgements, 2 calls, $0.5000"] == judged_by(
        _results(calls=1, cost_usd=0.25, cached=False)
    )
    assert ["judged by openai:m: 2 judgements, 0 calls, $0.0000, 2 from the cache"] == judged_by(
        _results(calls=0, cost_usd=0.0, cached=True)
    )
    assert ["judged by openai:m: 2 judgements, 2 calls, at a cost that is not known"] == judged_by(
        _results(calls=1, cost_usd=None)
    )


def test_judgements_that_failed_are_counted():
    """Of a judge that raised or came too late nobody knows what it took, and the sum says so."""

    class Sometimes:
        label = "openai:m"

        def __init__(self):
            self.asked = 0

        async def judge(self, rubric, window):  # noqa: ARG002 - as any judge
            """Fails at first."""
            self.asked += 1
            if self.asked == 1:
                raise ConnectionError("nobody there")
            facts = {"judge": self.label, "calls": 1, "cost_usd": 0.25}
            return MetricScore(metric_name=rubric.name, score=1.0, metadata=facts)

    results = batch_evaluate([turn("a", "b")] * 3, metrics=["answer_relevance"], judge=Sometimes())
    assert ["judged by openai:m: 3 judgements, 1 failed, 2 calls or more, at a cost that is not known"] == judged_by(
        results
    )
    invalid = MetricScore(
        metric_name="m", metadata={"judge": "j", "calls": 2, "cost_usd": 0.5, "warning": "invalid_verdict"}
    )
    told = batch_evaluate([turn("a", "b")], metrics=["answer_relevance"], judge=ScriptedJudge({}, default=invalid))
    assert ["judged by j: 1 judgement, 1 failed, 2 calls, $0.5000"] == judged_by(told)


def test_one_line_near_the_end_of_the_report():
    """Before the counts; where code measured everything, there is none."""
    lines = render_results(_results(calls=1, cost_usd=0.25)).splitlines()
    assert "judged by openai:m: 2 judgements, 2 calls, $0.5000" == lines[-2]
    plain = batch_evaluate([turn("a", "b")], metrics=["prompt_injection_detection"])
    assert "judged by" not in render_results(plain)
