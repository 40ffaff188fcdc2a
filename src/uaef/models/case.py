"""A case: what a dataset asks of an agent. It knows no metric objects, only claims by name."""

from __future__ import annotations

from enum import StrEnum

from uaef.models.base import Model, replaced
from uaef.models.ground_truth import GroundTruth
from uaef.models.names import slice_name


class ClaimKind(StrEnum):
    """What must come of a measurement."""

    SCORE = "score"
    """Nothing: it is measured and shown."""
    GATE = "gate"
    """Every applicable measurement must reach the bound."""
    THRESHOLD = "threshold"
    """The mean of the measurements must lie within the bounds."""


class NamedClaim(Model, frozen=True):
    """What is to be measured, by name, and what must come of it.

    Attributes:
        name: of a metric or a check.
        arguments: by parameter; a single one without a name stands under ``""``.
        kind: whether anything must come of it.
        at_least: the least that will do, in [0, 1]; ``None`` is 1 for a gate and no bound for a threshold.
        at_most: the most that a threshold allows, in [0, 1]; ``None`` is no bound.
        scope: ``whole``, ``each_turn`` or ``tagged:NAME``, where it is not the one of the place it was written at.
        place: where it was written, for messages: ``support.yaml:12:9``.
    """

    name: str
    arguments: dict[str, object] = {}
    kind: ClaimKind = ClaimKind.SCORE
    at_least: float | None = None
    at_most: float | None = None
    scope: str | None = None
    place: str = ""


class Ask(Model, frozen=True):
    """One turn to be asked.

    Attributes:
        user: what the user says.
        expected: what should come back.
        reply: the golden utterance, where later turns are shown it as history; left out, the expected output.
        tags: cohorts this turn belongs to.
        metadata: anything else that is known of it.
        claims: what must hold of the turn.
    """

    user: str
    expected: GroundTruth | None = None
    reply: str | None = None
    tags: list[str] = []
    metadata: dict[str, object] = {}
    claims: list[NamedClaim] = []

    def __post_init__(self) -> None:
        super().__post_init__()
        self._not_blank("user")

    @property
    def golden(self) -> str | None:
        """What later turns are shown as the answer to this one, where they are shown the expected conversation."""
        if self.reply is not None or self.expected is None:
            return self.reply
        return self.expected.expected_output


class Case(Model, frozen=True):
    """A conversation to be played.

    Attributes:
        case_id: its name; turns are ``case_id#1``, ``case_id#2``, ...
        asks: what is asked, in order; at least one. Each carries what the case says of it, as ``completed`` tells.
        expected: what is expected of the whole: goal, role, instructions, evidence; in ``turns``, of turns from 1.
        tags: cohorts the whole conversation belongs to, and so each of its turns.
        metadata: anything else that is known of it.
        claims: what must hold of the whole.
        repeat: how many trials it is played in, where its dataset says so.
    """

    case_id: str
    asks: list[Ask]
    expected: GroundTruth | None = None
    tags: list[str] = []
    metadata: dict[str, object] = {}
    claims: list[NamedClaim] = []
    repeat: int | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        self._not_blank("case_id")
        if not self.asks:
            self._refuse("asks", "must hold at least one ask")
        if self.expected is not None and any(number < 1 for number in self.expected.turns):
            self._refuse("expected", f"the turns of a case count from 1, got turn {min(self.expected.turns)}")
        self._set("asks", [self.completed(ask, number) for number, ask in enumerate(self.asks, 1)])

    @property
    def turn_names(self) -> list[str]:
        """What its turns are called, in order: ``refund#1``, ``refund#2``."""
        return [slice_name(self.case_id, [number]) for number in range(1, len(self.asks) + 1)]

    def completed(self, ask: Ask, number: int) -> Ask:
        """The ask in place ``number`` with what the case says of it: its tags, and what is expected of that turn.

        Where the ask says itself what to expect, that holds.
        """
        overall = None if self.expected is None else self.expected.turns.get(number)
        tags = list(dict.fromkeys([*self.tags, *ask.tags]))
        expected = ask.expected if overall is None else _both(ask.expected or GroundTruth(), overall)
        return ask if (tags, expected) == (ask.tags, ask.expected) else replaced(ask, tags=tags, expected=expected)


def _both(own: GroundTruth, overall: GroundTruth) -> GroundTruth:
    """What is expected by itself and, of what that leaves open, what is overall."""
    answer = overall if own.expected_output is None and not own.criteria else own
    tools = own.expected_tool_calls
    return replaced(
        own,
        expected_output=answer.expected_output,
        criteria=answer.criteria,
        expected_tool_calls=overall.expected_tool_calls if tools is None else tools,
        expected_arguments=overall.extras | own.expected_arguments,
        context_documents=own.context_documents or overall.context_documents,
    )
