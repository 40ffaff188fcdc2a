"""The bases of all models: checked where a person builds one, cheap everywhere else.

msgspec checks what it decodes but not what is passed to a constructor. ``Model``, for what users build, closes
that gap: each field is compared with the plain type of its annotation, and only a value that does not fit goes
the slow way, where it is converted (``"user"`` to a role, a dict to a tool call) or refused by name.
``Record``, for what only the engine builds, is checked when it is read and costs nothing when it is made.
"""

from __future__ import annotations

import datetime as dt
import math
import types
import typing
import uuid
from typing import TYPE_CHECKING, Self, TypeVar, get_args, get_origin

import msgspec

from uaef.errors import ModelError

_Value = TypeVar("_Value")

if TYPE_CHECKING:
    Identifier = str | uuid.UUID
else:
    Identifier = str  # what is kept: a UUID is taken as its text

DERIVED: typing.Any = None
"""The default of a field that the model fills in from the others when it is left out."""


class Record(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An immutable record that becomes plain data and comes back from it."""

    def to_dict(self) -> dict[str, object]:
        """The model as plain JSON-compatible data (dicts, lists, strings, numbers)."""
        data: dict[str, object] = msgspec.to_builtins(self, str_keys=True)
        return data

    @classmethod
    def from_dict(cls, data: object) -> Self:
        """The model that ``to_dict`` described.

        Raises:
            ModelError: naming the path of the value that does not fit.
        """
        return converted(data, cls)


class Model(Record, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An immutable record whose fields hold what their annotations say.

    Raises:
        ModelError: on construction, naming the model, the field and what was expected.
    """

    def __post_init__(self) -> None:
        for name, plain, inner in _checks(type(self)):
            value = getattr(self, name)
            if isinstance(value, plain) and (inner is None or _holds(value, inner)):
                continue
            msgspec.structs.force_setattr(self, name, self._converted(name, value))

    def _converted(self, name: str, value: object) -> object:
        model = type(self)
        if value is None and _default(model, name) is None:
            return None  # left out: the model derives it
        if isinstance(value, uuid.UUID):
            value = str(value)
        try:
            return msgspec.convert(value, _hints(model)[name], str_keys=True)
        except (msgspec.ValidationError, TypeError) as error:
            detail = str(error).replace("`", "").replace(" - at $", f" - at {name}")
            raise ModelError(f"{model.__name__}.{name}: {detail}") from None

    def _set(self, name: str, value: object) -> None:
        """Fill a derived field while the model is being built."""
        msgspec.structs.force_setattr(self, name, value)

    def _left_out(self, name: str) -> bool:
        return getattr(self, name) is None

    def _refuse(self, name: str, reason: str) -> typing.NoReturn:
        raise ModelError(f"{type(self).__name__}.{name}: {reason}")

    def _not_blank(self, *names: str) -> None:
        for name in names:
            value = getattr(self, name)
            if value is not None and not value.strip():
                self._refuse(name, "must not be blank")

    def _not_negative(self, *names: str) -> None:
        for name in names:
            value = getattr(self, name)
            if value is not None and not (math.isfinite(value) and value >= 0):
                self._refuse(name, f"must be a finite number of at least 0, got {value}")

    def _aware(self, name: str = "timestamp") -> None:
        value: dt.datetime | None = getattr(self, name)
        if value is None or value.tzinfo is dt.UTC:
            return
        if value.tzinfo is None:
            self._refuse(name, "needs a time zone; for UTC write .replace(tzinfo=datetime.UTC)")
        self._set(name, value.astimezone(dt.UTC))


def converted(data: object, to: type[_Value]) -> _Value:
    """``data`` as a ``to``, checked at every level.

    Raises:
        ModelError: naming the path of the value that does not fit.
    """
    try:
        return msgspec.convert(data, to, str_keys=True)
    except msgspec.ValidationError as error:
        raise ModelError(f"{getattr(to, '__name__', to)}: {str(error).replace('`', '')}") from None


def replaced(model: _Value, **changes: object) -> _Value:
    """A copy of ``model`` with some fields changed."""
    copy: _Value = msgspec.structs.replace(model, **changes)  # type: ignore[type-var]
    return copy


def _default(model: type[msgspec.Struct], name: str) -> object:
    place = model.__struct_fields__.index(name) - len(model.__struct_fields__)
    return model.__struct_defaults__[place]


_Check = tuple[str, tuple[type, ...], tuple[type, ...] | None]
_CHECKS: dict[type, tuple[_Check, ...]] = {}
_HINTS: dict[type, dict[str, object]] = {}


def _hints(model: type) -> dict[str, object]:
    if model not in _HINTS:
        _HINTS[model] = typing.get_type_hints(model)
    return _HINTS[model]


def _checks(model: type) -> tuple[_Check, ...]:
    found = _CHECKS.get(model)
    if found is None:
        found = tuple((name, *_plain_types(hint)) for name, hint in _hints(model).items() if hint is not object)
        _CHECKS[model] = found
    return found


def _plain_types(hint: object) -> tuple[tuple[type, ...], tuple[type, ...] | None]:
    """The types a value of this annotation may have, and those of its elements if it is a container."""
    plain: list[type] = []
    inner: tuple[type, ...] | None = None
    for part in get_args(hint) if get_origin(hint) in (types.UnionType, typing.Union) else (hint,):
        origin = get_origin(part) or part
        plain.append(origin)
        elements = [a for a in get_args(part) if a is not Ellipsis]
        if elements and elements[-1] is not object:
            inner = _plain_types(elements[-1])[0]
    return tuple(plain), inner


def _holds(value: object, inner: tuple[type, ...]) -> bool:
    if value is None:
        return True
    elements = value.values() if isinstance(value, dict) else value
    return all(isinstance(element, inner) for element in elements)  # type: ignore[attr-defined]
