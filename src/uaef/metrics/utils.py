"""Helpers for those who write metrics."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

_FENCE = re.compile(r"```(?:json)?\s*(.*?)```", re.DOTALL | re.IGNORECASE)


def extract_json_from_llm_response(text: str) -> dict[str, object] | None:
    """The JSON object in a model's reply, or ``None`` where there is none or more than one.

    It reads the reply as it is, then what stands in a code fence, then the objects that stand in running text.
    Two different objects are no answer: which one was meant is not for a reader to guess.
    """
    for candidates in ([text], _FENCE.findall(text), list(_objects(text))):
        found = [value for candidate in candidates if (value := _read(candidate)) is not None]
        if found:
            return found[0] if all(value == found[0] for value in found) else None
    return None


def _read(text: str) -> dict[str, object] | None:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _objects(text: str) -> Iterator[str]:
    """The outermost JSON objects in running text."""
    decoder = json.JSONDecoder()
    at = text.find("{")
    while at >= 0:
        try:
            _, end = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            end = at + 1
        else:
            yield text[at:end]
        at = text.find("{", end)
