"""What a check is: a metric that code decides, made by a factory from its arguments."""

from __future__ import annotations

import functools
import hashlib
import inspect
import re
import types
import typing
from collections.abc import Awaitable, Callable, Mapping
from typing import Generic, NamedTuple, ParamSpec, Self, TypeAlias

import msgspec

from uaef.errors import MetricError, UaefError, UnknownNameError
from uaef.metrics.base import Found, Metric
from uaef.models.conversation import Conversation

Test: TypeAlias = Callable[[Conversation], Found | Awaitable[Found]]
"""What a check does: from a window to a number in [0, 1] or a yes or no, with a reason that quotes the evidence."""

_P = ParamSpec("_P")
_LONGEST = 80


class Check(Metric):
    """A metric that code decides, ready to be used: ``includes("Brooklyn")``.

    Args:
        name: the check as it would be written, with the arguments that differ from the defaults:
            ``includes('Brooklyn', ignore_case=False)``; of a user's function, its name.
        test: what it does.
        arguments: by parameter, where they differ from the defaults.
        made_by: the factory, which together with the arguments makes it this check and no other.
    """

    dimension = "Checks"
    by_default = False
    spliced_too = True
    is_written = True

    def __init__(self, name: str, test: Test, arguments: Mapping[str, object], made_by: Factory[...]) -> None:
        self.name = name
        self.description = made_by.description
        self.is_own = hasattr(test, "called")
        """Whether it is a user's function."""
        self.params = {}
        self._test = test
        self._definition = made_by, {name: _defined(value) for name, value in arguments.items()}

    def measure(self, window: Conversation) -> Found | Awaitable[Found]:
        """What the test finds in ``window``."""
        return self._test(window)

    @property
    def definition(self) -> object:
        """The factory and its arguments."""
        return self._definition

    @property
    def parameters(self) -> Mapping[str, inspect.Parameter]:
        """None: a check with other arguments is another check."""
        return {}

    def named(self, name: str) -> Self:
        """The same check under another name, where two would be written alike."""
        return self._but(name=name)


class Factory(Generic[_P]):
    """What makes a check of its arguments; its docstring says what the check does.

    The function it wraps checks and prepares the arguments once, and returns the test.

    Args:
        function: from arguments to a test.
        part_of: from what somebody wrote to a check, where arguments are checks.
    """

    def __init__(self, function: Callable[_P, Test], part_of: Callable[[object], Check] | None = None) -> None:
        functools.update_wrapper(self, function)
        self._part_of = part_of
        self.name = function.__name__
        self.function = function
        self.parameters = inspect.signature(function).parameters
        self.description = " ".join((inspect.getdoc(function) or "").partition("\n\n")[0].split())

    def __call__(self, *args: _P.args, **kwargs: _P.kwargs) -> Check:
        """The check with these arguments.

        Raises:
            UnknownNameError: there is no such parameter.
            MetricError: they do not fit; naming the parameter and what it takes.
        """
        written = self.name
        try:
            bound = self._bound(args, kwargs)
            written = self._written(bound.arguments)
            test = self.function(*bound.args, **bound.kwargs)
        except UaefError:
            raise
        except RecursionError:
            raise MetricError(f"{written}: an argument is nested too deeply") from None
        except (TypeError, ValueError, OverflowError) as error:
            raise MetricError(f"{written}: {error}") from error
        return Check(getattr(test, "called", written), test, bound.arguments, self)

    def of_one(self, value: object) -> Check:
        """The check of a single argument that was written without a name: the first, or a list of all.

        Raises:
            MetricError: it does not fit.
        """
        make: Callable[..., Check] = self
        return make(*value) if self.any_number and isinstance(value, list | tuple) else make(value)

    def takes(self, value: object) -> bool:
        """Whether the first argument may be ``value``."""
        first = next(iter(self.parameters), None)
        try:
            return first is not None and self._hints[first].fitted(value) is not None
        except msgspec.ValidationError:
            return False

    @property
    def any_number(self) -> str | None:
        """The parameter that takes any number of arguments, if there is one."""
        return next((name for name, p in self.parameters.items() if p.kind is p.VAR_POSITIONAL), None)

    @functools.cached_property
    def _hints(self) -> Mapping[str, _Hint]:
        return {
            name: _Hint.of(hint) for name, hint in typing.get_type_hints(self.function, include_extras=True).items()
        }

    def _bound(self, args: tuple[object, ...], kwargs: Mapping[str, object]) -> inspect.BoundArguments:
        """The arguments, each what its annotation says, without those that are the default anyway."""
        for name in kwargs:
            if name not in self.parameters:
                raise UnknownNameError(f"parameter of {self.name}", name, self.parameters)
        try:
            bound = inspect.Signature(list(self.parameters.values())).bind(*args, **kwargs)
        except TypeError as error:
            raise MetricError(f"{self.name}: {error}") from None
        given = {name: self._fitting(name, value) for name, value in bound.arguments.items()}
        bound.arguments = {name: v for name, v in given.items() if not _same(v, self.parameters[name].default)}
        return bound

    def _fitting(self, name: str, value: object) -> object:
        if self.parameters[name].kind is inspect.Parameter.VAR_POSITIONAL and isinstance(value, tuple):
            return tuple(self._checked(name, item) for item in value)
        return self._checked(name, value)

    def _checked(self, name: str, value: object) -> object:
        if self._part_of:
            return self._part_of(value)
        try:
            return self._hints[name].fitted(value)
        except msgspec.ValidationError as error:
            detail = str(error).replace("`", "").replace(" - at $", f" - at {name}")
            raise MetricError(f"{self.name}({name}={_short(repr(value))}): {detail}") from None

    def _written(self, arguments: Mapping[str, object]) -> str:
        parts: list[str] = []
        for name, value in arguments.items():
            parameter = self.parameters[name]
            if parameter.kind is parameter.VAR_POSITIONAL and isinstance(value, tuple):
                parts += map(_shown, value)
            else:
                by_name = parameter.kind is parameter.KEYWORD_ONLY
                parts.append(f"{name}={_shown(value)}" if by_name else _shown(value))
        return f"{self.name}({', '.join(parts)})"


def factory(function: Callable[_P, Test]) -> Factory[_P]:
    """A decorator: from a function of arguments to a test, to a factory of checks."""
    return Factory(function)


class _Hint(NamedTuple):
    """What an argument may be: objects that only code can pass, and data."""

    live: tuple[type, ...]
    data: object

    @classmethod
    def of(cls, hint: object) -> _Hint:
        parts = typing.get_args(hint) if typing.get_origin(hint) in (typing.Union, types.UnionType) else (hint,)
        live = tuple(kind for part in parts if (kind := typing.get_origin(part) or part) in _LIVE)
        data = tuple(part for part in parts if (typing.get_origin(part) or part) not in _LIVE)
        return cls(live, typing.Union[data] if data else None)  # noqa: UP007 - of what was found

    def fitted(self, value: object) -> object:
        """The value, converted if it is data.

        Raises:
            ValidationError: it is none of what it may be.
        """
        if isinstance(value, self.live):
            return value
        if self.data is None:
            raise msgspec.ValidationError(f"Expected a {_kinds(self.live)}, got {type(value).__name__}")
        try:
            return msgspec.convert(value, self.data)
        except msgspec.ValidationError as error:
            also = f", or a {_kinds(self.live)}" if self.live else ""
            raise msgspec.ValidationError(f"{error}{also}") from None


_LIVE: tuple[object, ...] = (re.Pattern, Callable, Check)


def _kinds(kinds: tuple[type, ...]) -> str:
    return " or ".join(kind.__name__.lower() for kind in kinds)


def _defined(value: object) -> object:
    """What makes an argument this one: of a check, what makes it that check."""
    if isinstance(value, Metric):
        return value.definition
    return tuple(map(_defined, value)) if isinstance(value, tuple) else value


def _same(value: object, default: object) -> bool:
    return type(value) is type(default) and value == default


def _shown(value: object) -> str:
    if isinstance(value, Metric):
        return value.key
    if isinstance(value, re.Pattern):  # whose own text cuts it
        return _short(f"re.compile({value.pattern!r}, {re.RegexFlag(value.flags)!r})")
    return _short(getattr(value, "__name__", None) or repr(value))


def _short(written: str) -> str:
    """As it is, or cut, with a mark that no other text has."""
    if len(written) <= _LONGEST:
        return written
    return f"{written[:_LONGEST]}...#{hashlib.blake2b(written.encode(), digest_size=4).hexdigest()}"
