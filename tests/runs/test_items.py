"""What run_evals refuses before anything is played, naming the item from 0 and the turn from 1."""

from __future__ import annotations

import pytest
from tests.runs.weather import says

from uaef import checks, metric, run_evals
from uaef.errors import DatasetSchemaError, EvalConfigError, UaefError

HI = checks.includes("hi")


def refusal(data, scorers=(HI,), gates=None, **options):
    """What is said of a run that is refused; its agent is never called."""

    def agent(text):
        raise AssertionError(f"was asked {text!r}")

    with pytest.raises((EvalConfigError, DatasetSchemaError)) as refused:
        run_evals(data, agent, scorers, gates, **options)
    return str(refused.value)


@pytest.mark.parametrize(
    ("item", "sentence"),
    [
        ("hi.yaml", "no such file: hi.yaml"),
        (None, "item 0: must be a dict with 'input', 'inputs' or 'turns', got None."),
        (5, "item 0: must be a dict with 'input', 'inputs' or 'turns', got 5."),
        ({}, "item 0: must have 'input', 'inputs' or 'turns'."),
        ({"inputs": []}, "item 0: 'inputs' must be a non-empty list, got []."),
        ({"inputs": "hi"}, "item 0: 'inputs' must be a non-empty list, got 'hi'."),
        ({"inputs": None}, "item 0: 'inputs' must be a non-empty list, got None."),
        ({"inputs": ["hi", ""]}, "item 0, turn 2: 'input' must be text that says something, got ''."),
        ({"inputs": ["hi", 7]}, "item 0, turn 2: 'input' must be text that says something, got 7."),
        ({"turns": []}, "item 0: 'turns' must be a non-empty list, got []."),
        ({"turns": {"input": "hi"}}, "item 0: 'turns' must be a non-empty list, got {'input': 'hi'}."),
        ({"turns": ["hi"]}, "item 0, turn 1: must be a dict with 'input', got 'hi'."),
        ({"turns": [{"gates": [HI]}]}, "item 0, turn 1: must have 'input'."),
        ({"turns": [{"input": None}]}, "item 0, turn 1: 'input' must be text that says something, got None."),
        ({"input": None}, "item 0: 'input' must be text that says something, got None."),
        ({"input": "a", "inputs": ["b"]}, "item 0: 'input' and 'inputs' cannot be combined; give one of them."),
        ({"input": "a", "turns": None}, "item 0: 'input' and 'turns' cannot be combined; give one of them."),
        ({"inptus": ["a"]}, "item 0: must have 'input', 'inputs' or 'turns'."),
        ({"input": "a", "tag": ["x"]}, "item 0: there is no key 'tag'; did you mean 'tags'?"),
        ({"input": "a", "context": 1}, "item 0: there is no key 'context'; there are input, inputs, turns, "),
        ({"turns": [{"input": "a", "gate": [HI]}]}, "item 0, turn 1: there is no key 'gate'; did you mean 'gates'?"),
        ({"input": "a", "tags": "x"}, "item 0: 'tags' is a list of texts, got 'x'."),
        ({"input": "a", "id": 5}, "item 0: the id must be text without '#', got 5."),
        ({"input": "a", "id": "b#1"}, "item 0: the id must be text without '#', got 'b#1'."),
        (
            {"input": "a", "ground_truth": 5},
            "item 0: 'ground_truth' is a text or the fields of a GroundTruth, got 5.",
        ),
        ({"input": "a", "ground_truth": {"answer": 5}}, "item 0: GroundTruth: Object contains unknown field answer."),
        ({"turns": [{"input": "a", "gates": HI}]}, "item 0, turn 1: gates is a list of metrics, checks and"),
        (
            {"turns": [{"input": "a", "gates": ["nclude"]}]},
            "item 0, turn 1: gates[0]: Unknown metric or check 'nclude'.",
        ),
    ],
)
def test_items_that_cannot_be(item, sentence):
    """One sentence, with the place and what to do."""
    assert refusal([item]).startswith(sentence.removesuffix("."))


def test_everything_that_is_wrong_is_said_at_once():
    """So that a file of items is mended in one go; the last item costs nothing, since nothing is played."""
    wrong = [{"inputs": []}, {"input": "fine"}, {"turns": [{"input": "a"}, {"inputs": "b"}, {"input": " "}]}]
    assert ["item 0", "item 2, turn 2", "item 2, turn 3"] == [
        line.partition(":")[0] for line in refusal(wrong).splitlines()
    ]


@pytest.mark.parametrize(
    "threshold",
    [
        None,
        "0.5",
        True,
        [],
        {},
        float("nan"),
        float("inf"),
        -0.1,
        1.1,
        {"min": 2},
        {"max": "1"},
        {"min": 0.8, "max": 0.2},
    ],
)
@pytest.mark.parametrize("in_turn", [False, True])
def test_thresholds_that_cannot_be(threshold, in_turn):
    """At top level and in a turn alike."""
    entry = {"scorer": HI, "threshold": threshold}
    item = {"turns": [{"input": "a", "scorers": [entry]}]} if in_turn else {"input": "a"}
    said = refusal([item], scorers=None if in_turn else [entry])
    assert "threshold" in said
    assert said.startswith("item 0, turn 1: ") is in_turn


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"data": []}, "data is a list of items"),
        ({"data": {"input": "a"}}, "data is a list of items"),
        ({"data": [{"input": "a"}], "scorers": None}, "There is nothing to measure"),
        ({"data": [{"input": "a"}], "scorers": []}, "There is nothing to measure"),
        ({"data": [{"input": "a"}], "scorers": HI}, "scorers is a list"),
        ({"data": [{"input": "a"}], "scorers": [len]}, "checks.check(function)"),
        ({"data": [{"input": "a"}], "scorers": [{"scorer": HI}]}, "a threshold is {'scorer'"),
        ({"data": [{"input": "a"}], "gates": [{"scorer": HI, "threshold": 1}]}, "a gate has no threshold"),
        ({"data": [{"input": "a"}], "concurrency": 0}, "concurrency must be a whole number of at least 1, got 0"),
        ({"data": [{"input": "a"}], "concurrency": 2.5}, "concurrency must be a whole number"),
        ({"data": [{"input": "a"}], "repeat": True}, "repeat must be a whole number"),
        ({"data": [{"input": "a"}], "history": "golden"}, "Unknown history 'golden'"),
        ({"data": [{"input": "a"}], "trials": "most"}, "Unknown trials 'most'"),
        ({"data": [{"input": "a"}], "on_item_complete": 5}, "on_item_complete must be a function"),
        ({"data": [{"input": "a"}], "target_options": 5}, "target_options is a dict"),
        ({"data": [{"input": "a"}], "timeout": 5}, "Unknown option 'timeout'"),
        ({"data": [{"input": "a"}], "turn_timeout_s": 0}, "turn_timeout_s must be a number of seconds above 0"),
        ({"data": [{"input": "a", "id": "x"}, {"input": "b", "id": "x"}]}, "2 items have the id 'x'"),
        ({"data": [{"inputs": ["a", "b"]}], "history": "expected"}, "'item-0', turn 1: there is no expected answer"),
    ],
)
def test_runs_that_cannot_be(options, words):
    """Every option is checked before anything is spent."""
    assert words in refusal(**options)


def test_no_agent_is_refused():
    """What cannot answer is named with its type."""
    with pytest.raises(UaefError, match="agent"):
        run_evals([{"input": "a"}], 5, [HI])


def test_two_checks_of_one_kind_are_two():
    """Their keys used to collide, and the last one counted for both."""
    both = [{"scorer": checks.includes("zzz"), "threshold": 1}, {"scorer": checks.includes("echo"), "threshold": 1}]
    result = run_evals([{"input": "a"}], says("echo"), both)
    assert "scored" == result.verdict
    assert {"includes('zzz')": 0.0, "includes('echo')": 1.0} == result.scores


def test_one_check_under_two_claims_is_measured_once():
    """A gate and a threshold on the same score."""
    result = run_evals([{"input": "a"}], says("hi"), [{"scorer": HI, "threshold": 0.5}], [HI])
    assert 1 == len(result.measurements)
    assert [True, True] == [claim.passed for claim in (*result.gate_results, *result.threshold_results)]


def test_two_different_metrics_of_one_name_are_refused():
    """One of them would be judged by the other's score."""

    def named_twice():
        @metric
        def same(window):
            return len(window)

        return same

    with pytest.raises(EvalConfigError, match="Two different metrics answer to 'same'"):
        run_evals([{"input": "a"}], says("hi"), [named_twice(), named_twice()])


def test_ground_truth_of_items_and_turns():
    """A text is the answer that is expected; a turn is measured by its own."""
    result = run_evals(
        [
            {"input": "a", "ground_truth": "HI"},
            {
                "turns": [
                    {"input": "a", "ground_truth": "hi"},
                    {"input": "b", "ground_truth": {"expected_output": "x"}},
                ]
            },
        ],
        says("hi", "y"),
        [checks.matches_expected()],
    )
    assert [1.0, 0.0] == [item.measurements[0].score.score for item in result.items]
    assert "turn 2: expected" in result.items[1].measurements[0].score.reasoning
    assert ["hi", "x"] == [turn.expected.expected_output for turn in result.items[1].conversation.turns]


def test_the_error_is_a_config_error():
    """One kind for everything about items and options."""
    with pytest.raises(EvalConfigError):
        run_evals([{}], says("hi"), [HI])
