"""The messages of a turn in order, filed so that one is found again without a look at each of the others."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Callable, Hashable, Iterable
from operator import attrgetter

from uaef.adapters.langgraph.heard import Heard, Part, outlets
from uaef.adapters.langgraph.messages import Mark

_GAP = 1 << 256
_place = attrgetter("place")
_Key = tuple[Hashable, ...]


class Shelf:
    """The messages of a turn.

    Those that no question here can tell apart, by mark and traits, lie together in the order of the turn.
    """

    def __init__(self) -> None:
        self.messages: list[Heard] = []
        self._first: dict[Part, Heard] = {}
        self._alike: dict[Mark, dict[_Key, list[Heard]]] = {}
        self._outlets: dict[_Key, list[Heard]] = {}
        self._files: dict[Heard, list[list[Heard]]] = {}
        self._changed: dict[Heard, None] = {}

    def insert(self, heard: Heard, before: Heard | None) -> None:
        """Put a message before another one, or at the end."""
        at = bisect_left(self.messages, before.place, key=_place) if before else len(self.messages)
        lower = self.messages[at - 1].place if at else (before.place if before else 0) - 2 * _GAP
        heard.place = (lower + before.place) // 2 if before else lower + 2 * _GAP
        self.messages.insert(at, heard)
        if heard.place == lower:
            for number, each in enumerate(self.messages):
                each.place = number * _GAP
        first = self._first.setdefault(heard.part, heard)
        self._first[heard.part] = min(first, heard, key=_place)
        self._changed[heard] = None

    def change(self, heard: Heard) -> None:
        """Take note that a message is about to be, or has been, changed."""
        self._changed[heard] = None

    def first(self, *parts: Part, before: Heard | None = None) -> Heard | None:
        """The first message of one of these parts, if it stands before the one given."""
        found = min((self._first[part] for part in parts if part in self._first), key=_place, default=None)
        return None if found and before and found.place >= before.place else found

    def has(self, mark: Mark) -> bool:
        """Whether a message has this mark."""
        self._file()
        return any(self._alike.get(mark, {}).values())

    def alike(self, mark: Mark) -> Iterable[list[Heard]]:
        """The messages with this mark, in groups of the same traits."""
        self._file()
        return self._alike.get(mark, {}).values()

    def last_at(self, text: str, places: Iterable[_Key]) -> Heard | None:
        """The last message of an agent with this text that has one of these for an outlet."""
        self._file()
        found = (self._outlets.get((text, *place)) for place in places)
        return max((group[-1] for group in found if group), key=_place, default=None)

    def _file(self) -> None:
        """Put every message that has changed where it belongs now."""
        for heard in self._changed:
            for group in self._files.pop(heard, ()):
                del group[bisect_left(group, heard.place, key=_place)]
            mark = heard.mark
            groups = [self._alike.setdefault(mark, {}).setdefault(heard.traits, [])]
            if heard.part is Part.AGENT and mark.text:
                groups += [self._outlets.setdefault((mark.text, *outlet), []) for outlet in outlets(heard)]
            for group in groups:
                insort(group, heard, key=_place)
            self._files[heard] = groups
        self._changed.clear()


class Search:
    """Looks for the messages of one list, each of which can be found once."""

    def __init__(self, shelf: Shelf) -> None:
        self._shelf = shelf
        self._found: set[Heard] = set()
        self._from: dict[int, int] = {}

    def take(self, heard: Heard) -> None:
        """Take note that this one has been found."""
        self._found.add(heard)

    def first(self, mark: Mark, suits: Callable[[Heard], bool]) -> Heard | None:
        """The first message with this mark that was not found yet and suits; ``suits`` may ask for traits only."""
        left = (self._first_left(group) for group in self._shelf.alike(mark))
        return min((heard for heard in left if heard and suits(heard)), key=_place, default=None)

    def _first_left(self, group: list[Heard]) -> Heard | None:
        at = self._from.get(id(group), 0)
        while at < len(group) and group[at] in self._found:
            at += 1
        self._from[id(group)] = at
        return group[at] if at < len(group) else None
