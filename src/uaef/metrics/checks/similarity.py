"""How much of a reference the assistant said: word by word, or as characters."""

from __future__ import annotations

import functools
import operator
import re
from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple

from uaef.metrics.base import Found
from uaef.metrics.checks.base import Test, factory
from uaef.metrics.checks.said import Where, said, silent
from uaef.models.conversation import Conversation
from uaef.models.reading import shown
from uaef.text.folding import folded
from uaef.text.words import FUNCTION_WORDS, holds_digit, words_in

_LETTERS = re.compile(r"[^\W_]+(?:'[^\W_]+)*")
_SPACED = {code: " " for code in range(128) if not chr(code).isalnum()}
_ALIKE = 80.0
"""Out of 100: how much two spellings of a word have in common at least."""


@factory
def similarity(reference: str, *, mode: Literal["words", "ratio"] = "words", where: Where = "all") -> Test:
    """How much of ``reference`` the message of the assistant that has most of it contains.

    (words found + words found in order) / (2 * words): a word that stands out of order counts half. The words are
    those of the reference without function words such as "the", if it has others. A word is found where one is spelt
    alike, at a ratio (2 * common characters / all characters) of 0.8 or more; a number, or a function word of the
    message ("whether" for "weather"), only where it is the same.
    With ``mode="ratio"`` the figure is that ratio of the whole message and the whole reference.
    """
    measured = _Ratio(reference) if mode == "ratio" else _Words(reference)

    def test(window: Conversation) -> Found:
        replies = said(window, where)
        if not replies:
            return silent(is_graded=True)
        return max(map(measured.of, replies), key=lambda found: found.score)

    return test


class _Found(NamedTuple):
    score: float
    reason: str


class _Words:
    """The share of a reference's words that a reply has."""

    def __init__(self, reference: str) -> None:
        from rapidfuzz import fuzz, process  # noqa: PLC0415 - 12 MB of extension, wanted only here

        words = words_in(folded(reference))
        self._words = [word for word in words if word not in FUNCTION_WORDS] or words
        if not self._words:
            raise ValueError("reference: a text with words is needed")
        self._places: dict[str, int] = {}
        for place, word in enumerate(self._words):
            self._places[word] = self._places.get(word, 0) | 1 << place
        # How numbers are written matters only where there are some, and takes ten times as long.
        self._words_in = _letters_in if all(map(str.isalpha, self._words)) else words_in
        self._alike = functools.partial(process.extract, scorer=fuzz.ratio, score_cutoff=_ALIKE, limit=None)

    def of(self, reply: str) -> _Found:
        words, total = self._words_in(folded(reply)), len(self._words)
        places = self._places_of(dict.fromkeys(words))
        masks = [places[word] for word in words if word in places]
        found, ordered = functools.reduce(operator.or_, masks, 0), _in_order(masks, total)
        return _Found((found.bit_count() + ordered) / (2 * total), self._told(found, ordered, reply))

    def _places_of(self, words: Mapping[str, None]) -> Mapping[str, int]:
        """For each word that is in the reference or is spelt like one that is: its places there, as bits."""
        places = dict(self._places)
        spelt = words.keys() - FUNCTION_WORDS
        for word, bits in self._places.items():
            if not holds_digit(word):
                for other, _, _ in self._alike(word, spelt):
                    if not holds_digit(other):
                        places[other] = places.get(other, 0) | bits
        return places

    def _told(self, found: int, ordered: int, reply: str) -> str:
        has: list[str] = []
        lacks: list[str] = []
        for place, word in enumerate(self._words):
            (has if found >> place & 1 else lacks).append(word)
        order = "" if ordered == len(has) else ", not all in order"
        parts = [f"has {', '.join(has) or 'none of the words'}{order}"]
        if lacks:
            parts.append(f"lacks {', '.join(lacks)}")
        return f"{'; '.join(parts)}: {shown(reply)}"


def _letters_in(text: str) -> list[str]:
    """What stands between everything that is neither a letter nor a digit; a contraction is one word."""
    if text.isascii() and "'" not in text:
        return text.translate(_SPACED).split()
    return [word.removesuffix("'s") for word in _LETTERS.findall(text)]


def _in_order(masks: Sequence[int], total: int) -> int:
    """The length of the longest run of the reference's words in order, by the places at which each word stands in it.

    The bit-parallel longest common subsequence of Hyyrö (2004).
    """
    everything = (1 << total) - 1
    rest = everything
    for mask in masks:
        common = rest & mask
        rest = ((rest + common) | (rest - common)) & everything
    return total - rest.bit_count()


class _Ratio:
    """How alike the characters of a reference and a reply are."""

    def __init__(self, reference: str) -> None:
        self._reference = folded(reference).strip()
        if not self._reference:
            raise ValueError("reference: a text that can be seen is needed")

    def of(self, reply: str) -> _Found:
        from rapidfuzz import fuzz  # noqa: PLC0415 - as above

        score = fuzz.ratio(self._reference, folded(reply).strip()) / 100
        return _Found(score, f"it said {shown(reply)}")
