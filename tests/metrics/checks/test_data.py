"""Checks of replies that a program reads."""

from __future__ import annotations

import pytest

from uaef import checks
from uaef.errors import MetricError

ROOM = {"type": "object", "required": ["room"], "properties": {"room": {"type": "integer", "minimum": 1}}}


@pytest.mark.parametrize(
    ("reply", "score"),
    [
        ('{"room": 1}', 1.0),
        (' [1, "two", null] \n', 1.0),
        ("null", 1.0),
        ('```json\n{"room": 1}\n```', 1.0),
        ('```\n{"room": 1}```', 1.0),
        ('Here: {"room": 1}', 0.0),
        ('{"room": 1, "room": 2}', 0.0),
        ('{"room": NaN}', 0.0),
        ("{'room': 1}", 0.0),
        ("[" * 100_000, 0.0),
        ("", 0.0),
    ],
)
def test_json(found, saying, reply, score):
    """JSON and nothing else, in a code fence or not."""
    assert score == found(checks.json_valid(), saying(reply)).score


@pytest.mark.parametrize(
    ("reply", "score"),
    [
        ('{"room": 1}', 1.0),
        ('```json\n{"room": 3, "floor": 2}\n```', 1.0),
        ('{"room": 0}', 0.0),
        ('{"room": "1"}', 0.0),
        ("{}", 0.0),
        ("room 1", 0.0),
        ("", 0.0),
    ],
)
def test_schema(found, saying, reply, score):
    """JSON of the shape that was asked for."""
    assert score == found(checks.json_schema(ROOM), saying(reply)).score


def test_a_message_will_do(found, saying):
    """What is said beside it does not matter, unless the last word is what counts."""
    turn = saying("One moment.", '{"room": 1}', "Anything else?")
    assert 1.0 == found(checks.json_schema(ROOM), turn).score
    assert 0.0 == found(checks.json_schema(ROOM, where="final"), turn).score


def test_formats_and_patterns_count(found, saying):
    """The schema is the user's own, so all of it is checked."""
    assert 0.0 == found(checks.json_schema({"type": "string", "format": "date"}), saying('"soon"')).score
    assert 1.0 == found(checks.json_schema({"type": "string", "format": "date"}), saying('"2024-03-05"')).score
    assert 0.0 == found(checks.json_schema({"pattern": "^a"}), saying('"b"')).score


def test_reasons_say_what_is_wrong(found, saying):
    """And where."""
    assert "$.room: 0 is less than the minimum of 1: '{\"room\": 0}'" == (
        found(checks.json_schema(ROOM), saying('{"room": 0}')).reasoning
    )
    assert found(checks.json_valid(), saying("{,}")).reasoning.startswith("no JSON (Expecting property name")


@pytest.mark.parametrize("schema", [{"type": "objekt"}, {"required": "room"}])
def test_what_is_no_schema_is_refused(schema):
    """Where the check is made."""
    with pytest.raises(MetricError, match="schema: no JSON Schema"):
        checks.json_schema(schema)


def test_what_the_schema_points_at_is_not_fetched(found, saying):
    """A reference to elsewhere is a failure, never a request."""
    score = found(checks.json_schema({"$ref": "http://127.0.0.1:9/schema"}), saying("1"))
    assert score.score is None
