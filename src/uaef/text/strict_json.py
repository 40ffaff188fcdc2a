"""JSON, read strictly: no key twice, no NaN. What could be read in two ways is not read."""

from __future__ import annotations

import json
from typing import NoReturn


def _once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a key stands twice")
    return found


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is no JSON")


_STRICT = json.JSONDecoder(object_pairs_hook=_once, parse_constant=_refuse)


def read_json(text: str) -> object:
    """The JSON value in ``text``.

    Raises:
        ValueError: it is not exactly one; saying why.
    """
    try:
        return _STRICT.decode(text)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def strict_json(text: str) -> object:
    """The JSON value in ``text``, or ``None`` if it is not exactly one (so is ``null``)."""
    try:
        return read_json(text)
    except ValueError:
        return None
