"""What all windows of one conversation share."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Self

from uaef.errors import ModelError
from uaef.models.base import Model, converted, replaced
from uaef.models.ground_truth import GroundTruth
from uaef.models.traces import AgentTrace, MultiAgentTrace, as_trace
from uaef.models.turns import Turn


class Whole(Model, frozen=True):
    """A conversation from end to end; ``Conversation`` says what the fields mean."""

    name: str
    turns: tuple[Turn, ...]
    expected: GroundTruth | None = None
    tags: tuple[str, ...] = ()
    trial: int = 0
    recorded: AgentTrace | MultiAgentTrace | None = None
    about: tuple[int, int] | None = None
    """The turns that ``expected`` is about, where those are not all."""
    planned: int | None = None
    """How many turns it will have, while it is still being played."""

    @property
    def length(self) -> int:
        """How many turns it has, or will have."""
        return len(self.turns) if self.planned is None else self.planned

    @property
    def stretch(self) -> tuple[int, int]:
        """The turns that ``expected`` is about."""
        return self.about or (0, self.length)

    def expecting(self, expected: GroundTruth | None, about: tuple[int, int] | None, *, only: bool) -> Self:
        """The same with ``expected`` for the turns ``about`` and, by number, for each; ``only``: it is one turn."""
        of_turns = (None if expected is None else expected.for_turn(t.number, only=only) for t in self.turns)
        turns = tuple(replaced(t, expected=its) for t, its in zip(self.turns, of_turns, strict=True))
        return replaced(self, turns=turns, expected=expected, about=about)

    def labelled(self, tags: Iterable[str], by_turn: Mapping[int, Iterable[str]]) -> Self:
        """The same with more tags, each once."""
        turns = tuple(replaced(t, tags=_each_once(t.tags, by_turn.get(t.number, ()))) for t in self.turns)
        return replaced(self, turns=turns, tags=_each_once(self.tags, tags))

    @classmethod
    def from_dict(cls, data: object) -> Self:
        """The whole that ``to_dict`` described, whichever kinds of traces it holds.

        Raises:
            ValueError: naming what does not fit.
        """
        fields = converted(data, dict[str, object])
        turns = converted(fields.pop("turns", None), list[object])
        recorded = fields.pop("recorded", None)
        try:
            return cls(
                turns=tuple(map(Turn.from_dict, turns)),
                recorded=None if recorded is None else as_trace(recorded, "recorded"),
                **fields,  # type: ignore[arg-type] # checked by the model
            )
        except TypeError as error:
            raise ModelError(f"Whole: {error}") from None


def _each_once(tags: Iterable[str], more: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys([*tags, *more]))
