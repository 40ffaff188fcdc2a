"""The JSON object in a model's reply, which may stand in a code fence or in running text."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from uaef.text.strict_json import strict_json

_BRACE = re.compile(r"[{}]")
_THOUGHT = re.compile(r"\A\s*<think>.*?</think>", re.DOTALL)
_FENCED = re.compile(r"```(?:json)?\s*(\{.*\})\s*```", re.DOTALL | re.IGNORECASE)

MOST_CHARACTERS = 65_536
"""No verdict is longer; whatever is, is not searched for one."""


def json_object_in(text: str) -> dict[str, object] | None:
    """The JSON object in ``text``, or ``None`` where there is none, or more than one.

    The text is read as it is, else the objects that stand in it, in a code fence or between words. Two different
    objects are no answer: which one was meant is not for a reader to guess. Nor is one beside another that is cut
    off or says a key twice, or one that stands inside something broken.
    """
    if len(text) > MOST_CHARACTERS:
        return None
    whole = strict_json(text)
    if isinstance(whole, dict):
        return whole
    found = [strict_json(part) for part in _objects(text)]
    first = found[0] if found else None
    return first if isinstance(first, dict) and all(value == first for value in found) else None


def _objects(text: str) -> Iterator[str]:
    """What stands between outermost braces and begins like JSON, or is never closed."""
    decoder = json.JSONDecoder()
    at = text.find("{")
    while at >= 0:
        try:
            end = decoder.raw_decode(text, at)[1]
        except (ValueError, RecursionError):
            end = _closed(text, at)  # words in braces: what is inside them is no answer
            if end < 0:
                yield text[at:]
                return
        else:
            yield text[at:end]
        at = text.find("{", end)


def _closed(text: str, at: int) -> int:
    """Where the brace that opens at ``at`` is closed again; -1 if it is not."""
    depth = 0
    for brace in _BRACE.finditer(text, at):
        depth += 1 if brace.group() == "{" else -1
        if not depth:
            return brace.end()
    return -1


def sole_json_object(text: str) -> dict[str, object] | None:
    """The JSON object that ``text`` is, or that stands in the one code fence that it is; ``None`` for anything else.

    What a model thought aloud before (``<think>``) does not count, and an object with words around it is none: it may
    be quoted, withdrawn or turned down by them.
    """
    if len(text) > MOST_CHARACTERS:
        return None
    said = _THOUGHT.sub("", text).strip()
    fenced = _FENCED.fullmatch(said)
    found = strict_json(fenced[1] if fenced else said)
    return found if isinstance(found, dict) else None
