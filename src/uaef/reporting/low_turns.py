"""Which turns are below their bars, and what is said of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from operator import attrgetter
from typing import NamedTuple

from uaef.models.results import EvaluationResult
from uaef.models.turns import Turn
from uaef.reporting.cells import Bars
from uaef.reporting.gaps import named_turns
from uaef.reporting.plain import brief
from uaef.reporting.rows import Note, State

_OTHERS = 3
"""How many turns are explained beside the one to look at, and ..."""
_LONGEST = 76
"""... in how many characters each, which is one line of a report."""


class Low(NamedTuple):
    """One number that is below its bar."""

    score: float
    what: str
    """``<metric> <score>``, as it is shown."""
    why: str


class LowTurns(NamedTuple):
    """The turns of a result that are below their bars.

    Attributes:
        turn: the one to look at: the first; of a conversation that passed, the one with the lowest score.
        label: what it is called; empty if there is none.
        state: how bad it is.
        found: every turn with what is too low in it, the lowest score first.
    """

    turn: int | None
    label: str
    state: State
    found: Mapping[int, Sequence[Low]]

    @property
    def texts(self) -> list[str]:
        """What is too low in the turn to look at: ``<metric> <score>: <reason>``."""
        return [] if self.turn is None else [f"{low.what}: {low.why}" for low in self.found.get(self.turn, ())]

    def notes(self) -> Iterator[Note]:
        """The turn to look at in full, the lowest of the others in a line each, and which others there are."""
        yield from (Note(self.label, [text], self.state) for text in self.texts)
        others = [turn for turn in self.found if turn != self.turn]
        lowest = sorted(others, key=lambda turn: self.found[turn][0].score)[:_OTHERS]
        for turn in sorted(lowest):
            first, *more = self.found[turn]
            text = "; ".join([f"{first.what}: {first.why}", *(low.what for low in more)])
            yield Note(f"turn {turn} also below", [brief(text, _LONGEST)], self.state)
        rest = [turn for turn in others if turn not in lowest]
        if rest:
            yield Note("also below", [named_turns(rest)], self.state)


def _failed(result: EvaluationResult) -> list[tuple[int, str]]:
    """The turn at which the agent failed first, and how; the turns after it may not even have been played."""
    turns = result.conversation.turns if result.conversation is not None else ()
    failed = [turn for turn in turns if turn.error is not None][:1]
    return [(turn.number, f"{turn.error}{_place(turn)}") for turn in failed]


def _place(turn: Turn) -> str:
    at = turn.trace.metadata.get("error_at")
    return f" ({at})" if at else ""


def low_turns(result: EvaluationResult, labels: Mapping[str, str]) -> LowTurns:
    """The turns of ``result`` that are below their bars; ``labels``: what the report calls a metric, by its key."""
    bars = Bars(result)
    found = {turn: [Low(-1.0, "the agent failed", error)] for turn, error in _failed(result)}
    for m in result.measurements:
        number = bars.cell(m)
        if len(m.turns) == 1 and m.score.score is not None and number.state is State.LOW:
            low = Low(m.score.score, f"{labels[m.metric]} {number.text}", m.score.reasoning or "no reason was given")
            found.setdefault(m.turns[0], []).append(low)
    by_turn = {turn: sorted(found[turn], key=attrgetter("score")) for turn in sorted(found)}
    if result.passed:
        weakest = min(by_turn, key=lambda turn: by_turn[turn][0].score, default=None)
        return LowTurns(weakest, "" if weakest is None else f"weakest turn {weakest}", State.PLAIN, by_turn)
    broken = result.broken_turn
    return LowTurns(broken, "" if broken is None else f"turn {broken} broke", State.LOW, by_turn)
