"""One run as it is compared: its conversations, each with its turns, and what was measured in each trial."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, TypeAlias

from uaef.errors import DataError
from uaef.evaluation.required import Required
from uaef.models.identity import TurnKey
from uaef.models.measurement import Measurement
from uaef.models.results import EvaluationResult
from uaef.runs.records import StoredRun

Place: TypeAlias = tuple[int, ...]
"""The numbers of the turns of a window; empty for the whole of several turns."""


class Trial(NamedTuple):
    """One trial of a conversation: what was measured, by place and metric, and what it has to be."""

    result: EvaluationResult
    measured: Mapping[Place, Mapping[str, Measurement]]
    errors: Mapping[int, str]
    """How the agent failed, by turn."""
    required: Required


@dataclass(frozen=True)
class Side:
    """One conversation of a run."""

    name: str
    trials: list[Trial]
    keys: Mapping[int, TurnKey]
    """What each turn is known by; empty where it was recorded, and not played from a case."""
    is_lost: bool
    """Whether nothing is known of its turns, because it could not even be evaluated."""

    @cached_property
    def numbers(self) -> list[int]:
        """The turns that were evaluated in some trial, in order."""
        return sorted({n for trial in self.trials for n in numbers_of(trial.result)})

    @cached_property
    def places(self) -> list[Place]:
        """Every window on which something was measured, the turns in order and the whole last."""
        turns = {place for trial in self.trials for place in trial.measured}
        turns |= {(number,) for trial in self.trials for number in trial.errors}
        return sorted(turns, key=lambda place: (not place, place))

    def tags(self, place: Place) -> tuple[str, ...]:
        """The cohorts of a window."""
        return next(filter(None, (tags_of(trial.result, place) for trial in self.trials)), ())

    def user(self, number: int) -> str | None:
        """What the user said at a turn."""
        for trial in self.trials:
            conversation = trial.result.conversation
            for turn in () if conversation is None else conversation:
                if turn.numbers[0] == number:
                    return turn.question
        return None


def sides(run: StoredRun) -> dict[str, Side]:
    """The conversations of a run by name, in its order.

    Raises:
        DataError: the same trial of a conversation is in it twice.
    """
    found: dict[str, dict[int, EvaluationResult]] = {}
    for item in run.items:
        trials = found.setdefault(item.name, {})
        if item.trial in trials:
            raise DataError(
                f"Run {run.info.run_id!r} holds {item.name!r} twice (trial {item.trial}): two conversations of one "
                "name cannot be told apart. Give each a name of its own."
            )
        trials[item.trial] = item
    return {name: _side(name, [trials[number] for number in sorted(trials)]) for name, trials in found.items()}


def _side(name: str, results: list[EvaluationResult]) -> Side:
    keys = next((result.turn_keys for result in results if result.turn_keys), [])
    return Side(
        name=name,
        trials=[_trial(result) for result in results],
        keys=dict(enumerate(keys, 1)),
        is_lost=all(result.conversation is None and not result.measurements for result in results),
    )


def _trial(result: EvaluationResult) -> Trial:
    measured: dict[Place, dict[str, Measurement]] = {}
    for m in result.measurements:
        measured.setdefault(place_of(m), {})[m.metric] = m
    return Trial(result, measured, dict(_errors(result)), Required(result.claims, result.measurements))


def place_of(m: Measurement) -> Place:
    """The window of a measurement; of a conversation of one turn, that turn."""
    return () if m.whole and len(m.turns) != 1 else m.turns


def tags_of(result: EvaluationResult, place: Place) -> tuple[str, ...]:
    """The cohorts of a window, whether anything was measured on it or not."""
    conversation = result.conversation
    if conversation is None:
        return next((m.tags for m in result.measurements if place_of(m) == place), ())
    at = [i for i, turn in enumerate(conversation.turns) if not place or turn.number in place]
    return conversation[at[0] : at[-1] + 1].tags if at else ()


def _errors(result: EvaluationResult) -> Iterator[tuple[int, str]]:
    for turn in () if result.conversation is None else result.conversation.turns:
        if turn.error is not None:
            yield turn.number, turn.error


def numbers_of(result: EvaluationResult) -> set[int]:
    """The turns that were evaluated: of a narrowed run, those that were wanted."""
    measured = {n for m in result.measurements if len(m.turns) == 1 for n in m.turns}
    shown = result.conversation.numbers if result.conversation is not None else ()
    return measured | set(shown) | set(result.turns_passed)
