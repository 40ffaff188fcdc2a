"""How a run is played and taken together: the options, checked before anything is spent."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from uaef.agents import History
from uaef.agents.asking import NextTurn
from uaef.agents.playing import ATTEMPTS, CONCURRENCY, TURN_TIMEOUT_S
from uaef.errors import EvalConfigError, UnknownNameError
from uaef.evaluation.claims import is_number
from uaef.runs.results import Trials
from uaef.runs.run import OnItem

BOTH = "both"
_ON_FAILURE = ("stop", "continue")


@dataclass(frozen=True, slots=True, kw_only=True)
class RunOptions:
    """The options of a run.

    Attributes:
        history: a policy by name, ``both``, or ``None`` for the one that fits each kind of data.
        concurrency: how many conversations are played at once, and how many calls of the agent are under way.
        repeat: how many trials each conversation has; ``None`` is as many as its dataset says, else 1.
        trials: how they are taken together.
        turn_timeout_s: seconds that the agent may take for a turn; ``None`` is no limit.
        attempts: how often a turn is asked at most where the agent says that its error is transient.
        on_turn_failure: ``stop`` or ``continue``; ``None`` is what fits the history.
        target_options: handed to the agent; ``memory.resource`` is whose conversations they are.
        next_turn: gives the next turn of a case, given those that were played; ``None`` asks what the case lists.
        on_item_complete: called with each conversation's result as it is there.

    Raises:
        EvalConfigError: a value cannot be; naming the option.
    """

    history: str | None = None
    concurrency: int = CONCURRENCY
    repeat: int | None = None
    trials: str = Trials.ALL
    turn_timeout_s: float | None = TURN_TIMEOUT_S
    attempts: int = ATTEMPTS
    on_turn_failure: str | None = None
    target_options: Mapping[str, object] = field(default_factory=lambda: MappingProxyType({}))
    next_turn: NextTurn | None = None
    on_item_complete: OnItem | None = None

    def __post_init__(self) -> None:
        """Refuse what cannot be."""
        for name in ("concurrency", "repeat", "attempts"):
            value = getattr(self, name)
            if value is not None and (type(value) is not int or value < 1):
                raise EvalConfigError(f"{name} must be a whole number of at least 1, got {value!r}.")
        timeout = self.turn_timeout_s
        if timeout is not None and (not is_number(timeout) or timeout <= 0):
            raise EvalConfigError(f"turn_timeout_s must be a number of seconds above 0, got {timeout!r}.")
        _check("history", self.history, (*History, BOTH))
        _check("trials", self.trials, tuple(Trials))
        _check("on_turn_failure", self.on_turn_failure, _ON_FAILURE)
        if not isinstance(self.target_options, Mapping):
            raise EvalConfigError(f"target_options is a dict, got {self.target_options!r}.")
        for name in ("next_turn", "on_item_complete"):
            value = getattr(self, name)
            if value is not None and not callable(value):
                raise EvalConfigError(f"{name} must be a function, got {value!r}.")


def replayed(options: RunOptions) -> RunOptions:
    """The options for playing something once more: one trial, of which nobody is told."""
    return replace(options, repeat=1, on_item_complete=None)


def _check(option: str, value: object, known: tuple[str, ...]) -> None:
    if value is not None and value not in known:
        raise EvalConfigError(str(UnknownNameError(option, str(value), known)))
