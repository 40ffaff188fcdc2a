"""The paired test of means: signs of conversations' differences flipped, every way there is or very many."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Sequence
from fractions import Fraction

from uaef.errors import UsageError
from uaef.runs.statistics import extra
from uaef.runs.statistics.counts import Alternative

_FINEST = 5_040
"""Differences of pass rates are fractions; with a common denominator up to this they are counted as whole steps."""
_MOST_BITS = 20_000_000
"""Of the number that counts all sums: some 3 MB."""
_HALVED = 30
"""Up to so many differences, every sum is tried, one half against the other: 2 x 32,768 of them."""
_SAME = 1e-9
"""Sums that differ by less than this share of everything are the same."""


def sign_flip(differences: Sequence[float], alternative: Alternative = "either") -> float:
    """The p of Fisher's permutation test (1935) on paired differences, one per conversation.

    If nothing changed, each difference could as well have had the other sign. p is the share of all 2^m ways to sign
    the m differences that are not 0 whose sum is as far from 0 (``either``) or as low (``worse``) as the one found.
    Exact where differences are fractions with a common denominator up to 5,040 (as those of pass rates are: by
    counting the ways to every sum), and where at most 30 differ. Otherwise of 9,999 ways drawn at random, the given
    one counted too (Phipson and Smyth 2010), which needs NumPy. Of differences that are -1, 0 or 1 it is McNemar's.

    Args:
        differences: later minus earlier, finite.
        alternative: ``either`` direction, or only ``worse``.

    Raises:
        UsageError: a difference is no finite number, or many have to be drawn and ``stats`` is not installed.
    """
    changed = sorted(difference for difference in differences if difference)
    if not all(map(math.isfinite, changed)):
        raise UsageError("Differences are finite numbers: leave out what was not measured in both runs.")
    total = math.fsum(changed)
    if not changed or (alternative == "either" and _is_nothing(total, changed)):
        return 1.0
    steps = _steps(changed)
    if steps is not None:
        return _doubled(_counted(steps, alternative), alternative)
    if len(changed) <= _HALVED:
        return _doubled(_met_halfway(changed, alternative), alternative)
    slack = _SAME * math.fsum(map(abs, changed))
    if alternative == "worse":
        return extra.flipped(changed, lambda sums: sums <= total + slack)
    return extra.flipped(changed, lambda sums: abs(sums) >= abs(total) - slack)


def _is_nothing(total: float, changed: Sequence[float]) -> bool:
    return abs(total) <= _SAME * math.fsum(map(abs, changed))


def _doubled(tail: float, alternative: Alternative) -> float:
    return tail if alternative == "worse" else min(1.0, 2 * tail)


def _steps(changed: Sequence[float]) -> list[int] | None:
    """The differences as whole numbers of equal steps; ``None`` where they have no step in common."""
    fractions = [Fraction(difference).limit_denominator(_FINEST) for difference in changed]
    denominator = math.lcm(*{fraction.denominator for fraction in fractions})
    if denominator > _FINEST:
        return None
    slack = _SAME * max(map(abs, changed))
    if any(abs(float(fraction) - d) > slack for fraction, d in zip(fractions, changed, strict=True)):
        return None
    steps = [int(fraction * denominator) for fraction in fractions]
    is_small = sum(map(abs, steps)) * (len(steps) + 1) <= _MOST_BITS
    return steps if is_small else None


def _counted(steps: Sequence[int], alternative: Alternative) -> float:
    """The share of signs whose sum is at least so far from 0, on one side.

    The product of (1 + x^|step|) holds, at x^s, in how many ways differences of the sum s can be chosen to be gains.
    It is kept as one whole number, with a digit wide enough for any count at each power.
    """
    width = len(steps) + 1
    product = 1
    for step in steps:
        product += product << (abs(step) * width)
    whole, total = sum(map(abs, steps)), sum(steps)
    least = (whole + (-total if alternative == "worse" else abs(total))) // 2  # of what is gained, for such a sum
    ways = (product >> (least * width)) % ((1 << width) - 1)  # the sum of the digits that are left
    return ways / (1 << len(steps))


def _met_halfway(changed: Sequence[float], alternative: Alternative) -> float:
    """The same, of few differences of any size: the sums of one half, searched among those of the other."""
    sizes = list(map(abs, changed))
    whole, total = math.fsum(sizes), math.fsum(changed)
    least = (whole + (-total if alternative == "worse" else abs(total))) / 2 - _SAME * whole
    left, right = _sums(sizes[::2]), sorted(_sums(sizes[1::2]))
    ways = sum(len(right) - bisect_left(right, least - one) for one in left)
    return ways / (len(left) * len(right))


def _sums(sizes: Sequence[float]) -> list[float]:
    """The sum of every choice of them."""
    sums = [0.0]
    for size in sizes:
        sums += [each + size for each in sums]
    return sums
