"""What a case expects of turns by their numbers reaches the turns that are played, however they are asked."""

from __future__ import annotations

import pytest
from playing import play

from uaef import checks, run_evals
from uaef.agents import History
from uaef.models import Ask, Case, GroundTruth
from uaef.models.results import Verdict
from uaef.testing import ScriptedAgent

WHOLE = GroundTruth(turns={1: {"expected_output": "one"}, 2: {"expected_output": "two"}})
ASKS = [Ask(user="a"), Ask(user="b")]


@pytest.mark.parametrize("history", [History.THREAD, History.EXPECTED])
def test_turns_of_a_case(history):
    """The case's own asks, one after the other or, where the expected conversation is known, at once."""
    turns = play(ScriptedAgent(["r", "s"]), Case(case_id="c", asks=ASKS, expected=WHOLE), history=history)
    assert ["one", "two"] == [turn.expected.expected_output for turn in turns]


def test_turns_that_are_made_up_as_they_come():
    """An ask that a function returns is one of the case too, with its tags."""
    case = Case(case_id="c", asks=ASKS[:1], expected=WHOLE, tags=["vip"])
    turns = play(
        ScriptedAgent(["r", "s"]),
        case,
        next_turn=lambda _, done: None if len(done) > 1 else Ask(user=f"q{len(done)}", tags=["x"]),
    )
    assert [("one", ("vip", "x")), ("two", ("vip", "x"))] == [(t.expected.expected_output, t.tags) for t in turns]


@pytest.mark.parametrize(
    "expected",
    [
        {"turns": {1: {"expected_output": "ok a"}, 2: {"expected_output": "ok b"}}},
        {"expected_arguments": {"per_turn_expected": ["ok a", "ok b"]}},
        {"expected_arguments": {"per_turn_expected": ["ok b", "ok a"], "per_turn_ids": [2, 1]}},
    ],
)
@pytest.mark.parametrize(("reply", "verdict"), [("ok a", Verdict.FAILED), ("ok a, ok b", Verdict.PASSED)])
def test_an_item_may_say_by_turns_what_it_expects(expected, reply, verdict):
    """The turns are held to it, and the run to the turns."""
    run = run_evals(
        [{"inputs": ["a", "b"], "ground_truth": expected}],
        lambda _, history: reply,  # noqa: ARG005 - what an agent takes
        gates=[checks.includes_expected()],
    )
    assert verdict == run.verdict
