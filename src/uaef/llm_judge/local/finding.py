"""What a signal finds, and where it reads."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from typing import NamedTuple, TypeAlias

from uaef.models.base import plain
from uaef.models.conversation import Conversation
from uaef.models.message import Message, MessageRole
from uaef.models.tool_call import ToolCall


class Finding(NamedTuple):
    """A score in [0, 1], or ``None`` where the signal has nothing to go by; why; and the details."""

    score: float | None
    reasoning: str
    details: dict[str, object] = {}  # noqa: RUF012 - a tuple's default, which nobody changes


Signal: TypeAlias = Callable[[Conversation], Finding]


def user_texts(window: Conversation) -> list[str]:
    """What the user said, up to and in the window."""
    return [*_said(window.history, MessageRole.USER), *window.user_messages]


def tool_texts(window: Conversation) -> list[str]:
    """What tools returned, up to and in the window; each result once."""
    messages = [*window.history, *window.messages]
    calls = [call for turn in window.turns_before for call in turn.trace.tool_calls]
    results = [*_said(messages, MessageRole.TOOL), *_results([*calls, *window.tool_calls])]
    return list(dict.fromkeys(results))


def _said(messages: Iterable[Message], role: MessageRole) -> list[str]:
    return [message.content for message in messages if message.role is role and message.content]


def _results(calls: Iterable[ToolCall]) -> list[str]:
    found = (call.error if call.result is None else call.result for call in calls)
    return [as_text(result) for result in found if result is not None]


def as_text(value: object) -> str:
    """``value`` as a text to look words up in: JSON, unless it is text already."""
    return value if isinstance(value, str) else json.dumps(plain(value), ensure_ascii=False, default=str)
