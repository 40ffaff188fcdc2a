"""What all windows of one conversation share."""

from __future__ import annotations

from typing import Self

from uaef.models.base import Record
from uaef.models.ground_truth import GroundTruth
from uaef.models.traces import AgentTrace, MultiAgentTrace, as_trace
from uaef.models.turns import Turn


class Whole(Record, frozen=True):
    """A conversation from end to end; ``Conversation`` says what the fields mean."""

    name: str
    turns: tuple[Turn, ...]
    expected: GroundTruth | None = None
    tags: tuple[str, ...] = ()
    trial: int = 0
    recorded: AgentTrace | MultiAgentTrace | None = None
    about: tuple[int, int] | None = None
    """The turns that ``expected`` is about, where those are not all."""

    @property
    def stretch(self) -> tuple[int, int]:
        """The turns that ``expected`` is about."""
        return self.about or (0, len(self.turns))

    @classmethod
    def from_dict(cls, data: object) -> Self:
        """The whole that ``to_dict`` described, whichever kinds of traces it holds.

        Raises:
            ValueError: naming what does not fit.
        """
        written = _Written.from_dict(data)
        return cls(
            name=written.name,
            turns=tuple(Turn.from_dict(turn) for turn in written.turns),
            expected=written.expected,
            tags=written.tags,
            trial=written.trial,
            recorded=None if written.recorded is None else as_trace(written.recorded, "recorded"),
            about=written.about,
        )


class _Written(Record, frozen=True):
    """A whole as plain data; msgspec cannot tell the two kinds of trace apart by itself."""

    name: str
    turns: list[dict[str, object]]
    expected: GroundTruth | None
    tags: tuple[str, ...]
    trial: int
    recorded: dict[str, object] | None
    about: tuple[int, int] | None = None
