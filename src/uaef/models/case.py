"""A case: what a dataset asks of an agent. It knows no metric objects, only claims by name."""

from __future__ import annotations

from uaef.models.base import Model
from uaef.models.ground_truth import GroundTruth


class Ask(Model, frozen=True):
    """One turn to be asked.

    Attributes:
        user: what the user says.
        expected: what should come back.
        reply: the golden utterance, where later turns are shown it as history.
        tags: cohorts this turn belongs to.
        claims: what must hold of the turn: check names to their arguments.
    """

    user: str
    expected: GroundTruth | None = None
    reply: str | None = None
    tags: list[str] = []
    claims: list[dict[str, object]] = []

    def __post_init__(self) -> None:
        super().__post_init__()
        self._not_blank("user")


class Case(Model, frozen=True):
    """A conversation to be played.

    Attributes:
        case_id: its name; turns are ``case_id#1``, ``case_id#2``, ...
        asks: what is asked, in order; at least one.
        goal: what the user wants to have achieved at the end.
        role: who the agent is meant to be.
        instructions: what the agent was told to do.
        tags: cohorts the whole conversation belongs to.
        claims: what must hold of the whole.
    """

    case_id: str
    asks: list[Ask]
    goal: str | None = None
    role: str | None = None
    instructions: str | None = None
    tags: list[str] = []
    claims: list[dict[str, object]] = []

    def __post_init__(self) -> None:
        super().__post_init__()
        self._not_blank("case_id")
        if not self.asks:
            self._refuse("asks", "must hold at least one ask")
