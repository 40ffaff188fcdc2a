"""How often chance alone breaks a turn: against counting, and against runs of agents that never changed."""

from __future__ import annotations

import random

import pytest

from uaef.runs.gate.chance import Flakiness, Seen, at_least, expected_by_chance, flakiness


def test_independent_turns_follow_the_plain_product():
    """Without correlation: one pass, then four failures, of a coin that passes in 4 of 5."""
    assert Flakiness(0.8, 0.0).of_passing_then_failing(1, 4) == pytest.approx(0.8 * 0.2**4)


def test_turns_that_differ_follow_the_beta_distribution():
    """Against many turns, each with a probability of its own."""
    rng = random.Random(7)  # noqa: S311 - a simulation
    a, b = 1.6, 0.4  # mean 0.8, correlation 1 / (a + b + 1)
    drawn = [rng.betavariate(a, b) for _ in range(200_000)]
    counted = sum(p * (1 - p) ** 4 for p in drawn) / len(drawn)
    assert Flakiness(0.8, 1 / 3).of_passing_then_failing(1, 4) == pytest.approx(counted, rel=0.03)


def test_most_of_several_trials_are_any_that_are_more_than_half():
    """By hand: three coins of 4/5, at least two of which pass; then one failure."""
    assert Flakiness(0.8, 0.0).of_passing_then_failing(3, 1) == pytest.approx((0.8**3 + 3 * 0.8**2 * 0.2) * 0.2)


def test_poisson():
    """By hand: at least 2 of 1 expected is 1 - 2/e."""
    assert at_least(2, 1.0) == pytest.approx(0.2642411)
    assert at_least(0, 1.0) == 1.0
    assert at_least(1, 0.0) == 0.0


def test_a_set_that_always_passes_is_not_flaky():
    """Three re-plays are enough there, whatever broke since."""
    seen = [Seen(f"c{i // 3}", 1, 1, 1, int(i != 4)) for i in range(15)]
    assert flakiness(seen).correlation == 0.0
    assert expected_by_chance(seen, 3) < 0.001


def test_more_replays_leave_less_to_chance():
    """Each of them halves it at least, where turns are alike; where they differ, it still falls."""
    seen = [Seen(f"c{i // 6}", 1, int(i % 5 > 0), 1, int(i % 7 > 0)) for i in range(240)]
    found = [expected_by_chance(seen, n) for n in range(1, 20)]
    assert found == sorted(found, reverse=True)
    assert expected_by_chance([], 3) == 0.0


@pytest.mark.parametrize(("mean", "correlation"), [(0.8, 0.0), (0.8, 0.3), (0.95, 0.3)])
def test_an_unchanged_agent_is_rarely_accused(mean, correlation):
    """300 runs of 40 conversations with 6 turns, each turn with its own probability: at most 6% are accused."""
    rng = random.Random(11)  # noqa: S311 - a simulation
    accused = sum(_is_accused(rng, mean, correlation) for _ in range(300))
    assert accused / 300 <= 0.06


def _is_accused(rng, mean, correlation):
    """The rule itself, without the runs around it."""
    size = (1 - correlation) / correlation if correlation else 0
    chances = [rng.betavariate(mean * size, (1 - mean) * size) if size else mean for _ in range(240)]
    before, now = ([int(rng.random() < p) for p in chances] for _ in range(2))
    seen = [Seen(f"c{i // 6}", 1, x, 1, y) for i, (x, y) in enumerate(zip(before, now, strict=True))]
    left = [i for i in range(240) if before[i] and not now[i]]
    for times in range(1, 26):
        left = [i for i in left if rng.random() >= chances[i]]
        if not left:
            return False
        if times >= 3 and at_least(len({i // 6 for i in left}), expected_by_chance(seen, times)) <= 0.05:
            return True
    return False
