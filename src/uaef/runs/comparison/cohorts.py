"""Cohorts: which turns belong together, by tag, position, depth, conversation, dataset or a key of their metadata."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from uaef.errors import UsageError
from uaef.models.names import stretch
from uaef.models.results import EvaluationResult
from uaef.runs.comparison.sides import Place
from uaef.runs.records import CASE_METADATA

ALL = "all"
WHOLE = "whole"
"""The position of what was measured of a conversation, not of a turn."""
UNTAGGED = "untagged"
KINDS = ("turn", "depth", "tag", "conversation", "dataset")
_DEPTHS = ((1, "1"), (3, "2-3"), (6, "4-6"))
_DEEPEST = "7+"
_COMMA = re.compile(r"(?<!\\),")
_LONGEST_NUMBER = 9


class Where(NamedTuple):
    """What a window is known by."""

    conversation: str
    place: Place
    tags: Sequence[str] = ()
    dataset: str = ""
    metadata: Mapping[str, object] = {}


class Cohort(NamedTuple):
    """How windows are grouped (``tag``), or one such group (``tag:returns``)."""

    kind: str
    value: str | None = None

    def labels(self, where: Where) -> list[str]:
        """The groups that a window belongs to: ``tag:returns``, ``tag:vip``; none if it belongs to none."""
        found = list(dict.fromkeys(f"{self.kind}:{_plain(value)}" for value in _values(self.kind, where)))
        return found if self.value is None else [label for label in found if label == str(self)]

    def __str__(self) -> str:
        return self.kind if self.value is None else f"{self.kind}:{self.value}"


def cohorts(by: Iterable[str | Cohort]) -> list[Cohort]:
    """The cohorts named by texts, each with one or several, separated by commas: ``turn,tag:returns``.

    A comma that belongs to a value has a backslash before it. What is a cohort already is one, whatever it holds.

    Raises:
        UsageError: a text names none.
    """
    found = [[each] if isinstance(each, Cohort) else map(cohort, separated(each)) for each in by]
    return list(dict.fromkeys(group for groups in found for group in groups))


def separated(text: str) -> list[str]:
    """The names in a list that is separated by commas."""
    return [name.strip().replace(r"\,", ",") for name in _COMMA.split(text)]


def cohort(name: str) -> Cohort:
    """The one cohort that ``name`` stands for: ``turn``, ``tag:returns``, or a key of the metadata, ``plan:gold``.

    Raises:
        UsageError: it stands for none.
    """
    kind, colon, value = name.partition(":")
    kind, value = kind.strip(), _plain(value)
    if not kind or (colon and not value):
        raise UsageError(
            f"A cohort is one of {', '.join(KINDS)} or a key of the metadata, alone or with a value (tag:returns); "
            f"got {name!r}."
        )
    if kind == "turn" and value and value != WHOLE:
        value = _number(value, name)
    if kind == "depth" and value and value not in (*(label for _, label in _DEPTHS), _DEEPEST):
        labels = ", ".join(label for _, label in _DEPTHS)
        raise UsageError(f"The cohort {name!r} is no depth; there are {labels} and {_DEEPEST}.")
    return Cohort(kind, value or None)


def _number(value: str, name: str) -> str:
    """The number of a turn, as labels write it: ``03`` is the third, too."""
    if not (value.isdecimal() and len(value) <= _LONGEST_NUMBER and int(value) > 0):
        raise UsageError(f"The cohort {name!r} is no turn: write turn:3 for the third.")
    return str(int(value))


def _plain(value: str) -> str:
    """A value as it is compared: without what nobody sees, blanks around it and how an accent is put together."""
    return unicodedata.normalize("NFC", value).strip()


def _values(kind: str, where: Where) -> list[str]:
    is_turn = len(where.place) == 1
    known: dict[str, list[str]] = {
        "turn": [stretch(where.place) if where.place else WHOLE],
        "depth": [depth(where.place[0])] if is_turn else [],
        "tag": list(dict.fromkeys(where.tags)) or [UNTAGGED],
        "conversation": [where.conversation],
        "dataset": [where.dataset] if where.dataset else [],
    }
    if kind in known:
        return known[kind]
    value = where.metadata.get(kind)
    if value is None:
        return []
    return [str(each) for each in value] if isinstance(value, list | tuple) else [str(value)]


def depth(number: int) -> str:
    """How deep in a conversation a turn is: ``1``, ``2-3``, ``4-6``, ``7+``."""
    return next((label for last, label in _DEPTHS if number <= last), _DEEPEST)


def metadata_of(result: EvaluationResult, place: Place) -> dict[str, object]:
    """What is known of a window beside its tags: of its conversation, its recording, and the turn, the last first."""
    case = result.metadata.get(CASE_METADATA)
    known = case if isinstance(case, Mapping) else {}
    found: dict[str, object] = dict(_mapping(known.get("conversation")))
    if len(place) == 1:
        turns = () if result.conversation is None else result.conversation.turns
        for turn in turns:
            if turn.number == place[0]:
                found |= turn.trace.metadata
        found |= _mapping(_mapping(known.get("turns")).get(str(place[0])))
    return found


def _mapping(value: object) -> Mapping[str, object]:
    return value if isinstance(value, Mapping) else {}
