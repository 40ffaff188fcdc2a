"""How often a turn would look broken by chance alone, in a set as flaky as this one.

Each turn is taken to pass with a probability of its own, the same in both runs; over the turns these follow a beta
distribution. Its mean is the pass rate of the earlier run. How far it spreads is what the two runs have in common:
with an unchanged agent, the covariance of their pass rates is the variance of those probabilities. That is known the
less, the fewer conversations there are, so two standard errors are added to it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

_WIDEST = 0.95
_ERRORS = 2
"""How many standard errors are added to the correlation. Without them, up to 16% of simulated runs of an unchanged
agent were accused; with them, at most 5%."""


class Seen(NamedTuple):
    """One turn: in how many trials it was seen and passed, in the earlier run and in the later one."""

    conversation: str
    before: int
    passed_before: int
    after: int
    passed_after: int


class Flakiness(NamedTuple):
    """The beta distribution of the turns' probabilities: its mean, and the correlation of two plays of one turn."""

    mean: float
    correlation: float

    def of_passing_then_failing(self, trials: int, failures: int) -> float:
        """The probability of passing in most of so many trials, and then failing so often, of an unchanged turn."""
        most = range(trials // 2 + 1, trials + 1)
        return math.fsum(math.comb(trials, k) * self._of(k, trials - k + failures) for k in most)

    def _of(self, passes: int, failures: int) -> float:
        """The probability of so many passes and failures in one given order."""
        if self.correlation <= 0:
            return float(self.mean**passes * (1 - self.mean) ** failures)
        size = (1 - self.correlation) / self.correlation
        a, b = self.mean * size, (1 - self.mean) * size
        return math.exp(_log_beta(a + passes, b + failures) - _log_beta(a, b))


def _log_beta(a: float, b: float) -> float:
    return math.lgamma(a) + math.lgamma(b) - math.lgamma(a + b)


def flakiness(seen: Sequence[Seen]) -> Flakiness:
    """What two runs say of how often turns pass; half a pass and half a failure are added, so it is never 0 or 1."""
    average = (math.fsum(s.passed_before for s in seen) + 0.5) / (math.fsum(s.before for s in seen) + 1)
    old = [s.passed_before / s.before for s in seen]
    new = [s.passed_after / s.after for s in seen]
    middle = math.fsum(old) / len(seen), math.fsum(new) / len(seen)
    by_conversation: dict[str, list[float]] = {}
    for s, x, y in zip(seen, old, new, strict=True):
        by_conversation.setdefault(s.conversation, []).append((x - middle[0]) * (y - middle[1]))
    sums = [math.fsum(products) for products in by_conversation.values()]
    each = math.fsum(sums) / len(sums)
    error = math.sqrt(math.fsum((total - each) ** 2 for total in sums))
    shared = (math.fsum(sums) + _ERRORS * error) / len(seen)
    return Flakiness(average, min(max(shared / (average * (1 - average)), 0.0), _WIDEST))


def expected_by_chance(seen: Sequence[Seen], replays: int) -> float:
    """How many turns of an unchanged agent would pass before, fail now, and fail in so many re-plays."""
    if not seen:
        return 0.0
    known = flakiness(seen)
    return math.fsum(known.of_passing_then_failing(s.before, s.after + replays) for s in seen)


def at_least(found: int, expected: float) -> float:
    """The probability of at least ``found`` where so many are expected (Poisson)."""
    term = below = math.exp(-expected)
    if found <= 0:
        return 1.0
    for i in range(1, found):
        term *= expected / i
        below += term
    return max(1 - below, 0.0)
