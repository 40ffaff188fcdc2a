"""What recordings have in common: message content, tool calls, and which result answers which call."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Iterable, Mapping, Sequence

from uaef.models.base import replaced
from uaef.models.message import Message, MessageRole
from uaef.models.tool_call import ToolCall, ToolStatus

RAW_ARGUMENTS = "_raw"
"""The one argument of a call whose arguments are not a JSON object: their text as it was recorded."""

_TEXT_BLOCKS = {"text": "text", "input_text": "text", "output_text": "text", "refusal": "refusal"}
_REASONING_BLOCKS = {"reasoning", "reasoning_content", "redacted_thinking", "thinking"}
_TOOL_BLOCKS = {"function_call", "input_json_delta", "server_tool_call", "tool_call", "tool_call_chunk", "tool_use"}
_SILENT_BLOCKS = _REASONING_BLOCKS | _TOOL_BLOCKS
# How LangChain's human-in-the-loop middleware words a rejection when it answers for the tool.
_REJECTION = "user rejected the tool call"


def text_of(content: object) -> str:
    """The text in a message's content: as it is, or its text blocks put together."""
    if isinstance(content, list | tuple):
        return "".join(_block_text(block) for block in content)
    return "" if content is None else str(content)


def other_blocks(content: object) -> list[str]:
    """The kinds of blocks that are neither text nor reasoning nor a tool call: ``["image_url"]``."""
    if not isinstance(content, list | tuple):
        return []
    kinds = [str(block.get("type")) for block in content if isinstance(block, Mapping)]
    return [kind for kind in kinds if kind not in _TEXT_BLOCKS and kind not in _SILENT_BLOCKS]


def _block_text(block: object) -> str:
    if isinstance(block, str):
        return block
    if not isinstance(block, Mapping) or not isinstance(kind := block.get("type"), str):
        return ""
    text = block.get(_TEXT_BLOCKS.get(kind))
    return text if isinstance(text, str) else ""


def tool_call(raw: Mapping[str, object]) -> ToolCall:
    """The call in ``{"name", "args", "id"}`` or ``{"function": {"name", "arguments"}, "id"}``, still pending.

    Arguments that are not a JSON object are kept as ``{"_raw": text}``, with ``metadata["warning"]``.

    Raises:
        ValueError: it has no name.
    """
    function = raw.get("function")
    inner = function if isinstance(function, Mapping) else raw
    name = inner.get("name")
    if not isinstance(name, str) or not name.strip():
        raise ValueError("a tool call has no name")
    given = inner.get("args", inner.get("arguments"))
    arguments, warning = _arguments(given)
    return ToolCall(
        name=name,
        arguments=arguments,
        call_id=identity(raw.get("id")),
        status=ToolStatus.PENDING,
        metadata={"warning": f"The arguments of a call of {name!r} are {warning}."} if warning else {},
    )


def _arguments(given: object) -> tuple[dict[str, object], str | None]:
    if given is None or given == "":
        return {}, None
    if isinstance(given, Mapping):
        return {str(key): value for key, value in given.items()}, None
    try:
        parsed = json.loads(given) if isinstance(given, str) else given
    except json.JSONDecodeError as error:
        return {RAW_ARGUMENTS: given}, f"no valid JSON ({error}): {shown(given)}"
    except (ValueError, RecursionError):
        return {RAW_ARGUMENTS: given}, f"JSON with too long a number or too deep a nesting: {shown(given)}"
    if isinstance(parsed, dict):
        return parsed, None
    return {RAW_ARGUMENTS: given}, f"no JSON object: {shown(given)}"


def identity(value: object) -> str | None:
    """What names somebody or something, as text; ``None`` for nothing or a blank. Some recorders count from 0."""
    text = "" if value is None else str(value)
    return text if text.strip() else None


def answered(messages: Sequence[Message]) -> tuple[list[Message], list[Message]]:
    """The messages with each pending tool call completed by the tool's message that answers it, and the rest.

    A tool's message is joined to the call before it that has its ``tool_call_id``, or, without one, to
    the first pending call without an id and of the same name. It also gets the name of the agent that called.
    The rest are the tools' messages that answer none of the calls.
    """
    done = list(messages)
    waiting: dict[object, deque[tuple[int, int]]] = {}
    completed: dict[int, list[ToolCall]] = {}
    rest = []
    for at, message in enumerate(done):
        for place, call in enumerate(message.tool_calls):
            key = call.call_id or (call.name,)
            if call.call_id:
                waiting.pop(key, None)  # an id that is used again means the new call
            if call.status is ToolStatus.PENDING:
                waiting.setdefault(key, deque()).append((at, place))
        if message.role is MessageRole.TOOL:
            places = waiting.get(message.tool_call_id or (message.metadata.get("name"),))
            if places:
                asked, place = places.popleft()
                calls = completed.setdefault(asked, list(messages[asked].tool_calls))
                calls[place] = _completed(calls[place], message)
                done[at] = message if message.agent else replaced(message, agent=calls[place].agent)
            else:
                rest.append(message)
    for at, calls in completed.items():
        done[at] = replaced(done[at], tool_calls=calls)
    return done, rest


def _completed(call: ToolCall, result: Message) -> ToolCall:
    if result.metadata.get("status") != "error":
        return replaced(call, status=ToolStatus.COMPLETED, result=result.content)
    denied = result.content.casefold().startswith(_REJECTION)
    status = ToolStatus.DENIED if denied else ToolStatus.FAILED
    return replaced(call, status=status, error=result.content)


def call_warnings(messages: Iterable[Message], unasked: Iterable[Message]) -> list[str]:
    """What is odd about the calls that the messages carry, and about results that nobody asked for."""
    calls = (call for message in messages for call in message.tool_calls)
    odd = [str(call.metadata["warning"]) for call in calls if "warning" in call.metadata]
    return odd + [f"A tool's result answers no call: {message.content[:80]!r}." for message in unasked]


def shown(value: object, limit: int = 100) -> str:
    """``repr`` of a value, cut to what fits into an error message."""
    try:
        text = repr(value)
    except Exception:  # noqa: BLE001 - too long a number, too deep a nesting, or foreign code
        text = f"a value of type {type(value).__name__}"
    return text if len(text) <= limit else f"{text[:limit]}..."
