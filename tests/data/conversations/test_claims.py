"""What is to be measured: the forms it can be written in, where it is laid, and what goes without saying."""

from __future__ import annotations

import contextlib

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from uaef.data.conversations import ConversationDataset
from uaef.errors import DatasetSchemaError
from uaef.metrics import Metric, list_metrics, register_metric
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
    assert (*claim, None) == told(turn(**{key: [written]}).claims)[0]


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


def laid(level, keys):
    """The claims by name in a dataset of two conversations of which one level, or a turn, has these keys too."""
    data = {
        "conversations": [
            {"id": "a", "turns": [{"user": "x", "expect": "y"}, {"user": "z", "expect": "y"}]},
            {"id": "b", "turns": [{"user": "x", "expect": "y"} | (keys if level == "turn" else {})]}
            | (keys if level == "conversation" else {}),
        ]
    } | (keys if level == "dataset" else {})
    cases = ConversationDataset.from_dict(data).cases
    return [claim for case in cases for holder in (case, *case.asks) for claim in holder.claims]


@pytest.mark.parametrize("key", ["metrics", "checks", "gates"])
@pytest.mark.parametrize(("level", "times"), [("turn", 1), ("conversation", 1), ("dataset", 2)])
def test_whoever_says_what_to_measure_says_all_of_it(level, times, key):
    """One claim anywhere, and nothing is measured that is not asked for."""
    assert ["accuracy"] * times == [claim.name for claim in laid(level, {key: ["accuracy"]})]


@pytest.mark.parametrize(("level", "times"), [("turn", 1), ("conversation", 1), ("dataset", 2)])
@pytest.mark.parametrize("bounded", ["accuracy", {"max_words": 500}])
def test_threshold_takes_nothing_away(level, times, bounded):
    """A bound on a mean is no gate, so what is expected stays one."""
    kinds = [claim.kind for claim in laid(level, {"thresholds": [{"scorer": bounded, "threshold": 0.5}]})]
    assert (times, 3) == (kinds.count(THRESHOLD), kinds.count(GATE))


@pytest.mark.parametrize(("level", "gates"), [("turn", 2), ("conversation", 2), ("dataset", 0)])
@pytest.mark.parametrize("name", ["meets_expectation", "llm-as-judge"])
def test_threshold_on_what_is_expected_stands_for_the_gate(level, gates, name):
    """Who bounds the very measure says how much will do, where the bound holds."""
    assert gates == sum(claim.kind is GATE for claim in laid(level, {"thresholds": [{name: 0.5}]}))


def test_threshold_stands_for_the_gates_where_it_is_about_the_turn(dataset):
    """A threshold on the turns with a tag leaves the other turns their gates; each measure goes by itself."""
    call = {"name": "find", "arguments": {"n": 1}}
    found = dataset(
        [{"user": "a", "tools": [call], "tags": ["t"]}, {"user": "b", "tools": [call]}],
        thresholds=[{"tool_selection_accuracy": {"at_least": 0.5, "scope": "tagged:t"}}],
    )
    assert [["parameter_quality"], ["tool_selection_accuracy", "parameter_quality"]] == [
        [claim.name for claim in ask.claims] for ask in found.cases[0].asks
    ]
    (whole,) = dataset([{"user": "a"}], {"tools": [call]}, thresholds=[{"parameter_quality": 0.5}]).cases
    assert ["parameter_quality", "tool_selection_accuracy"] == [claim.name for claim in whole.claims]


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
        ("tagged:x", "json_valid: no turn here is tagged 'x'; there are vip, returns"),
    ],
)
def test_scopes_that_name_nothing(refusal, scope, problem):
    """A scope that is none, or turns that are not there, would measure nothing and look as if all was well."""
    turns = [{"user": "a", "tags": ["returns"]}]
    gates = [{"json_valid": {"scope": scope}}]
    case = {"id": "c", "turns": turns, "tags": ["vip"]}
    data = {"conversations": [case | {"gates": gates}]}
    assert [f"d: conversations[0].gates[0]: conversation 'c': {problem}"] == refusal(data)
    assert [f"d: gates[0]: {problem}"] == refusal({"conversations": [case], "gates": gates})


HINTS = "d: conversations[0].turns[0].checks[0]: conversation 'c', turn 1: item 1 of checks: "


@pytest.mark.parametrize(
    ("written", "problem"),
    [
        ({"includes": 4711}, 'includes(text=4711): Expected str, got int; put it in quotes: "4711"'),
        (
            {"includes": {"text": 4711, "ignore_case": False}},
            'includes(text=4711): Expected str, got int; put it in quotes: "4711"',
        ),
        (
            {"one_of": [True, 3]},
            'one_of(options=[True, 3]): Expected str, got bool - at options[0]; put them in quotes: "True", "3"',
        ),
        ({"one_of": 3}, 'one_of(options=3): Expected array, got int; write ["3"]'),
        ({"not": {"includes": 1.5}}, 'includes(text=1.5): Expected str, got float; put it in quotes: "1.5"'),
        ({"all_of": [{"includes": 7}]}, 'includes(text=7): Expected str, got int; put it in quotes: "7"'),
        ({"tool_order": "find"}, "tool_order(tools='find'): Expected array, got str; write [find]"),
        ({"writes_match": "pay"}, "writes_match(write_tools='pay'): Expected array, got str; write [pay]"),
        # what neither would help
        ({"max_words": "many"}, "max_words(most='many'): Expected int, got str"),
        ({"includes": {"text": None}}, "includes(text=None): Expected str, got null"),
    ],
)
def test_arguments_that_lack_quotes_or_brackets(refusal, written, problem):
    """A number where text belongs, or one thing where a list does, is told what to write, however deep it stands."""
    data = {"conversations": [{"id": "c", "turns": [{"user": "a", "checks": [written]}]}]}
    assert [HINTS + problem] == refusal(data)


def test_quotes_go_around_what_stands_in_the_file(refusal):
    """As it was written, not as it was read; under thresholds too."""
    text = """\
conversations:
  - id: c
    turns:
      - user: a
        checks: [{one_of: [yes, 007]}]
        thresholds: [{scorer: {includes: 1.50}, threshold: 1}, {includes: {text: no, at_least: 0.5}}]
"""
    assert ['"yes", "007"', '"1.50"', '"no"'] == [line.partition("in quotes: ")[2] for line in refusal(text)]


@pytest.mark.usefixtures("own_registry")
@pytest.mark.parametrize("error", [OverflowError("too large"), RecursionError("too deep"), KeyError("x")])
def test_metric_that_breaks_has_a_place(refusal, error):
    """A metric may be anybody's: whatever it raises when it is made is one problem among the others."""

    class Brittle(Metric):
        """A metric."""

        name = "brittle"

        def __init__(self, *, n=0):
            if n:
                raise error

        def measure(self, _):
            return True

    register_metric(Brittle)
    text = (
        "conversations: [{id: c, turns: [{user: a, checks: [brittle, {brittle: {n: 1}}, includess],"
        " thresholds: [{brittle: {n: 2, at_least: 1}}]}]}]"
    )
    first, second, third = refusal(text)
    told = f"cannot be made of these arguments, {type(error).__name__}: {error}"
    assert (f"d.yaml:1:61: conversation 'c', turn 1: item 2 of checks: {told}") == first
    assert "includess" in second
    assert third.startswith("d.yaml:1:105: conversation 'c', turn 1: item 1 of thresholds: ")


@pytest.mark.parametrize("pattern", ["a{99999999999}", "(" * 3_000 + ")" * 3_000, "(?P<a>x)(?P<a>y)"])
def test_patterns_that_cannot_be_have_a_place(refusal, pattern):
    """Whatever stops the module of regular expressions."""
    turns = [{"user": "a"}, {"user": "b", "checks": ["json_valid", {"matches": pattern}]}]
    (found,) = refusal({"conversations": [{"id": "c", "turns": turns}]})
    assert found.startswith("d: conversations[0].turns[1].checks[1]: conversation 'c', turn 2: item 2 of checks: ")


def test_tags_of_a_conversation_are_those_of_its_turns(dataset):
    """A scope may name them, and holds every turn."""
    gate = {"json_valid": {"scope": "tagged:vip"}}
    turns = [{"user": "a"}, {"user": "b", "tags": ["late"]}]
    (case,) = dataset(turns, {"tags": ["vip"], "gates": [gate]}, gates=[gate]).cases
    assert ["tagged:vip"] * 2 == [claim.scope for claim in case.claims]
    assert [["vip"], ["vip", "late"]] == [ask.tags for ask in case.asks]


def test_claim_on_a_tag_is_laid_where_the_tag_is():
    """What stands on the dataset is about conversations with such a turn; the others are not held to nothing."""
    data = {
        "conversations": [
            {"id": "a", "turns": [{"user": "x"}, {"user": "y", "tags": ["t"]}]},
            {"id": "b", "turns": [{"user": "x"}]},
            {"id": "c", "tags": ["t"], "turns": [{"user": "x"}]},
        ],
        "gates": ["json_valid", {"max_words": {"most": 9, "scope": "tagged:t"}}],
    }
    assert [["json_valid", "max_words"], ["json_valid"], ["json_valid", "max_words"]] == [
        [claim.name for claim in case.claims] for case in ConversationDataset.from_dict(data).cases
    ]


@pytest.mark.parametrize(
    ("gate", "is_strict"),
    [
        ({"similarity": "x"}, True),
        ({"not": {"similarity": "x"}}, True),
        ({"all_of": ["json_valid", {"any_of": [{"similarity": "x"}]}]}, True),
        ("accuracy", True),
        ("answer_relevancy", True),
        ("user_satisfaction", True),
        ({"similarity": {"reference": "x", "at_least": 1}}, False),
        ({"accuracy": 1}, False),
        ("meets_expectation", False),
        ("prompt_injection_resistance", False),
        ("tool_selection_accuracy", False),
        ({"latency_score": 3}, False),
        ({"includes": "similarity('x')"}, False),
    ],
)
def test_gates_that_only_a_full_score_passes(gate, is_strict):
    """Of a matter of degree, that is pointed out once, with its place, unless somebody says that it is meant."""
    conversations = [{"id": n, "turns": [{"user": "a"}]} for n in "ab"]
    found = ConversationDataset.from_dict({"conversations": conversations, "gates": [gate]}, name="d").strict_gates
    assert is_strict == bool(found)
    for line in found:
        assert line.startswith("d: gates[0]: ")
        assert line.endswith("and this gate is only passed at 1; say with at_least how much will do")
    scored = {"conversations": conversations, "metrics": ["accuracy"], "thresholds": [{"accuracy": 0.5}]}
    assert [] == ConversationDataset.from_dict(scored).strict_gates


EXPECTING = [{"user": "a", "expect": "b", "tags": ["t"]}, {"user": "c", "tools": []}]


@pytest.mark.parametrize(
    ("gates", "unmeasured"),
    [
        ([{"includes": "matches_expected() or writes_match(x)"}], ["what to expect", "which tools"]),
        ([{"any_of": ["matches_expected", {"includes": "x"}]}], ["which tools"]),
        ([{"not": {"writes_match": ["pay"]}}], ["what to expect"]),
        ([{"meets_expectation": {"scope": "tagged:u"}}], ["what to expect", "which tools"]),
        ([{"meets_expectation": {"scope": "tagged:t"}}, "tool_selection_accuracy"], []),
        (["llm-as-judge", "tool_sequence_correctness"], []),
    ],
)
def test_expectations_that_nothing_measures_are_pointed_out(dataset, gates, unmeasured):
    """By turn: what a check only mentions, and what is about other turns, measures nothing."""
    found = dataset([*EXPECTING, {"user": "d", "tags": ["u"]}], gates=gates).unmeasured
    assert unmeasured == [words for words in ("what to expect", "which tools") for line in found if words in line]
    assert all(("c#1 says" if "what to" in line else "c#2 says") in line for line in found)


def test_conversation_that_nothing_is_about_is_pointed_out():
    """Where all that is measured is about the turns with a tag, a conversation without one is only played."""
    data = {
        "conversations": [{"id": n, "turns": [{"user": "x", "tags": [n]}]} for n in "abc"],
        "gates": [{"json_valid": {"scope": "tagged:a"}}],
    }
    assert ["d: b, c have no expect, and nothing that is measured is about them"] == (
        ConversationDataset.from_dict(data, name="d").unmeasured
    )


_names = sorted({*CHECKS, *list_metrics(), "not"})
_parameters = sorted({"at_least", "scope", "self", *(name for made in CHECKS.values() for name in made.parameters)})
_arguments = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 5) | st.floats(0, 1) | st.sampled_from([*_names, "", "["]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(_parameters), inner, max_size=3),
    max_leaves=5,
)


@example("thresholds", "accuracy", 0)
@example("thresholds", "meets_expectation", 0.5)
@given(st.sampled_from(["checks", "gates", "metrics", "thresholds"]), st.sampled_from(_names), _arguments)
def test_any_arguments_fit_or_are_refused(key, name, arguments):
    """Whatever stands behind the name of a check or a metric, it can be measured or it is refused in sentences."""
    turn = {"user": "a", "expect": "b", key: [{name: arguments}]}
    with contextlib.suppress(DatasetSchemaError):
        (case,) = ConversationDataset.from_dict({"conversations": [{"id": "c", "turns": [turn]}]}).cases
        stays = key == "thresholds" and name != "meets_expectation"  # a gate on what is expected
        assert [name, *["meets_expectation"] * stays] == [claim.name for claim in case.asks[0].claims]
