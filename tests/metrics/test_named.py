"""Metrics and checks by name, as files write them."""

from __future__ import annotations

import pytest

from uaef.errors import MetricError, UnknownNameError
from uaef.metrics import get_metric, list_metrics, metric, register_metric
from uaef.metrics.checks import ALIASES as CHECK_ALIASES
from uaef.metrics.checks import CHECKS
from uaef.metrics.named import metric_named, short_form
from uaef.metrics.registry import ALIASES


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("no_tool_errors", ("no_tool_errors", {})),
        (" no_tool_errors ", ("no_tool_errors", {})),
        ({"no_tool_errors": None}, ("no_tool_errors", {})),
        ({"includes": "Oslo"}, ("includes", {"": "Oslo"})),
        ({"max_words": 0}, ("max_words", {"": 0})),
        ({"one_of": ["a", "b"]}, ("one_of", {"": ["a", "b"]})),
        ({"called_tool": {"name": "x", "times": 2}}, ("called_tool", {"name": "x", "times": 2})),
    ],
)
def test_three_short_forms(written, read):
    """A name, a name with its one argument, a name with arguments by parameter."""
    assert read == short_form(written)


@pytest.mark.parametrize("written", ["", " ", None, 5, [], {}, {"a": 1, "b": 2}, {5: "x"}, {" ": "x"}, ["includes"]])
def test_anything_else_is_refused(written):
    """Saying what is expected."""
    with pytest.raises(MetricError, match=r"Expected a name, \{name: argument\} or"):
        short_form(written)


@pytest.mark.parametrize(
    ("written", "key"),
    [
        ("no_tool_errors", "no_tool_errors()"),
        ({"includes": "Oslo"}, "includes('Oslo')"),
        ({"includes": {"text": "Oslo", "ignore_case": False}}, "includes('Oslo', ignore_case=False)"),
        ({"tool_order": ["a", "b"]}, "tool_order(['a', 'b'])"),
        ({"numbers_match": 42}, "numbers_match(42)"),
        ({"all_of": ["no_tool_errors", {"includes": "x"}]}, "all_of(no_tool_errors(), includes('x'))"),
        ({"all_of": {"checks": ["no_tool_errors", "used_no_tools"]}}, "all_of(no_tool_errors(), used_no_tools())"),
        ({"any_of": {"includes": "x"}}, "any_of(includes('x'))"),
        ({"all_of": "no_tool_errors"}, "all_of(no_tool_errors())"),
        ({"not": {"includes": "x"}}, "not_(includes('x'))"),
        ({"not_": "used_no_tools"}, "not_(used_no_tools())"),
        ({"json_schema": {"type": "object"}}, "json_schema({'type': 'object'})"),
        ({"json_schema": {"schema": {"type": "object"}, "where": "final"}}, None),
        ("answer_relevance", "answer_relevance"),
        ("llm-as-judge", "meets_expectation"),
        ({"contains": "Oslo"}, "includes('Oslo')"),
        ({"not_contains": {"text": "Oslo", "where": "final"}}, "excludes('Oslo', where='final')"),
        ({"any_of": [{"regex": "x"}, "no_tool_errors"]}, "any_of(matches('x'), no_tool_errors())"),
        ({"not": {"tool_called": "find"}}, "not_(called_tool('find'))"),
        ("faithfulness", "hallucination_score"),
        ("groundedness", "hallucination_score"),
        ("answer_relevancy", "answer_relevance"),
        ("correctness", "accuracy"),
        ({"latency_score": {"target_s": 1.5}}, "latency_score(target_s=1.5)"),
        ({"latency_score": 1.5}, "latency_score(target_s=1.5)"),
    ],
)
def test_the_check_or_metric_of_a_name(written, key):
    """A check, or else a registered metric; a mapping is its arguments if all keys are parameters."""
    metric = metric_named(*short_form(written))
    assert metric.key == (key or "json_schema({'type': 'object'}, where='final')")


@pytest.mark.parametrize(
    ("written", "error", "problem"),
    [
        ("calledTool", UnknownNameError, "Unknown metric or check 'calledTool'. Did you mean 'called_tool'"),
        ("latencyscore", UnknownNameError, "Did you mean 'latency_score'"),
        ({"includes": {"txt": "x"}}, UnknownNameError, "Unknown parameter of includes 'txt'. Did you mean 'text'"),
        ({"latency_score": {"target": 1}}, UnknownNameError, "Unknown parameter of latency_score 'target'"),
        ({"includes": 44192}, MetricError, r"includes\(text=44192\): Expected str, got int"),
        ({"no_tool_errors": 5}, MetricError, "no_tool_errors: too many positional arguments"),
        ("includes", MetricError, "includes: missing a required argument: 'text'"),
        ({"throughput": "x"}, MetricError, r"throughput\(target_tokens_per_s='x'\)"),
        ({"tool_selection_accuracy": 5}, MetricError, "tool_selection_accuracy takes no arguments, got 5"),
        ({"check": "my_function"}, MetricError, "Expected a callable, got str"),
        ({"all_of": []}, MetricError, "checks: at least one is needed"),
    ],
)
def test_mistakes_are_named(written, error, problem):
    """The name, the parameter, and what was probably meant."""
    with pytest.raises(error, match=problem):
        metric_named(*short_form(written))


@pytest.mark.usefixtures("own_registry")
@pytest.mark.parametrize("name", ["contains", "faithfulness"])
def test_names_of_their_own_go_before_other_names(name):
    """Whoever registers a metric under a word of the field gets that metric, by whatever way."""
    own = metric(name=name)(lambda _: True)
    register_metric(own)
    assert own is metric_named(name, {})
    assert own is get_metric(name)


def test_other_names_lead_somewhere():
    """Every one means something that exists, and is not itself the name of another."""
    assert set(CHECK_ALIASES.values()) <= CHECKS.keys()
    assert set(ALIASES.values()) <= set(list_metrics())
    assert {*CHECK_ALIASES, *ALIASES}.isdisjoint({*CHECKS, *list_metrics()})
    assert CHECK_ALIASES.keys().isdisjoint(ALIASES)
