"""What an agent is shown of the conversation before a turn, by policy, and what that asks of agents and cases."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterable, Iterator, Mapping
from enum import StrEnum

from uaef.agents.base import Agent, reads_history
from uaef.errors import UsageError
from uaef.models.base import plain
from uaef.models.case import Ask, Case
from uaef.models.message import Message, MessageRole
from uaef.models.reading import shown
from uaef.models.tool_call import ToolCall, ToolStatus
from uaef.models.traces import Trace


class History(StrEnum):
    """What an agent is shown of the conversation so far."""

    THREAD = "thread"
    """Nothing: one thread for the conversation, and the agent's own memory of it."""
    ACTUAL = "actual"
    """What was really said and done, in a new thread for every turn."""
    EXPECTED = "expected"
    """What should have been said, in a new thread for every turn."""
    NONE = "none"
    """Nothing at all: every turn is asked as if it was the first."""


def check_playable(case: Case, history: History) -> None:
    """Make sure that ``case`` can be played so.

    Raises:
        UsageError: the expected conversation is to be shown, and a turn before the last does not say what it is.
    """
    if history is not History.EXPECTED:
        return
    silent = [number for number, ask in enumerate(case.asks[:-1], 1) if not (ask.golden or "").strip()]
    if silent:
        turns = f"turn {silent[0]}" if len(silent) == 1 else f"turns {', '.join(map(str, silent))}"
        raise UsageError(
            f"Case {case.case_id!r}, {turns}: there is no expected answer to show to the turns after it; give the "
            "turn a reply or an expected output, or play with history='actual' or history='thread'."
        )


def no_memory_warning(agent: Agent, cases: Iterable[Case], history: History) -> str | None:
    """What to tell the user of an agent that cannot know what was said before, where some case needs it to."""
    kept = history is History.THREAD
    fits = agent.remembers if kept else reads_history(agent)
    if history is History.NONE or fits or all(len(case.asks) == 1 for case in cases):
        return None
    if kept:
        lack = "keeps no thread and takes no history, so it answers every turn as if it was the first"
        hint = "take thread_id or history, or give a graph a checkpointer"
    else:
        lack = f"takes no history, so it is not shown the {history} conversation before a turn"
        hint = "take history, or play with history='thread'"
    return f"The agent {agent.name!r} {lack}; {hint}."


def golden_exchange(ask: Ask) -> tuple[Message, Message]:
    """What the user says in a turn and what should be answered, as later turns are shown it."""
    asked = Message(role=MessageRole.USER, content=ask.user)
    return asked, Message(role=MessageRole.ASSISTANT, content=ask.golden or "")


def chat_dicts(messages: Iterable[Message]) -> list[dict[str, object]]:
    """Messages without tools, as the chat API has them; new ones at every call."""
    return [{"role": message.role.value, "content": message.content} for message in messages]


def transcript(traces: Iterable[Trace]) -> list[dict[str, object]]:
    """What was said and done in successive turns, as the chat API has it; new dicts at every call.

    Every call is followed by its result, as the API demands: the recorded message, or one made of the call. Calls
    without an id get one. System messages are the agent's own affair and stay out.
    """
    numbers = itertools.count(1)
    return [said for trace in traces for said in _turn(trace, numbers)]


def _turn(trace: Trace, numbers: Iterator[int]) -> Iterator[dict[str, object]]:
    carried = any(message.tool_calls for message in trace.messages)
    loose = [] if carried else trace.tool_calls
    answered = {m.tool_call_id for m in trace.messages if m.role is MessageRole.TOOL}
    asked: set[str | None] = set()
    for message in trace.messages:
        if message.role is MessageRole.USER:
            yield {"role": "user", "content": message.content}
            if loose:
                yield from _with_calls("", loose, answered, numbers)
                loose = []
        elif message.role is MessageRole.ASSISTANT and message.tool_calls:
            asked |= {call.call_id for call in message.tool_calls}
            yield from _with_calls(message.content, message.tool_calls, answered, numbers)
        elif message.role is MessageRole.ASSISTANT:
            yield {"role": "assistant", "content": message.content}
        elif message.role is MessageRole.TOOL and message.tool_call_id and message.tool_call_id in asked:
            yield {"role": "tool", "tool_call_id": message.tool_call_id, "content": message.content}


def _with_calls(
    text: str, calls: Iterable[ToolCall], answered: Iterable[str | None], numbers: Iterator[int]
) -> Iterator[dict[str, object]]:
    named = [(call.call_id or f"call_{next(numbers)}", call) for call in calls]
    yield {"role": "assistant", "content": text, "tool_calls": [_call(name, call) for name, call in named]}
    for name, call in named:
        if name not in answered:
            yield {"role": "tool", "tool_call_id": name, "content": _result(call)}


def _call(name: str, call: ToolCall) -> Mapping[str, object]:
    function = {"name": call.name, "arguments": as_json(call.arguments)}
    return {"id": name, "type": "function", "function": function}


def _result(call: ToolCall) -> str:
    if call.status is not ToolStatus.COMPLETED:
        return call.error or ""
    return call.result if isinstance(call.result, str) else as_json(call.result)


def as_json(value: object) -> str:
    """The value as JSON; what is nothing of the kind becomes text."""
    try:
        return _json(value)
    except Exception:  # noqa: BLE001 - nested too deeply, in itself, too long a number, or foreign code
        inner = value.items() if isinstance(value, Mapping) else ()
        return json.dumps({str(key): _jsonable(part) for key, part in inner} or shown(value), ensure_ascii=False)


def _jsonable(value: object) -> object:
    """The value, if it can be JSON; else what can be said of it."""
    try:
        return json.loads(_json(value))
    except Exception:  # noqa: BLE001 - as above
        return shown(value)


def _json(value: object) -> str:
    dump = getattr(value, "model_dump", None)
    return json.dumps(plain(dump() if callable(dump) else value), ensure_ascii=False)
