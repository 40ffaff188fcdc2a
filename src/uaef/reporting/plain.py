"""Recorded text made harmless: what is shown can neither drive a terminal nor change the order of what is read."""

from __future__ import annotations

import unicodedata

_JOINERS = "\u200c\u200d"  # without them emoji and Persian fall apart
_UNSHOWN = {"Cc", "Cf", "Co", "Cs", "Zl", "Zp"}
LONGEST = 600
"""How many characters of one text a report for people shows."""


def one_line(text: str, longest: int = LONGEST) -> str:
    """``text`` on one line, control and direction characters as escapes, cut after ``longest`` characters."""
    words = " ".join(text[: 4 * longest].split())
    cut = len(words) > longest or len(text) > 4 * longest
    return visible(words[:longest]) + (f" [... {len(text):,} characters in all]" if cut else "")


def visible(text: str) -> str:
    r"""``text`` with every character that shows nothing by itself written as an escape: ``\\x1b``, ``\\u202e``."""
    if text.isprintable():
        return text
    return "".join(_escaped(c) if _is_unshown(c) else c for c in text)


def _is_unshown(character: str) -> bool:
    return character not in _JOINERS and unicodedata.category(character) in _UNSHOWN


def _escaped(character: str) -> str:
    return character.encode("unicode_escape").decode("ascii")
