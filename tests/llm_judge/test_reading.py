"""The JSON object in a reply: found where it stands alone, and nowhere else."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from uaef.metrics.utils import extract_json_from_llm_response
from uaef.text.json_in_text import json_object_in
from uaef.text.well_formed import well_formed

OBJECTS = st.dictionaries(
    st.text(max_size=5), st.one_of(st.none(), st.booleans(), st.integers(), st.text(max_size=20)), max_size=4
)


@pytest.mark.parametrize(
    "text",
    [
        '{"a": {"b": 1}}',
        ' \n{"a": {"b": 1}}\n ',
        '```json\n{"a": {"b": 1}}\n```',
        '```\n{"a": {"b": 1}}\n```',
        'Sure!\n```JSON\n{"a": {"b": 1}}\n```\nAnything else?',
        'The verdict is {"a": {"b": 1}}.',
        'Of {all} the {"kinds"}: {"a": {"b": 1}}',
        'With \\frac{1}{2} in it: {"a": {"b": 1}}',
        '{"a": {"b": 1}} and again {"a": {"b": 1}}',
        '[{"a": {"b": 1}}]',
    ],
)
def test_one_object_is_found(text):
    """As the whole text, in a code fence, between words, or said twice."""
    assert {"a": {"b": 1}} == json_object_in(text)
    assert {"a": {"b": 1}} == extract_json_from_llm_response(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "null",
        "[]",
        "1",
        "no braces",
        "{a: 1}",
        "{'a': 1}",
        '{"a": 1',
        '{"a": 1} {"a": 2}',
        '```json\n{"a": 1}\n``` but then {"a": 2}',
        '{"a": 1} {"a": ',
        '{ {"a": 1}',
        '{x: {"a": 1}}',
        '{"a": 1, "a": 1}',
        '{"a": 1, "a": 2} {"a": 1}',
        '{"a": NaN}',
        '{"a": 1} {"a": Infinity}',
        '{"a": ' * 5000,
        '{"a":' * 100_000 + "1" + "}" * 100_000,
        '"{\\"a\\": 1}"',
        "{" * 100_000,
    ],
)
def test_anything_else_is_no_answer(text):
    """None, two that differ, a key twice, one inside something broken or beside something cut off."""
    assert json_object_in(text) is None


@given(found=OBJECTS, before=st.text("abc \n:.,`", max_size=10), after=st.text("abc \n:.,`", max_size=10))
def test_words_around_it_do_not_matter(found, before, after):
    """Whatever is said before and after, as long as it has no braces."""
    assert found == json_object_in(f"{before}{json.dumps(found)}{after}")


@given(found=OBJECTS, other=OBJECTS)
def test_two_objects_are_one_only_if_they_are_the_same(found, other):
    """Which of two was meant is not guessed."""
    text = f"{json.dumps(found)} or {json.dumps(other)}"
    assert (found if found == other else None) == json_object_in(text)


@given(found=OBJECTS)
def test_no_beginning_of_an_object_is_an_object(found):
    """Cut anywhere, it is no answer."""
    text = json.dumps({"token": "t", "score": found})
    assert {None} == {
        json.dumps(json_object_in(text[:cut])) if json_object_in(text[:cut]) else None for cut in range(len(text))
    }


@pytest.mark.parametrize(
    ("text", "expected"),
    [("plain", "plain"), ("grün 👍", "grün 👍"), ("half \ud83d", "half \\ud83d"), ("\ude00", "\\ude00")],
)
def test_half_a_surrogate_pair_is_written_out(text, expected):
    """What UTF-8 cannot hold becomes visible; everything else stays."""
    assert expected == well_formed(text)
