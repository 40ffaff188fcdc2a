"""The tests of two runs: by hand, as SciPy has them, and laws that hold for any numbers."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from uaef.errors import UsageError
from uaef.runs.statistics import benjamini_hochberg, fisher_exact, mcnemar_exact, sign_flip

COUNT = st.integers(0, 60)
ALTERNATIVES = {"either": "two-sided", "worse": "less"}
SIXTHS = st.integers(-6, 6).map(lambda k: k / 6)
DIFFERENCES = st.lists(SIXTHS, max_size=40) | st.lists(st.floats(-1, 1), max_size=30)
SCORES = st.lists(st.integers(0, 8).map(lambda k: k / 8), min_size=3, max_size=5)  # sums without rounding


@pytest.mark.parametrize(
    ("worse", "better", "either", "is_worse"),
    [(0, 0, 1.0, 1.0), (5, 0, 2 / 32, 1 / 32), (0, 5, 2 / 32, 1.0), (6, 0, 2 / 64, 1 / 64), (3, 1, 10 / 16, 5 / 16)],
)
def test_mcnemar_by_hand(worse, better, either, is_worse):
    """Ways that coins can fall."""
    assert (either, is_worse) == (mcnemar_exact(worse, better), mcnemar_exact(worse, better, "worse"))


@given(COUNT, COUNT)
def test_mcnemar_is_the_binomial_test(worse, better):
    """As SciPy computes it; the direction does not matter where either counts."""
    assert mcnemar_exact(worse, better) == mcnemar_exact(better, worse)
    if worse + better:
        for ours, theirs in (("either", "two-sided"), ("worse", "greater")):
            expected = stats.binomtest(worse, worse + better, alternative=theirs).pvalue
            assert expected == pytest.approx(mcnemar_exact(worse, better, ours))


@given(COUNT, COUNT, st.integers(0, 20), st.sampled_from(["either", "worse"]))
def test_flipping_signs_of_outcomes_is_mcnemars_test(worse, better, same, alternative):
    """One and the same number, to the last digit."""
    differences = [-1.0] * worse + [1.0] * better + [0.0] * same
    assert mcnemar_exact(worse, better, alternative) == sign_flip(differences, alternative)


def test_sign_flip_by_hand():
    """Of the 8 ways to sign 0.1, 0.2 and 0.3, one is as low as -0.6, two as far as 0.6, and two are at most -0.4."""
    assert sign_flip([-0.1, -0.2, -0.3], "worse") == 1 / 8
    assert sign_flip([-0.1, -0.2, -0.3]) == 2 / 8
    assert sign_flip([0.1, -0.2, -0.3], "worse") == 2 / 8
    assert sign_flip([0.1, -0.2, 0.1]) == 1.0
    assert sign_flip([]) == sign_flip([0.0, 0.0]) == 1.0


# Millionths: sums that differ by a billionth count as the same, so nothing here may come that close without being so.
MILLIONTHS = st.integers(-1_000_000, 1_000_000).map(lambda n: n / 1_000_000)


@given(st.lists(SIXTHS | MILLIONTHS, max_size=9), st.sampled_from(["either", "worse"]))
def test_sign_flip_is_what_enumeration_finds(differences, alternative):
    """Every way there is, tried one by one."""
    slack = 1e-9 * sum(map(abs, differences))
    total = math.fsum(differences)
    ways = list(itertools.product([1, -1], repeat=len(differences)))
    sums = [math.fsum(s * d for s, d in zip(signs, differences, strict=True)) for signs in ways]
    hits = [s <= total + slack if alternative == "worse" else abs(s) >= abs(total) - slack for s in sums]
    assert sum(hits) / len(hits) == pytest.approx(sign_flip(differences, alternative))


@given(DIFFERENCES, st.randoms(use_true_random=False))
def test_sign_flip_knows_neither_order_nor_direction(differences, chance):
    """Of the opposite differences ``either`` is the same; the two sides of ``worse`` make up everything, and ties."""
    shuffled = chance.sample(differences, len(differences))
    assert sign_flip(differences) == sign_flip(shuffled)
    assert sign_flip(differences) == pytest.approx(sign_flip([-d for d in differences]))
    assert sign_flip(differences, "worse") + sign_flip([-d for d in differences], "worse") >= 1 - 1e-12
    assert 0 < sign_flip(differences) <= 1


def test_many_differences_of_any_size_are_drawn():
    """What cannot be counted is estimated, the same for the same numbers, close to what SciPy draws, and never 0."""
    chance = np.random.default_rng(3)
    differences = chance.normal(-0.01, 0.1, 80).tolist()
    for ours, theirs in ALTERNATIVES.items():
        expected = stats.permutation_test(
            (differences,),
            sum,
            permutation_type="samples",
            alternative=theirs,
            n_resamples=20_000,
            vectorized=False,
            rng=1,
        ).pvalue
        assert expected == pytest.approx(sign_flip(differences, ours), abs=0.015)
        assert sign_flip(differences, ours) == sign_flip(differences[::-1], ours)
    assert sign_flip((-chance.uniform(0.5, 1, 80)).tolist()) == 1 / 10_000


def test_halving_agrees_with_drawing():
    """Thirty differences are tried in every way; with some that hardly matter they are too many, and drawn."""
    differences = np.random.default_rng(4).normal(-0.04, 0.1, 30).tolist()
    negligible = [1e-6 * math.pi**-k for k in range(40)]
    assert sign_flip(differences) == pytest.approx(sign_flip([*differences, *negligible]), abs=0.005)


@pytest.mark.parametrize("bad", [math.nan, math.inf])
def test_what_was_not_measured_has_no_difference(bad):
    """Refused, instead of a p that means nothing."""
    with pytest.raises(UsageError, match="finite"):
        sign_flip([0.5, bad])


@given(st.tuples(st.integers(0, 12), st.integers(1, 12)), st.tuples(st.integers(0, 12), st.integers(1, 12)))
def test_fisher_is_scipys(before, after):
    """In both alternatives, and however many trials either run has."""
    (a, n), (c, m) = (min(before[0], before[1]), before[1]), (min(after[0], after[1]), after[1])
    for ours, theirs in ALTERNATIVES.items():
        expected = stats.fisher_exact([[c, m - c], [a, n - a]], alternative=theirs).pvalue
        assert expected == pytest.approx(fisher_exact(a, n, c, m, ours))


def test_fisher_by_hand():
    """Three of three before and none of three now is one of C(6, 3) = 20 splits, and its mirror another."""
    assert (0.1, 0.05) == (fisher_exact(3, 3, 0, 3), fisher_exact(3, 3, 0, 3, "worse"))
    assert fisher_exact(4, 4, 0, 4) == 2 / 70
    assert fisher_exact(3, 3, 3, 3) == fisher_exact(0, 5, 0, 3) == 1.0


@pytest.mark.parametrize("test", [lambda: fisher_exact(4, 3, 0, 3), lambda: mcnemar_exact(-1, 2)])
def test_counts_that_cannot_be(test):
    """Refused with the numbers that were given."""
    with pytest.raises(UsageError, match=r"4 of 3|-1 and 2"):
        test()


@given(st.lists(st.floats(0, 1) | st.sampled_from([0.0, 0.01, 0.05, 1.0]), max_size=30))
def test_correction_is_scipys(ps):
    """As SciPy has it; no p becomes smaller, and their order stays."""
    adjusted = benjamini_hochberg(ps)
    if ps:
        assert list(stats.false_discovery_control(ps)) == pytest.approx(adjusted)
    assert all(p <= a <= 1 for p, a in zip(ps, adjusted, strict=True))
    by_p = [a for _, a in sorted(zip(ps, adjusted, strict=True))]
    assert by_p == sorted(by_p)


def test_correction_by_hand():
    """Five tests; ties share a value, and what could not be tested is not counted."""
    assert benjamini_hochberg([0.01, 0.04, 0.03, 0.5, 0.04]) == pytest.approx([0.05, 0.05, 0.05, 0.5, 0.05])
    found = benjamini_hochberg([math.nan, 0.02, 0.04])
    assert math.isnan(found[0])
    assert found[1:] == pytest.approx([0.04, 0.04])
    assert benjamini_hochberg([]) == []
    assert benjamini_hochberg([0.03]) == [0.03]
    with pytest.raises(UsageError, match=r"\[0, 1\]"):
        benjamini_hochberg([0.5, 1.5])
