"""Which metrics are measured, and which requests make no sense."""

from __future__ import annotations

import pytest

from uaef.api import batch_evaluate, evaluate
from uaef.metrics import get_metric, latency_score, list_metrics, list_metrics_by_dimension, metric
from uaef.models import MultiAgentTrace
from uaef.testing import ScriptedJudge, turn

TRACE = turn("a", "b", latency=1)
TEAM = MultiAgentTrace(messages=TRACE.messages)


def measured(item=TRACE, **options):
    """The metrics that were measured."""
    return list(dict.fromkeys(m.metric for m in evaluate(item, **options).measurements))


def test_metrics_that_are_named_are_measured_in_that_order():
    """By name, as objects, mixed; nothing else is."""
    named = ["throughput", latency_score(target_s=3), get_metric("mcp_compliance")]
    assert ["throughput", "latency_score(target_s=3.0)", "mcp_compliance"] == measured(metrics=named)


def test_metric_set_is_metrics_by_dimension():
    """The documented form."""
    assert ["turn_efficiency", "throughput"] == measured(
        metric_set={"Multi-Turn": ["turn_efficiency"], "Performance": ["throughput"]}
    )


def test_metric_set_takes_metrics_of_ones_own():
    """Under the dimension that they name."""
    own = metric(dimension="Tone", name="own")(lambda _: 1)
    assert ["own"] == measured(metric_set={"Tone": [own]})


@pytest.mark.parametrize(
    ("item", "missing"),
    [(TRACE, {"Multi-Agent"}), (TEAM, set())],
)
def test_without_names_everything_of_the_evaluators_dimensions_is_measured(item, missing):
    """One agent has no Multi-Agent dimension; nothing is left out but what has to be asked for by name."""
    by_dimension = list_metrics_by_dimension()
    expected = {name for dimension, names in by_dimension.items() for name in names if dimension not in missing}
    expected = {name for name in expected if get_metric(name).by_default}
    assert expected == set(measured(item))


def test_default_set_is_in_the_documented_order_of_dimensions():
    """Whatever was registered first; a dimension of which every metric has to be asked for has no part in it."""
    dimensions = [d.dimension_name for d in evaluate(TEAM).dimension_results]
    assert [name for name in list_metrics_by_dimension() if name != "DeepEval"] == dimensions


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"metrics": ["coherence"], "metric_set": {"Multi-Turn": ["coherence"]}},
            "Give either metrics or metric_set, not both.",
        ),
        ({"metrics": "coherence"}, "metrics is a list of names and metrics: metrics=['coherence']; got 'coherence'."),
        ({"metrics": []}, "There is nothing to measure: no metric was named."),
        ({"metric_set": {}}, "There is nothing to measure: no metric was named."),
        ({"metric_set": {"Multi-Turn": []}}, "There is nothing to measure: no metric was named."),
        (
            {"metric_set": {"Multi-Turn": "coherence"}},
            "metric_set['Multi-Turn'] is a list of names; got 'coherence'.",
        ),
        (
            {"metric_set": {"Performance": ["coherence"]}},
            "Metric 'coherence' belongs to the dimension 'Multi-Turn', not to 'Performance'.",
        ),
        ({"metric_set": {"multi_turn": ["coherence"]}}, "Unknown dimension 'multi_turn'. Did you mean 'Multi-Turn'?"),
        ({"metric_set": {"Multi-Turn": ["coherance"]}}, "Unknown metric 'coherance'. Did you mean 'coherence'?"),
        ({"metrics": ["latency"]}, "Unknown metric 'latency'. Did you mean 'latency_score'?"),
        ({"metrics": ["coherence"], "judg": 1}, "Unknown option 'judg'. Did you mean 'judge'?"),
        (
            {"metrics": ["coherence"], "context": "text"},
            "context is a list of documents: context=['...']; got 'text'.",
        ),
        (
            {"metrics": ["coherence"], "max_concurrency": 0},
            "max_concurrency must be a whole number of at least 1, got 0.",
        ),
        (
            {"metrics": ["coherence"], "max_concurrency": "5"},
            "max_concurrency must be a whole number of at least 1, got '5'.",
        ),
        (
            {"metrics": ["coherence"], "max_concurrency": True},
            "max_concurrency must be a whole number of at least 1, got True.",
        ),
        (
            {"metrics": ["coherence"], "judge": "a judge"},
            "Unknown judge 'a judge'. Available: anthropic:MODEL, bedrock:MODEL, local, openai:MODEL.",
        ),
        (
            {"metrics": ["coherence"], "judge": ScriptedJudge},
            "A judge is an object, not a class; make one of <class 'uaef.testing.ScriptedJudge'>.",
        ),
    ],
)
def test_requests_that_make_no_sense_are_refused(options, message):
    """Before anything is measured, alike for one and for many, with what to write instead."""
    for call in (lambda: evaluate(TRACE, **options), lambda: batch_evaluate([TRACE, TEAM], **options)):
        with pytest.raises(ValueError) as raised:  # noqa: PT011 - the text is compared
            call()
        assert message == str(raised.value)


def test_every_registered_metric_can_be_named():
    """On any trace, with or without a judge: each gives one score a window, and none makes anything fall over."""
    for item in (TRACE, TEAM, {"per_turn_traces": [TRACE, TRACE]}):
        for options in ({}, {"judge": ScriptedJudge({}, default=0.5)}):
            assert list_metrics() == sorted(measured(item, metrics=list_metrics(), **options))
