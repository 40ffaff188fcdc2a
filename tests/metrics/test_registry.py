"""The registry: which metrics there are, how to find one, how to add one. Each test has a registry of its own."""

from __future__ import annotations

import sys
from importlib.metadata import EntryPoint

import pytest

import uaef.registry
from uaef.api import evaluate
from uaef.errors import MetricError, PluginError, UaefError, UnknownNameError
from uaef.metrics import (
    Metric,
    get_metric,
    list_metrics,
    list_metrics_by_dimension,
    metric,
    register_metric,
    register_use_case_specific_metrics,
)
from uaef.testing import ScriptedJudge, turn

pytestmark = pytest.mark.usefixtures("own_registry")

CATALOGUE = {
    "Tool Calling": ["mcp_compliance", "parameter_quality", "tool_selection_accuracy", "tool_sequence_correctness"],
    "Response Quality": ["accuracy", "answer_relevance", "completeness", "hallucination_score", "meets_expectation"],
    "Responsible AI": [
        "bias_score",
        "prompt_injection_detection",
        "prompt_injection_resistance",
        "safety_score",
        "toxicity_score",
    ],
    "Performance": ["cost_efficiency", "latency_score", "throughput", "token_efficiency"],
    "Multi-Turn": [
        "agent_tone",
        "coherence",
        "context_retention",
        "conversation_completeness",
        "holistic_llm_judge",
        "instruction_compliance",
        "naturalness",
        "optimum_turns",
        "per_turn_agent_tone",
        "per_turn_naturalness",
        "per_turn_sentiment",
        "role_adherence",
        "sentiment",
        "turn_efficiency",
        "user_satisfaction",
    ],
    "Multi-Agent": ["agent_utilization", "coordination_efficiency", "delegation_quality", "workflow_completion"],
    "Reasoning": [
        "chain_of_thought_coherence",
        "fallacy_detection",
        "logical_consistency",
        "reasoning_step_correctness",
    ],
    "DeepEval": ["deepeval_role_adherence"],
}


@metric(dimension="Tone")
def friendly(window):
    """Whether it is friendly."""
    return "please" in window.answer


def refusal(call):
    """The text of the error that a call raises."""
    with pytest.raises(UaefError) as raised:
        call()
    return str(raised.value)


def test_catalogue():
    """The metrics of the documented pages under their dimensions, in the documented order of dimensions."""
    assert CATALOGUE == list_metrics_by_dimension()
    assert list(CATALOGUE) == list(list_metrics_by_dimension())
    assert sorted(name for names in CATALOGUE.values() for name in names) == list_metrics()


@pytest.mark.parametrize(("dimension", "names"), CATALOGUE.items())
def test_each_metric_says_what_it_is(dimension, names):
    """Name, dimension and a description, for the catalogue that users read."""
    for name in names:
        found = get_metric(name)
        assert (name, name, dimension) == (found.name, found.get_name(), found.dimension)
        assert found.description
        assert found.kind in {"deterministic", "judge"}
        if found.kind == "deterministic":
            assert found.formula


def test_metric_that_is_registered_can_be_asked_for_by_name():
    """It enters the lists and its dimension."""
    register_metric(friendly)
    assert friendly is get_metric("friendly")
    assert "friendly" in list_metrics()
    assert ["friendly"] == list_metrics_by_dimension()["Tone"]
    assert 1.0 == evaluate(turn("a", "please"), metrics=["friendly"]).overall_score


def test_registered_metric_is_part_of_the_default_set():
    """Named by nobody, it is measured with the others, whatever its dimension."""
    register_metric(friendly)
    assert "friendly" in [m.metric for m in evaluate(turn("a", "please")).measurements]


def test_class_is_registered_as_its_default_instance():
    """As the documented API takes it."""

    class Friendlier(Metric):
        name = "friendlier"

        def measure(self, window):
            return window.answer.count("please") > 1

    register_metric(Friendlier)
    assert isinstance(get_metric("friendlier"), Friendlier)


def test_name_that_is_taken_is_refused_unless_overridden():
    """Nothing is replaced by accident."""
    register_metric(friendly)
    twin = metric(name="friendly")(lambda _: 0)
    message = "The metric name 'friendly' is taken; choose another or pass override=True."
    assert message == refusal(lambda: register_metric(twin))
    assert friendly is get_metric("friendly")
    register_metric(twin, override=True)
    assert twin is get_metric("friendly")
    assert issubclass(PluginError, ValueError)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (5, "5 is no metric; decorate a function with @metric or derive from Metric."),
        (
            metric(name="no name")(lambda _: 1),
            "A metric's name has letters, digits and underscores only, got 'no name'.",
        ),
    ],
)
def test_what_is_no_metric_is_not_registered(wrong, message):
    """It is refused where it is registered, not where it is used."""
    assert message == refusal(lambda: register_metric(wrong))
    assert sum(map(len, CATALOGUE.values())) == len(list_metrics())


def test_unknown_name_is_refused_with_the_nearest():
    """However the words are separated."""
    assert "Unknown metric 'Latency-Score'. Did you mean 'latency_score'?" == refusal(
        lambda: get_metric("Latency-Score")
    )
    with pytest.raises(UnknownNameError) as raised:
        get_metric("zzz")
    assert str(raised.value).startswith("Unknown metric 'zzz'. The nearest of ")


def test_metric_can_be_got_with_parameters():
    """The registered one stays as it is."""
    assert "latency_score(target_s=1.5)" == get_metric("latency_score", target_s=1.5).key
    assert "latency_score" == get_metric("latency_score").key


def test_use_case_metrics_are_added_once():
    """Opt-in, and calling it again changes nothing, not even an override of the caller's."""
    assert not {"containment", "resolution"} & set(list_metrics())
    register_use_case_specific_metrics()
    added = get_metric("containment")
    assert (
        sorted([*CATALOGUE["Multi-Turn"], "containment", "resolution"]) == list_metrics_by_dimension()["Multi-Turn"]
    )
    register_use_case_specific_metrics()
    assert added is get_metric("containment")


@pytest.mark.parametrize("name", ["containment", "resolution"])
def test_use_case_metrics_are_judged_once_on_the_whole(name):
    """Registered, they score; they used to crash before any judge was asked."""
    register_use_case_specific_metrics()
    judge = ScriptedJudge({name: 1.0})
    session = {"session_id": "hotel", "per_turn_traces": [turn("a", "b"), turn("c", "d")]}
    result = evaluate(session, metrics=[name], judge=judge)
    assert ([(name, "hotel")], 1.0) == (judge.asked, result.overall_score)


def test_lists_are_copies():
    """Whoever changes a list changes no registry."""
    list_metrics().clear()
    list_metrics_by_dimension().clear()
    assert CATALOGUE == list_metrics_by_dimension()


# --- plug-ins -------------------------------------------------------------------------

PLUGIN = [friendly]
NOT_ITERABLE = 5
NOT_METRICS = [5]


@pytest.fixture
def plug_in(monkeypatch):
    """Install a plug-in beside the built-in metrics."""

    def install(value):
        built_in = list(uaef.registry.entry_points(group="uaef.metrics"))
        own = EntryPoint("mine", value, "uaef.metrics")
        monkeypatch.setattr(uaef.registry, "entry_points", lambda group: [own, *built_in] if group else [])

    return install


def test_plug_in_brings_its_metrics(plug_in, monkeypatch):
    """An entry point names a catalogue, and its metrics are there like the built-in ones."""
    monkeypatch.setitem(sys.modules, "installed_plugin", sys.modules[__name__])
    plug_in("installed_plugin:PLUGIN")
    assert friendly is get_metric("friendly")
    assert "coherence" in list_metrics()


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (
            "no_such_module:METRICS",
            (
                "The metric plug-in 'mine' (no_such_module:METRICS) cannot be loaded: "
                "ModuleNotFoundError: No module named 'no_such_module'"
            ),
        ),
        ("installed_plugin:NOT_ITERABLE", "The metric plug-in 'mine' must name an iterable of metrics, got 5."),
        (
            "installed_plugin:NOT_METRICS",
            "5 is no metric; decorate a function with @metric or derive from Metric.",
        ),
    ],
)
def test_plug_in_that_is_broken_is_named(plug_in, monkeypatch, value, message):
    """Whose fault it is, is said; and said again at the next question, instead of half a registry."""
    monkeypatch.setitem(sys.modules, "installed_plugin", sys.modules[__name__])
    plug_in(value)
    assert message == refusal(list_metrics)
    assert message == refusal(list_metrics)


def test_metric_error_is_a_value_error():
    """The documented API raises ValueError."""
    assert issubclass(MetricError, ValueError)
