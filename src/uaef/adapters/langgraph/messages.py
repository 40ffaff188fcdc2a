"""The shapes in which LangGraph's streams carry messages, live or as JSON, read by shape alone."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from numbers import Integral
from typing import NamedTuple

from uaef.models.base import replaced
from uaef.models.reading import RAW_ARGUMENTS, identity, other_blocks, shown, text_of, tool_call
from uaef.models.tool_call import ToolCall, ToolStatus


class UnknownShapeError(Exception):
    """Something in a stream has a shape that nothing here knows."""


class Kind(Enum):
    """What sort of message it is, in LangChain's sense."""

    AI = "ai"
    HUMAN = "human"
    TOOL = "tool"
    SYSTEM = "system"
    REMOVE = "remove"
    """No message: the state forgets one. What was said stays said."""


_KINDS = {
    **dict.fromkeys(("ai", "aimessage", "aimessagechunk", "assistant"), Kind.AI),
    **dict.fromkeys(("human", "humanmessage", "humanmessagechunk", "user"), Kind.HUMAN),
    **dict.fromkeys(("tool", "toolmessage", "toolmessagechunk"), Kind.TOOL),
    **dict.fromkeys(("function", "functionmessage", "functionmessagechunk"), Kind.TOOL),
    **dict.fromkeys(("system", "systemmessage", "systemmessagechunk", "developer"), Kind.SYSTEM),
    **dict.fromkeys(("remove", "removemessage"), Kind.REMOVE),
}
_PAIR = 2
_LIMIT = 2**63
_RUN_IDS = ("run-", "lc_run-")
_CHAT = frozenset({"chat", "chatmessage", "chatmessagechunk"})
Fields = Mapping[str, object]
Usage = tuple[int | None, int | None]


class Mark(NamedTuple):
    """What a message says, as far as others that say the same cannot be told from it."""

    kind: Kind
    text: str
    answers: str | None
    calls: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Said:
    """One message as a stream carries it.

    Attributes:
        kind: AI, human, tool or system.
        text: its text, without reasoning and tool blocks.
        message_id: its id, where it has one.
        name: who signed it, where somebody did.
        calls: the tool calls it asks for.
        answers: for a tool's message, the id of the call.
        failed: whether a tool's message says that the tool failed.
        usage: tokens read and written, each where known.
        is_models: whether it shows that a model wrote it: by the id of its run, or by what the provider adds.
        blocks: the kinds of its other content: ``("image_url",)``.
    """

    kind: Kind
    text: str
    message_id: str | None = None
    name: str | None = None
    calls: tuple[ToolCall, ...] = ()
    answers: str | None = None
    failed: bool = False
    usage: Usage = (None, None)
    is_models: bool = False
    blocks: tuple[str, ...] = ()

    @property
    def mark(self) -> Mark:
        """What tells it from others where it has no id."""
        calls = tuple(call.call_id or call.name for call in self.calls)
        return Mark(self.kind, self.text.strip(), self.answers, calls)

    @property
    def is_unsigned_human(self) -> bool:
        """Whether it is a human message without a name."""
        return self.kind is Kind.HUMAN and not self.name


def is_message(raw: object) -> bool:
    """Whether ``raw`` is a message in one of the shapes."""
    return fields_of(raw) is not None


def fields_of(raw: object) -> Fields | None:
    """The fields of a message under LangChain's names, ``type`` included, or ``None`` for anything else."""
    found = _mapped(raw) if isinstance(raw, Mapping) else _live(raw)
    if found is None:
        return None
    kind = _KINDS.get(_plain_type(found))
    whole = "content" in found or "tool_calls" in found or kind is Kind.REMOVE
    return found if kind and whole else None


def listed_fields(raw: object) -> Fields | None:
    """The fields of what stands in a list of messages, where a bare text is a human's, and a role and a text do."""
    found = fields_of(raw)
    if found is not None:
        return found
    if isinstance(raw, str):
        return {"type": "human", "content": raw}
    if not isinstance(raw, tuple | list) or len(raw) != _PAIR or not all(isinstance(part, str) for part in raw):
        return None
    return {"type": raw[0], "content": raw[1]} if raw[0].lower() in _KINDS else None


def said(found: Fields) -> Said:
    """What the fields of a message say.

    Raises:
        UnknownShapeError: one of its tool calls has no name, or its usage is no number of tokens.
    """
    kind = _KINDS[_plain_type(found)]
    return Said(
        kind=kind,
        text=_tool_text(found.get("content")) if kind is Kind.TOOL else text_of(found.get("content")),
        message_id=identity(found.get("id")),
        name=identity(found.get("name")),
        calls=_calls(found) if kind is Kind.AI else (),
        answers=identity(found.get("tool_call_id")),
        failed=found.get("status") == "error",
        usage=usage_of(found),
        is_models=is_run(identity(found.get("id"))) or bool(found.get("response_metadata")),
        blocks=tuple(other_blocks(found.get("content"))) if kind is not Kind.TOOL else (),
    )


def is_run(message_id: str | None) -> bool:
    """Whether LangChain made the id, from the run in which a model wrote the message."""
    return message_id is not None and message_id.startswith(_RUN_IDS)


def is_chunk(found: Fields) -> bool:
    """Whether these are the fields of a piece of a message that is still being written."""
    return found.get("type") == "AIMessageChunk"


def usage_of(found: Fields) -> Usage:
    """Tokens read and written according to ``usage_metadata``, each ``None`` where it does not say.

    Raises:
        UnknownShapeError: what it says is no number of tokens.
    """
    usage = found.get("usage_metadata")
    if not isinstance(usage, Mapping):
        return None, None
    return _tokens(usage, "input_tokens"), _tokens(usage, "output_tokens")


def _tokens(usage: Mapping[str, object], key: str) -> int | None:
    value = usage.get(key)
    if value is None:
        return None
    count = whole_number(value)
    if count is None or count < 0:
        raise UnknownShapeError(
            f"holds a message whose usage_metadata.{key} is no whole number of at least 0: {shown(value)}"
        )
    return count


def whole_number(value: object) -> int | None:
    """An integer of any library, NumPy's included, that fits into 64 bits; ``True`` is none."""
    if isinstance(value, bool) or not isinstance(value, Integral):
        return None
    number = int(value)
    return number if -_LIMIT <= number < _LIMIT else None


def call_of(raw: Mapping[str, object]) -> ToolCall:
    """A tool call in one of the shapes, pending.

    Raises:
        UnknownShapeError: it has no name.
    """
    try:
        return tool_call(raw)
    except ValueError as error:
        raise UnknownShapeError(f"{error}: {shown(raw)}") from error


def _mapped(raw: Mapping[str, object]) -> Fields | None:
    data, kwargs, role = raw.get("data"), raw.get("kwargs"), raw.get("role")
    if "lc" in raw:
        path = raw.get("id")
        if not isinstance(kwargs, Mapping) or not isinstance(path, Sequence) or not path:
            return None
        return {**kwargs, "type": str(path[-1])}
    if isinstance(data, Mapping) and isinstance(raw.get("type"), str):
        return {**data, "type": raw["type"]}
    return {**raw, "type": role} if isinstance(role, str) and _plain_type(raw) not in _KINDS else raw


def _live(raw: object) -> Fields | None:
    """The fields of a message object, as it keeps them: LangChain's, and whatever else has a type and content."""
    fields = getattr(raw, "__dict__", None)
    is_one = isinstance(fields, dict) and isinstance(fields.get("type"), str) and "content" in fields
    return fields if is_one else None


def _plain_type(found: Fields) -> str:
    kind = str(found.get("type")).lower()
    return str(found.get("role")).lower() if kind in _CHAT else kind


def _calls(found: Fields) -> tuple[ToolCall, ...]:
    extra = found.get("additional_kwargs")
    given = found.get("tool_calls") or (isinstance(extra, Mapping) and extra.get("tool_calls"))
    valid = [call_of(raw) for raw in mappings(given)]
    return (*valid, *(_invalid(raw) for raw in mappings(found.get("invalid_tool_calls"))))


def _invalid(raw: Mapping[str, object]) -> ToolCall:
    """A call that the model wrote so badly that it could not be made."""
    call = call_of({**raw, "name": raw.get("name") or "unnamed"})
    error = raw.get("error") or "The model wrote a tool call that cannot be read."
    arguments = call.arguments if RAW_ARGUMENTS in call.arguments else {RAW_ARGUMENTS: raw.get("args")}
    return replaced(call, status=ToolStatus.FAILED, error=str(error), arguments=arguments)


def mappings(given: object) -> list[Mapping[str, object]]:
    """The mappings in a list; nothing for anything else."""
    return [raw for raw in given if isinstance(raw, Mapping)] if isinstance(given, list | tuple) else []


def _tool_text(content: object) -> str:
    text = text_of(content)
    return json.dumps(content, default=str) if content and not text.strip() and not isinstance(content, str) else text
