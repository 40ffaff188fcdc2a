"""Recorded text made harmless: what is shown can neither drive a terminal nor change the order of what is read."""

from __future__ import annotations

import unicodedata

_JOINERS = "\u200c\u200d"  # without them emoji and Persian fall apart
_UNSHOWN = {"Cc", "Cf", "Co", "Cs", "Zl", "Zp"}
CROSS = "✗"
"""Stands behind a number that is too low."""
LONGEST = 600
"""How many characters of one text a report for people shows."""


def one_line(text: str, longest: int = LONGEST) -> str:
    """``text`` on one line, control and direction characters as escapes, cut after ``longest`` characters.

    It is cut only where that makes it shorter, and then says how long it is.
    """
    mark = f" [... {len(text):,} characters in all]"
    most = 4 * longest + len(mark)
    words = " ".join(text[:most].split())
    is_cut = len(text) > most or len(words) - longest >= len(mark)
    return visible(words[:longest]) + mark if is_cut else visible(words)


def brief(text: str, longest: int) -> str:
    """``text`` on one line of at most ``longest`` characters, made harmless; three dots stand for what is cut."""
    line = visible(" ".join(text[: 4 * longest].split()))
    is_cut = len(line) > longest or len(text) > 4 * longest
    return f"{line[: longest - 3]}..." if is_cut else line


def in_encoding(text: str, encoding: str) -> str:
    """``text`` as far as ``encoding`` has it: a cross that it lacks becomes ``x``, anything else ``?``."""
    try:
        CROSS.encode(encoding)
    except UnicodeEncodeError:
        text = text.replace(CROSS, "x")
    return text.encode(encoding, "replace").decode(encoding)


def visible(text: str) -> str:
    r"""``text`` with every character that shows nothing by itself written as an escape: ``\\x1b``, ``\\u202e``."""
    if text.isprintable():
        return text
    return "".join(_escaped(c) if _is_unshown(c) else c for c in text)


def _is_unshown(character: str) -> bool:
    return character not in _JOINERS and unicodedata.category(character) in _UNSHOWN


def _escaped(character: str) -> str:
    return character.encode("unicode_escape").decode("ascii")
