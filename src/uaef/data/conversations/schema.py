"""The JSON Schema of conversation datasets, for editors: made from the declaration that the reader follows."""

from __future__ import annotations

from importlib.resources import files

from uaef.data.conversations.fields import DATASET
from uaef.data.conversations.kinds import Kind, Schema

FILE = "conversations.schema.json"


def dataset_schema() -> Schema:
    """The schema. What the reader accepts it accepts; the reader refuses more, for a schema cannot say everything."""
    definitions: dict[str, object] = {}
    return {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "uaef conversation dataset",
        "allOf": [_written(DATASET, definitions)],
        "definitions": definitions,
    }


def _written(part: object, definitions: dict[str, object]) -> object:
    """A part of a schema, with references in place of kinds, and the kinds' own schemas in ``definitions``."""
    if isinstance(part, Kind):
        if part.title not in definitions:
            definitions[part.title] = {}
            definitions[part.title] = _written(part.schema(), definitions)
        return {"$ref": f"#/definitions/{part.title}"}
    if isinstance(part, dict):
        return {key: _written(value, definitions) for key, value in part.items()}
    return [_written(item, definitions) for item in part] if isinstance(part, list) else part


def shipped_schema() -> str:
    """The same, as the file that comes with uaef."""
    return files(__package__).joinpath(FILE).read_text(encoding="utf-8")
