"""The interval of a mean over conversations: resampled, and never surer than rare failures allow."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import NormalDist

from uaef.errors import UsageError
from uaef.runs.statistics import extra
from uaef.runs.statistics.intervals import Interval, check_confidence, wilson


def cluster_bootstrap(
    groups: Sequence[Sequence[float]], confidence: float = 0.95, *, differences: bool = False
) -> Interval:
    """The interval of the mean over conversations of the means within each.

    Conversations are drawn with replacement 9,999 times, each with all its numbers; the ends are percentiles of
    their means, at the levels Φ(√(n/(n-1)) t) with Student's quantile t of n-1 degrees, which make up for few
    conversations (Hesterberg 2015).

    Resampling cannot show what a set happens not to hold: where all of 40 conversations passed, every resample has
    too. So the interval reaches at least as far as Wilson's with n conversations made effective, n' = m(1-m)/v for a
    mean m with the variance v, divided by (t/z)², where t has the degrees of freedom 2n/(kurtosis-1) by which v is
    known, yet n' not below n. Of differences, their falls and their gains have such an interval each, joined as by
    Newcombe (1998). Where all means are equal, the share of conversations that may be anything else is at most what
    Wilson says of 0 in n.

    Args:
        groups: the numbers of each conversation, in [0, 1]; at least two conversations, none of them empty.
        confidence: in (0, 1).
        differences: whether they are differences of such numbers, in [-1, 1].

    Raises:
        UsageError: a number is outside its range, or the extra ``stats`` is not installed.
    """
    check_confidence(confidence)
    lowest = -1.0 if differences else 0.0
    means = sorted(_checked(group, lowest) for group in groups)
    if len(means) < 2:  # noqa: PLR2004 - one says nothing of how much they vary
        raise UsageError(f"An interval of a mean needs at least 2 conversations, got {len(means)}.")
    mean = math.fsum(means) / len(means)
    if means[0] == means[-1]:
        unseen = wilson(0, len(means), confidence).high
        return Interval(means[0] - unseen * (means[0] - lowest), means[0] + unseen * (1 - means[0]))
    drawn = extra.bootstrap_quantiles(means, _expanded(len(means), confidence))
    floor = _of_parts(means, confidence) if differences else _effective(means, confidence)
    ends = (*drawn, *floor, mean)
    return Interval(max(min(ends), lowest), min(max(ends), 1.0))


def _checked(group: Sequence[float], lowest: float) -> float:
    if not group or not all(lowest <= number <= 1 for number in group):
        raise UsageError(f"Each conversation has one or more numbers from {lowest:g} to 1; got {list(group)}.")
    return math.fsum(group) / len(group)


def _expanded(n: int, confidence: float) -> float:
    """The level of percentiles that is as wide as an interval by Student's t."""
    t = extra.student((1 + confidence) / 2, n - 1)
    return 2 * NormalDist().cdf(t * math.sqrt(n / (n - 1))) - 1


def _effective(values: Sequence[float], confidence: float) -> Interval:
    """Wilson's interval with as many conversations as the variance of their mean is worth."""
    n = len(values)
    mean = math.fsum(values) / n
    squares = math.fsum((value - mean) ** 2 for value in values)
    if not squares:
        return wilson(n * mean, n, confidence)
    spread = math.sqrt(squares / n)
    kurtosis = math.fsum(((value - mean) / spread) ** 4 for value in values) / n
    degrees = min(n - 1.0, 2 * n / (kurtosis - 1)) if kurtosis > 1 else n - 1.0
    z, t = NormalDist().inv_cdf((1 + confidence) / 2), extra.student((1 + confidence) / 2, degrees)
    worth = mean * (1 - mean) * n * (n - 1) / squares
    worth = max(worth * (z / t) ** 2, min(worth, n))
    return wilson(mean * worth, worth, confidence)


def _of_parts(values: Sequence[float], confidence: float) -> Interval:
    """The interval of gains less falls, from one of each (MOVER; Newcombe 1998, Zou and Donner 2008)."""
    n = len(values)
    gains, falls = [max(value, 0.0) for value in values], [max(-value, 0.0) for value in values]
    gain, fall = math.fsum(gains) / n, math.fsum(falls) / n
    of_gain, of_fall = _effective(gains, confidence), _effective(falls, confidence)
    below = math.hypot(gain - of_gain.low, of_fall.high - fall)
    above = math.hypot(of_gain.high - gain, fall - of_fall.low)
    return Interval(gain - fall - below, gain - fall + above)
