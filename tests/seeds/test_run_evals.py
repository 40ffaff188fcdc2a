"""Every call of the third public design, in Python, with data and words of our own."""

from __future__ import annotations

import pytest
from tests.runs.weather import WeatherDesk, says

from uaef import checks, run_evals
from uaef.errors import EvalConfigError

ABOUT_OSLO = ["How is the weather in Oslo?", "And what about tomorrow?", "Compare today and tomorrow for me."]


def test_several_inputs_are_one_conversation():
    """One thread, turns in order, and the scorers see what was said and done in all of them."""
    desk = WeatherDesk()
    result = run_evals(
        data=[{"inputs": ABOUT_OSLO}],
        target=desk,
        scorers=[checks.called_tool("get_weather", times=2), checks.includes("Oslo")],
    )
    assert {"called_tool('get_weather', times=2)": 1.0, "includes('Oslo')": 1.0} == result.scores
    assert ABOUT_OSLO == [text for _, _, text in desk.seen]
    assert 1 == len({thread for thread, _, _ in desk.seen})
    assert desk.seen[0][0] == result.items[0].thread_id
    assert result.verdict is None


def test_the_agent_remembers_by_its_thread_and_each_conversation_has_one():
    """The second conversation knows nothing of the first, unless they belong to the same user."""
    desk = WeatherDesk()
    result = run_evals([{"inputs": ABOUT_OSLO[:2]}, {"inputs": ABOUT_OSLO[1:]}], desk, [checks.includes("Oslo")])
    assert 0.5 == result.scores["includes('Oslo')"]
    threads, resources = ({call[i] for call in desk.seen} for i in (0, 1))
    assert 2 == len(threads)
    assert threads == resources


def test_a_resource_that_is_given_is_kept():
    """The thread is the run's own all the same."""
    desk = WeatherDesk()
    run_evals(
        target=desk,
        data=[{"inputs": ABOUT_OSLO[:2]}],
        scorers=[checks.similarity("weather forecast")],
        target_options={"memory": {"resource": "user-42"}},
    )
    assert {"user-42"} == {resource for _, resource, _ in desk.seen}
    assert {"user-42"} != {thread for thread, _, _ in desk.seen}


def test_a_thread_cannot_be_given():
    """It was replaced in silence; now it is refused, with the reason."""
    with pytest.raises(EvalConfigError, match="gets a new one"):
        run_evals(
            [{"inputs": ABOUT_OSLO}],
            WeatherDesk(),
            [checks.includes("Oslo")],
            target_options={"memory": {"thread": "mine", "resource": "user-42"}},
        )


def test_turns_are_judged_by_themselves():
    """A turn that does not call the tool is not saved by one that did."""
    result = run_evals(
        data=[
            {
                "turns": [
                    {"input": ABOUT_OSLO[0], "gates": [checks.called_tool("get_weather")]},
                    {
                        "input": "And tomorrow?",
                        "gates": [checks.called_tool("get_weather")],
                        "scorers": [{"scorer": checks.similarity("tomorrow forecast"), "threshold": 0.5}],
                    },
                    {"input": "Thank you!", "gates": [checks.called_tool("get_weather")]},
                ]
            }
        ],
        target=WeatherDesk(),
    )
    assert "failed" == result.verdict
    assert [True, True, False] == [turn.passed for turn in result.turn_results]
    assert ["item-0#3"] == result.turn_results[2].gate_results[0].failed_in
    assert 0.5 <= result.turn_results[1].scores["similarity('tomorrow forecast')"] <= 1.0
    assert 3 == result.items[0].broken_turn


def test_a_threshold_that_is_missed_is_scored_and_a_turn_without_assertions_advances():
    """The gates hold; the second turn is only there to be said."""
    result = run_evals(
        [
            {
                "turns": [
                    {"input": ABOUT_OSLO[0], "scorers": [{"scorer": checks.includes("snow"), "threshold": 0.5}]},
                    {"input": "Thank you!"},
                    {"input": "And tomorrow?", "gates": [checks.includes("Oslo")]},
                ]
            }
        ],
        WeatherDesk(),
    )
    assert "scored" == result.verdict
    assert [False, None, True] == [turn.passed for turn in result.turn_results]


def test_top_level_and_turns_go_together():
    """One must hold of the turn, the other of everything that was said."""
    result = run_evals(
        [{"turns": [{"input": ABOUT_OSLO[0]}, {"input": "Thanks", "gates": [checks.used_no_tools()]}]}],
        WeatherDesk(),
        gates=[checks.called_tool("get_weather"), checks.includes("Oslo")],
    )
    assert "passed" == result.verdict


def test_gates_and_thresholds_on_a_conversation():
    """The recall of a town, gated and graded on all turns together."""
    result = run_evals(
        data=[{"inputs": ["I live in Bergen.", "What is the weather in the town where I live?"]}],
        target=WeatherDesk(),
        gates=[checks.called_tool("get_weather")],
        scorers=[{"scorer": checks.similarity("Bergen weather forecast"), "threshold": 0.5}],
    )
    assert "passed" == result.verdict
    assert [("called_tool('get_weather')", True)] == [(gate.key, gate.passed) for gate in result.gate_results]
    (threshold,) = result.threshold_results
    assert (True, 1, []) == (threshold.passed, threshold.n, threshold.failed_in)
    assert 0.5 <= threshold.score == result.scores[threshold.key]


def test_single_and_several_turns_are_mixed():
    """Each item in its own form, one result each, in the order given."""
    result = run_evals(
        [
            {"input": "How is the weather in Bergen?"},
            {"inputs": ABOUT_OSLO[:2]},
            {"turns": [{"input": "How is the weather in Bergen?"}]},
        ],
        WeatherDesk(),
        scorers=[checks.includes("Bergen")],
    )
    assert [1, 2, 1] == [len(item.conversation) for item in result.items]
    assert [1.0, 0.0, 1.0] == [item.measurements[0].score.score for item in result.items]


def test_no_inputs_are_refused_before_anything_is_played():
    """The error names the item; the agent was never called."""
    desk = WeatherDesk()
    with pytest.raises(EvalConfigError, match=r"item 1: 'inputs' must be a non-empty list, got \[\]"):
        run_evals([{"input": "How is the weather?"}, {"inputs": []}], desk, [checks.includes("Oslo")])
    assert [] == desk.seen


def test_an_agent_without_memory_is_warned_of_once_by_name(caplog):
    """It answers each turn as if it was the first; the numbers would mislead whoever did not know."""

    def stateless(text):
        return f"You said {text}"

    result = run_evals([{"inputs": ["a", "b"]}, {"inputs": ["c", "d"]}], stateless, [checks.includes("said")])
    assert 1 == len(result.warnings)
    assert "'stateless'" in result.warnings[0]
    assert result.warnings == [record.getMessage() for record in caplog.records if record.name == "uaef"]


def test_an_agent_that_says_the_wrong_thing_fails():
    """So that the tests above can be believed."""
    result = run_evals([{"inputs": ["a", "b"]}], says("x", "y"), gates=[checks.includes("z")])
    assert ("failed", ["item-0"]) == (result.verdict, result.gate_results[0].failed_in)
