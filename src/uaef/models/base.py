"""The bases of all models: checked where a person builds one, cheap everywhere else.

msgspec checks what it decodes but not what is passed to a constructor. ``Model``, for what users build, closes
that gap: each field is compared with the plain type of its annotation, and only a value that does not fit goes
the slow way, where it is converted (``"user"`` to a role, a dict to a tool call) or refused by name.
``Record``, for what only the engine builds, is checked when it is read and costs nothing when it is made.

Models that come by the thousand say ``gc=False``: what they hold is data and does not refer back to them, and the
collector, which would visit each of them again and again, takes a third less time.
"""

from __future__ import annotations

import datetime as dt
import enum
import functools
import itertools
import math
import types
import typing
import uuid
from typing import TYPE_CHECKING, Self, TypeVar, get_args, get_origin

import msgspec

from uaef.errors import ModelError

_Value = TypeVar("_Value")

if TYPE_CHECKING:

    class Identifier:
        """A field that takes text or a UUID and holds text."""

        def __get__(self, model: object, owner: object) -> str: ...
        def __set__(self, model: object, value: str | uuid.UUID) -> None: ...
else:
    Identifier = str

_DEEPEST = 60
"""How many levels of data that is nested too deeply are kept."""

DERIVED: typing.Any = None
"""The default of a field that the model fills in from the others when it is left out."""


class Record(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An immutable record that becomes plain data and comes back from it."""

    def to_dict(self) -> dict[str, object]:
        """The model as plain data: dicts, lists, strings, numbers; what is nothing of the kind becomes text."""
        return typing.cast("dict[str, object]", plain(self))

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
        checks, values = _checks(type(self)), msgspec.structs.astuple(self)
        if not all(map(isinstance, values, checks.plain)):
            for name, value, plain in zip(self.__struct_fields__, values, checks.plain, strict=True):
                if not isinstance(value, plain):
                    self._set(name, self._converted(name, value))
        for name, inner in checks.elements:
            value = getattr(self, name)
            if value and not _hold(value, inner):
                self._set(name, self._converted(name, value))

    def _converted(self, name: str, value: object) -> object:
        model = type(self)
        if isinstance(value, uuid.UUID):
            value = str(value)
        hint = _hints(model)[name]
        try:
            if isinstance(hint, enum.EnumType) and isinstance(value, str):
                return _member(hint, value)
            return msgspec.convert(value, hint, str_keys=True)
        except msgspec.ValidationError as error:
            detail = str(error).replace("`", "").replace(" - at $", f" - at {name}")
        except TypeError:  # a union of models, of which msgspec can make none
            detail = f"Expected {_shown(hint)}, got {type(value).__name__}"
        raise ModelError(f"{model.__name__}.{name}: {detail}")

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
            if isinstance(value, bool):  # which is an int to Python, and a slip in a recording
                self._refuse(name, f"must be a number, got {value}")
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
        return msgspec.convert(data, to, str_keys=True, dec_hook=_revived)
    except msgspec.ValidationError as error:
        name, detail = getattr(to, "__name__", str(to)), str(error).replace("`", "")
        raise ModelError(detail if detail.startswith(name) else f"{name}: {detail}") from None


def plain(value: object) -> object:
    """``value`` as dicts with text for keys, lists, strings and numbers; anything else becomes text."""
    try:
        return msgspec.to_builtins(value, str_keys=True, enc_hook=_foreign)
    except TypeError:  # somewhere inside, a dict has keys that are neither text nor numbers
        if isinstance(value, msgspec.Struct):
            value = msgspec.structs.asdict(value)
        if isinstance(value, dict):
            return {str(key): plain(inner) for key, inner in value.items()}
        return [plain(inner) for inner in value] if isinstance(value, list | tuple | set) else str(value)
    except RecursionError:  # nested beyond all use, or in a circle
        return _down_to(value, _DEEPEST)


def _down_to(value: object, levels: int) -> object:
    """``value`` as plain data, down to so many levels."""
    if isinstance(value, msgspec.Struct):
        value = msgspec.structs.asdict(value)
    elif hasattr(value, "to_dict"):
        value = value.to_dict()
    if not isinstance(value, dict | list | tuple | set):
        return plain(value)
    if not levels:
        return "... (nested too deeply)"
    if isinstance(value, dict):
        return {str(key): _down_to(inner, levels - 1) for key, inner in value.items()}
    return [_down_to(inner, levels - 1) for inner in value]


def _foreign(value: object) -> object:
    """What msgspec does not know, by its own ``to_dict``, as the number that it is, or as text."""
    if hasattr(value, "to_dict"):
        return value.to_dict()
    return float(value) if isinstance(value, float) else str(value)


def _revived(kind: type, value: object) -> object:
    return value if isinstance(value, kind) else kind.from_dict(value)  # type: ignore[attr-defined]


def replaced(model: _Value, **changes: object) -> _Value:
    """A copy of ``model`` with some fields changed."""
    copy: _Value = msgspec.structs.replace(model, **changes)  # type: ignore[type-var]
    return copy


class _Checks(typing.NamedTuple):
    """What the values of a model are compared with."""

    plain: tuple[tuple[type, ...], ...]
    """The types that each field may hold, field by field."""
    elements: tuple[tuple[str, tuple[type, ...]], ...]
    """The containers whose elements are compared too, and with what."""


def _shown(hint: object) -> str:
    return " | ".join(part.__name__ for part in _plain_types(hint)[0])


@functools.cache  # a refusal is not kept, so there are as many entries as members
def _member(kind: enum.EnumType, text: str) -> object:
    return msgspec.convert(text, kind)


@functools.cache
def _hints(model: type) -> dict[str, object]:
    return typing.get_type_hints(model)


@functools.cache
def _checks(model: type[msgspec.Struct]) -> _Checks:
    plain, elements = [], []
    for field in msgspec.structs.fields(model):
        types_, inner = _plain_types(_hints(model)[field.name])
        derived = field.default is DERIVED  # left out, it is None until the model fills it
        plain.append((*types_, types.NoneType) if derived else types_)
        if inner is not None:
            elements.append((field.name, inner))
    return _Checks(tuple(plain), tuple(elements))


def _plain_types(hint: object) -> tuple[tuple[type, ...], tuple[type, ...] | None]:
    """The types a value of this annotation may have, and those of its elements if it is a container."""
    plain: list[type] = []
    inner: tuple[type, ...] | None = None
    for part in get_args(hint) if get_origin(hint) in (types.UnionType, typing.Union) else (hint,):
        origin = get_origin(part) or part
        if origin is typing.Literal:  # only a comparison with each value can tell
            continue
        plain.append(origin)
        elements = [a for a in get_args(part) if a is not Ellipsis]
        if elements and elements[-1] is not object:
            inner = _plain_types(elements[-1])[0]
    return tuple(plain), inner


def _hold(value: object, inner: tuple[type, ...]) -> bool:
    elements = value.values() if isinstance(value, dict) else value
    return all(map(isinstance, elements, itertools.repeat(inner)))  # type: ignore[call-overload]
