"""Chat messages as OpenAI's API has them, ``{role, content, tool_calls, tool_call_id, name}``, as our messages."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from uaef.errors import DataError, closest
from uaef.models.base import replaced
from uaef.models.message import Message, MessageRole
from uaef.models.reading import answered, identity, other_blocks, shown, text_of, tool_call
from uaef.models.tool_call import ToolCall

ROLES = {
    "system": MessageRole.SYSTEM,
    "developer": MessageRole.SYSTEM,
    "user": MessageRole.USER,
    "assistant": MessageRole.ASSISTANT,
    "tool": MessageRole.TOOL,
    "function": MessageRole.TOOL,
}
"""The roles of the API and what they are here."""

_READ = frozenset({"role", "content", "tool_calls", "tool_call_id", "function_call", "refusal", "is_error"})
_NOT_HERE = {"tool_use", "tool_result"}


def parse_messages(messages: Sequence[object]) -> list[Message]:
    """The messages with tool results joined to their calls; a ``Message`` among them is taken as it is.

    Raises:
        DataError: naming the position of every message that cannot be read, and why.
    """
    parsed, _, problems = parsed_messages(messages)
    if problems:
        raise DataError(*problems)
    return parsed


def parsed_messages(raws: object) -> tuple[list[Message], list[Message], list[str]]:
    """The messages with tool results joined to their calls, those results that answer no call, and what is wrong.

    A ``Message`` among them is taken as it is.
    """
    if not isinstance(raws, list | tuple) or not raws:
        got = "an empty list" if isinstance(raws, list | tuple) else type(raws).__name__
        return [], [], [f"messages must be a list with at least one message, got {got}."]
    parsed: list[Message] = []
    problems: list[str] = []
    for place, raw in enumerate(raws, 1):
        try:
            parsed.append(raw if isinstance(raw, Message) else _message(raw))
        except ValueError as error:
            problems.append(f"message {place}: {error}")
        except RecursionError:
            problems.append(f"message {place}: it is nested too deeply.")
    return (*answered(parsed), problems)


def _message(raw: object) -> Message:
    fields = _fields(raw)
    if fields is None:
        raise ValueError(f"a message is a dict with role and content, got {shown(raw)}.")
    role, content = _role(fields), fields.get("content")
    calls = list(_calls(fields))
    _check_content(fields, role, calls)
    name, refusal = fields.get("name"), fields.get("refusal")
    answers = identity(fields.get("tool_call_id"))
    if role is MessageRole.TOOL and answers is None and not name:
        raise ValueError("a tool's message needs the tool_call_id of the call that it answers.")
    agent = str(name) if name and role is MessageRole.ASSISTANT else None
    return Message(
        role=role,
        content=text_of(content) or (str(refusal) if refusal else ""),
        tool_calls=[replaced(call, agent=agent) for call in calls],
        agent=agent,
        tool_call_id=answers,
        metadata=dict(_details(fields, agent)),
    )


def _details(fields: Mapping[str, object], agent: str | None) -> Iterator[tuple[str, object]]:
    for key, value in fields.items():
        if key not in _READ and value is not None and not (key == "name" and agent):
            yield key, value
    if fields.get("is_error"):
        yield "status", "error"
    blocks = other_blocks(fields.get("content"))
    if blocks:
        yield "blocks", blocks


def _fields(raw: object) -> Mapping[str, object] | None:
    if isinstance(raw, Mapping):
        return raw
    dump = getattr(raw, "model_dump", None)  # a message object of OpenAI's client
    dumped = dump() if callable(dump) else None
    return dumped if isinstance(dumped, Mapping) else None


def _role(fields: Mapping[str, object]) -> MessageRole:
    given = fields.get("role")
    known = ", ".join(ROLES)
    if not isinstance(given, str):
        raise ValueError(f"role is missing; it is one of {known}.")  # noqa: TRY004 - a fault of data, not of code
    if given not in ROLES:
        near = closest(given, ROLES)
        raise ValueError(
            f"unknown role {shown(given)}; " + (f"did you mean {near!r}?" if near else f"it is one of {known}.")
        )
    return ROLES[given]


def _calls(fields: Mapping[str, object]) -> Iterator[ToolCall]:
    given, legacy = fields.get("tool_calls") or [], fields.get("function_call")
    if not isinstance(given, list | tuple):
        raise ValueError(f"tool_calls must be a list, got {shown(given)}.")  # noqa: TRY004 - a fault of data
    for place, raw in enumerate([*given, *([legacy] if legacy else [])], 1):
        if not isinstance(raw, Mapping):
            raise ValueError(f"tool call {place} must be a dict, got {shown(raw)}.")  # noqa: TRY004 - a fault of data
        try:
            yield tool_call(raw)
        except ValueError as error:
            raise ValueError(f"tool call {place}: {error}.") from error


def _check_content(fields: Mapping[str, object], role: MessageRole, calls: list[ToolCall]) -> None:
    content = fields.get("content")
    if content is not None and not isinstance(content, str | list | tuple):
        raise ValueError(f"content must be text, a list of parts or null, got {shown(content)}.")
    may_be_silent = role is MessageRole.ASSISTANT and ("content" in fields or calls or fields.get("refusal"))
    if content is None and not may_be_silent:
        raise ValueError("content is missing.")
    kinds = {str(part.get("type")) for part in content or () if isinstance(part, Mapping)}
    if kinds & _NOT_HERE and not calls:
        raise ValueError(
            f"a content part of type {min(kinds & _NOT_HERE)!r} is not OpenAI's; use tool_calls and role 'tool'."
        )
