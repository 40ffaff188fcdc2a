"""The reader of models' replies: tolerant of wrapping, never of two answers."""

from __future__ import annotations

import pytest

from uaef.metrics.utils import extract_json_from_llm_response


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('{"score": 1}', {"score": 1}),
        (' {"score": 1}\n', {"score": 1}),
        ('```json\n{"score": 1}\n```', {"score": 1}),
        ('```\n{"score": 1}\n```', {"score": 1}),
        ('Here you are:\n```JSON\n{"score": 1}\n```\nAnything else?', {"score": 1}),
        ('The verdict is {"score": 0.5, "why": {"a": [1]}} I think.', {"score": 0.5, "why": {"a": [1]}}),
        ('{"text": "a } brace"}', {"text": "a } brace"}),
        ('{"score": 1} and once more {"score": 1}', {"score": 1}),
        ('{not json} but {"score": 1}', {"score": 1}),
        ('{"a": {"b": 1}', None),
        ('{"score": 1} or rather {"score": 0}', None),
        ('```json\n{"score": 1}\n```\n```json\n{"score": 0}\n```', None),
        ("[1, 2]", None),
        ("null", None),
        ("no verdict", None),
        ("", None),
        ("{", None),
        ("```json\n```", None),
    ],
)
def test_the_one_object_in_a_reply(text, found):
    """Bare, fenced or in running text; where there are two different ones, which was meant is not guessed."""
    assert found == extract_json_from_llm_response(text)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        pytest.param("[" * 100_000, None, id="deep"),
        pytest.param('{"a":' * 3000, None, id="deep objects"),
        pytest.param('{"score": ' + "9" * 5000 + "}", None, id="digits"),
        pytest.param("[" * 3000 + ' {"score": 1}', {"score": 1}, id="deep, then a verdict"),
        pytest.param('{"a":' * 3000 + ' or rather {"score": 1}', None, id="a verdict inside deep objects"),
    ],
)
def test_nonsense_of_any_size_is_no_verdict(text, found):
    """Brackets without end and numbers that nothing can hold are no JSON, and raise nothing."""
    assert found == extract_json_from_llm_response(text)
