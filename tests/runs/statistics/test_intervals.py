"""Intervals of rates and of means: by hand, as SciPy has them, and laws that hold for any numbers."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from uaef.errors import UsageError
from uaef.runs.statistics import clopper_pearson, cluster_bootstrap, wilson

COUNTS = st.integers(1, 300).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))
NUMBERS = st.lists(st.sampled_from([0.0, 0.25, 0.5, 2 / 3, 1.0]) | st.floats(0, 1), min_size=2, max_size=40)


@pytest.mark.parametrize(
    ("passed", "n", "low", "high"),
    [
        (3, 3, 0.4385, 1.0),
        (0, 3, 0.0, 0.5615),
        (3, 5, 0.2307, 0.8824),
        (18, 20, 0.6990, 0.9721),
        (1, 2, 0.0945, 0.9055),
    ],
)
def test_wilson_by_hand(passed, n, low, high):
    """Worked with pencil and paper."""
    assert (low, high) == pytest.approx(wilson(passed, n), abs=5e-5)


@pytest.mark.parametrize(("n", "low"), [(10, 0.05 ** (1 / 10)), (40, 0.05 ** (1 / 40))])
def test_the_exact_interval_of_passes_alone_by_hand(n, low):
    """Where all of n pass, the lower end of 90% is the rate at which that happens in 5% of sets."""
    assert (low, 1.0) == pytest.approx(clopper_pearson(n, n, 0.9))


@given(COUNTS, st.sampled_from([0.5, 0.9, 0.95, 0.99]))
def test_intervals_of_rates_are_scipys(counts, confidence):
    """Both equal those of SciPy."""
    test = stats.binomtest(*counts)
    assert tuple(test.proportion_ci(confidence, method="wilson")) == pytest.approx(wilson(*counts, confidence))
    assert tuple(test.proportion_ci(confidence, method="exact")) == pytest.approx(
        clopper_pearson(*counts, confidence)
    )


@pytest.mark.parametrize("interval", [wilson, clopper_pearson])
@given(counts=COUNTS)
def test_an_interval_holds_the_rate_and_shrinks(interval, counts):
    """It lies within [0, 1] around the rate; of twice the set it is narrower, of more confidence wider."""
    passed, n = counts
    low, high = interval(passed, n)
    assert 0 <= low <= passed / n <= high <= 1
    assert high - low > math.dist(interval(2 * passed, 2 * n)[:1], interval(2 * passed, 2 * n)[1:])
    assert high - low < math.dist(interval(passed, n, 0.99)[:1], interval(passed, n, 0.99)[1:])


@pytest.mark.parametrize("interval", [wilson, clopper_pearson])
@given(counts=COUNTS)
def test_failures_mirror_passes(interval, counts):
    """The interval of what fails is one less that of what passes."""
    passed, n = counts
    low, high = interval(passed, n)
    assert (1 - high, 1 - low) == pytest.approx(interval(n - passed, n))


@pytest.mark.parametrize("interval", [wilson, clopper_pearson])
@pytest.mark.parametrize("given", [(1, 0), (-1, 3), (4, 3), (1, 2, 0.0), (1, 2, 1.0), (1, 2, 95)])
def test_what_no_interval_can_be_made_of(interval, given):
    """Refused with the numbers that were given."""
    with pytest.raises(UsageError, match=str(given[-1])):
        interval(*given)


def test_the_exact_interval_covers_every_rate():
    """Summed over all outcomes of 40, at every rate: at least 95%; Wilson's falls below 93% at 0.8."""
    outcomes = range(41)

    def coverage(interval, rate):
        ends = [interval(k, 40) for k in outcomes]
        return sum(
            stats.binom.pmf(k, 40, rate) for k, (low, high) in zip(outcomes, ends, strict=True) if low <= rate <= high
        )

    assert min(coverage(clopper_pearson, rate / 100) for rate in range(1, 100)) >= 0.95
    assert coverage(wilson, 0.8) == pytest.approx(0.928, abs=5e-4)


@given(st.lists(NUMBERS, min_size=2, max_size=8), st.booleans())
def test_an_interval_of_a_mean_holds_the_mean(groups, differences):
    """It lies around the mean of means, within what numbers can be, and is never a point."""
    low, high = cluster_bootstrap(groups, differences=differences)
    mean = sum(sum(group) / len(group) for group in groups) / len(groups)
    assert -1 * differences <= low <= mean + 1e-12
    assert mean - 1e-12 <= high <= 1
    assert high > low


@given(st.lists(NUMBERS, min_size=2, max_size=8), st.randoms(use_true_random=False))
def test_order_does_not_matter(groups, chance):
    """The same conversations in another order give the same digits."""
    shuffled = chance.sample(groups, len(groups))
    assert cluster_bootstrap(groups) == cluster_bootstrap(shuffled)
    assert cluster_bootstrap(groups, differences=True) == cluster_bootstrap(shuffled, differences=True)


@pytest.mark.parametrize("skew", [1, 4])
def test_losses_mirror_gains(skew):
    """The interval of the opposite differences is the opposite interval, but for what is drawn."""
    differences = (np.random.default_rng(3).beta(1, skew, (60, 1)) - 0.2).tolist()
    low, high = cluster_bootstrap(differences, differences=True)
    mirrored = cluster_bootstrap([[-d] for (d,) in differences], differences=True)
    assert (-high, -low) == pytest.approx(mirrored, abs=0.005)


def test_an_interval_of_a_mean_shrinks_and_is_surer_when_wider():
    """Of four times the set it has half the width, of 99% more of it."""
    groups = np.random.default_rng(1).beta(8, 2, (50, 1)).tolist()
    width, of_four, of_99 = (
        high - low
        for low, high in (cluster_bootstrap(groups), cluster_bootstrap(groups * 4), cluster_bootstrap(groups, 0.99))
    )
    assert of_four == pytest.approx(width / 2, rel=0.1)
    assert of_99 == pytest.approx(width * 2.68 / 2.01, rel=0.1)  # Student's t of 49 degrees


def test_ordinary_numbers_have_the_interval_of_student():
    """Where the normal approximation is good, resampling says the same."""
    values = np.random.default_rng(2).uniform(0.3, 0.9, 60).tolist()
    expected = stats.t.interval(0.95, 59, sum(values) / 60, stats.sem(values))
    assert tuple(expected) == pytest.approx(cluster_bootstrap([[v] for v in values]), abs=0.005)


def test_a_conversation_counts_once_however_long_it_is():
    """Its numbers are taken together first; the conversation is the unit."""
    short, long = [[1.0], [0.0], [1.0]], [[1.0] * 9, [0.0], [1.0, 1.0]]
    assert cluster_bootstrap(short) == cluster_bootstrap(long)
    assert cluster_bootstrap([[0.25, 0.75], [1.0]]) == cluster_bootstrap([[0.5], [1.0]])


def test_what_never_failed_may_still_fail():
    """No resample of 40 passes has a failure in it; the interval is Wilson's of 40 in 40 all the same."""
    assert cluster_bootstrap([[1.0] * 6] * 40) == pytest.approx(wilson(40, 40))
    assert cluster_bootstrap([[0.0]] * 40, differences=True) == pytest.approx((-0.0876, 0.0876), abs=1e-4)
    rare = cluster_bootstrap([[1.0] * 6] * 39 + [[1.0] * 5 + [0.0]])
    assert rare.low < 0.97


@pytest.mark.parametrize(
    ("groups", "differences", "said"),
    [
        ([[0.5]], False, "at least 2 conversations, got 1"),
        ([], False, "at least 2 conversations, got 0"),
        ([[0.5], []], False, r"one or more numbers from 0 to 1; got \[\]"),
        ([[0.5], [1.5]], False, r"got \[1.5\]"),
        ([[0.5], [-0.5]], False, r"got \[-0.5\]"),
        ([[0.5], [-1.5]], True, r"from -1 to 1; got \[-1.5\]"),
        ([[0.5], [math.nan]], True, r"got \[nan\]"),
    ],
)
def test_what_no_mean_can_be_made_of(groups, differences, said):
    """Refused with the numbers of the conversation at fault."""
    with pytest.raises(UsageError, match=said):
        cluster_bootstrap(groups, differences=differences)


def test_the_same_numbers_give_the_same_digits():
    """What is drawn depends on the numbers alone: pinned, to the digit that any machine prints."""
    assert cluster_bootstrap([[k / 30] for k in range(30)]) == pytest.approx((0.376113, 0.593333), abs=5e-7)
