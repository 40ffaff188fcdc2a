"""Which conversation and which turn of one run is which of the other: by name and content, never by content alone.

Conversations are paired first, turns within a pair. So two conversations that open alike stay two.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Collection, Iterable, Iterator, Mapping
from difflib import SequenceMatcher
from typing import NamedTuple

from uaef.models.identity import TurnKey
from uaef.runs.comparison.records import Identity
from uaef.runs.comparison.sides import Place, Side

_ALIKE = 0.5
"""The share of the longer conversation's turns that two have in common to be one under two names."""
_FEW = 4
"""What more conversations than this have in common, such as a greeting, does not tell which one it is."""


class Joined(NamedTuple):
    """One window in both runs."""

    before: Place | None
    after: Place | None
    identity: Identity
    note: str | None = None


class Pair(NamedTuple):
    """One conversation in both runs."""

    before: Side | None
    after: Side | None
    windows: list[Joined]
    identity: Identity


def pairs(before: Mapping[str, Side], after: Mapping[str, Side]) -> list[Pair]:
    """The conversations of both runs, in the order of the later one, then those that only the earlier one has.

    What is the same from its first turn to its last comes first: under its name, else under another one. Then the
    most alike, of which a name decides between equals. What is left under one name in both is another question there.
    """
    was = _identical(before, after)
    was |= _alike(_left(before, set(was.values())), _left(after, set(was)))
    taken = set(was.values())
    was |= {name: name for name in after if name in before and name not in was and name not in taken}
    found = [_pair(before[was[name]] if name in was else None, side) for name, side in after.items()]
    gone = set(before) - set(was.values())
    return found + [_pair(side, None) for name, side in before.items() if name in gone]


def _left(sides: Mapping[str, Side], taken: Collection[str]) -> dict[str, Side]:
    return {name: side for name, side in sides.items() if name not in taken}


def _identical(before: Mapping[str, Side], after: Mapping[str, Side]) -> dict[str, str]:
    """The earlier name of each conversation whose turns are all the same, by its name now."""
    found = {
        name: name for name, side in after.items() if name in before and _contents(side) == _contents(before[name])
    }
    others: dict[tuple[str, ...], deque[str]] = {}
    for name, side in before.items():
        if name not in found and side.keys:
            others.setdefault(_contents(side), deque()).append(name)
    for name, side in after.items():
        if name not in found and others.get(_contents(side)):
            found[name] = others[_contents(side)].popleft()
    return found


def _alike(before: Mapping[str, Side], after: Mapping[str, Side]) -> dict[str, str]:
    """The earlier name of each conversation that was edited, by its name now: the most alike first."""
    ranked = sorted(
        (-_share(before[was], after[name]), was != name, place, was, name)
        for place, (was, name) in enumerate(_candidates(before, after))
    )
    found: dict[str, str] = {}
    taken: set[str] = set()
    for *_, was, name in ranked:
        if name not in found and was not in taken:
            found[name] = was
            taken.add(was)
    return found


def _candidates(before: Mapping[str, Side], after: Mapping[str, Side]) -> Iterator[tuple[str, str]]:
    """Which conversations may be one: of one name with a turn in common, or half alike by a turn that few have."""
    holders: dict[str, list[str]] = {}
    for name, side in before.items():
        for own in set(_contents(side)):
            holders.setdefault(own, []).append(name)
    for name, side in after.items():
        if name in before and _may_be_one(before[name], side):
            yield name, name
        known = (found for own in _contents(side) if len(found := holders.get(own, [])) <= _FEW)
        for was in dict.fromkeys(other for found in known for other in found):
            if was != name and _share(before[was], side) >= _ALIKE:
                yield was, name


def _may_be_one(before: Side, after: Side) -> bool:
    """Whether two conversations of one name have a turn in common, or nothing is known that tells them apart."""
    ours, theirs = _contents(before), _contents(after)
    return not ours or not theirs or not set(ours).isdisjoint(theirs)


def _share(before: Side, after: Side) -> float:
    """The share of the longer conversation's turns that two have in common."""
    ours, theirs = _contents(before), _contents(after)
    return (Counter(ours) & Counter(theirs)).total() / max(len(ours), len(theirs), 1)


def _contents(side: Side) -> tuple[str, ...]:
    return tuple(key.own for key in side.keys.values())


def _pair(before: Side | None, after: Side | None) -> Pair:
    if before is None or after is None:
        only, identity = before or after, Identity.NEW if before is None else Identity.REMOVED
        assert only is not None  # noqa: S101 - one of the two is there; for the type checker
        windows = [
            Joined(None if before is None else place, None if after is None else place, identity)
            for place in only.places
        ]
        return Pair(before, after, windows, identity)
    turns = list(_turns(before, after))
    whole = _whole(before, after, turns)
    ours, theirs = set(before.places), set(after.places)
    windows = [w for w in (*turns, *_longer(before, after, turns, whole)) if w.before in ours or w.after in theirs]
    return Pair(before, after, windows, whole)


def _turns(before: Side, after: Side) -> Iterator[Joined]:
    """The turns of both, in the order of the later run; then what only the earlier one has."""
    if not before.keys or not after.keys:
        numbers = dict.fromkeys([*after.numbers, *before.numbers])
        has = set(before.numbers), set(after.numbers)
        lost = before.is_lost, after.is_lost
        for number in sorted(numbers):
            yield _by_number(number, in_before=lost[0] or number in has[0], in_after=lost[1] or number in has[1])
        return
    was = _matched(before.keys, after.keys)
    taken = set(was.values())
    for number in after.keys:
        old = was.get(number)
        if old is not None:
            yield _same_content(before, after, old, number)
        elif number in before.keys and number not in taken:
            yield Joined((number,), (number,), Identity.CONTENT_CHANGED, _what_changed(before, after, number))
            taken.add(number)
        else:
            yield Joined(None, (number,), Identity.NEW)
    yield from (Joined((n,), None, Identity.REMOVED) for n in before.keys if n not in taken)


def _by_number(number: int, *, in_before: bool, in_after: bool) -> Joined:
    if in_before and in_after:
        return Joined((number,), (number,), Identity.SAME)
    if in_after:
        return Joined(None, (number,), Identity.NEW)
    return Joined((number,), None, Identity.REMOVED)


def _matched(before: Mapping[int, TurnKey], after: Mapping[int, TurnKey]) -> dict[int, int]:
    """The earlier number of each turn whose content both have: what kept its order first, then what was moved."""
    ours, theirs = [key.own for key in before.values()], [key.own for key in after.values()]
    old, new = list(before), list(after)
    found: dict[int, int] = {}
    for block in SequenceMatcher(None, ours, theirs, autojunk=False).get_matching_blocks():
        found |= {new[block.b + i]: old[block.a + i] for i in range(block.size)}
    kept = set(found.values())
    moved: dict[str, deque[int]] = {}
    for number, own in zip(old, ours, strict=True):
        if number not in kept:
            moved.setdefault(own, deque()).append(number)
    for number, own in zip(new, theirs, strict=True):
        if number not in found and moved.get(own):
            found[number] = moved[own].popleft()
    return found


def _same_content(before: Side, after: Side, old: int, new: int) -> Joined:
    was, now = before.keys[old], after.keys[new]
    edited = was.context != now.context
    if before.name != after.name:
        return Joined((old,), (new,), Identity.RENAMED, "what comes before it was edited too" if edited else None)
    if edited:
        return Joined((old,), (new,), Identity.CONTEXT_CHANGED, "an earlier turn was edited")
    return Joined((old,), (new,), Identity.SAME)


def _what_changed(before: Side, after: Side, number: int) -> str:
    said = before.user(number), after.user(number)
    if None in said:
        return "what is asked or expected was edited"
    return "something else is expected of it" if said[0] == said[1] else "the user says something else"


def _whole(before: Side, after: Side, turns: Iterable[Joined]) -> Identity:
    """How the conversation is the same, taken as a whole."""
    found = {turn.identity for turn in turns} or {Identity.SAME}
    if found == {Identity.SAME}:
        return Identity.SAME
    if before.name != after.name:
        return Identity.RENAMED
    kept = {Identity.SAME, Identity.CONTEXT_CHANGED, Identity.RENAMED}
    return Identity.CONTEXT_CHANGED if found & kept else Identity.CONTENT_CHANGED


def _longer(before: Side, after: Side, turns: Iterable[Joined], whole: Identity) -> Iterator[Joined]:
    """The windows of several turns: the same where each of their turns is; one may be measured in one run alone."""
    now: dict[Place, Joined] = {turn.before: turn for turn in turns if turn.before and turn.after}
    was = {turn.after for turn in now.values()}
    ours = {place: _moved(place, now) for place in before.places if len(place) != 1}
    by_new = {new: old for old, new in reversed(ours.items()) if new is not None}
    theirs = [place for place in after.places if len(place) != 1]
    for place in theirs:
        old = by_new.get(place)
        identity = whole if not place else _worst(now[n,].identity for n in old or ())
        if old is None:
            is_known = was.issuperset((n,) for n in place)
            yield Joined(None, place, Identity.MEASURED_NOW_ONLY if is_known else Identity.NEW)
        else:
            yield Joined(old, place, identity)
    there = set(theirs)
    for place, new in ours.items():
        if new not in there:
            yield Joined(place, None, Identity.REMOVED if new is None else Identity.MEASURED_BEFORE_ONLY)


def _moved(place: Place, now: Mapping[Place, Joined]) -> Place | None:
    """The numbers that the turns of a window have now; ``None`` where one of them is gone."""
    found = [now[n,].after for n in place if (n,) in now]
    return tuple(n for new in found for n in new or ()) if len(found) == len(place) else None


def _worst(found: Iterable[Identity]) -> Identity:
    order = (Identity.CONTENT_CHANGED, Identity.RENAMED, Identity.CONTEXT_CHANGED)
    known = set(found)
    return next((identity for identity in order if identity in known), Identity.SAME)
