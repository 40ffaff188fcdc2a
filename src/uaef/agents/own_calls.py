"""A turn's own tool calls among those that a trace holds: some agents hand back all that they ever made."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from uaef.models.tool_call import ToolCall
from uaef.models.traces import Trace


def own_calls(trace: Trace, start: int, so_far: Sequence[Trace]) -> list[ToolCall] | None:
    """The calls of the turn; ``None`` where they are those that its messages carry.

    Args:
        trace: what the agent returned.
        start: how many of its messages are from before the turn.
        so_far: the turns before it.
    """
    gone = [made for message in trace.messages[:start] for made in message.tool_calls]
    carried = len(gone) + sum(len(message.tool_calls) for message in trace.messages[start:])
    if len(trace.tool_calls) == carried:
        return None if start else list(trace.tool_calls)
    earlier = [made for before in so_far for made in before.tool_calls]
    own = _without(trace.tool_calls, gone)
    if len(own) < len(trace.tool_calls):
        earlier = _without(earlier, gone)
    return _behind(own, earlier, least=1 if start else len(earlier), like=_is_like if start else _is_same)


def _without(calls: Iterable[ToolCall], gone: Iterable[ToolCall]) -> list[ToolCall]:
    """The calls but for one for each of those that are gone."""
    left = list(calls)
    for made in gone:
        place = next((i for i, call in enumerate(left) if _is_like(call, made)), None)
        if place is not None:
            del left[place]
    return left


def _behind(
    calls: Sequence[ToolCall], earlier: Sequence[ToolCall], *, least: int, like: Callable[[ToolCall, ToolCall], bool]
) -> list[ToolCall]:
    """The calls behind those that were made earlier: behind all of them, or at ``least`` so many, the last ones."""
    for length in range(min(len(calls), len(earlier)), max(least, 1) - 1, -1):
        if all(map(like, calls[:length], earlier[-length:])):
            return list(calls[length:])
    return list(calls)


def _is_like(made: ToolCall, other: ToolCall) -> bool:
    """Whether it is that call by its id, if it has one, and by what was called with what."""
    return (made.call_id, made.name, made.arguments) == (other.call_id, other.name, other.arguments)


def _is_same(made: ToolCall, other: ToolCall) -> bool:
    """Whether it is that very call and no other one like it: where no earlier message came along, ids must say so."""
    return bool(made.call_id or made.timestamp) and made.timestamp == other.timestamp and _is_like(made, other)
