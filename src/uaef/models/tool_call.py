"""A tool call: what an agent asked a tool to do and what came of it."""

from __future__ import annotations

import datetime as dt
from enum import StrEnum

from uaef.models.base import DERIVED, Model


class ToolStatus(StrEnum):
    """How a call ended."""

    COMPLETED = "completed"
    FAILED = "failed"
    DENIED = "denied"
    """A person or a policy refused it."""
    PENDING = "pending"
    """Asked for, and no result was recorded."""


class ToolCall(Model, frozen=True, gc=False):
    """One call of a tool, recorded or expected.

    Attributes:
        name: the tool's name, not blank.
        arguments: what it was called with; left out, nothing is said of them: none are known, and of an expected
            call any will do.
        any_arguments: whether nothing is said of the arguments; left out, it follows from them.
        result: what it returned, any JSON value; ``None`` when nothing is known.
        call_id: the identifier that joins a call and its result.
        status: how it ended; left out, it is ``failed`` where there is an error, else ``completed``.
        error: what went wrong, in the tool's own words.
        approver: who allowed or denied it, where that was recorded.
        agent: the agent that made the call.
        execution_time: seconds, at least 0.
        timestamp: when it was made; time zone required, kept in UTC.
        metadata: anything else; ``mcp_server`` and ``input_schema`` are read by ``mcp_compliance``.
    """

    name: str
    arguments: dict[str, object] = DERIVED
    any_arguments: bool = False
    result: object = None
    call_id: str | None = None
    status: ToolStatus = DERIVED
    error: str | None = None
    approver: str | None = None
    agent: str | None = None
    execution_time: float | None = None
    timestamp: dt.datetime | None = None
    metadata: dict[str, object] = {}

    def __post_init__(self) -> None:
        super().__post_init__()
        if self._left_out("arguments"):
            self._set("arguments", {})
            self._set("any_arguments", True)  # noqa: FBT003 - the value of a field
        self._not_blank("name")
        self._not_negative("execution_time")
        self._aware()
        if self._left_out("status"):
            self._set("status", ToolStatus.COMPLETED if self.error is None else ToolStatus.FAILED)
