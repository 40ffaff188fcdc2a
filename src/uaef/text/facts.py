"""Facts that a text either has or has not: numbers, identifiers, dates."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple, TypeAlias

from uaef.text.words import MONTHS, holds_digit, plain, words_in

_MONTH_NUMBERS = {name: number for number, name in enumerate(MONTHS.split(), 1)}
_MONTH_NUMBERS |= {name[:3]: number for name, number in _MONTH_NUMBERS.items()} | {"sept": 9}
_MONTH = rf"\b(?P<month>{'|'.join(sorted(_MONTH_NUMBERS, key=len, reverse=True))})\b\.?"
_DAY = r"(?<![\d:.,])(?P<day>[0-3]?\d)(?:st|nd|rd|th)?\b(?![:.,]\d)"
_YEAR = r"(?P<year>(?:19|20)\d\d)\b"
_DATES = (
    re.compile(rf"{_MONTH} {_DAY}(?:,? {_YEAR})?"),
    re.compile(rf"{_DAY}(?: of)? {_MONTH}(?:,? {_YEAR})?"),
    re.compile(rf"{_MONTH},? {_YEAR}"),
)
_SLASHED = re.compile(r"(?<![\d/])(\d{1,2})/(\d{1,2})(?:/(\d{4}))?(?![\d/])")
_TIME = re.compile(r"(?<!\d)(\d{1,2}):\d\d")
_MARKER = re.compile(r"^[ \t]{0,9}\d{1,3}[.)](?=\s)", re.MULTILINE)
_ORDINALS = "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth"
_SPELT = {"one": "1", **{word: str(value) for value, word in enumerate(_ORDINALS.split(), 1)}}
_NOON = 12


class Date(NamedTuple):
    """A day, or a month, as far as it was said."""

    year: int | None
    month: int
    day: int | None

    def __str__(self) -> str:
        parts = (self.year, self.month, self.day)
        return "-".join("??" if part is None else f"{part:02}" for part in parts)


Fact: TypeAlias = str | Date
"""A number or an identifier as a word (see ``uaef.text.words``), or a date."""


def facts_in(text: str) -> list[Fact]:
    """The facts that a text states, each once, in order; the numbers of a numbered list are none."""
    said = _MARKER.sub(" ", text)
    numbers = (word for word in words_in(said) if holds_digit(word))
    dates = dict.fromkeys(_dates(plain(said)))
    days = {date.month for date in dates if date.day is not None}
    return [*dict.fromkeys(numbers), *(date for date in dates if date.day is not None or date.month not in days)]


class KnownFacts:
    """The facts in some evidence, read generously, to look up others in.

    ``1`` is known from "first", ``3`` from "15:30", March 5 from "2024-03-05".
    """

    def __init__(self, evidence: str) -> None:
        said = plain(evidence)
        words = words_in(said)
        hours = {int(hour) for hour in _TIME.findall(said)}
        self._numbers = {word for word in words if holds_digit(word)}
        self._numbers |= {_SPELT[word] for word in words if word in _SPELT}
        self._numbers |= {str((hour + _NOON - 1) % (2 * _NOON) % _NOON + 1) for hour in hours}
        self._numbers |= {str((hour + _NOON) % (2 * _NOON)) for hour in hours}
        dates = {*_dates(said), *_slashed(said)}
        self._dates = {part for date in dates for part in _parts(date)}
        self._yearless = {date[1:] for date in dates if date.year is None}

    def has(self, fact: Fact) -> bool:
        """Whether the evidence states ``fact``; a date that it states without the year will do."""
        if isinstance(fact, Date):
            return fact in self._dates or fact[1:] in self._yearless
        return fact in self._numbers


def _dates(said: str) -> Iterator[Date]:
    for pattern in _DATES:
        for match in pattern.finditer(said):
            parts = match.groupdict()
            day = int(parts["day"]) if parts.get("day") else None
            yield Date(int(parts["year"]) if parts["year"] else None, _MONTH_NUMBERS[parts["month"]], day)


def _slashed(said: str) -> Iterator[Date]:
    """Dates such as 3/5/2024, both as March 5 and as May 3."""
    for one, other, year in _SLASHED.findall(said):
        for month, day in ((one, other), (other, one)):
            yield Date(int(year) if year else None, int(month), int(day))


def _parts(date: Date) -> Iterator[Date]:
    """Everything that ``date`` says: itself, without its year, without its day."""
    for year in {date.year, None}:
        for day in {date.day, None}:
            yield Date(year, date.month, day)
