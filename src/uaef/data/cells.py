"""One cell of a ground truth table as the value its column stands for.

A reader takes a cell that is not blank and raises ``CellError`` with the reason when it cannot be read;
whoever calls it knows the place.
"""

from __future__ import annotations

import datetime as dt
import json
import math
from collections.abc import Mapping
from typing import NamedTuple, NotRequired, TypedDict

from uaef.models import ToolCall


class CellError(ValueError):
    """A cell does not hold what its column stands for; the message is the reason, without the place."""


class Unreadable(NamedTuple):
    """A cell that a file has but gives no value for, and why."""

    reason: str


class ExpectedCall(TypedDict):
    """An expected tool call as plain data; without arguments, any will do."""

    name: str
    arguments: NotRequired[dict[str, object]]


_CALL_KEYS = {"name": "name", "tool_name": "name", "arguments": "arguments", "parameters": "arguments"}
_CALL_SHAPE = "a call has name (or tool_name) and arguments (or parameters)"
_PANDAS_MISSING = {"NAType", "NaTType"}


def is_blank(value: object) -> bool:
    """Whether there is nothing in the cell: None, white space, or the missing value of a pandas row.

    Text that somebody typed is never blank, "nan" and "None" included: both can be an answer.
    """
    if isinstance(value, str):
        return not value.strip()
    if isinstance(value, float):
        return math.isnan(value)
    return value is None or type(value).__name__ in _PANDAS_MISSING


def text(value: object) -> str:
    """The cell as text: 44192 and 44192.0 as ``44192``, true as ``true``, a date as ``2024-05-01``.

    Raises:
        CellError: it is a list or an object.
    """
    match value:
        case str():
            return value
        case bool():
            return str(value).lower()
        case float():
            return str(int(value)) if value.is_integer() else f"{value:.15g}"
        case int() | dt.timedelta():
            return str(value)
        case dt.datetime():
            return _moment(value)
        case dt.date() | dt.time():
            return value.isoformat()
    raise CellError(f"must be text, got {kind(value)}")


def identifier(value: object) -> str:
    """The cell as a name, without white space around it.

    Raises:
        CellError: it is a list or an object.
    """
    return text(value).strip()


def turn_number(value: object) -> int:
    """The cell as a turn's number, at least 0; 3, 3.0, ``"3"`` and ``"3.0"`` are all 3.

    Raises:
        CellError: it is anything else.
    """
    try:
        number = math.nan if isinstance(value, bool) else float(identifier(value))
    except ValueError:
        number = math.nan
    if not (number >= 0 and number.is_integer()):
        raise CellError(f"must be a whole number of at least 0, got {value!r:.40}")
    return int(number)


def documents(value: object) -> list[str]:
    """The cell as evidence: a list of texts (or its JSON) as it is, any other text as one document.

    Raises:
        CellError: it is an object, or a list that holds one.
    """
    if isinstance(value, str):
        value = _texts_in(value)
    if isinstance(value, list):
        return [text(item) for item in value if not is_blank(item)]
    return [text(value)]


def expected_calls(value: object) -> list[ExpectedCall]:
    """The cell as expected tool calls, in order; an empty list says that none is expected.

    Args:
        value: a list, or its JSON, of names and of objects with ``name`` and ``arguments``.

    Raises:
        CellError: it is not JSON, no list, or a call in it is malformed.
    """
    if isinstance(value, str):
        try:
            value = parsed_json(value)
        except CellError as error:
            example = '["search", {"name": "book", "arguments": {"nights": 2}}]'
            raise CellError(f"not JSON: {error}; write calls as {example}, or [] for none") from None
    if not isinstance(value, list):
        raise CellError(f"must be a JSON array of calls, got {kind(value)}")
    return [_expected_call(item, f"call {place}") for place, item in enumerate(value, 1)]


def as_it_is(value: object) -> object:
    """The cell of a column that uaef does not know.

    Raises:
        CellError: the file gives no value for it.
    """
    if isinstance(value, Unreadable):
        raise CellError(value.reason)
    return value


def parsed_json(source: str) -> object:
    """The JSON value in ``source``.

    Raises:
        CellError: it is not JSON or an object in it has a key twice; the message says where.
    """
    try:
        value: object = json.loads(source, object_pairs_hook=_unique)
    except json.JSONDecodeError as error:
        line = f"line {error.lineno}, " if error.lineno > 1 else ""
        raise CellError(f"{error.msg} at {line}character {error.colno}") from None
    except RecursionError:
        raise CellError("nested too deeply") from None
    except ValueError as error:
        raise CellError(str(error)) from None
    return value


def kind(value: object) -> str:
    """What ``value`` is, for a sentence that begins with "got"."""
    names = {
        "dict": "an object",
        "list": "a list",
        "str": "text",
        "bool": "true or false",
        "NoneType": "null",
    }
    name = type(value).__name__
    return names.get(name, f"a number ({value})" if isinstance(value, int | float) else f"a {name}")


def _moment(value: dt.datetime) -> str:
    # A spreadsheet has no type for a day: it stores the midnight at which the day begins.
    return value.date().isoformat() if value.time() == dt.time.min else value.isoformat()


def _texts_in(source: str) -> object:
    """The list where ``source`` is a JSON array of nothing but texts; any other JSON is evidence itself."""
    if not source.lstrip().startswith("["):
        return source
    try:
        found = parsed_json(source)
    except CellError:
        return source
    return found if isinstance(found, list) and all(isinstance(item, str) for item in found) else source


def _expected_call(item: object, where: str) -> ExpectedCall:
    if isinstance(item, ToolCall):
        item = {"name": item.name, "arguments": None if item.any_arguments else item.arguments}
    if isinstance(item, str):
        item = {"name": item}
    if not isinstance(item, Mapping):
        raise CellError(f"{where}: must be a name or an object, got {kind(item)}")
    found = _fields(item, where)
    name, arguments = found.get("name"), found.get("arguments")
    if not isinstance(name, str) or not name.strip():
        raise CellError(f"{where}: no name; {_CALL_SHAPE}")
    if arguments is not None and not isinstance(arguments, dict):
        raise CellError(f"{where} ({name.strip()}): arguments must be an object, got {kind(arguments)}")
    return {"name": name.strip()} if arguments is None else {"name": name.strip(), "arguments": arguments}


def _fields(item: Mapping[str, object], where: str) -> dict[str, object]:
    fields: dict[str, object] = {}
    for key, value in item.items():
        field = _CALL_KEYS.get(key)
        if field is None:
            raise CellError(f"{where}: unknown key {key!r}; {_CALL_SHAPE}")
        if field in fields:
            raise CellError(f"{where}: {field} is given twice; {_CALL_SHAPE}")
        fields[field] = value
    return fields


def _unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found: dict[str, object] = {}
    for key, value in pairs:
        if key in found:
            raise CellError(f"the key {key!r} appears twice in one object")
        found[key] = value
    return found
