"""Exact tests of counts: outcomes that changed between two runs, and trials that passed in either."""

from __future__ import annotations

from math import comb
from typing import Literal

from uaef.errors import UsageError

Alternative = Literal["either", "worse"]
"""What a small p speaks for: that the later run differs at all, or that it is worse."""


def mcnemar_exact(worse: int, better: int, alternative: Alternative = "either") -> float:
    """The p of McNemar's test (1947), exact: pairs that changed are as likely to change either way.

    With m = worse + better, P(X >= worse) of X ~ Binomial(m, 1/2); for ``either``, twice the smaller tail, at most 1.
    Pairs that did not change say nothing. 1 where none changed.

    Args:
        worse: how many passed before and fail now.
        better: how many failed before and pass now.
        alternative: ``either`` direction, or only ``worse``.

    Raises:
        UsageError: a count is below 0.
    """
    if min(worse, better) < 0:
        raise UsageError(f"Counts are at least 0; got {worse} and {better}.")
    changed = worse + better
    start = worse if alternative == "worse" else max(worse, better)
    tail = sum(comb(changed, k) for k in range(start, changed + 1))
    ways = 1 << changed
    return tail / ways if alternative == "worse" else min(1.0, 2 * tail / ways)


def fisher_exact(
    passed_before: int, n_before: int, passed_after: int, n_after: int, alternative: Alternative = "either"
) -> float:
    """The p of Fisher's exact test (1935) that the trials of one turn passed alike in two runs.

    With all trials thrown together, the probability of a split that leaves as few passes to the later run, or fewer
    (``worse``), or of every split that is no more probable than this one (``either``). Three passes against three
    failures give 0.1 (``either``) or 0.05 (``worse``).

    Args:
        passed_before: how many passed in the earlier run.
        n_before: of how many trials.
        passed_after: the same of the later run.
        n_after: the same.
        alternative: ``either`` direction, or only ``worse``.

    Raises:
        UsageError: more passed than were tried, or a count is below 0.
    """
    if not (0 <= passed_before <= n_before and 0 <= passed_after <= n_after):
        raise UsageError(
            f"Of n trials, 0 to n pass; got {passed_before} of {n_before} before and {passed_after} of {n_after} now."
        )
    passed = passed_before + passed_after
    ways = [comb(n_after, k) * comb(n_before, passed - k) for k in range(min(passed, n_after) + 1)]
    if alternative == "worse":
        return sum(ways[: passed_after + 1]) / sum(ways)
    return sum(way for way in ways if way <= ways[passed_after]) / sum(ways)
