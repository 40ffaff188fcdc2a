"""The adapter for chat messages as OpenAI's API has them: a list of ``{role, content, ...}``."""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence

from uaef.adapters.base import BaseAdapter
from uaef.models.base import replaced
from uaef.models.chat_messages import ROLES, parsed_messages
from uaef.models.conversation import Conversation, SessionDict
from uaef.models.message import Message, MessageRole
from uaef.models.reading import call_warnings, shown
from uaef.models.traces import Trace, joined

_NAME = "openai"
_SESSION_KEYS = ("session_id", "thread_id", "conversation_id", "id")


class OpenAIMessagesAdapter(BaseAdapter):
    """Reads chat messages, split into turns before each user message.

    A list of messages becomes a session dict, and so does a dict with ``messages`` (and ``session_id``,
    ``thread_id``, ``conversation_id`` or ``id``); a list of such dicts becomes a list of session dicts. Other keys
    of a dict are kept in the metadata of its traces. The ``name`` of an assistant's message is its agent.
    """

    name = _NAME

    @classmethod
    def recognises(cls, raw: object) -> bool:
        """Whether ``raw`` is a list of messages, a dict with ``messages``, or a list of such dicts."""
        if isinstance(raw, Mapping):
            return _is_conversation(raw)
        if not isinstance(raw, list) or not raw:
            return False
        return all(map(_looks_like_message, raw)) or all(map(_is_conversation, raw))

    def transform_to_canonical(self, raw: object) -> SessionDict | list[SessionDict]:
        """A session dict (``session_id`` where it is known, ``per_turn_traces``, ``full_trace``), or a list of them.

        Raises:
            AdapterTransformationError: naming the position of every message that cannot be read, and why.
        """
        if isinstance(raw, Mapping) and "messages" in raw:
            return self._sessions([raw], named=False)[0]
        if isinstance(raw, list | tuple) and raw:
            if all(isinstance(item, Mapping) and "messages" in item for item in raw):
                return self._sessions(raw, named=True)
            return self._sessions([{"messages": raw}], named=False)[0]
        got = "an empty list" if isinstance(raw, list | tuple) else type(raw).__name__
        return self.refuse(f"Expected a list of messages or a dict with messages, got {got}.")

    def _sessions(self, raws: Sequence[Mapping[str, object]], *, named: bool) -> list[SessionDict]:
        problems: list[str] = []
        sessions = []
        for place, raw in enumerate(raws, 1):
            session_id = _session_id(raw) or (f"conversation-{place}" if named else None)
            messages, unasked, wrong = parsed_messages(raw["messages"])
            where = f"conversation {place} ({session_id!r}), " if named else ""
            problems += [f"{where}{problem}" for problem in wrong]
            if not wrong:
                sessions.append(_session(messages, unasked, session_id, _metadata(raw)))
        return self.refuse(*problems) if problems else sessions


def _session(
    messages: list[Message], unasked: list[Message], session_id: str | None, metadata: dict[str, object]
) -> SessionDict:
    turns = Conversation.from_messages(messages, name=session_id).turns
    odd = frozenset(map(id, unasked))
    traces = [_with_details(turn.trace, turn.number, odd, metadata) for turn in turns]
    whole = joined(traces, session_id or "conversation")
    named = {} if session_id is None else {"session_id": session_id}
    return {**named, "per_turn_traces": traces, "full_trace": whole}


def _with_details(trace: Trace, number: int, unasked: frozenset[int], metadata: dict[str, object]) -> Trace:
    messages = trace.messages or []
    warnings = call_warnings(messages, [m for m in messages if id(m) in unasked])
    if not any(message.role is MessageRole.USER for message in messages):
        warnings.append("The turn has no user message.")
    details = {**metadata, "turn_id": number, **({"warnings": warnings} if warnings else {})}
    return replaced(trace, framework=_NAME, metadata=details)


def _session_id(raw: Mapping[str, object]) -> str | None:
    found = (raw.get(key) for key in _SESSION_KEYS)
    named = (
        str(value) if isinstance(value, str | uuid.UUID) else shown(value) for value in found if value is not None
    )
    return next((name for name in named if name.strip()), None)


def _metadata(raw: Mapping[str, object]) -> dict[str, object]:
    given = raw.get("metadata")
    other = {str(key): value for key, value in raw.items() if key not in ("messages", "metadata", *_SESSION_KEYS)}
    return {**other, **(given if isinstance(given, Mapping) else {})}


def _looks_like_message(raw: object) -> bool:
    if isinstance(raw, Message):
        return True
    return isinstance(raw, Mapping) and raw.get("role") in ROLES and ("content" in raw or "tool_calls" in raw)


def _is_conversation(raw: object) -> bool:
    """A dict with ``messages`` that is not one of our own traces as plain data."""
    if not isinstance(raw, Mapping) or "trace_id" in raw or "agent_traces" in raw:
        return False
    messages = raw.get("messages")
    return isinstance(messages, list) and bool(messages) and all(map(_looks_like_message, messages))
