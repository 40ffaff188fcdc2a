"""A dataset of conversations: cases to be played, or rows of one turn each."""

from __future__ import annotations

import copy
import logging
from collections.abc import Iterable, Mapping
from os import PathLike, fspath
from pathlib import Path
from typing import Self, TypedDict

from uaef.data.conversations.agreement import check
from uaef.data.conversations.building import cases
from uaef.data.conversations.expected import ground_truth_of
from uaef.data.conversations.fields import DATASET
from uaef.data.conversations.nodes import Node, NotReadError, Problems, Trail
from uaef.data.conversations.reading import Format, format_of, python_node, read_text
from uaef.data.conversations.remarks import strict_gates, unanswered, unmeasured
from uaef.data.files import read_content, utf8
from uaef.errors import DataError, DatasetSchemaError
from uaef.models.case import Case
from uaef.models.ground_truth import GroundTruth
from uaef.models.names import slice_name
from uaef.text.numbers import counted

_log = logging.getLogger("uaef")


class Exchange(TypedDict):
    """What a user said and what came back; ``None`` where the dataset does not say what should."""

    user: str
    assistant: str | None


class RowInput(TypedDict):
    """What is asked, and what came before it in the expected conversation."""

    question: str
    history: list[Exchange]


class Row(TypedDict):
    """A turn by itself."""

    id: str
    input: RowInput
    expected_output: str | None
    metadata: dict[str, object]


class ConversationDataset:
    """Conversations that should go a certain way, from YAML, JSON or a conversation on each line.

    Attributes:
        name: what reports call it.
        cases: the conversations, in the order of the file.
        history: what the agent is to be shown of earlier turns, if the dataset says so.
        warnings: what the expected conversation lacks; ``warn`` logs it.
        unmeasured: what is expected of turns, and measured by nothing that the dataset names.
        strict_gates: gates that only the full score passes, of what is a matter of degree.
    """

    def __init__(
        self,
        name: str,
        cases: Iterable[Case],
        *,
        history: str | None = None,
        warnings: Iterable[str] = (),
        unmeasured: Iterable[str] = (),
        strict_gates: Iterable[str] = (),
    ) -> None:
        self.name = name
        self.cases: list[Case] = list(cases)
        self.history = history
        self.warnings: list[str] = list(warnings)
        self.unmeasured: list[str] = list(unmeasured)
        self.strict_gates: list[str] = list(strict_gates)
        self._has_warned = False

    @classmethod
    def from_file(cls, path: str | PathLike[str]) -> Self:
        """The dataset in a file: .yaml, .yml, .json, .jsonl, .ndjson; of any other, what the text looks like.

        Raises:
            DatasetSchemaError: it cannot be read; one sentence for every problem, with its place.
        """
        where = fspath(path)
        try:
            text = utf8(read_content(Path(path), where), where, with_column=True)
        except DataError as error:
            raise DatasetSchemaError(*error.problems) from None
        return cls._from_text(text, where, Path(path).stem, format_of(where, text))

    @classmethod
    def from_string(cls, text: str, *, name: str = "conversations", format: Format | None = None) -> Self:  # noqa: A002 - what it is called
        """The dataset in ``text``.

        Args:
            text: YAML, JSON or JSON lines.
            name: what messages call it, and the dataset too if it has no name.
            format: which of the three it is; ``None`` tells by the ending of the name, else by the text.

        Raises:
            DatasetSchemaError: it cannot be read; one sentence for every problem, with its place.
        """
        text = text.removeprefix("\ufeff")
        return cls._from_text(text, name, name, format or format_of(name, text))

    @classmethod
    def from_dict(cls, data: Mapping[str, object], *, name: str = "conversations") -> Self:
        """The dataset that a program built, with the keys of a file.

        Args:
            data: the dataset.
            name: what messages call it, and the dataset too if it has no name.

        Raises:
            DatasetSchemaError: it cannot be read; one sentence for every problem, with its path.
        """
        problems = Problems(name)
        try:
            node = python_node(data)
        except NotReadError as error:
            problems.add(*error.fault)
            node = None
        return cls._from_node(node, problems, name)

    @classmethod
    def _from_text(cls, text: str, source: str, name: str, format: Format) -> Self:  # noqa: A002 - as above
        problems = Problems(source)
        return cls._from_node(read_text(text, format, problems), problems, name)

    @classmethod
    def _from_node(cls, node: Node | None, problems: Problems, name: str) -> Self:
        read = None if node is None else DATASET.read(node, DATASET.noun, Trail(), problems)
        if read is not None:
            check(read, problems)
        problems.refuse()
        assert read is not None  # noqa: S101 - else there were problems; for the type checker
        found = cases(read, problems)
        history = read.values.get("history")
        return cls(
            str(read.values.get("name", name)),
            found,
            history=str(history) if history else None,
            warnings=unanswered(problems.source, found),
            unmeasured=unmeasured(problems.source, found),
            strict_gates=strict_gates(found),
        )

    def rows(self) -> list[Row]:
        """A row for each turn, with the conversation that should have come before it."""
        self.warn()
        return [row for case in self.cases for row in _rows(case)]

    def warn(self) -> None:
        """Log the warnings, once however often it is called: for whoever shows an agent the expected conversation."""
        if not self._has_warned:
            self._has_warned = True
            for warning in self.warnings:
                _log.warning(warning)

    def ground_truths(self) -> dict[str, GroundTruth]:
        """What is expected of each conversation by its id, in it of each turn by its number."""
        return {case.case_id: ground_truth_of(case) for case in self.cases}

    def __repr__(self) -> str:
        turns = sum(len(case.asks) for case in self.cases)
        held = f"{counted(len(self.cases), 'conversation')}, {counted(turns, 'turn')}"
        return f"<ConversationDataset {self.name!r}: {held}>"


def _rows(case: Case) -> Iterable[Row]:
    """The rows of a case; whoever changes one changes no other, and not the case."""
    for number, ask in enumerate(case.asks, 1):
        history: list[Exchange] = [{"user": e.user, "assistant": e.golden} for e in case.asks[: number - 1]]
        yield {
            "id": slice_name(case.case_id, [number]),
            "input": {"question": ask.user, "history": history},
            "expected_output": ask.expected.expected_output if ask.expected else None,
            "metadata": {
                "conversation_id": case.case_id,
                "turn": number,
                "tags": list(ask.tags),
                **copy.deepcopy(case.metadata),
                **copy.deepcopy(ask.metadata),
            },
        }
