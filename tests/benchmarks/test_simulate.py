"""The simulation at a size for every day: the same seeds, fewer runs, wider bounds."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from benchmarks.simulate import (
    Scenario,
    compared,
    coverage_table,
    covers,
    covers_change,
    detected_table,
    drop_table,
    null_table,
    one_by_one,
    paired,
)
from benchmarks.simulated import outcomes, rates

from uaef.runs.statistics import mcnemar_exact, sign_flip


def share(hits):
    """How many of them, of 1."""
    return sum(hits) / len(hits)


def test_turns_that_share_their_luck_mislead_a_test_of_turns():
    """In 600 pairs of runs of one agent it speaks too often; the test of conversations keeps to its level."""
    naive, clustered = [], []
    for seed in range(600):
        chance = np.random.default_rng(seed)
        same = rates(chance, 40, 6, 0.9)
        old, new = outcomes(chance, same, 0.6), outcomes(chance, same, 0.6)
        naive.append(mcnemar_exact(int((old & ~new).sum()), int((new & ~old).sum())) <= 0.05)
        clustered.append(sign_flip((new.mean(axis=1) - old.mean(axis=1)).tolist()) <= 0.05)
    assert 0.11 <= share(naive) <= 0.29
    assert share(clustered) <= 0.07


def test_gates_rarely_fire_where_nothing_changed():
    """Of 60 runs of one agent, few; but ``any`` fires in all of them."""
    found = one_by_one(partial(compared, Scenario(40, 6, 0.9, luck=0.6)), 60)
    assert share([run.regression for run in found]) <= 0.1
    assert share([run.confirmed for run in found]) <= 0.1
    assert share([run.any for run in found]) >= 0.95


def test_a_fall_of_15_points_is_found():
    """From 0.8, in 200 conversations whose outcomes are paired by 0.3: in 60 runs, nearly always."""
    assert share(one_by_one(partial(paired, n=200, before=0.8, after=0.65, correlation=0.3), 60)) >= 0.88


def test_a_turn_that_breaks_is_named():
    """One of 240, the others being flaky: fired, and by its name."""
    found = one_by_one(partial(compared, Scenario(40, 6, 0.9, luck=0.4, broken=1)), 25)
    known = [run.named for run in found if run.named is not None]
    assert share(known) >= 0.9


@pytest.mark.parametrize(("rate", "spread"), [(0.8, 0.5), (0.95, 0.5), (0.98, 0.1)])
def test_intervals_hold_the_truth(rate, spread):
    """Of 300 sets of 40 conversations: 95%, give or take."""
    assert share([held for held, _ in one_by_one(partial(covers, n=40, rate=rate, spread=spread), 300)]) >= 0.93
    change = partial(covers_change, n=40, rate=rate, spread=spread, drop=0.1)
    assert share([held for held, _ in one_by_one(change, 300)]) >= 0.93


def test_the_tables_are_made():
    """Every one of them, of very few runs."""
    assert "100.0%" in null_table(one_by_one, 2, [Scenario(20, 3, 0.5)])
    assert "paired by 0.3" in drop_table(one_by_one, 1)
    assert "a judge's grades" in coverage_table(one_by_one, 1, sizes=[40])
    assert "0.190" in detected_table(one_by_one, 1)
