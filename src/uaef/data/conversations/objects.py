"""Objects of a dataset: which keys they have, under which names, and what each key says."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from uaef.data.conversations.kinds import Kind, Schema
from uaef.data.conversations.nodes import Node, Place, Problems, Trail, shape
from uaef.errors import closest

_SHORTEST = 3
"""Of so many letters may be what is short for something."""


@dataclass(frozen=True)
class Field:
    """A key of an object.

    Attributes:
        name: the key.
        kind: what its value is.
        says: what it says, for people who write datasets.
        aliases: other keys for the same.
        required: whether it has to be there.
    """

    name: str
    kind: Kind
    says: str
    aliases: tuple[str, ...] = ()
    required: bool = False


@dataclass(frozen=True)
class Read:
    """An object that was read.

    Attributes:
        node: it, as it stands in the document.
        trail: where it belongs.
        values: what could be read, by key.
        places: where the value of every key stands that is there, whether it could be read or not.
    """

    node: Node
    trail: Trail
    values: Mapping[str, object]
    places: Mapping[str, Place]


@dataclass(frozen=True)
class Object(Kind):
    """An object with these keys and no others.

    Attributes:
        noun: what it is called in messages.
        fields: its keys.
        own: how keys begin that belong to whoever writes the dataset; empty if there are none.
        elsewhere: what a key belongs to that does not belong here, if it belongs to anything.
    """

    noun: str
    fields: tuple[Field, ...]
    own: str = ""
    elsewhere: Callable[[str], str | None] = lambda _: None
    _by_key: Mapping[str, Field] = field(init=False, repr=False, compare=False)

    @property
    def keys(self) -> Collection[str]:
        """Its keys, other names included."""
        return self._by_key.keys()

    def __post_init__(self) -> None:
        keys = {key: each for each in self.fields for key in (each.name, *each.aliases)}
        object.__setattr__(self, "_by_key", keys)

    def read(self, node: Node, name: str, trail: Trail, problems: Problems) -> Read | None:
        """See ``Kind``."""
        for fault in node.faults:
            problems.add(fault.at, fault.sentence, trail)
        if not isinstance(node.value, dict):
            needed = " and ".join(each.name for each in self.fields if each.required)
            problems.add(node.at, f"{name} must be an object with {needed}, got {shape(node)}", trail)
            return None
        values: dict[str, object] = {}
        given: dict[str, str] = {}
        for key, value in node.value.items():
            found = self._field(key, node, given, trail, problems)
            if found is not None:
                given[found.name] = key
                values[found.name] = found.kind.read(value, key, trail, problems)
        for each in self.fields:
            if each.required and each.name not in given:
                problems.add(node.at, f"{self.noun} has no {each.name} ({each.says})", trail)
        places = {each: node.value[key].at for each, key in given.items()}
        return Read(node, trail, {key: value for key, value in values.items() if value is not None}, places)

    def _field(
        self, key: str, node: Node, given: Mapping[str, str], trail: Trail, problems: Problems
    ) -> Field | None:
        found, at = self._by_key.get(key), node.keys.get(key, node.at)
        if found is None:
            if self.own and key.startswith(self.own):
                problems.add_faults(node.value[key], trail)  # type: ignore[index] # an object, as its caller knows
            else:
                problems.add(at, self._unknown(key), trail)
        elif found.name in given:
            problems.add(at, f"{key} says the same as {given[found.name]}; keep one of them", trail)
            return None
        return found

    def _unknown(self, key: str) -> str:
        owner = self.elsewhere(key)
        if owner:
            return f"{key} is a key of {owner}, not of {self.noun}"
        near = closest(key, self._by_key) or _spelt_out(key, self._by_key)
        known = ", ".join(each.name for each in self.fields)
        return f"{self.noun} has no key {key!r}; " + (f"did you mean {near}?" if near else f"it has {known}")

    def schema(self) -> Schema:
        """See ``Kind``."""
        properties = {
            # In draft 7 whatever stands beside a reference is not read.
            key: {"description": _described(each, key), "allOf": [each.kind]}
            for key, each in self._by_key.items()
        }
        rules = [rule for each in self.fields if (rule := _rule(each))]
        return {
            "type": "object",
            "properties": properties,
            **({"patternProperties": {f"^{re.escape(self.own)}": {}}} if self.own else {}),
            "additionalProperties": False,
            **({"required": names} if (names := _required(self.fields)) else {}),
            **({"allOf": rules} if rules else {}),
        }

    @property
    def title(self) -> str:
        """See ``Kind``."""
        return self.noun.split()[-1]


def _spelt_out(short: str, known: Iterable[str]) -> str | None:
    """What ``short`` may stand for: ``args`` for ``arguments``, ``ctx`` for ``context``."""
    if len(short) < _SHORTEST:
        return None
    pattern = re.compile(".*".join(map(re.escape, short.lower())))
    return next((name for name in known if pattern.match(name)), None)


def _described(each: Field, key: str) -> str:
    return each.says if key == each.name else f"Another name of {each.name}: {each.says}"


def _required(fields: Sequence[Field]) -> list[str]:
    return [each.name for each in fields if each.required and not each.aliases]


def _rule(each: Field) -> Schema | None:
    """One of the names of a key, and not two: exactly one where it is required."""
    if not each.aliases:
        return None
    names: list[object] = [{"required": [name]} for name in (each.name, *each.aliases)]
    if each.required:
        return {"oneOf": names}
    return {"oneOf": [*names, {"not": {"anyOf": names}}]}
