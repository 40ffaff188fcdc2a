"""A rubric: what a judge is asked, as data."""

from __future__ import annotations

from enum import StrEnum

from uaef.models.base import Model


class Scale(StrEnum):
    """What a judge answers with; every score ends up in [0, 1]."""

    UNIT = "0-1"
    FIVE = "1-5"
    """Normalised to ``(x - 1) / 4``."""
    YES_NO = "yes/no"
    ITEMS = "items"
    """A verdict for each turn, instruction or criterion, then the ratio."""
    COUNT = "count"


class Rubric(Model, frozen=True):
    """What a judge is asked.

    Attributes:
        name: of the metric it belongs to.
        text: the question, in words.
        scale: what may be answered.
        version: changes whenever the wording does, so that scores under two wordings are not compared unseen.
    """

    name: str
    text: str
    scale: Scale = Scale.UNIT
    version: str = "1"

    def __post_init__(self) -> None:
        super().__post_init__()
        self._not_blank("name", "text")
