"""Ground truth: what should have come back, for one turn or for a whole conversation.

The typed home of per-turn expectations is ``GroundTruth.turns``. The documented arrays in
``expected_arguments`` (``per_turn_expected``, ``per_turn_tools``, ``per_turn_ids``) are read into it and
written from it, so both always say the same.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import zip_longest
from typing import Self

import msgspec

from uaef.errors import ModelError
from uaef.models.base import Model, converted, replaced
from uaef.models.tool_call import ToolCall

PER_TURN_KEYS = ("per_turn_expected", "per_turn_tools", "per_turn_ids")
_NO_ENTRY: object = msgspec.UNSET


class GroundTruth(Model, frozen=True, gc=False):
    """What was expected. "No tools expected" (``[]``) and "not specified" (``None``) differ.

    Attributes:
        expected_output: the answer, or what counts as success for the whole.
        expected_tool_calls: the calls that should be made, in order; ``[]`` means none. A name alone, or a dict
            without ``arguments``, is a call with whatever arguments.
        expected_arguments: named extras: ``chatbot_role``, ``system_instructions``, and the per-turn arrays.
        criteria: what should be true of the answer, one statement each; left out, ``expected_output`` is the one.
        context_documents: the evidence an answer may rest on.
        turns: expectations by turn number. A turn that has an entry is judged by it alone: what the entry
            leaves ``None`` is not specified. A turn without one falls back on ``expected_output``.
    """

    expected_output: str | None = None
    expected_tool_calls: list[ToolCall] | None = None
    expected_arguments: dict[str, object] = {}
    criteria: list[str] = []
    context_documents: list[str] = []
    turns: dict[int, GroundTruth] = {}

    def __post_init__(self) -> None:
        if _is_list(self.expected_tool_calls):
            self._set("expected_tool_calls", self._tools(self.expected_tool_calls, "expected_tool_calls"))
        super().__post_init__()
        if any(not isinstance(number, int) for number in self.turns):
            self._set("turns", self._converted("turns", self.turns))
        listed = self._listed()
        if listed and not self.turns:
            self._set("turns", listed)
        elif listed and _said(listed) != _said(self.turns):
            raise ModelError(
                "GroundTruth: turns and the arrays in expected_arguments "
                f"({', '.join(k for k in PER_TURN_KEYS if k in self.expected_arguments)}) say different things; "
                "give one of the two"
            )
        if self.turns:
            self._set("expected_arguments", self.expected_arguments | self._arrays())

    @property
    def extras(self) -> dict[str, object]:
        """``expected_arguments`` without the per-turn arrays."""
        return {k: v for k, v in self.expected_arguments.items() if k not in PER_TURN_KEYS}

    @property
    def specifies_turn_tools(self) -> bool:
        """Whether some turn says which tools it expects, so that the overall list is only their sum."""
        return any(turn.expected_tool_calls is not None for turn in self.turns.values())

    @property
    def _specifies_turn_context(self) -> bool:
        """Whether some turn brings its own evidence, so that the overall list holds what only later turns know."""
        return any(turn.context_documents for turn in self.turns.values())

    def for_turn(self, number: int, *, only: bool = False) -> GroundTruth:
        """What is expected of turn ``number``.

        Args:
            number: the turn's number, as recorded.
            only: whether it is the conversation's only turn, to which everything overall applies too.
        """
        entry = self.turns.get(number)
        tools = self.expected_tool_calls if only and not self.specifies_turn_tools else None
        if entry is None:
            return GroundTruth(
                expected_output=self.expected_output,
                expected_tool_calls=tools,
                expected_arguments=self.extras,
                criteria=self.criteria if only else [],
                context_documents=self.context_documents,
            )
        extras = self.extras
        if tools is None and not extras and not self.context_documents:
            return entry  # nothing overall to add
        return replaced(
            entry,
            expected_tool_calls=tools if entry.expected_tool_calls is None else entry.expected_tool_calls,
            expected_arguments=extras | entry.expected_arguments,
            context_documents=entry.context_documents if self._specifies_turn_context else self.context_documents,
        )

    @classmethod
    def of(cls, value: GroundTruth | Mapping[str, object] | None) -> Self | None:
        """``value`` as a ground truth; a mapping is read as its fields."""
        return value if value is None or isinstance(value, cls) else cls.from_dict(value)

    @classmethod
    def from_dict(cls, data: object) -> Self:
        """The ground truth that ``to_dict`` described, or that a person wrote in its fields.

        Raises:
            ModelError: naming the path of the value that does not fit.
        """
        return super().from_dict(_spelled_out(data))

    def _listed(self) -> dict[int, GroundTruth]:
        """The per-turn arrays as entries by turn number."""
        if self.expected_arguments.keys().isdisjoint(PER_TURN_KEYS):
            return {}
        given = {key: self.expected_arguments.get(key) for key in PER_TURN_KEYS}
        for key, value in given.items():
            if value is not None and not _is_list(value):
                self._refuse(f"expected_arguments[{key!r}]", f"must be a list, got {type(value).__name__}")
        outputs, tools = (list(given[k] or ()) for k in PER_TURN_KEYS[:2])  # type: ignore[call-overload]
        ids = self._turn_ids(given["per_turn_ids"], max(len(outputs), len(tools)))
        rows = zip_longest(outputs, tools, fillvalue=_NO_ENTRY)
        return {
            number: GroundTruth(
                expected_output=self._output(output, place),
                expected_tool_calls=self._tools(calls, f"expected_arguments['per_turn_tools'][{place}]"),
            )
            for place, (number, (output, calls)) in enumerate(zip(ids, rows, strict=False))
        }

    def _output(self, entry: object, place: int) -> str | None:
        if entry is _NO_ENTRY:
            return self.expected_output
        if not (entry is None or isinstance(entry, str)):
            self._refuse(f"expected_arguments['per_turn_expected'][{place}]", f"must be text or None, got {entry!r}")
        return _text(entry)

    def _tools(self, entry: object, where: str) -> list[ToolCall] | None:
        if entry is None or entry is _NO_ENTRY:
            return None
        if not isinstance(entry, Sequence) or isinstance(entry, str):
            self._refuse(where, f"must be a list of calls or None, got {entry!r}")
        try:
            return [ToolCall(name=call) if isinstance(call, str) else converted(call, ToolCall) for call in entry]
        except ModelError as error:
            self._refuse(where, str(error))

    def _turn_ids(self, ids: object, entries: int) -> list[int]:
        if ids is None:
            return list(range(1, entries + 1))
        try:
            numbers = converted(ids, list[int])
        except ModelError:
            self._refuse("expected_arguments['per_turn_ids']", f"must be turn numbers, got {ids!r}")
        if len(numbers) < entries or len(set(numbers)) < len(numbers):
            self._refuse(
                "expected_arguments['per_turn_ids']",
                f"must hold one different turn number for each of the {entries} entries, got {numbers}",
            )
        return numbers

    def _arrays(self) -> dict[str, object]:
        numbers = sorted(self.turns)
        return {
            "per_turn_expected": [self.turns[n].expected_output for n in numbers],
            "per_turn_tools": [self.turns[n].expected_tool_calls for n in numbers],
            "per_turn_ids": numbers,
        }


def _spelled_out(data: object) -> object:
    """A ground truth as plain data, in which calls that are given by their names are calls."""
    if not isinstance(data, Mapping):
        return data
    calls, turns = data.get("expected_tool_calls"), data.get("turns")
    fields = dict(data)
    if isinstance(calls, Sequence) and not isinstance(calls, str):
        fields["expected_tool_calls"] = [{"name": call} if isinstance(call, str) else call for call in calls]
    if isinstance(turns, Mapping):
        fields["turns"] = {number: _spelled_out(turn) for number, turn in turns.items()}
    return fields


def _said(turns: Mapping[int, GroundTruth]) -> dict[int, object]:
    """What the arrays can say of the turns."""
    return {n: (_text(turn.expected_output), turn.expected_tool_calls) for n, turn in turns.items()}


def _is_list(value: object) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, str)


def _text(entry: str | None) -> str | None:
    """An entry's text; blank is the same as not specified."""
    return entry if entry and entry.strip() else None
