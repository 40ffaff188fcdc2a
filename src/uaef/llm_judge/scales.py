"""Scales: what a judge may answer, and how the answer becomes a score.

Each scale says it twice, as a JSON schema for providers that keep to one and as a reading that relies on nobody.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple, Protocol

from uaef.errors import MetricError

CANNOT_TELL = "cannot tell"
"""The answer of a judge who sees no way to decide. It is legal, and it is no score."""


class InvalidVerdictError(ValueError):
    """The answer is none that the scale allows."""


class Item(NamedTuple):
    """One thing to be judged for itself: a turn, an instruction, a criterion."""

    key: str
    text: str
    turn: int | None = None


class Reading(NamedTuple):
    """What an answer means: a score in [0, 1], or ``None`` for "cannot tell"; and its details."""

    score: float | None
    metadata: dict[str, object]


class Scale(Protocol):
    """One way to answer."""

    def schema(self, items: Sequence[Item], turns: Sequence[int]) -> dict[str, object]:
        """The JSON schema of the answer."""

    def words(self, items: Sequence[Item], turns: Sequence[int]) -> str:
        """The answer in words, for the prompt."""

    def read(self, answer: object, items: Sequence[Item], turns: Sequence[int]) -> Reading:
        """What ``answer`` means.

        Raises:
            InvalidVerdictError: it is none that this scale allows.
        """


class Range:
    """A number from ``low`` to ``high``; whole numbers only, unless the range is 0 to 1."""

    def __init__(self, low: int, high: int) -> None:
        self._low, self._high = low, high
        self._whole = (low, high) != (0, 1)

    def schema(self, items: Sequence[Item], turns: Sequence[int]) -> dict[str, object]:  # noqa: ARG002 - one number
        """A number in the range, or "cannot tell"."""
        kind = "integer" if self._whole else "number"
        return {"anyOf": [{"type": kind, "minimum": self._low, "maximum": self._high}, one_of(CANNOT_TELL)]}

    def words(self, items: Sequence[Item], turns: Sequence[int]) -> str:  # noqa: ARG002 - one number
        """The range in words."""
        return f'a {"whole " * self._whole}number from {self._low} to {self._high}, or "{CANNOT_TELL}"'

    def read(self, answer: object, items: Sequence[Item], turns: Sequence[int]) -> Reading:  # noqa: ARG002 - one number
        """The number, brought to [0, 1]; what was said stays in ``raw_score``."""
        number = self.number(answer)
        if number is None:
            return Reading(None, {})
        score = (number - self._low) / (self._high - self._low)
        return Reading(score, {"raw_score": number} if self._whole else {})

    def number(self, answer: object) -> int | float | None:
        """The number as it was said; ``None`` for "cannot tell"."""
        if answer == CANNOT_TELL:
            return None
        number = _number(answer, whole=self._whole)
        if not self._low <= number <= self._high:
            raise InvalidVerdictError(f"{number} is not between {self._low} and {self._high}")
        return number


class YesNo:
    """Yes or no."""

    def schema(self, items: Sequence[Item], turns: Sequence[int]) -> dict[str, object]:  # noqa: ARG002 - one word
        """One of the words."""
        return one_of("yes", "no", CANNOT_TELL)

    def words(self, items: Sequence[Item], turns: Sequence[int]) -> str:  # noqa: ARG002 - one word
        """The words."""
        return f'"yes", "no" or "{CANNOT_TELL}"'

    def read(self, answer: object, items: Sequence[Item], turns: Sequence[int]) -> Reading:  # noqa: ARG002 - one word
        """1 or 0, with the original 0 or 1 in ``raw``."""
        decided = _yes_no(answer)
        return Reading(None, {}) if decided is None else Reading(float(decided), {"raw": int(decided)})


class Items:
    """A verdict for each item; the score is the share of yes among those that could be decided."""

    def schema(self, items: Sequence[Item], turns: Sequence[int]) -> dict[str, object]:
        """An object with one required property an item, so that none can be left out."""
        return _object({item.key: self._item(item, turns) for item in items})

    def words(self, items: Sequence[Item], turns: Sequence[int]) -> str:
        """The object in words."""
        answer = f'"yes", "no" or "{CANNOT_TELL}"'
        if any(_spans_turns(item, turns) for item in items):
            answer = f'{{"verdict": {answer}, "broken_in_turns": [numbers of turns, none unless "no"]}}'
        return f"an object that gives each item, under the item's own key, {answer}"

    def read(self, answer: object, items: Sequence[Item], turns: Sequence[int]) -> Reading:
        """The share of yes; the items that were not met, and the turns where they were not."""
        if not isinstance(answer, Mapping) or set(answer) != {item.key for item in items}:
            raise InvalidVerdictError(
                f"the items {', '.join(i.key for i in items)} each need an answer, and no others"
            )
        verdicts = {item: self._read_item(answer[item.key], item, turns) for item in items}
        judged = {item: verdict for item, verdict in verdicts.items() if verdict[0] is not None}
        missed = {item: broken for item, (met, broken) in judged.items() if met is False}
        metadata: dict[str, object] = {
            "items": {item.key: _word(met) for item, (met, _) in verdicts.items()},
            "missed": [item.text for item in missed],
            "n_judged": len(judged),
        }
        if turns:
            metadata["out_of_character_turns"] = sorted({turn for broken in missed.values() for turn in broken})
        return Reading((len(judged) - len(missed)) / len(judged) if judged else None, metadata)

    @staticmethod
    def _item(item: Item, turns: Sequence[int]) -> dict[str, object]:
        if not _spans_turns(item, turns):
            return YesNo().schema((), ())
        broken = {"type": "array", "items": {"type": "integer", "enum": list(turns)}}
        kept = {"verdict": one_of("yes", CANNOT_TELL), "broken_in_turns": {**broken, "maxItems": 0}}
        missed = {"verdict": one_of("no"), "broken_in_turns": {**broken, "minItems": 1}}
        return {"anyOf": [_object(kept), _object(missed)]}

    @staticmethod
    def _read_item(answer: object, item: Item, turns: Sequence[int]) -> tuple[bool | None, Sequence[int]]:
        if not _spans_turns(item, turns):
            return _yes_no(answer), () if item.turn is None else (item.turn,)
        if not isinstance(answer, Mapping) or set(answer) != {"verdict", "broken_in_turns"}:
            raise InvalidVerdictError(f"{item.key} needs a verdict and broken_in_turns")
        met, broken = _yes_no(answer["verdict"]), answer["broken_in_turns"]
        if not isinstance(broken, list):
            raise InvalidVerdictError(f"{item.key}: broken_in_turns must be a list, got {broken!r}")
        numbers = [int(_number(number, whole=True)) for number in broken]
        if not set(numbers) <= set(turns):
            raise InvalidVerdictError(f"{item.key}: broken_in_turns must hold numbers of turns, got {broken!r}")
        if (met is False) is not bool(numbers):
            raise InvalidVerdictError(f'{item.key}: broken_in_turns names turns where the verdict is "no", else none')
        return met, numbers


def _spans_turns(item: Item, turns: Sequence[int]) -> bool:
    """Whether the item is about several turns, so that the answer must say in which it was not met."""
    return bool(turns) and item.turn is None


class Count:
    """How many turns would have done; the score is that count / the turns it took, at most 1."""

    def schema(self, items: Sequence[Item], turns: Sequence[int]) -> dict[str, object]:
        """A whole number of at least 1."""
        return _COUNTED.schema(items, turns)

    def words(self, items: Sequence[Item], turns: Sequence[int]) -> str:
        """The count in words."""
        return _COUNTED.words(items, turns)

    def read(self, answer: object, items: Sequence[Item], turns: Sequence[int]) -> Reading:  # noqa: ARG002 - one number
        """The share, with both counts."""
        count, actual = _COUNTED.number(answer), max(1, len(turns))
        if count is None:
            return Reading(None, {})
        return Reading(min(1.0, count / actual), {"optimum_turns": count, "actual_turns": actual})


_COUNTED = Range(1, 1000)
_RANGE = re.compile(r"(\d+)-(\d+)")


@functools.cache
def scale_of(name: str) -> Scale:
    """The scale called ``name``: ``"0-1"``, ``"1-5"`` or any other range, ``"yes/no"``, ``"items"``, ``"count"``.

    Raises:
        MetricError: there is none.
    """
    fixed: dict[str, Scale] = {"yes/no": YesNo(), "items": Items(), "count": Count()}
    if name in fixed:
        return fixed[name]
    span = _RANGE.fullmatch(name)
    if span and int(span[1]) < int(span[2]):
        return Range(int(span[1]), int(span[2]))
    raise MetricError(f"A rubric's scale is a range such as 0-1 or 1-5, yes/no, items or count; got {name!r}.")


def _number(answer: object, *, whole: bool) -> int | float:
    if isinstance(answer, bool) or not isinstance(answer, int | float):
        raise InvalidVerdictError(f"{answer!r} is no number")
    if not whole:
        return answer
    if answer != answer // 1:  # nor is infinity
        raise InvalidVerdictError(f"{answer!r} is no whole number")
    return int(answer)  # to JSON, 4.0 is as whole as 4


def _yes_no(answer: object) -> bool | None:
    if answer not in ("yes", "no", CANNOT_TELL):
        raise InvalidVerdictError(f"{answer!r} is none of yes, no, {CANNOT_TELL}")
    return None if answer == CANNOT_TELL else answer == "yes"


def _word(met: bool | None) -> str:  # noqa: FBT001 - the three answers themselves
    return CANNOT_TELL if met is None else "yes" if met else "no"


def one_of(*words: str) -> dict[str, object]:
    """The schema of a choice of words; not every provider takes one without its type."""
    return {"type": "string", "enum": list(words)}


def _object(properties: Mapping[str, object]) -> dict[str, object]:
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(properties),
        "additionalProperties": False,
    }
