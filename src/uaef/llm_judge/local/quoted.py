"""Criteria that only ask for words: ``mentions "30 days"``, ``does not say "guaranteed"``."""

from __future__ import annotations

import re
from typing import NamedTuple

from uaef.text.words import stems_in, words_in

_QUOTE = re.compile(
    "\"([^\"]+)\"|\u201c([^\u201d]+)\u201d|`([^`]+)`|\u00ab([^\u00bb]+)\u00bb|(?<!\\w)'([^']+)'(?!\\w)"
)
_HERE = "\0"
_SHAPE = re.compile(
    rf"(?P<before>[^{_HERE}]*){_HERE}(?P<between>(?:(?:,|and|or|\s)*{_HERE})*)[^\w{_HERE}]*", re.IGNORECASE
)
_SUBJECT = (
    "the its final it answer reply response assistant agent bot chatbot model should must shall will does do to"
)
_VERB = """mention mentions say says state states include includes contain contains give gives name names tell tells
    quote quotes cite cites list lists use uses write writes show shows"""
_DENIAL = "not never doesn't don't mustn't shouldn't won't"
_DOUBT = """no other only than instead without before after except unless if when most least exactly first either but
    any anything nothing everything"""
_SUBJECTS, _VERBS, _DENIALS = (frozenset(words.split()) for words in (_SUBJECT, _VERB, _DENIAL))
_DOUBTS = _DENIALS.union(_DOUBT.split())
"""After the verb, these make presence or absence the wrong question."""
_MOST_WORDS = 10


class Demand(NamedTuple):
    """What a criterion asks for.

    Attributes:
        quotes: the words in quotation marks.
        enough: whether one of them will do.
        denied: whether they must be absent instead.
    """

    quotes: list[str]
    enough: bool
    denied: bool

    def met_by(self, answer: str) -> bool:
        """Whether the answer has what is asked for, or lacks what is denied."""
        stems = f" {' '.join(stems_in(answer))} "
        found = [_stands_in(quote, answer, stems) for quote in self.quotes]
        if self.denied:
            return not any(found)
        return any(found) if self.enough else all(found)


def demand_of(criterion: str) -> Demand | None:
    """What the criterion asks for; ``None`` if it asks for more, or for something else, than quoted words."""
    quotes = ["".join(groups) for groups in _QUOTE.findall(criterion)]
    shape = _SHAPE.fullmatch(_QUOTE.sub(_HERE, criterion.replace(_HERE, " ")))
    if shape is None:
        return None
    joins = set(re.findall("and|or", shape["between"].lower()))
    before = words_in(shape["before"])
    verb = next((place for place, word in enumerate(before) if word in _VERBS), None)
    if len(joins) > 1 or len(before) > _MOST_WORDS or (verb is None and before):
        return None
    subject, rest = (before[:verb], before[verb + 1 :]) if verb is not None else ([], [])
    denials = sum(word in _DENIALS for word in subject)
    if denials > 1 or _DOUBTS.intersection(rest) or set(subject) - _SUBJECTS - _DENIALS:
        return None
    return Demand(quotes, enough=joins == {"or"}, denied=bool(denials))


def _stands_in(quote: str, answer: str, answer_stems: str) -> bool:
    """Whether the quoted words occur one after the other; what has no words has to occur as it is."""
    wanted = " ".join(stems_in(quote))
    return f" {wanted} " in answer_stems if wanted else quote.casefold() in answer.casefold()
