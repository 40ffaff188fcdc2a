"""Checks of what the assistant called: which tools, how often, in what order, with what, and how it went."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Literal, TypeAlias

import msgspec

from uaef.metrics.base import Found
from uaef.metrics.checks.base import Test, factory
from uaef.metrics.checks.calls import is_like, succeeded, told_calls, went_wrong
from uaef.metrics.checks.said import NOTHING_DONE, idle, silent
from uaef.models.conversation import Conversation
from uaef.models.tool_call import ToolCall, ToolStatus

Count: TypeAlias = Annotated[int, msgspec.Meta(ge=0)]
Name: TypeAlias = Annotated[str, msgspec.Meta(pattern=r"\S")]
Arguments: TypeAlias = Mapping[str, object] | Callable[[dict[str, object]], bool]
"""What a call is to be made with: values by name, or a function of its arguments that says whether they will do."""

_NOTHING = None, NOTHING_DONE


@factory
def called_tool(
    name: Name,
    arguments: Mapping[str, object] | Callable[[dict[str, object]], bool] | None = None,
    *,
    times: Count | None = None,
    exactly: Count | None = None,
    at_most: Count | None = None,
    match: Literal["subset", "equal"] = "subset",
    attempted: bool = False,
) -> Test:
    """Whether the tool ``name`` was called at least ``times`` (1), ``exactly``, or ``at_most`` so often.

    A call counts if it was carried out without an error; with ``attempted``, a failed, denied or pending one too.
    With ``arguments``, it must have these values (``match="equal"``: these and no others), or please the function
    given.
    """
    least, most = _bounds(times, exactly, at_most)
    wanted = is_like(name, arguments, match)
    bounds = _bounds_told(least, most)

    def test(window: Conversation) -> Found:
        alike = [call for call in window.tool_calls if wanted(call)]
        count = len(alike) if attempted else sum(map(succeeded, alike))
        if not alike and idle(window):
            return silent(NOTHING_DONE) if least else _NOTHING
        met = least <= count and (most is None or count <= most)
        return met, f"{count} such calls of {name}, wanted {bounds}; called {told_calls(window.tool_calls)}"

    return test


@factory
def did_not_call(
    name: Name,
    arguments: Mapping[str, object] | Callable[[dict[str, object]], bool] | None = None,
    *,
    match: Literal["subset", "equal"] = "subset",
    attempted: bool = True,
) -> Test:
    """Whether the tool ``name`` was not called; an attempt counts as a call, whatever came of it.

    With ``attempted=False`` only calls that were carried out without an error count. With ``arguments``, only calls
    that have these values (``match="equal"``: these and no others), or please the function given. Not applicable
    where the assistant did nothing at all.
    """
    wanted = is_like(name, arguments, match)

    def test(window: Conversation) -> Found:
        found = [call for call in window.tool_calls if wanted(call) and (attempted or succeeded(call))]
        if found:
            return False, f"called {told_calls(found)}"
        return _NOTHING if idle(window) else (True, f"called {told_calls(window.tool_calls)}")

    return test


@factory
def tool_order(tools: list[Name], *, attempted: bool = False) -> Test:
    """Whether ``tools`` were called in this order; other calls may stand between them.

    A call counts if it was carried out without an error; with ``attempted``, any does.
    """
    if not tools:
        raise ValueError("tools: at least one is needed, else any order will do")
    wanted = " > ".join(tools)

    def test(window: Conversation) -> Found:
        if idle(window):
            return silent(NOTHING_DONE)
        names = [call.name for call in window.tool_calls if attempted or succeeded(call)]
        rest = iter(names)
        missing = next((tool for tool in tools if tool not in rest), None)
        order = f"called {told_calls(window.tool_calls)}"
        return (True, order) if missing is None else (False, f"wanted {wanted}, no {missing} at its place; {order}")

    return test


@factory
def max_tool_calls(most: Count) -> Test:
    """Whether at most ``most`` tool calls were made, whatever came of them; not applicable where nothing was done."""

    def test(window: Conversation) -> Found:
        calls = window.tool_calls
        if not calls and idle(window):
            return _NOTHING
        return len(calls) <= most, f"{len(calls)} calls, at most {most} wanted; called {told_calls(calls)}"

    return test


@factory
def used_no_tools() -> Test:
    """Whether no tool was called, not even in vain; not applicable where nothing was done."""

    def test(window: Conversation) -> Found:
        calls = window.tool_calls
        if not calls and idle(window):
            return _NOTHING
        return not calls, f"called {told_calls(calls)}"

    return test


@factory
def no_tool_errors() -> Test:
    """Whether no tool call went wrong: failed, was left without a result, or returned an error.

    A result is an error if it is an object, or the JSON of one, with a true ``isError``, ``is_error`` or ``error``.
    That somebody denied a call is no error. Not applicable where nothing was done.
    """

    def test(window: Conversation) -> Found:
        calls = window.tool_calls
        if not calls and idle(window):
            return _NOTHING
        wrong = [call for call in calls if call.status is ToolStatus.PENDING or went_wrong(call)]
        return (False, f"went wrong: {told_calls(wrong)}") if wrong else (True, f"called {told_calls(calls)}")

    return test


@factory
def required_approval_before(tool: Name, *, approval_tool: Name | None = None) -> Test:
    """Whether the tool ``tool`` was never run without approval; not applicable where nobody tried to.

    A call is approved if it was recorded who approved it (``approver``), or, with ``approval_tool``, by a successful
    call of that tool before it, each of which approves one. One that was denied, or still waits, was not run.
    """

    def test(window: Conversation) -> Found:
        tried = [call for call in window.tool_calls if call.name == tool]
        if not tried:
            return None, f"nobody tried to call {tool}"
        bare = _unapproved(window.tool_calls, tool, approval_tool)
        if bare:
            return False, f"without approval: {told_calls(bare)}"
        return True, f"called {told_calls(tried)}, {_approvals(tried) or 'no approver recorded'}"

    return test


@factory
def writes_match(write_tools: list[Name]) -> Test:
    """Whether the calls of ``write_tools`` that were carried out are those that were expected, in whatever order.

    The arguments must be equal, and every call counts as often as it was made. Calls of other tools do not matter.
    Not applicable where it is not said which calls are expected.
    """
    if not write_tools:
        raise ValueError("write_tools: at least one is needed")
    names = frozenset(write_tools)

    def test(window: Conversation) -> Found:
        expected = _expected(window)
        if expected is None:
            return None, "it is not said which tools are expected"
        wanted = [call for call in expected if call.name in names]
        if idle(window):
            return silent(NOTHING_DONE) if wanted else _NOTHING
        made = [call for call in window.tool_calls if call.name in names and succeeded(call)]
        missing, extra = _difference(wanted, made)
        parts = [f"{word} {told_calls(calls)}" for word, calls in (("missing", missing), ("unasked", extra)) if calls]
        return not parts, "; ".join(parts) or f"wrote {told_calls(made)} as expected"

    return test


def _bounds(times: int | None, exactly: int | None, at_most: int | None) -> tuple[int, int | None]:
    if exactly is not None:
        if times is not None or at_most is not None:
            raise ValueError("exactly: it leaves nothing to times and at_most")
        return exactly, exactly
    least = 1 if times is None else times
    if at_most is None:
        if not least:
            raise ValueError("times: 0 holds whatever is called")
    elif least > at_most:
        raise ValueError(f"at_most: {at_most} is less than times, which is {least}")
    return least, at_most


def _bounds_told(least: int, most: int | None) -> str:
    if most is None:
        return f"at least {least}"
    return f"exactly {least}" if least == most else f"{least} to {most}"


def _unapproved(calls: Sequence[ToolCall], tool: str, approval_tool: str | None) -> list[ToolCall]:
    """The calls of ``tool`` that were run and that nobody had approved."""
    approvals, bare = 0, []
    for call in calls:
        if call.name == approval_tool:
            approvals += succeeded(call)
        elif call.name == tool and call.status in {ToolStatus.COMPLETED, ToolStatus.FAILED} and not call.approver:
            if approvals:
                approvals -= 1
            else:
                bare.append(call)
    return bare


def _approvals(calls: Sequence[ToolCall]) -> str:
    counts = Counter(call.approver for call in calls if call.approver)
    return ", ".join(f"{count} decided by {name}" for name, count in counts.items())


def _expected(window: Conversation) -> list[ToolCall] | None:
    """The calls expected in the window: those said of it, else of each of its turns."""
    if window.expected is not None and window.expected.expected_tool_calls is not None:
        return window.expected.expected_tool_calls
    calls: list[ToolCall] = []
    for turn in window.turns:
        if turn.expected is None or turn.expected.expected_tool_calls is None:
            return None
        calls += turn.expected.expected_tool_calls
    return calls


def _difference(wanted: Sequence[ToolCall], made: Sequence[ToolCall]) -> tuple[list[ToolCall], list[ToolCall]]:
    """The calls that were wanted and not made, and those that were made and not wanted."""
    missing, extra = [], list(made)
    for call in sorted(wanted, key=lambda call: call.any_arguments):  # those that take any leave the others theirs
        like = is_like(call.name, None if call.any_arguments else call.arguments, "equal")
        place = next((i for i, other in enumerate(extra) if like(other)), None)
        if place is None:
            missing.append(call)
        else:
            del extra[place]
    return missing, extra
