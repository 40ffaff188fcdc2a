"""Slots: what assistants ask users for, how to tell that they ask, and how to tell that they were told."""

from __future__ import annotations

import re
from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from typing import NamedTuple

from uaef.text.sentences import sentences_in

_REQUEST = re.compile(
    r"\b(?:(?:provide|share|give|tell|send|enter|specify)(?: me| us)?(?: with)?"
    r"|(?:may|can|could) i (?:please )?(?:have|get)|what(?:'s| is| was| are)|need)(?: both)?"
    r" (?:your|the)\b(?P<wanted>[^.?!;:\n]{0,60})"
)
_PURPOSE = re.compile(r"\b(?:once|when|if|using|which|so|to|for|of the|that)\b.*")
_WITH_REASON = re.compile(
    r"\b(?:another|other|new|different|next|second|additional|else|instead|changed?|confirm|verify|correct|again"
    r"|once|already)\b"
)
"""In a request: it is for something else than what was given, or knows that it was."""
_FAILED = re.compile(
    r"\b(?:(?:no|not|cannot|can't|couldn't|unable to|doesn't|didn't|isn't|wasn't)\s(?:\w+\s){0,4}?"
    r"(?:find|found|locate|match\w*|exist|valid|correct|work|recogni[sz]ed)|invalid|incorrect|wrong|double-check)\b"
)
_BULLET = re.compile(r"[-*\u2022]|\d{1,2}[.)]")

_LINK = r"(?:,? ?(?:which )?(?:is|are|was|will be)\b|:|,|=)? ?[\"'#(]?"
_CODE = r"\b(?:(?=[\w-]{0,29}\d)[\w-]{3,30}|[A-Z]{5,12})\b"
_EMAIL = r"[\w.+-]{1,64}@[\w-]{1,64}\.\w{2,}"
_PHONE = r"\+?\d[\d ().-]{5,15}\d"
_MONTH = r"(?i:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}\.?"
_DAY = (
    rf"\b(?:\d{{4}}-\d\d-\d\d|\d{{1,2}}[/.]\d{{1,2}}|{_MONTH} \d{{1,2}}|\d{{1,2}}(?:st|nd|rd|th)?(?: of)? {_MONTH}"
    r"|(?i:today|tomorrow|(?:mon|tues|wednes|thurs|fri|satur|sun)day))\b"
)
_ONLY_A_NAME = r"^\W*(?:(?i:it's|it is|i'm|i am|this is) )?[A-Z]\w+(?: [A-Z]\w+){0,2}\W*$"
_NUMBERED = "order booking reservation confirmation tracking ticket case invoice account customer user member policy"
_DATED = "travel departure return arrival check-in check-out appointment delivery purchase"


class Slot(NamedTuple):
    """A fact of the user's that assistants ask for.

    Attributes:
        name: what it is called.
        asked: what a request for it contains, in lower case.
        given: how users state it, asked or not.
        answer: what an answer to the request contains.
    """

    name: str
    asked: re.Pattern[str]
    given: re.Pattern[str]
    answer: re.Pattern[str]


def _slot(name: str, asked: str, value: str, told: str = "") -> Slot:
    given = told or rf"(?i:\b(?:{asked}){_LINK}){value}"
    return Slot(name, re.compile(rf"\b(?:{asked})\b"), re.compile(given), re.compile(value))


def _number(kind: str) -> Slot:
    noun = r"(?:number|id|code|no\.?)"
    told = rf"(?i:\b{kind}(?:'s)?(?: (?:with (?:the )?)?{noun})?{_LINK}){_CODE}"
    return _slot(f"{kind} number", rf"{kind}(?:'s)? {noun}s?", _CODE, told)


SLOTS = (
    *map(_number, _NUMBERED.split()),
    *(_slot(f"{kind} date", rf"{kind} dates?|date of {kind}", _DAY) for kind in _DATED.split()),
    _slot("date of birth", "date of birth|birth ?date", _DAY),
    _slot("email address", "e-?mail(?: address)?", _EMAIL, _EMAIL),
    _slot("phone number", "(?:phone|mobile|telephone) number", _PHONE),
    _slot("postal code", "(?:zip|postal|post) ?code", r"\b\d{4,6}\b"),
    _slot("name", "(?:full |first |last )?name", _ONLY_A_NAME, r"(?i:\bmy (?:\w+ )?name is|\bname:) [A-Z]\w+"),
)


def slots_asked_for(reply: str) -> list[Slot]:
    """The slots that a reply asks for; none if it says that what was given was wrong."""
    said = reply.lower().replace("\u2019", "'")
    if _FAILED.search(said):
        return []
    wanted = "\n".join(_wanted(said))
    return [slot for slot in SLOTS if slot.asked.search(wanted)]


def slots_given(text: str, pending: AbstractSet[str]) -> set[str]:
    """The names of the slots that a user's text fills.

    Args:
        text: what the user said.
        pending: the names of the slots that the assistant has just asked for. A bare value goes to one that was
            asked for alone.
    """
    given = {slot.name for slot in SLOTS if slot.given.search(text)}
    alone = [slot for slot in SLOTS if slot.name in pending] if len(pending) == 1 else []
    return given | {slot.name for slot in alone if slot.answer.search(text)}


def _wanted(said: str) -> Iterator[str]:
    """What a reply asks for, in its words; a request that ends in a colon goes on in the list below it."""
    listing = False
    for sentence in sentences_in(said):
        if listing and _BULLET.match(sentence):
            yield "" if _WITH_REASON.search(sentence) else sentence
            continue
        request = None if _WITH_REASON.search(sentence) else _REQUEST.search(sentence)
        if request:
            yield _PURPOSE.sub("", request["wanted"])
        listing = sentence.endswith(":") and "provide" in sentence
