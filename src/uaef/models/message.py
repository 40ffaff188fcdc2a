"""A message: one thing said, by whom."""

from __future__ import annotations

import datetime as dt
from enum import StrEnum
from typing import TYPE_CHECKING, Literal

from uaef.models.base import Model
from uaef.models.tool_call import ToolCall


class MessageRole(StrEnum):
    """Who speaks."""

    USER = "user"
    ASSISTANT = "assistant"
    SYSTEM = "system"
    TOOL = "tool"


if TYPE_CHECKING:

    class Role:
        """A field that takes a role or its name and holds a role."""

        def __get__(self, model: object, owner: object) -> MessageRole: ...
        def __set__(
            self, model: object, value: MessageRole | Literal["user", "assistant", "system", "tool"]
        ) -> None: ...
else:
    Role = MessageRole


class Message(Model, frozen=True, gc=False):
    """One message of a conversation.

    Attributes:
        role: who speaks; the plain strings ``"user"``, ``"assistant"``, ``"system"``, ``"tool"`` will do.
        content: the text; empty where the message only carries tool calls.
        tool_calls: the calls this message asks for.
        agent: the agent that speaks, in a conversation with several.
        tool_call_id: for a tool's message, the call it answers.
        timestamp: when it was said; time zone required, kept in UTC.
        metadata: anything else that was recorded.
    """

    role: Role
    content: str
    tool_calls: list[ToolCall] = []
    agent: str | None = None
    tool_call_id: str | None = None
    timestamp: dt.datetime | None = None
    metadata: dict[str, object] = {}

    def __post_init__(self) -> None:
        super().__post_init__()
        self._aware()
