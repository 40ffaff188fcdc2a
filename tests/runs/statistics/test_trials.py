"""Repeated trials: by hand, and laws that hold for any counts."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from uaef.errors import UsageError
from uaef.runs.statistics import Trialled, flaky, pass_at_k, pass_hat_k, trial_rates

COUNTS = st.integers(1, 9).flatmap(lambda n: st.builds(Trialled, st.integers(0, n), st.just(n)))


def test_rates_by_hand():
    """Of 3 passes in 4: two of 4 hold a pass always, and are both passes in 3 of 6 pairs."""
    assert [pass_at_k(3, 4, k) for k in (1, 2, 3, 4)] == [0.75, 1.0, 1.0, 1.0]
    assert [pass_hat_k(3, 4, k) for k in (1, 2, 3, 4)] == [0.75, 0.5, 0.25, 0.0]


@given(COUNTS, st.data())
def test_rates_are_what_choosing_finds(count, data):
    """Every choice of k trials, tried one by one."""
    k = data.draw(st.integers(1, count.trials))
    outcomes = [True] * count.passed + [False] * (count.trials - count.passed)
    chosen = list(itertools.combinations(outcomes, k))
    assert pass_at_k(*count, k) == pytest.approx(sum(map(any, chosen)) / len(chosen))
    assert pass_hat_k(*count, k) == pytest.approx(sum(map(all, chosen)) / len(chosen))


@given(st.lists(COUNTS.filter(lambda count: count.trials >= 4), min_size=1, max_size=6))
def test_more_trials_help_one_and_hurt_all(counts):
    """pass^k <= pass@k, equal for one trial; the first falls with k and the second rises."""
    rates = trial_rates([Trialled(count.passed * 4 // count.trials, 4) for count in counts])
    assert [1, 2, 3, 4] == [each.k for each in rates]
    assert rates[0].any_passes == pytest.approx(rates[0].all_pass)
    assert all(each.all_pass <= each.any_passes + 1e-12 for each in rates)
    for earlier, later in itertools.pairwise(rates):
        assert later.all_pass <= earlier.all_pass + 1e-12
        assert later.any_passes >= earlier.any_passes - 1e-12


def test_what_was_tried_less_often_leaves_the_mean():
    """The number says over how many things the mean is."""
    rates = trial_rates([Trialled(2, 2), Trialled(0, 1)])
    assert [(1, 0.5, 0.5, 2), (2, 1.0, 1.0, 1)] == rates
    assert trial_rates([]) == []


def test_flaky_is_neither_always_nor_never():
    """Named in the order given."""
    counts = {"d": Trialled(1, 2), "a": Trialled(3, 3), "b": Trialled(0, 3), "c": Trialled(2, 3), "e": Trialled(0, 0)}
    assert ["d", "c"] == flaky(counts)


@pytest.mark.parametrize("given", [(3, 2, 1), (-1, 2, 1), (1, 2, 0), (1, 2, 3)])
@pytest.mark.parametrize("rate", [pass_at_k, pass_hat_k])
def test_counts_that_cannot_be(rate, given):
    """Refused with the numbers that were given."""
    with pytest.raises(UsageError, match=f"{given[0]} of {given[1]} and k = {given[2]}"):
        rate(*given)
