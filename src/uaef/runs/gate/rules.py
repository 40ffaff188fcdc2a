"""The rules of a gate, in one language for the command line, ``[tool.uaef.gate]`` and Python."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping
from enum import StrEnum
from typing import TypeVar

from uaef.errors import UnknownNameError, UsageError
from uaef.evaluation.claims import bounds
from uaef.models.base import Record
from uaef.runs.comparison.cohorts import ALL, KINDS, cohort

REPLAYS = 3
PASS_RATE = "pass_rate"  # noqa: S105 - no password
_MOST_REPLAYS = 100
_VALUES = {"turn": "3", "depth": "2-3"}
_DELIMITER = re.compile(r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|[()]""", re.DOTALL)
"""A text in quotes, in which nothing is one, or a bracket."""
_Rule = TypeVar("_Rule")


class RuleError(UsageError):
    """A rule that is none: ``key`` says under which name it was given, and ``sentence`` what is wrong with it."""

    def __init__(self, key: str, sentence: str) -> None:
        self.key, self.sentence = key, sentence
        super().__init__(f"{key}: {sentence}")


class Trigger(StrEnum):
    """What of a comparison misses a gate."""

    REGRESSION = "regression"
    """A fall that is beyond chance."""
    CONFIRMED = "confirmed"
    """A turn that passed, fails, and fails again whenever it is played anew."""
    ANY = "any"
    """Any measurement that passed and does not: noisy."""


class FailOn(Record, frozen=True):
    """A rule on a comparison; ``replays``: how often a suspect is played anew, at least, for ``confirmed``."""

    trigger: Trigger
    replays: int = REPLAYS

    def __str__(self) -> str:
        return f"{self.trigger}:{self.replays}" if self.trigger is Trigger.CONFIRMED else str(self.trigger)


class Floor(Record, frozen=True):
    """The least that will do.

    Attributes:
        what: a metric by name or key, or ``pass_rate``.
        at_least: in [0, 1].
        cohort: the turns it is about: ``tag:returns``; ``None`` is everything.
    """

    what: str
    at_least: float
    cohort: str | None = None

    def __str__(self) -> str:
        about = f"@{self.cohort}" if self.cohort else ""
        return f"{self.what}{about} {bounds(self.at_least, 1.0)}"


class Gate(Record, frozen=True):
    """What a run has to be.

    Attributes:
        fail_on: the rules on its comparison.
        floors: the least that its numbers may be.
        max_failed_judgements: how many measurements may fail; ``None`` is no bound.
        require_baseline: whether there has to be a run to compare with.
    """

    fail_on: tuple[FailOn, ...] = ()
    floors: tuple[Floor, ...] = ()
    max_failed_judgements: int | None = None
    require_baseline: bool = False

    def __bool__(self) -> bool:
        return bool(self.fail_on or self.floors or self.max_failed_judgements is not None or self.require_baseline)

    @property
    def needs_reference(self) -> bool:
        """Whether a rule is about a comparison."""
        return bool(self.fail_on) or self.require_baseline

    @property
    def replays(self) -> int | None:
        """How often a suspect is to be played anew, at least; ``None`` where no rule asks for it."""
        return max((r.replays for r in self.fail_on if r.trigger is Trigger.CONFIRMED), default=None)


def gate(
    *,
    fail_on: Iterable[str] = (),
    min_pass_rate: Iterable[str] = (),
    minimum: Iterable[str] = (),
    max_failed_judgements: int | None = None,
    require_baseline: bool = False,
) -> Gate:
    """The gate that these texts describe.

    Args:
        fail_on: ``regression``, ``confirmed``, ``confirmed:5``, ``any``.
        min_pass_rate: ``0.9``, or of a cohort ``tag:returns=0.8``.
        minimum: ``METRIC=0.8``, or of a cohort ``METRIC@tag:returns=0.7``.
        max_failed_judgements: how many measurements may fail.
        require_baseline: whether there has to be a run to compare with.

    Raises:
        RuleError: a text says nothing of the kind; it names the text and what was expected.
    """
    if max_failed_judgements is not None and max_failed_judgements < 0:
        raise RuleError("max_failed_judgements", f"expected at least 0, got {max_failed_judgements}.")
    floors = [*_read("min_pass_rate", min_pass_rate, _pass_rate), *_read("min", minimum, _floor)]
    return Gate(
        fail_on=tuple(dict.fromkeys(_read("fail_on", fail_on, _fail_on))),
        floors=tuple({(f.what, f.cohort): f for f in floors}.values()),
        max_failed_judgements=max_failed_judgements,
        require_baseline=require_baseline,
    )


def _read(key: str, texts: Iterable[str], read: Callable[[str], _Rule]) -> list[_Rule]:
    try:
        return [read(text) for text in texts]
    except (UsageError, UnknownNameError) as error:
        raise RuleError(key, str(error)) from None


def _fail_on(text: str) -> FailOn:
    name, colon, times = text.strip().partition(":")
    if name not in set(Trigger):
        raise UnknownNameError("rule", name, Trigger)
    if not colon:
        return FailOn(trigger=Trigger(name))
    if name != Trigger.CONFIRMED or not (times.isdecimal() and 1 <= int(times) <= _MOST_REPLAYS):
        raise UsageError(
            f"only confirmed takes a number, that of re-plays, from 1 to {_MOST_REPLAYS}, like confirmed:3, got "
            f"{text!r}."
        )
    return FailOn(trigger=Trigger.CONFIRMED, replays=int(times))


def _pass_rate(text: str) -> Floor:
    about, equals, number = text.rpartition("=")
    if equals and not about.strip():
        raise UsageError(f"expected a number, or COHORT=NUMBER like tag:returns=0.8, got {text!r}.")
    is_of_all = not equals or about.strip() == ALL
    return Floor(what=PASS_RATE, at_least=_share(number), cohort=None if is_of_all else _single(about))


def _floor(text: str) -> Floor:
    about, equals, number = text.rpartition("=")
    what, group = split_cohort(about.strip())
    if not equals or not what:
        raise UsageError(f"expected METRIC=NUMBER, like accuracy=0.8 or accuracy@tag:returns=0.7, got {text!r}.")
    return Floor(what=what, at_least=_share(number), cohort=group)


def split_cohort(text: str) -> tuple[str, str | None]:
    """``accuracy@tag:returns`` as ``("accuracy", "tag:returns")``; an ``@`` in a metric's arguments stays there.

    So does one in the value: that of the cohort is the last before its first colon.

    Raises:
        UsageError: there is no such cohort, or it is none by itself.
    """
    end = _end_of_call(text)
    kind, colon, _ = text[end:].partition(":")
    at = kind.rfind("@")
    if at < 0 or not (colon or kind[at + 1 :].strip() in KINDS):
        return text, None
    return text[: end + at].strip(), _single(text[end + at + 1 :])


def _end_of_call(text: str) -> int:
    """Where the arguments of a metric end; 0 of one that has none."""
    if "(" not in text.partition("@")[0]:
        return 0
    depth = 0
    for found in _DELIMITER.finditer(text):
        depth += {"(": 1, ")": -1}.get(found[0], 0)
        if found[0] == ")" and depth == 0:
            return found.end()
    return text.rfind(")") + 1


def _single(name: str) -> str:
    """The cohort of this name, if it is a single one: a floor on all tags would be one on each."""
    found = cohort(name)
    if found.value is None:
        value = _VALUES.get(found.kind, "NAME")
        raise UsageError(f"{found.kind!r} is no single cohort, as a floor needs: write {found.kind}:{value}.")
    return str(found)


def _share(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not 0 <= number <= 1:
        raise UsageError(f"expected a number from 0 to 1, got {text.strip()!r}.")
    return number


def check(gate: Gate, *, metrics: Mapping[str, str], is_compared: bool, is_tested: bool) -> None:
    """Make sure, before anything is spent, that every rule can decide something.

    Args:
        gate: the rules.
        metrics: what will be measured: names by key.
        is_compared: whether the run will be laid beside another.
        is_tested: whether the extra ``stats`` is there.

    Raises:
        UsageError: a rule could not.
        UnknownNameError: a metric that will not be measured.
    """
    if gate.needs_reference and not is_compared:
        rule = str(gate.fail_on[0]) if gate.fail_on else "require_baseline"
        raise UsageError(
            f"The rule {rule} needs a run to compare with: say which with --compare or compare, like baseline, "
            "latest, a run or a file."
        )
    if not is_tested and any(rule.trigger is Trigger.REGRESSION for rule in gate.fail_on):
        raise UsageError("The rule regression needs statistics: pip install 'uaef[stats]'.")
    known = {*metrics, *metrics.values(), *(key.partition("(")[0] for key in metrics)}
    for floor in gate.floors:
        if floor.what != PASS_RATE and floor.what not in known:
            raise UnknownNameError("metric with a minimum", floor.what, known)
