"""Negation: which words a text denies, and which it affirms."""

from __future__ import annotations

import re
from typing import NamedTuple

from uaef.text.words import FUNCTION_WORDS, plain, stem, words_in

_NEGATOR = "not no never none nothing neither nor cannot without unable"
_NEGATORS = frozenset(_NEGATOR.split())
_CLAUSE_END = re.compile(r"[.;:!?,()\n]+(?!\d)|\b(?:but|however|although|though|because|which|who|that|only)\b")
_REACH = 3


class Polarity(NamedTuple):
    """The stems of the content words of a text by how they stand there; one may be in both."""

    affirmed: frozenset[str]
    denied: frozenset[str]


def polarity_of(text: str) -> Polarity:
    """Which words a text affirms and which it denies: the three content words after a negation, within its clause."""
    affirmed: set[str] = set()
    denied: set[str] = set()
    for clause in _CLAUSE_END.split(plain(text)):
        reach = 0
        for word in words_in(clause):
            if word in _NEGATORS or word.endswith("n't"):
                reach = _REACH
            elif word not in FUNCTION_WORDS:
                (denied if reach else affirmed).add(stem(word))
                reach = max(0, reach - 1)
    return Polarity(frozenset(affirmed), frozenset(denied))


def contradicted(said: Polarity, evidence: Polarity) -> list[str]:
    """The stems that one side only affirms and the other only denies, in the order of the alphabet."""
    turned = (said.affirmed - said.denied) & (evidence.denied - evidence.affirmed)
    denied = (said.denied - said.affirmed) & (evidence.affirmed - evidence.denied)
    return sorted(turned | denied)
