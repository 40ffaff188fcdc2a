"""What bounds which measurement: told from the claims in one place, the same to verdicts, comparisons and reports."""

from __future__ import annotations

import pytest
from tests.runs.comparison.stored import stored

from uaef import checks, run_evals
from uaef.evaluation.required import Range, Required
from uaef.metrics import each_turn, tagged, whole
from uaef.reporting.outcomes import outcomes
from uaef.reporting.runs import render_run
from uaef.runs.bounds import Threshold
from uaef.runs.comparison import compare

LATE = [{"input": "a"}, {"input": "b", "tags": ["late"]}, {"input": "c", "tags": ["late"]}]
SIMILAR = checks.similarity("sunny")


def played(answers, bounded, shown):
    """Three turns, the last two ``late``: the similarity of each is shown, and bounded where ``bounded`` says."""
    said = dict(zip("abc", answers, strict=True))
    data = [{"id": "weather", "turns": LATE}]
    claim = Threshold(SIMILAR.on(bounded), at_least=0.9)
    return run_evals(data, said.__getitem__, [SIMILAR.on(shown), claim], history="none")


@pytest.mark.parametrize(
    ("bounded", "shown", "turns"),
    [
        (tagged("late"), each_turn, {1: None, 2: True, 3: True}),
        (each_turn, each_turn, {1: False, 2: True, 3: True}),
        (whole, each_turn, {1: None, 2: None, 3: None}),
        (each_turn, whole, {1: False, 2: True, 3: True}),
    ],
)
def test_a_claim_bounds_the_windows_of_its_scope(bounded, shown, turns):
    """Not others on which its metric was measured as well: they are shown, and nothing is required of them."""
    run = played(["rain", "sunny", "sunny"], bounded, shown)
    (item,) = run.items
    assert item.turns_passed == turns
    required = Required(item.claims, item.measurements)
    is_bounded = {m.turns: required.of(m) == [Range(0.9)] for m in item.measurements}
    assert {n: is_bounded.get((n,), False) for n in turns} == {n: passed is not None for n, passed in turns.items()}
    assert is_bounded.get((1, 2, 3), False) is (bounded is whole)


def test_what_is_not_bounded_is_neither_low_nor_broken_nor_gated():
    """Turn 1 fell, and only later turns are bounded: no report and no gate says that it broke."""
    before, now = (played([first, "sunny", "sunny"], tagged("late"), each_turn) for first in ("sunny", "rain"))
    assert (now.verdict, now.items[0].broken_turn) == ("passed", None)
    assert "✗" not in render_run(now)
    ((first, *_),) = (each.turns for each in outcomes(now))
    assert first.decision == "not_applicable"
    found = compare(stored("a", *before.items), stored("b", *now.items))
    assert [[cell.gated for cell in turn.cells] for turn in found.turns] == [[False], [True], [True]]
