"""Limits that a caller gives: a number that is none would fail later, call by call, or be no limit at all."""

from __future__ import annotations

import math

from uaef.errors import UsageError


def above_zero(name: str, value: float) -> float:
    """``value``.

    Raises:
        UsageError: naming the argument: it is no finite number above 0.
    """
    if not _is_finite(value) or value <= 0:
        raise UsageError(f"{name} must be a finite number above 0, got {value!r}.")
    return value


def not_below_zero(name: str, value: float) -> float:
    """``value``.

    Raises:
        UsageError: naming the argument: it is no finite number of at least 0.
    """
    if not _is_finite(value) or value < 0:
        raise UsageError(f"{name} must be a finite number of at least 0, got {value!r}.")
    return value


def _is_finite(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
