"""Helpers for those who write metrics."""

from __future__ import annotations

from uaef.text.json_in_text import json_object_in


def extract_json_from_llm_response(text: str) -> dict[str, object] | None:
    """The JSON object in a model's reply, or ``None`` where there is none or more than one.

    It reads the reply as it is, then what stands in a code fence, then the objects that stand in running text.
    """
    return json_object_in(text)
