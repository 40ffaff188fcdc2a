"""A rubric: what a judge is asked, as data."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Literal

from uaef.errors import DataError, ModelError
from uaef.llm_judge.scales import scale_of
from uaef.models.base import Model

Input = Literal["expected_output", "context", "role", "instructions", "handovers"]


class Rubric(Model, frozen=True):
    """What a judge is asked, and where.

    A judge always sees the window and what was said before it. As a file it is Markdown: the fields in TOML
    between two lines ``+++``, then the text.

    Attributes:
        name: of the metric; letters, digits and underscores.
        text: the question, and the steps to an answer, in words.
        scale: what may be answered: ``"0-1"``, ``"1-5"`` or any other range, ``"yes/no"``, ``"items"``, ``"count"``.
        dimension: where its score is counted.
        scope: whether it is asked of each turn or of the whole conversation.
        inputs: what the judge is shown beside the conversation, where there is any.
        needs: what must be there before the judge is asked; see ``uaef.metrics.needs``.
        items: on the scale ``items``, what is judged one by one.
        silence: the score of an assistant that said nothing, given without asking; ``None``: the judge is asked.
        version: changes whenever the wording does, so that scores under two wordings are not compared unseen.
    """

    name: str
    text: str
    scale: str = "0-1"
    dimension: str = "Custom"
    scope: Literal["turn", "whole"] = "turn"
    inputs: tuple[Input, ...] = ()
    needs: tuple[str, ...] = ()
    items: Literal["turns", "instructions", "criteria"] | None = None
    silence: float | None = None
    version: str = "1"

    def __post_init__(self) -> None:
        super().__post_init__()
        self._not_blank("name", "text", "dimension", "version")
        scale_of(self.scale)
        if self.silence is not None and not 0 <= self.silence <= 1:
            self._refuse("silence", f"must lie in [0, 1], got {self.silence}")
        if (self.scale == "items") is not (self.items is not None):
            self._refuse("items", "goes with the scale 'items', and the scale 'items' needs it")

    @property
    def question(self) -> str:
        """The first paragraph of the text."""
        return " ".join(self.text.partition("\n\n")[0].split())

    @classmethod
    def from_file(cls, path: str | Path) -> Rubric:
        """The rubric in a Markdown file; its name is the file's unless the fields say otherwise.

        Raises:
            DataError: naming the file and what is wrong with it.
        """
        path = Path(path)
        try:
            text = path.read_text(encoding="utf-8-sig")
        except (OSError, UnicodeDecodeError) as error:
            raise DataError(f"{path}: cannot be read: {error}") from error
        return cls.from_text(text, path.name)

    @classmethod
    def from_text(cls, text: str, source: str) -> Rubric:
        """The rubric in the text of such a file.

        Raises:
            DataError: naming ``source`` and what is wrong with it.
        """
        before, _, rest = text.partition("+++\n")
        fields, closed, body = rest.partition("\n+++\n")
        if before.strip() or not closed:
            raise DataError(f"{source}: a rubric begins with its fields in TOML between two lines +++")
        try:
            data = tomllib.loads(f"\n{fields}")  # the first line of the file is +++
            return cls.from_dict({"name": Path(source).stem, **data, "text": body.strip()})
        except (tomllib.TOMLDecodeError, ModelError) as error:
            raise DataError(f"{source}: {error}") from error
