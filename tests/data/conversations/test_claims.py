"""What is to be measured: the forms it can be written in, where it is laid, and what goes without saying."""

from __future__ import annotations

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from uaef.data.conversations import ConversationDataset
from uaef.errors import DatasetSchemaError
from uaef.metrics import list_metrics
from uaef.metrics.checks import CHECKS
from uaef.models import ClaimKind

SCORE, GATE, THRESHOLD = ClaimKind.SCORE, ClaimKind.GATE, ClaimKind.THRESHOLD


def told(claims):
    """Claims in short: name, arguments, kind, bounds, scope."""
    return [(c.name, c.arguments, c.kind, c.at_least, c.at_most, c.scope) for c in claims]


@pytest.mark.parametrize(
    ("key", "written", "claim"),
    [
        ("checks", "json_valid", ("json_valid", {}, GATE, None, None)),
        ("checks", {"includes": "x"}, ("includes", {"": "x"}, GATE, None, None)),
        ("gates", {"includes": {"text": "x"}}, ("includes", {"text": "x"}, GATE, None, None)),
        ("metrics", "llm-as-judge", ("llm-as-judge", {}, SCORE, None, None)),
        ("metrics", {"latency_score": {"target_s": 2}}, ("latency_score", {"target_s": 2}, SCORE, None, None)),
        # a bound beside the arguments
        (
            "gates",
            {"similarity": {"reference": "x", "at_least": 0.5}},
            ("similarity", {"reference": "x"}, GATE, 0.5, None),
        ),
        (
            "thresholds",
            {"similarity": {"reference": "x", "at_least": 0.5, "at_most": 1}},
            ("similarity", {"reference": "x"}, THRESHOLD, 0.5, 1),
        ),
        # a number is the bound of what takes no argument, and an argument of what takes one
        ("thresholds", {"accuracy": 0.8}, ("accuracy", {}, THRESHOLD, 0.8, None)),
        ("gates", {"meets_expectation": 0.5}, ("meets_expectation", {}, GATE, 0.5, None)),
        ("checks", {"max_words": 1}, ("max_words", {"": 1}, GATE, None, None)),
        ("gates", {"latency_score": 1}, ("latency_score", {"": 1}, GATE, None, None)),
        # what a check calls at_most is its own
        (
            "checks",
            {"called_tool": {"name": "x", "at_most": 2}},
            ("called_tool", {"name": "x", "at_most": 2}, GATE, None, None),
        ),
        (
            "thresholds",
            {"scorer": {"called_tool": {"name": "x", "at_most": 2}}, "threshold": 0.5},
            ("called_tool", {"name": "x", "at_most": 2}, THRESHOLD, 0.5, None),
        ),
        ("thresholds", {"scorer": "accuracy", "threshold": {"max": 0.5}}, ("accuracy", {}, THRESHOLD, None, 0.5)),
        (
            "thresholds",
            {"scorer": "accuracy", "threshold": {"min": 0, "max": 0.5}},
            ("accuracy", {}, THRESHOLD, 0, 0.5),
        ),
    ],
)
def test_forms(turn, key, written, claim):
    """A name, a name with its argument, a name with arguments; what must come of it; where a bound stands."""
    assert [(*claim, None)] == told(turn(**{key: [written]}).claims)


def test_schema_of_json_is_one_argument(turn):
    """A mapping whose keys are no parameters is the argument itself."""
    (claim,) = turn(checks=[{"json_schema": {"type": "object"}}]).claims
    assert {"type": "object"} == claim.arguments


def test_places():
    """A claim knows where it was written."""
    text = "conversations:\n  - id: c\n    turns:\n      - user: a\n        checks:\n          - json_valid\n"
    (case,) = ConversationDataset.from_string(text, name="shop.yaml").cases
    assert ["shop.yaml:6:13"] == [claim.place for claim in case.asks[0].claims]


def test_levels(dataset):
    """What stands on the dataset is laid on every conversation as if it stood there."""
    found = dataset(
        [{"user": "a", "checks": ["json_valid"], "tags": ["t"]}],
        {"gates": [{"max_words": {"most": 9, "scope": "each_turn"}}]},
        metrics=["coherence"],
        thresholds=[{"includes": {"text": "x", "at_least": 0.5, "scope": "tagged:t"}}],
    )
    (case,) = found.cases
    assert [("json_valid", {}, GATE, None, None, None)] == told(case.asks[0].claims)
    assert [
        ("coherence", {}, SCORE, None, None, None),
        ("includes", {"text": "x"}, THRESHOLD, 0.5, None, "tagged:t"),
        ("max_words", {"most": 9}, GATE, None, None, "each_turn"),
    ] == told(case.claims)


def test_expectations_are_gates_by_themselves(dataset):
    """Where nobody says what to measure, what is expected is: words by a judge, tools by name and by arguments."""
    found = dataset(
        [
            {"user": "a", "expect": "b"},
            {"user": "c", "expect": "d", "tools": ["t"]},
            {"user": "e", "tools": [{"name": "t", "arguments": {"n": 1}}]},
            {"user": "f", "expect": "g", "tools": []},
        ]
    )
    assert [
        ["meets_expectation"],
        ["meets_expectation", "tool_selection_accuracy"],
        ["tool_selection_accuracy", "parameter_quality"],
        ["meets_expectation", "tool_selection_accuracy"],
    ] == [[claim.name for claim in ask.claims] for ask in found.cases[0].asks]
    assert {(GATE, None)} == {(claim.kind, claim.at_least) for ask in found.cases[0].asks for claim in ask.claims}
    (whole,) = dataset([{"user": "a"}], {"tools": ["t"]}).cases
    assert ["tool_selection_accuracy"] == [claim.name for claim in whole.claims]


@pytest.mark.parametrize("key", ["metrics", "checks", "gates", "thresholds"])
@pytest.mark.parametrize("level", ["turn", "conversation", "dataset"])
def test_whoever_says_what_to_measure_says_all_of_it(level, key):
    """One claim anywhere, and nothing is measured that is not asked for."""
    keys = {key: [{"accuracy": 0.5} if key == "thresholds" else "accuracy"]}
    data = {
        "conversations": [
            {"id": "a", "turns": [{"user": "x", "expect": "y"}, {"user": "z", "expect": "y"}]},
            {"id": "b", "turns": [{"user": "x", "expect": "y"} | (keys if level == "turn" else {})]}
            | (keys if level == "conversation" else {}),
        ]
    } | (keys if level == "dataset" else {})
    cases = ConversationDataset.from_dict(data).cases
    claims = [claim for case in cases for claim in case.claims + [c for ask in case.asks for c in ask.claims]]
    assert {"accuracy"} == {claim.name for claim in claims}
    assert (2 if level == "dataset" else 1) == len(claims)


@pytest.mark.parametrize(
    ("turns", "conversation", "keys"),
    [
        ([{"user": "a", "checks": ["json_valid"]}], {}, {}),
        ([{"user": "a"}, {"user": "b", "metrics": ["coherence"]}], {}, {}),
        ([{"user": "a", "tools": []}], {}, {}),
        ([{"user": "a"}], {"gates": ["json_valid"]}, {}),
        ([{"user": "a"}], {"tools": ["t"]}, {}),
        ([{"user": "a"}], {}, {"thresholds": [{"accuracy": 0.5}]}),
    ],
)
def test_turn_may_only_advance(dataset, turns, conversation, keys):
    """A turn needs no expectation where something else measures it or its conversation."""
    assert len(turns) == len(dataset(turns, conversation, **keys).cases[0].asks)


LATER = "must be a name, {name: argument} or {name: {parameter: argument}}, got"


@pytest.mark.parametrize(
    ("key", "written", "problem"),
    [
        ("checks", "includess", "Unknown metric or check 'includess'. Did you mean 'includes'?"),
        ("metrics", "coherense", "Unknown metric or check 'coherense'. Did you mean 'coherence'?"),
        ("checks", {"includes": {"txt": "a"}}, "Unknown parameter of includes 'txt'. Did you mean 'text'?"),
        ("checks", 7, f"{LATER} a number (7)"),
        ("checks", ["includes"], f"{LATER} a list"),
        (
            "metrics",
            {"accuracy": {"at_least": 0.5}},
            "metrics are only measured; a bound stands under gates or thresholds",
        ),
        ("gates", {"accuracy": {"at_most": 0.5}}, "a gate has a lower bound only; at_most belongs under thresholds"),
        ("gates", {"accuracy": 7}, "accuracy must be a number from 0 to 1, got 7"),
        ("thresholds", {"accuracy": {"at_least": True}}, "at_least must be a number from 0 to 1, got True"),
        (
            "thresholds",
            {"includes": "x"},
            "a threshold needs a bound: at_least, at_most, or {scorer: ..., threshold: 0.8}",
        ),
        (
            "thresholds",
            {"called_tool": {"name": "x", "at_most": 1}},
            "a threshold needs a bound: at_least, at_most, or {scorer: ..., threshold: 0.8}",
        ),
        (
            "thresholds",
            {"accuracy": {"at_least": 0.9, "at_most": 0.1}},
            "no number is at least 0.9 and at most 0.1",
        ),
        (
            "thresholds",
            {"accurracy": {"at_least": 0.9}},
            "Unknown metric or check 'accurracy'. Did you mean 'accuracy'?",
        ),
        ("thresholds", {"scorer": "accuracy"}, "the form with scorer has a threshold too and nothing else"),
        ("thresholds", {"scorer": "accuracy", "threshold": {}}, "threshold has min, max or both, got neither"),
        ("thresholds", {"scorer": "accuracy", "threshold": {"mim": 1}}, "threshold has min, max or both, got mim"),
        ("thresholds", {"scorer": "accuracy", "threshold": "x"}, "threshold must be a number from 0 to 1, got 'x'"),
        (
            "thresholds",
            {"scorer": "accurracy", "threshold": 1},
            "Unknown metric or check 'accurracy'. Did you mean 'accuracy'?",
        ),
        ("checks", {"accuracy": {"name": "x"}}, "Unknown parameter of accuracy 'name'. Available: none"),
        (
            "gates",
            {"accuracy": {"scope": "whole"}},
            "what is written in a turn is about that turn; a scope belongs to a conversation",
        ),
    ],
)
def test_what_cannot_be_measured_is_refused(refusal, key, written, problem):
    """A name that is wrong, an argument that does not fit, a bound that is none: each in a sentence."""
    data = {"conversations": [{"id": "c", "turns": [{"user": "a", "expect": "b", key: [written]}]}]}
    assert [
        f"d: conversations[0].turns[0].{key}[0]: conversation 'c', turn 1: item 1 of {key}: {problem}"
    ] == refusal(data)


@pytest.mark.parametrize(
    ("scope", "problem"),
    [
        ("wole", "item 1 of gates: scope must be whole, each_turn or tagged:NAME, got 'wole'"),
        ("tagged:", "item 1 of gates: scope must be whole, each_turn or tagged:NAME, got 'tagged:'"),
        (3, "item 1 of gates: scope must be whole, each_turn or tagged:NAME, got 3"),
        ("tagged:retun", "json_valid: no turn here is tagged 'retun'; did you mean returns?"),
        ("tagged:x", "json_valid: no turn here is tagged 'x'; there are returns"),
    ],
)
def test_scopes_that_name_nothing(refusal, scope, problem):
    """A scope that is none, or turns that are not there, would measure nothing and look as if all was well."""
    turns = [{"user": "a", "tags": ["returns"]}]
    gates = [{"json_valid": {"scope": scope}}]
    data = {"conversations": [{"id": "c", "turns": turns, "gates": gates}]}
    assert [f"d: conversations[0].gates[0]: conversation 'c': {problem}"] == refusal(data)
    assert [f"d: gates[0]: {problem}"] == refusal({"conversations": [{"id": "c", "turns": turns}], "gates": gates})


_names = sorted({*CHECKS, *list_metrics(), "not"})
_parameters = sorted({"at_least", "scope", "self", *(name for made in CHECKS.values() for name in made.parameters)})
_arguments = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 5) | st.floats(0, 1) | st.sampled_from([*_names, "", "["]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(_parameters), inner, max_size=3),
    max_leaves=5,
)


@given(st.sampled_from(["checks", "gates", "metrics", "thresholds"]), st.sampled_from(_names), _arguments)
def test_any_arguments_fit_or_are_refused(key, name, arguments):
    """Whatever stands behind the name of a check or a metric, it can be measured or it is refused in sentences."""
    turn = {"user": "a", "expect": "b", key: [{name: arguments}]}
    with contextlib.suppress(DatasetSchemaError):
        (case,) = ConversationDataset.from_dict({"conversations": [{"id": "c", "turns": [turn]}]}).cases
        assert [name] == [claim.name for claim in case.asks[0].claims]
