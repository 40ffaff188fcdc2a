"""What an agent returned, as the trace of its turn: the user's message first, and nothing from before it."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence

from uaef.adapters.langgraph import LangGraphAdapter
from uaef.adapters.langgraph.messages import is_message
from uaef.agents.base import Call
from uaef.agents.own_part import own_part, own_trace
from uaef.errors import DataError
from uaef.models.chat_messages import parse_messages
from uaef.models.message import Message, MessageRole
from uaef.models.reading import shown
from uaef.models.traces import AgentTrace, MultiAgentTrace, Trace

_ACCEPTED = "text, messages, LangGraph events or a trace"
_HUMAN = "__human__"


def trace_of(answer: object, call: Call) -> Trace:
    """The trace of the turn that ``answer`` tells of.

    Args:
        answer: text; a message or several, as OpenAI's API or LangChain have them or as ``Message``; a state or a
            dict with ``messages``; a chat completion; LangGraph's stream events, or a turn payload that holds them;
            a trace. Messages from before the turn are left out.
        call: what was asked.

    Raises:
        DataError: it is none of them; the message names its type.
    """
    if isinstance(answer, str):
        return said(call, str(answer))
    if isinstance(answer, AgentTrace | MultiAgentTrace):
        return own_trace(answer, call)
    if isinstance(answer, list | tuple) and not hasattr(answer, "_fields"):
        return _from_list(answer, call)
    if isinstance(answer, Message):
        return _from_chat([answer], call)
    fields = _dumped(answer)
    if fields is not None:
        return _from_mapping(fields, answer, call)
    return _from_events([{"messages": [answer]}], call) if is_message(answer) else _refuse(answer)


def said(call: Call, text: str) -> AgentTrace:
    """The trace of a turn in which nothing but ``text`` was answered."""
    return _trace(call, [_question(call), Message(role=MessageRole.ASSISTANT, content=text)])


def silent(call: Call) -> AgentTrace:
    """The trace of a turn in which nothing was answered."""
    return _trace(call, [_question(call)])


def _trace(call: Call, messages: list[Message], **recorded: object) -> AgentTrace:
    return AgentTrace(
        trace_id=f"{call.thread_id}#{call.turn}",
        session_id=call.case_id,
        messages=messages,
        **recorded,  # type: ignore[arg-type] # checked by the model
    )


def _question(call: Call) -> Message:
    return Message(role=MessageRole.USER, content=call.input)


def _from_list(answer: Sequence[object], call: Call) -> Trace:
    if not answer:
        return _refuse(answer)
    if all(map(_is_chat, answer)):
        return _from_chat(answer, call)
    if all(isinstance(item, Message) or _is_chat(item) or is_message(item) for item in answer):
        return _from_events([{"messages": answer}], call)
    if any(isinstance(item, str | bytes) or item is None for item in answer):
        return _refuse(answer)  # a list of texts is no list of events: say so, and not what is odd about each
    return _from_events(answer, call)


def _from_mapping(fields: Mapping[str, object], answer: object, call: Call) -> Trace:
    if "stream_events" in fields:
        events = fields["stream_events"]
        return _from_events(events, call, fields) if isinstance(events, list | tuple) and events else _refuse(answer)
    if isinstance(fields.get("choices"), list | tuple):
        return _completion(fields, call)
    messages = fields.get("messages")
    if isinstance(messages, list | tuple):
        return _from_list(messages, call)
    if _is_chat(fields):
        return _from_chat([fields], call)
    return _from_events([{"messages": [answer]}], call) if is_message(answer) else _refuse(answer)


def _completion(fields: Mapping[str, object], call: Call) -> Trace:
    choices = fields["choices"]
    message = choices[0].get("message") if len(choices) == 1 and isinstance(choices[0], Mapping) else None  # type: ignore[arg-type,index]
    if not isinstance(message, Mapping):
        raise DataError(f"the completion has no single choice: {shown(fields, 300)}")
    usage = fields.get("usage")
    counts = usage if isinstance(usage, Mapping) else {}
    messages = own_part(parse_messages([message]), call)
    read, written = (_count(counts.get(key)) for key in ("prompt_tokens", "completion_tokens"))
    return _trace(call, messages, input_tokens=read, output_tokens=written)


def _count(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def _from_chat(messages: Sequence[object], call: Call) -> Trace:
    parsed = own_part(parse_messages(messages), call)
    several = len({m.agent for m in parsed if m.agent and m.role is MessageRole.ASSISTANT}) > 1
    if not several:
        return _trace(call, parsed)
    return MultiAgentTrace(trace_id=f"{call.thread_id}#{call.turn}", session_id=call.case_id, messages=parsed)


def _from_events(events: Sequence[object], call: Call, payload: Mapping[str, object] | None = None) -> Trace:
    return trace_of_events(events, call, LangGraphAdapter(), payload)


def trace_of_events(
    events: Sequence[object],
    call: Call,
    adapter: LangGraphAdapter,
    payload: Mapping[str, object] | None = None,
) -> Trace:
    """The trace of the turn in which a LangGraph graph streamed ``events``; ``payload`` is what else is known of it.

    Raises:
        DataError: they are no stream events.
    """
    first = events[0] if events else None
    told = isinstance(first, Mapping) and _HUMAN in first
    human = {_HUMAN: {"messages": [{"type": "human", "content": call.input}]}}
    named = {"trace_id": f"{call.thread_id}#{call.turn}", **(payload or {})}
    trace = adapter.transform_to_canonical({**named, "stream_events": [*([] if told else [human]), *events]})
    assert isinstance(trace, AgentTrace | MultiAgentTrace)  # noqa: S101 - what the adapter makes of a dict
    return own_trace(trace, call)


def _is_chat(item: object) -> bool:
    if isinstance(item, Message):
        return True
    if isinstance(item, Mapping):
        return isinstance(item.get("role"), str) and not isinstance(item.get("type"), str)
    return not is_message(item) and isinstance(getattr(item, "role", None), str) and _dumped(item) is not None


def _dumped(answer: object) -> Mapping[str, object] | None:
    """The fields of a mapping, or of an object of OpenAI's client, which can say them."""
    if isinstance(answer, Mapping):
        return answer
    dump = getattr(answer, "model_dump", None)
    if not callable(dump) or isinstance(answer, type) or is_message(answer):
        return None
    dumped = dump()
    return dumped if isinstance(dumped, Mapping) else None


def _refuse(answer: object) -> Trace:
    kind = type(answer).__name__
    if inspect.iscoroutine(answer):
        answer.close()  # nobody is going to await it
        raise DataError(f"it returned a coroutine that nobody awaited, where {_ACCEPTED} was due; write `await`.")
    if answer is None:
        raise DataError(f"it returned None, where {_ACCEPTED} was due.")
    if isinstance(answer, list | tuple) and not answer:
        raise DataError(f"it returned an empty {kind}, where {_ACCEPTED} was due.")
    raise DataError(f"it returned {shown(answer)}, of type {kind}, where {_ACCEPTED} was due.")
