"""A registry: named things from one entry-point group, built-ins and plug-ins through the same door.

An entry point names one thing, or a module's catalogue of several. Nothing registers itself at import; the
group is read at the first question.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from importlib.metadata import EntryPoint, entry_points
from typing import Generic, TypeVar

from uaef.errors import PluginError, UnknownNameError

_Thing = TypeVar("_Thing")


class Registry(Generic[_Thing]):
    """Names and what they stand for.

    Args:
        kind: what one of them is called, for messages: ``"metric"``.
        group: the entry-point group they come from.
        unpack: from what an entry point loads (and its name) to named things.
    """

    def __init__(self, kind: str, group: str, unpack: Callable[[str, object], Iterable[tuple[str, _Thing]]]) -> None:
        self._kind = kind
        self._group = group
        self._unpack = unpack
        self._things: dict[str, _Thing] | None = None

    def names(self) -> list[str]:
        """Every name, sorted."""
        return sorted(self._loaded())

    def get(self, name: str) -> _Thing:
        """What ``name`` stands for.

        Raises:
            UnknownNameError: nothing has that name; the message suggests the nearest.
        """
        things = self._loaded()
        if name not in things:
            raise UnknownNameError(self._kind, name, things)
        return things[name]

    def items(self) -> Mapping[str, _Thing]:
        """All of them by name, in the order in which they were registered."""
        return dict(self._loaded())

    def register(self, name: str, thing: _Thing, *, override: bool = False) -> None:
        """Add ``thing`` under ``name``.

        Raises:
            PluginError: the name is taken and ``override`` is not set.
        """
        self._add(self._loaded(), name, thing, override=override)

    def __contains__(self, name: object) -> bool:
        return name in self._loaded()

    def _loaded(self) -> dict[str, _Thing]:
        if self._things is None:
            things: dict[str, _Thing] = {}
            for entry in sorted(entry_points(group=self._group), key=_own_first):
                for name, thing in self._unpack(entry.name, _load(entry, self._kind)):
                    self._add(things, name, thing, override=False)
            self._things = things  # all of them or, after an error, none
        return self._things

    def _add(self, things: dict[str, _Thing], name: str, thing: _Thing, *, override: bool) -> None:
        if name in things and not override:
            raise PluginError(f"The {self._kind} name {name!r} is taken; choose another or pass override=True.")
        things[name] = thing


def _own_first(entry: EntryPoint) -> bool:
    return not entry.value.startswith("uaef.")


def _load(entry: EntryPoint, kind: str) -> object:
    try:
        return entry.load()
    except Exception as error:  # a plug-in is foreign code: say whose it is
        raise PluginError(
            f"The {kind} plug-in {entry.name!r} ({entry.value}) cannot be loaded: {type(error).__name__}: {error}"
        ) from error
