"""Several tests at once: p-values corrected for how many there are."""

from __future__ import annotations

import math
from collections.abc import Sequence

from uaef.errors import UsageError


def benjamini_hochberg(ps: Sequence[float]) -> list[float]:
    """The p-values, adjusted so that among those called significant a share of at most alpha is false on average.

    Sorted p(1) <= ... <= p(m), the i-th becomes the least of m p(j) / j over j >= i (Benjamini and Hochberg 1995);
    holds for tests that are independent or positively dependent, as metrics on the same turns are. Where nothing
    changed at all, it is the chance of any false alarm that is at most alpha.

    Args:
        ps: in [0, 1], in any order; NaN for what could not be tested, which stays NaN and is not counted.

    Raises:
        UsageError: a p-value is outside [0, 1].
    """
    known = sorted((place for place, p in enumerate(ps) if not math.isnan(p)), key=lambda place: ps[place])
    if not all(0 <= ps[place] <= 1 for place in known):
        raise UsageError(f"p-values lie in [0, 1]; got {[ps[place] for place in known]}.")
    adjusted = list(ps)
    least = 1.0
    for rank in range(len(known), 0, -1):
        p = ps[known[rank - 1]]
        least = min(least, max(p, p * len(known) / rank))  # rounded, p * m / m would miss p
        adjusted[known[rank - 1]] = least
    return adjusted
