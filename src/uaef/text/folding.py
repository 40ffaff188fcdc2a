"""Folding: what two texts look like to somebody who does not care how they were typed."""

from __future__ import annotations

import re
import unicodedata

_UNSEEN = re.compile(
    "["
    "\u00ad"  # a place to hyphenate
    "\u034f\u061c\u180e"
    "\u200b-\u200f"  # no space, joiners, directions
    "\u202a-\u202e"
    "\u2060-\u206f"
    "\ufe00-\ufe0f"  # variants of the character before
    "\ufeff"
    "\U000e0000-\U000e007f"  # tags
    "\U000e0100-\U000e01ef"
    "]+"
)
_TYPED = str.maketrans("\u2018\u2019\u201c\u201d\u2010\u2011\u2012\u2013\u2212", "''\"\"-----")
_TYPESET = re.compile(f"[{''.join(map(chr, _TYPED))}]")


def visible(text: str) -> str:
    """The text without the characters that nobody sees."""
    return text if text.isascii() else _UNSEEN.sub("", text)


def folded(text: str, *, ignore_case: bool = True) -> str:
    """The text as it is compared: visible, in one Unicode form, with typewriter quotes and dashes, in one case."""
    if text.isascii():
        return text.lower() if ignore_case else text
    text = unicodedata.normalize("NFKC", _UNSEEN.sub("", text))
    if _TYPESET.search(text):
        text = text.translate(_TYPED)
    return unicodedata.normalize("NFKC", text.casefold()) if ignore_case else text
