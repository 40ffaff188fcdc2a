"""A turn's own part of what an agent returned: many hand back the whole conversation, some without the question."""

from __future__ import annotations

from collections.abc import Sequence

from uaef.agents.base import Call
from uaef.models.base import replaced
from uaef.models.message import Message, MessageRole
from uaef.models.tool_call import ToolCall
from uaef.models.traces import AgentTrace, Trace


def own_part(messages: Sequence[Message], call: Call) -> list[Message]:
    """The messages of the turn: what the user said, as it was said, and what came of it."""
    return _asked(messages[_start(messages, call) :], call)


def own_trace(trace: Trace, call: Call) -> Trace:
    """The trace with the turn's own messages and calls alone."""
    messages = trace.messages
    begins = bool(messages) and messages[0].role is MessageRole.USER and messages[0].content == call.input
    if begins and (call.turn == 1 or not _is_asked_again(messages, call)):
        return trace
    start = _start(messages, call)
    own = _asked(messages[start:], call)
    gone = [made for message in messages[:start] for made in message.tool_calls]
    carried = len(gone) + sum(len(message.tool_calls) for message in messages[start:])
    calls = None if len(trace.tool_calls) == carried else [c for c in trace.tool_calls if not _is_among(c, gone)]
    if isinstance(trace, AgentTrace):
        return replaced(trace, messages=own, tool_calls=calls)
    by_agent = trace.agent_traces if start == 0 else None
    return replaced(trace, messages=own, tool_calls=calls, agent_traces=by_agent)


def _is_among(made: ToolCall, gone: Sequence[ToolCall]) -> bool:
    """Whether it is one of those calls: by its id, or by what was called with what."""
    if made.call_id:
        return any(made.call_id == other.call_id for other in gone)
    return any((made.name, made.arguments) == (other.name, other.arguments) for other in gone)


def _asked(own: Sequence[Message], call: Call) -> list[Message]:
    """The messages with what the user said in front of them; an agent may have wrapped it in a prompt of its own."""
    if own and own[0].role is MessageRole.USER and own[0].content == call.input:
        return list(own)
    rest = own[1:] if own and own[0].role is MessageRole.USER else own
    return [Message(role=MessageRole.USER, content=call.input), *rest]


def _start(messages: Sequence[Message], call: Call) -> int:
    """Where the turn begins: at the question, or behind the history where the question was left out."""
    before = _length_of_history(messages, call)
    asked = [i for i, message in enumerate(messages) if i >= before and _is_question(message, call)]
    nothing_before = before > 0 or call.turn == 1
    if asked:
        return asked[0] if nothing_before else asked[-1]
    prompts = [i for i, message in enumerate(messages) if i >= before and message.role is MessageRole.USER]
    if prompts:
        return prompts[0] if nothing_before else prompts[-1]
    return before or _systems(messages)


def _length_of_history(messages: Sequence[Message], call: Call) -> int:
    """How many messages, with the system's in front, repeat the history that the agent was given."""
    start = _systems(messages)
    end = start + len(call.history)
    told = [(said.get("role"), said.get("content") or "") for said in call.history]
    here = [(message.role.value, message.content) for message in messages[start:end]]
    return end if told and told == here else 0


def _systems(messages: Sequence[Message]) -> int:
    others = (i for i, message in enumerate(messages) if message.role is not MessageRole.SYSTEM)
    return next(others, len(messages))


def _is_question(message: Message, call: Call) -> bool:
    return message.role is MessageRole.USER and message.content.strip() == call.input.strip()


def _is_asked_again(messages: Sequence[Message], call: Call) -> bool:
    return any(_is_question(message, call) for message in messages[1:])
