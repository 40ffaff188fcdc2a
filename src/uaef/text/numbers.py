"""Numbers and counts for people; no number is rounded over a line that matters."""

from __future__ import annotations

import functools
from collections.abc import Sequence


@functools.lru_cache(maxsize=1024)
def shown(score: float | None, digits: int = 2) -> str:
    """A score as text: ``0.9996`` is ``0.99``, since only 1 is shown as 1 and only 0 as 0; ``None`` is ``N/A``."""
    if score is None:
        return "N/A"
    text = f"{abs(score):.{digits}f}" if not score else f"{score:.{digits}f}"
    least = 10**-digits
    if float(text) >= 1 > score:
        return f"{1 - least:.{digits}f}"
    if float(text) <= 0 < score:
        return f"{least:.{digits}f}"
    return text


def shown_below(score: float, bar: float, digits: int = 3) -> tuple[str, str]:
    """A score and the bar it missed, with as many digits as it takes to tell them apart, and a bar below 1 from 1."""
    for places in range(digits, 18):
        texts = f"{score:.{places}f}", f"{bar:.{places}f}"
        if texts[0] != texts[1] and not float(texts[1]) >= 1 > bar:
            return texts
    return repr(score), repr(bar)


def listed(names: Sequence[str], most: int = 3) -> str:
    """The names in a row; of more than ``most``, the first ones and how many are left out: ``a, b and 3 more``."""
    more = f" and {len(names) - most:,} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more


def counted(number: int, noun: str) -> str:
    """A number of things: ``1 turn``, ``2,000 turns``."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
