"""A turn's own part of what an agent returned: many hand back the whole conversation, some without the question."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from uaef.agents.base import Call
from uaef.agents.own_calls import own_calls
from uaef.models.base import replaced
from uaef.models.message import Message, MessageRole
from uaef.models.traces import AgentTrace, MultiAgentTrace, Trace


class _Said(NamedTuple):
    """Something that was said before the turn."""

    role: str
    text: str

    def is_in(self, message: Message) -> bool:
        """Whether the message is it; around what the user said, an agent may have put a prompt of its own."""
        if message.role.value != self.role:
            return False
        wrapped = message.role is MessageRole.USER and self.text.strip() and self.text.strip() in message.content
        return bool(wrapped) or message.content == self.text


def own_part(messages: Sequence[Message], call: Call) -> list[Message]:
    """The messages of the turn: what the user said, as it was said, and what came of it."""
    return _asked(messages[_start(messages, call) :], call)


def own_trace(trace: Trace, call: Call) -> Trace:
    """The trace with the turn's own messages and calls alone, in lists that no agent goes on writing into."""
    messages = trace.messages
    begins = bool(messages) and messages[0].role is MessageRole.USER and messages[0].content == call.input
    is_own = begins and (call.turn == 1 or not _is_asked_again(messages, call))
    start = 0 if is_own else _start(messages, call)
    own = [replaced(message, tool_calls=list(message.tool_calls)) for message in _asked(messages[start:], call)]
    calls = own_calls(trace, start, call.so_far or ())
    if isinstance(trace, AgentTrace):
        return replaced(trace, messages=own, tool_calls=calls)
    unchanged = start == 0 and calls is not None and len(calls) == len(trace.tool_calls)
    return replaced(trace, messages=own, tool_calls=calls, agent_traces=_copied(trace) if unchanged else None)


def _copied(trace: MultiAgentTrace) -> dict[str, AgentTrace]:
    return {
        name: replaced(part, messages=list(part.messages), tool_calls=list(part.tool_calls))
        for name, part in trace.agent_traces.items()
    }


def _asked(own: Sequence[Message], call: Call) -> list[Message]:
    """The messages with what the user said in front of them; an agent may have wrapped it in a prompt of its own."""
    if own and own[0].role is MessageRole.USER and own[0].content == call.input:
        return list(own)
    rest = own[1:] if own and own[0].role is MessageRole.USER else own
    return [Message(role=MessageRole.USER, content=call.input), *rest]


def _start(messages: Sequence[Message], call: Call) -> int:
    """Where the turn begins: at the question, or behind what came before where the question was left out.

    Where agents hand over, the question may stand in a turn twice. So it is the first one behind what is known to
    have come before; only where nothing is known of that, and something did, it is the last.
    """
    before = _end_of_known(messages, call)
    prompts = [i for i, message in enumerate(messages) if i >= before and message.role is MessageRole.USER]
    asked = [i for i in prompts if _is_question(messages[i], call)]
    asked = asked or [i for i in prompts if call.input.strip() in messages[i].content] or prompts
    if asked:
        is_known = before > 0 or call.turn == 1 or call.so_far is not None
        return asked[0] if is_known else asked[-1]
    return before or _systems(messages)


def _end_of_known(messages: Sequence[Message], call: Call) -> int:
    """How many messages, with the system's in front, repeat what was shown to the agent or really said before."""
    shown = [_Said(str(said.get("role")), str(said.get("content") or "")) for said in call.history]
    earlier = [message for trace in call.so_far or () for message in trace.messages]
    said = [_Said(m.role.value, m.content) for m in earlier if m.role is not MessageRole.SYSTEM]
    return _repeated(messages, shown, call) or _repeated(messages, said, call) or _behind_last(messages, said)


def _repeated(messages: Sequence[Message], known: Sequence[_Said], call: Call) -> int:
    """Where a repetition of all that is known ends, or of its end, where an agent forgets how it began."""
    start = _systems(messages)
    for length in range(min(len(known), len(messages) - start), 0, -1):
        end = start + length
        if all(said.is_in(message) for said, message in zip(known[-length:], messages[start:end], strict=True)):
            asks = any(message.role is MessageRole.USER for message in messages[end:])
            if asks or (length == len(known) and not _is_answered(messages[start:], call)):
                return end
    return 0


def _is_answered(messages: Sequence[Message], call: Call) -> bool:
    """Whether it may be the turn itself, in which the user and the assistant say what they said before."""
    return bool(messages) and _Said(MessageRole.USER.value, call.input).is_in(messages[0])


def _behind_last(messages: Sequence[Message], known: Sequence[_Said]) -> int:
    """Where the last thing said is repeated, of a conversation that is otherwise told in other words."""
    if not known or known[-1].role == MessageRole.USER.value or not known[-1].text.strip():
        return 0
    places = [i for i, message in enumerate(messages) if known[-1].is_in(message)]
    times = known.count(known[-1])
    if len(places) < times:
        return 0
    end = places[times - 1] + 1
    return end if any(message.role is MessageRole.USER for message in messages[end:]) else 0


def _systems(messages: Sequence[Message]) -> int:
    others = (i for i, message in enumerate(messages) if message.role is not MessageRole.SYSTEM)
    return next(others, len(messages))


def _is_question(message: Message, call: Call) -> bool:
    return message.role is MessageRole.USER and message.content.strip() == call.input.strip()


def _is_asked_again(messages: Sequence[Message], call: Call) -> bool:
    return any(_is_question(message, call) for message in messages[1:])
