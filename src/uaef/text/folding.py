"""Folding: what two texts look like to somebody who does not care how they were typed."""

from __future__ import annotations

import re
import unicodedata

# Unicode's Default_Ignorable_Code_Point, and what else is for machines alone: no font shows any of it.
_UNSEEN = re.compile(
    "["
    "\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f"  # controls that are no white space
    "\u00ad"  # a place to hyphenate
    "\u034f\u061c"
    "\u115f\u1160\u3164\uffa0"  # where a Korean letter could stand
    "\u17b4\u17b5\u180b-\u180f"
    "\u200b-\u200f"  # no space, joiners, directions
    "\u202a-\u202e"
    "\u2060-\u206f"
    "\ufe00-\ufe0f"  # variants of the character before
    "\ufeff"
    "\ufff0-\ufffb"  # annotations
    "\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d159\U0001d173-\U0001d17a"
    "\U000e0000-\U000e0fff"  # tags, more variants
    "]+"
)
_BLANKS = re.compile("\u2800+")
"""A sign of Braille without a dot: white space, whatever Unicode calls it."""
_GAPS = re.compile(r"\s{2,}|[^\S ]")
_TYPED = str.maketrans("\u2018\u2019\u201c\u201d\u2010\u2011\u2012\u2013\u2212", "''\"\"-----")
_TYPESET = re.compile(f"[{''.join(map(chr, _TYPED))}]")


def visible(text: str) -> str:
    """The text without the characters that nobody sees."""
    if text.isprintable() and text.isascii():
        return text
    return _BLANKS.sub(" ", _UNSEEN.sub("", text))


def folded(text: str, *, ignore_case: bool = True) -> str:
    """The text as it is compared: visible, in one Unicode form, with typewriter quotes and dashes, in one case."""
    text = visible(text)
    if text.isascii():
        return text.lower() if ignore_case else text
    text = unicodedata.normalize("NFKC", text)
    if _TYPESET.search(text):
        text = text.translate(_TYPED)
    return unicodedata.normalize("NFKC", text.casefold()) if ignore_case else text


def spaced(text: str) -> str:
    """The text with one blank in place of any white space: where a line ends is the typesetter's affair."""
    return _GAPS.sub(" ", text)
