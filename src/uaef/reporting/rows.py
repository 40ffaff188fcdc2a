"""The rows and sentences of a report for people: plain data, whatever renders it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeVar


class State(StrEnum):
    """What a number, or the lack of one, means to its reader."""

    GOOD = "good"
    LOW = "low"
    """Below its dimension's threshold."""
    PLAIN = "plain"
    """A number of which nothing is asked."""
    NOT_APPLICABLE = "not applicable"
    FAILED = "failed"
    """It should have been measured and was not."""


@dataclass(frozen=True, slots=True)
class Cell:
    """One number, ready to be read."""

    text: str
    state: State


@dataclass(frozen=True, slots=True)
class Row:
    """What was found on one window: a turn (``3``), a stretch (``3-5``) or the whole (``all``)."""

    window: str
    cells: Sequence[Cell | None]
    marked: bool = False
    """Whether it is the turn to look at."""


@dataclass(frozen=True, slots=True)
class DimensionRow:
    """One dimension, and what became of its threshold."""

    name: str
    score: Cell
    threshold: str
    weight: str
    outcome: str


@dataclass(frozen=True, slots=True)
class Note:
    """One thing said about a conversation, in a sentence or several, and what kind of thing it is."""

    label: str
    texts: Sequence[str]
    state: State


@dataclass(frozen=True, slots=True)
class Breakdown:
    """One conversation: everything that a report for people shows of it."""

    name: str
    verdict: str
    overall: str
    low_turn: str
    """The turn to look at: ``turn 3 broke``; ``weakest turn 3`` of a conversation that passed; empty if none is."""
    metrics: Sequence[str]
    """The columns of ``rows``: every metric that has a number somewhere."""
    rows: Sequence[Row]
    dimensions: Sequence[DimensionRow]
    notes: Sequence[Note]


@dataclass(frozen=True, slots=True)
class Line:
    """One conversation in one line: the turn that broke by the name of its slice, and the first reason."""

    name: str
    verdict: str
    overall: str
    broke: str
    why: str


_Shown = TypeVar("_Shown")
_MOST_ROWS = 60


def worth_showing(
    found: Sequence[_Shown], stands_out: Callable[[_Shown], bool], is_common: Callable[[_Shown], bool]
) -> list[_Shown]:
    """The rows of a table that a reader can take in, in their order: at most 60.

    Args:
        found: all rows.
        stands_out: whether one has to be seen; these come first where there are too many.
        is_common: whether one is about more than a single thing; others are shown only if they stand out.
    """
    wanted = [place for place, each in enumerate(found) if stands_out(each)]
    others = [place for place, each in enumerate(found) if is_common(each) and not stands_out(each)]
    chosen = sorted([*wanted, *others][:_MOST_ROWS])
    return [found[place] for place in chosen] or list(found[:_MOST_ROWS])
