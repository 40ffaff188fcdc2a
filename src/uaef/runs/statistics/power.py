"""The smallest difference that a comparison could have detected."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import NormalDist

from uaef.errors import UsageError
from uaef.runs.statistics.counts import Alternative


def smallest_detectable(
    differences: Sequence[float], alpha: float = 0.05, power: float = 0.8, alternative: Alternative = "either"
) -> float | None:
    """The smallest mean change that a test at ``alpha`` would have found with the probability ``power``.

    With n differences of the standard deviation s, and z of 1-alpha/2 (of 1-alpha for ``worse``) and of ``power``:

    - of means, (t + z') s / √n (Cohen 1988; for evals Miller 2024), where t = z + (z³ + z) / 4(n-1) is Student's
      quantile, nearly;
    - where all differences are -1, 0 or 1 and a share r of them is not 0, the d that solves
      d n - 1 = z √(n r) + z' √(n (r - d²)): McNemar's test (Miettinen 1968) with its correction for whole numbers.
      Where even r changes, all one way, are too few for it, it is r.

    It is no less than w a, where w is the share of conversations that have to change, all one way, for the exact test
    to be significant with that probability, and a is how far those that changed did on average; 1 where none did.

    Args:
        differences: one per conversation, in [-1, 1].
        alpha: the level of the test, in (0, 1); where m are corrected together, alpha/m is on the safe side.
        power: how often it is to be found, in (0, 1).
        alternative: ``either`` direction, or only ``worse``.

    Returns:
        A difference in (0, 1], or ``None`` where so few conversations can never show any.

    Raises:
        UsageError: a number is outside its range.
    """
    if not (0 < alpha < 1 and 0 < power < 1) or not all(-1 <= difference <= 1 for difference in differences):
        raise UsageError("differences lie in [-1, 1], alpha and power between 0 and 1.")
    n = len(differences)
    share = _one_way(n, alpha, power, alternative)
    if share is None:
        return None
    changes = [abs(difference) for difference in differences if difference]
    floor = share * (math.fsum(changes) / len(changes) if changes else 1.0)
    normal = NormalDist()
    z, z_power = normal.inv_cdf(1 - alpha / (1 if alternative == "worse" else 2)), normal.inv_cdf(power)
    if all(change == 1 for change in changes):
        changed = len(changes) / n
        return max(floor, _of_pairs(n, changed, z, z_power) or changed)
    mean = math.fsum(differences) / n
    spread = math.sqrt(math.fsum((difference - mean) ** 2 for difference in differences) / (n - 1))
    found = (z + (z**3 + z) / (4 * (n - 1)) + z_power) * spread / math.sqrt(n)
    return None if found > 1 else max(found, floor)


def _of_pairs(n: int, changed: float, z: float, z_power: float) -> float | None:
    """The difference of two rates, if a share ``changed`` of the outcomes differs; ``None`` if not even all would do.

    The equation squared is a quadratic: (n + z'²) d² - 2 b d + (b² / n - z'² r) = 0 with b = z √(n r) + 1.
    """
    b = z * math.sqrt(n * changed) + 1
    a, c = n + z_power**2, b * b / n - z_power**2 * changed
    root = b * b - a * c
    found = (b + math.sqrt(root)) / a if root >= 0 else math.inf
    return found if found <= changed else None


def _one_way(n: int, alpha: float, power: float, alternative: Alternative) -> float | None:
    """The share of conversations that have to change, all one way and entirely, for the exact test to find it."""
    sides = 1 if alternative == "worse" else 2
    fewest = math.ceil(math.log2(sides / alpha) - 1e-9)  # so many heads in a row are rare enough
    if n < fewest:
        return None
    low, high = fewest / n / 2 if fewest else 0.0, 1.0
    for _ in range(50):
        share = (low + high) / 2
        below = math.fsum(math.comb(n, k) * share**k * (1 - share) ** (n - k) for k in range(fewest))
        low, high = (share, high) if below > 1 - power else (low, share)
    return high
