"""The test of one turn by the scores of its trials in two runs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import combinations

from uaef.errors import UsageError
from uaef.runs.statistics import extra
from uaef.runs.statistics.counts import Alternative

_ENUMERATED = 50_000
"""Up to so many ways to deal the trials, all are tried: up to 9 trials in each run."""
_SAME = 1e-9


def permutation(before: Sequence[float], after: Sequence[float], alternative: Alternative = "either") -> float:
    """The p of the permutation test (Pitman 1937) that the trials of one turn scored alike in two runs.

    The share of all ways to deal the scores to the two runs in which the later one's mean is as low (``worse``), or
    the two means are as far apart (``either``). Above 50,000 ways, of 9,999 drawn at random, the given one counted
    too, which needs NumPy. Of scores that are 0 or 1, ``worse`` is Fisher's exact test.

    Args:
        before: the scores in the earlier run, at least one.
        after: the scores in the later run, at least one.
        alternative: ``either`` direction, or only ``worse``.

    Raises:
        UsageError: a run has no trial, a score is not finite, or very many have to be drawn and ``stats`` is not
            installed.
    """
    scores = sorted((*before, *after))
    if not before or not after or not all(map(math.isfinite, scores)):
        raise UsageError("A test of trials takes finite scores of both runs, at least one of each.")
    n, found, slack = len(after), math.fsum(after), _SAME * (1 + math.fsum(map(abs, scores)))
    middle = n * math.fsum(scores) / len(scores)

    if alternative == "worse":
        if math.comb(len(scores), n) > _ENUMERATED:
            return extra.shuffled(scores, n, lambda sums: sums <= found + slack)
        return _share([math.fsum(dealt) <= found + slack for dealt in combinations(scores, n)])
    far = abs(found - middle) - slack
    if math.comb(len(scores), n) > _ENUMERATED:
        return extra.shuffled(scores, n, lambda sums: abs(sums - middle) >= far)
    return _share([abs(math.fsum(dealt) - middle) >= far for dealt in combinations(scores, n)])


def _share(hits: Sequence[bool]) -> float:
    return sum(hits) / len(hits)
