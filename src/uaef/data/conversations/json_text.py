"""JSON as a tree with places: one document, or one on each line."""

from __future__ import annotations

import bisect
import json
import re
from typing import NoReturn

from uaef.data.conversations.nodes import (
    Budget,
    Fault,
    Node,
    NotReadError,
    Place,
    check_depth,
    half_pair,
    total,
    twice,
)

_BLANK = re.compile(r"[ \t\r\n]*")


class _NoNumberError(Exception):
    """NaN, or one of the infinities."""


def _no_number(constant: str) -> NoReturn:
    raise _NoNumberError(constant)


_DECODER = json.JSONDecoder(parse_constant=_no_number)


def json_node(text: str, *, line: int = 1, budget: Budget | None = None) -> Node:
    """The one value in ``text``.

    Args:
        text: JSON and nothing else.
        line: the number of its first line.
        budget: what counts its values, where they are part of something larger.

    Raises:
        NotReadError: it is not JSON, or too much of it.
    """
    return _Reader(text, line, budget or Budget()).document()


class _Reader:
    """Walks over objects and lists itself, to know places; everything else is read by the library."""

    def __init__(self, text: str, line: int, budget: Budget) -> None:
        self._text, self._line, self._budget = text, line, budget
        self._starts = [0, *(found.end() for found in re.finditer("\n", text))]
        self._next = 0

    def document(self) -> Node:
        node = self._value(1)
        self._skip()
        if self._next < len(self._text):
            raise NotReadError(self._at(), "not JSON: there is something behind the value")
        return node

    def _at(self, index: int | None = None) -> tuple[int, int]:
        index = self._next if index is None else index
        row = bisect.bisect_right(self._starts, index) - 1
        return self._line + row, index - self._starts[row] + 1

    def _skip(self) -> str:
        """The next character that is not blank, which is not read yet; none at the end."""
        blank = _BLANK.match(self._text, self._next)
        self._next = blank.end() if blank else self._next
        return self._text[self._next : self._next + 1]

    def _take(self, expected: str) -> str:
        """The next character that is not blank, which must be one of ``expected``."""
        found = self._skip()
        if not found or found not in expected:
            wanted = " or ".join(expected)
            raise NotReadError(self._at(), f"not JSON: expected {wanted}, got {found or 'the end of the text'}")
        self._next += 1
        return found

    def _value(self, depth: int) -> Node:
        first, at = self._skip(), self._at()
        check_depth(depth, at)
        self._budget.spend(1, at)
        if first == "{":
            return self._object(at, depth)
        if first == "[":
            return self._list(at, depth)
        start = self._next
        value = self._scalar(at)
        return _checked(Node(value, at, value if isinstance(value, str) else self._text[start : self._next]))

    def _scalar(self, at: Place) -> object:
        try:
            value, self._next = _DECODER.raw_decode(self._text, self._next)
        except json.JSONDecodeError as error:
            raise NotReadError(self._at(error.pos), f"not JSON: {error.msg.removesuffix(' at')}") from None
        except _NoNumberError as error:
            raise NotReadError(at, f"not JSON: {error} is no number there") from None
        except ValueError:
            raise NotReadError(at, "a number of more digits than can be read") from None
        return value

    def _list(self, at: Place, depth: int) -> Node:
        self._take("[")
        items: list[Node] = []
        if self._skip() == "]":
            self._take("]")
            return Node(items, at)
        while not items or self._take(",]") == ",":
            items.append(self._value(depth + 1))
        return Node(items, at, size=total(items))

    def _object(self, at: Place, depth: int) -> Node:
        self._take("{")
        pairs: dict[str, Node] = {}
        keys: dict[str, Place] = {}
        faults: list[Fault] = []
        if self._skip() == "}":
            self._take("}")
            return Node(pairs, at)
        first = True
        while first or self._take(",}") == ",":
            first = False
            key, key_at = self._key()
            self._take(":")
            value = self._value(depth + 1)
            if key in pairs:
                faults.append(Fault(key_at, twice(key, keys[key])))
            else:
                pairs[key], keys[key] = value, key_at
                faults += [Fault(key_at, f"the key {wrong}")] if (wrong := half_pair(key)) else []
        return Node(pairs, at, keys=keys, faults=tuple(faults), size=total(pairs.values()))

    def _key(self) -> tuple[str, Place]:
        if self._skip() != '"':
            raise NotReadError(self._at(), "not JSON: expected a key in double quotes")
        at = self._at()
        return str(self._scalar(at)), at


def _checked(node: Node) -> Node:
    wrong = half_pair(node.value) if isinstance(node.value, str) else None
    if wrong:
        node.faults = (Fault(node.at, wrong),)
    elif isinstance(node.value, float) and node.value in (float("inf"), float("-inf")):
        node.faults = (Fault(node.at, f"{node.written[:40]} is more than a number can be"),)
    return node
