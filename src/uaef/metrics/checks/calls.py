"""Tool calls, for checks: which ones are meant, which went well, and how they are quoted."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Literal

from uaef.metrics.tool_calling import same_value
from uaef.models.reading import shown
from uaef.models.tool_call import ToolCall, ToolStatus
from uaef.text.numbers import listed
from uaef.text.strict_json import strict_json
from uaef.text.well_formed import well_formed

_LISTED = 5
_ERROR_KEYS = ("isError", "is_error", "error")
_ERROR_TEXT = "Error:"
"""How tools and what runs them begin a refusal, where a message has no place for it but its text."""


def is_like(
    name: str,
    arguments: Mapping[str, object] | Callable[[dict[str, object]], bool] | None,
    match: Literal["subset", "equal"],
) -> Callable[[ToolCall], bool]:
    """A function that tells whether a call is of the tool ``name`` and has these arguments."""
    if arguments is None:
        return lambda call: call.name == name
    if not isinstance(arguments, Mapping):
        return lambda call: call.name == name and bool(arguments(call.arguments))
    if match == "equal":
        return lambda call: call.name == name and same_value(arguments, call.arguments)
    return lambda call: call.name == name and _holds(arguments, call.arguments)


def _holds(wanted: Mapping[str, object], given: Mapping[str, object]) -> bool:
    return all(key in given and same_value(value, given[key]) for key, value in wanted.items())


def went_wrong(call: ToolCall) -> bool:
    """Whether the call failed, or returned an error."""
    if call.status is ToolStatus.FAILED:
        return True
    result = call.result
    if isinstance(result, str):
        result = result.lstrip()
        if result.startswith(_ERROR_TEXT):
            return True
        if result.startswith("{"):
            result = strict_json(result)
    return isinstance(result, Mapping) and any(result.get(key) for key in _ERROR_KEYS)


def succeeded(call: ToolCall) -> bool:
    """Whether the call was carried out without an error."""
    return call.status is ToolStatus.COMPLETED and not went_wrong(call)


def told_calls(calls: Sequence[ToolCall]) -> str:
    """The calls with their arguments, and what came of those that did not go well; the first few of many."""
    return listed([*map(_told, calls)], _LISTED) if calls else "no tool"


def _told(call: ToolCall) -> str:
    arguments = shown(call.arguments) if call.arguments else ""
    outcome = "" if call.status is ToolStatus.COMPLETED else f" ({call.status})"
    if call.error is not None:
        outcome = f" ({call.status}: {shown(call.error)})"
    return f"{well_formed(call.name)}({arguments}){outcome}"
