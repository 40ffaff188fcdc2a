"""The smallest detectable difference: by hand, its laws, and found about as often as it says."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from uaef.errors import UsageError
from uaef.runs.statistics import sign_flip, smallest_detectable


def test_means_by_hand():
    """(1.998 + 0.842) s / sqrt(n): 64 differences of the standard deviation 0.2; Student's t is 1.998."""
    differences = [0.2 * math.sqrt(63 / 64), -0.2 * math.sqrt(63 / 64)] * 32
    assert smallest_detectable(differences) == pytest.approx((1.9976 + 0.8416) * 0.2 / 8, rel=1e-4)
    assert smallest_detectable(differences, alternative="worse") == pytest.approx(
        (1.6692 + 0.8416) * 0.2 / 8, rel=1e-4
    )


def test_pairs_solve_their_equation():
    """The equation: d n - 1 = z sqrt(n r) + z' sqrt(n (r - d^2)), for 30 changes in 100."""
    d = smallest_detectable([-1.0] * 18 + [1.0] * 12 + [0.0] * 70)
    assert d * 100 - 1 == pytest.approx(1.959964 * math.sqrt(30) + 0.841621 * math.sqrt(30 - 100 * d * d), rel=1e-6)


def test_where_nothing_changed_it_takes_six_that_do():
    """Five coins in a row are no surprise at 5%; of 40, 19% have to change for six to be there 4 times in 5."""
    d = smallest_detectable([0.0] * 40)
    assert sum(math.comb(40, k) * d**k * (1 - d) ** (40 - k) for k in range(6)) == pytest.approx(0.2)
    assert [smallest_detectable([0.0] * n) is None for n in (0, 5, 6)] == [True, True, False]
    assert smallest_detectable([0.0] * 5, alternative="worse") is not None
    assert smallest_detectable([-0.25] * 40) == pytest.approx(d / 4)


def test_so_far_apart_that_nothing_could_be_found():
    """Six conversations that scatter over everything."""
    assert smallest_detectable([-1.0, 1.0, -0.9, 0.9, -1.0, 1.0]) is None


@given(st.lists(st.sampled_from([-1.0, 0.0, 1.0]) | st.floats(-1, 1), min_size=6, max_size=60))
@example([-1.0] * 8 + [0.0])
def test_more_conversations_see_more(differences):
    """Four times the same set detects less, a stricter test only more."""
    found = smallest_detectable(differences)
    if found is not None:
        assert 0 < found <= 1
        assert smallest_detectable(differences * 4) <= found
        assert (smallest_detectable(differences, 0.01) or math.inf) >= found
        assert (smallest_detectable(differences, power=0.95) or math.inf) >= found
        assert smallest_detectable(differences, alternative="worse") <= found


@pytest.mark.parametrize("given", [([1.5], 0.05, 0.8), ([0.5], 0.0, 0.8), ([0.5], 0.05, 1.0)])
def test_what_cannot_be_asked(given):
    """Refused: shares and differences have their ranges."""
    with pytest.raises(UsageError, match="alpha and power"):
        smallest_detectable(*given)


@pytest.mark.parametrize("n", [40, 200])
def test_a_difference_of_that_size_is_found_as_often_as_it_says(n):
    """Sets in which the truth is just that: the exact test finds 80%, give or take."""
    chance = np.random.default_rng(n)
    for changed in (0.2, 0.4):
        d = smallest_detectable([-1.0, 1.0] * int(n * changed / 2) + [0.0] * int(n * (1 - changed)))
        r = max(changed, d)
        sets = chance.choice([-1.0, 1.0, 0.0], (400, n), p=[(r + d) / 2, (r - d) / 2, 1 - r]).tolist()
        assert sum(sign_flip(each) <= 0.05 for each in sets) / 400 == pytest.approx(0.8, abs=0.07)
    d = smallest_detectable(([k / 6 for k in range(-3, 4)] * n)[:n])
    sets = chance.normal(-d, 1 / 3, (400, n)).round(2).tolist()
    assert sum(sign_flip(each) <= 0.05 for each in sets) / 400 == pytest.approx(0.8, abs=0.07)
