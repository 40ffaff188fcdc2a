"""Repeated trials: how likely one of k passes, how likely all k do, and what passes only sometimes."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping
from typing import NamedTuple, TypeVar

from uaef.errors import UsageError

K = TypeVar("K", bound=Hashable)


class Trialled(NamedTuple):
    """How many of so many trials of one thing passed."""

    passed: int
    trials: int


class TrialRates(NamedTuple):
    """What becomes of k trials, as a mean over everything that was tried at least k times.

    Attributes:
        k: how many trials.
        any_passes: pass@k, the probability that at least one of them passes.
        all_pass: pass^k, the probability that all of them do.
        n: how many things it rests on.
    """

    k: int
    any_passes: float
    all_pass: float
    n: int


def pass_at_k(passed: int, trials: int, k: int) -> float:
    """The unbiased estimate that at least one of k trials passes: 1 - C(n-c, k) / C(n, k) (Chen et al. 2021).

    Args:
        passed: c, how many passed.
        trials: n, of how many.
        k: from 1 to n.

    Raises:
        UsageError: a number is outside its range.
    """
    _check(passed, trials, k)
    return 1 - math.comb(trials - passed, k) / math.comb(trials, k)


def pass_hat_k(passed: int, trials: int, k: int) -> float:
    """The unbiased estimate that all of k trials pass: pass^k = C(c, k) / C(n, k) (Yao et al. 2024, tau-bench).

    Arguments and errors as of ``pass_at_k``.
    """
    _check(passed, trials, k)
    return math.comb(passed, k) / math.comb(trials, k)


def trial_rates(counts: Iterable[Trialled]) -> list[TrialRates]:
    """Both for every k for which something was tried that often; things that were tried less leave the mean there."""
    counts = list(counts)
    found = []
    for k in range(1, max((each.trials for each in counts), default=0) + 1):
        known = [each for each in counts if each.trials >= k]
        any_passes = math.fsum(pass_at_k(each.passed, each.trials, k) for each in known) / len(known)
        all_pass = math.fsum(pass_hat_k(each.passed, each.trials, k) for each in known) / len(known)
        found.append(TrialRates(k, any_passes, all_pass, len(known)))
    return found


def flaky(counts: Mapping[K, Trialled]) -> list[K]:
    """What passed in some of its trials and not in others, in the order given."""
    return [name for name, each in counts.items() if 0 < each.passed < each.trials]


def _check(passed: int, trials: int, k: int) -> None:
    if not 0 <= passed <= trials or not 1 <= k <= trials:
        raise UsageError(f"Of n trials 0 to n pass, and k is from 1 to n; got {passed} of {trials} and k = {k}.")
