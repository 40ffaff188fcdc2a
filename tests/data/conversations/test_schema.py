"""The JSON Schema says what the reader does: it accepts all that is accepted, and refuses what it can."""

from __future__ import annotations

import json

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft7Validator

from uaef.data.conversations import ConversationDataset
from uaef.data.conversations.schema import dataset_schema, shipped_schema
from uaef.errors import DatasetSchemaError

SCHEMA = Draft7Validator(dataset_schema())

GOOD = [
    "conversations: [{id: a, turns: [{user: b, expect: c}]}]",
    "conversations: [{thread_id: a b, turns: [{input: b, ideal: [c, d], assistant: e, tags: [x]}]}]",
    """
    name: n
    history: both
    x-mine: [1]
    role: r
    repeat: 2
    context: [c]
    conversations: [{id: a, goal: g, tools: [t], metadata: {k: {tags: 1}}, turns: [{user: b}]}]
    """,
    """
    conversations:
    - id: a
      turns:
      - {user: b, tools: [], context: c}
      - {user: d, tools: [t, {name: t}, {tool_name: t, parameters: {a: 1}}]}
    """,
    """
    conversations:
    - id: a
      turns:
      - user: b
        checks: [json_valid, {includes: x}, {includes: {text: x}}]
        gates: [{accuracy: 0.5}, {accuracy: {at_least: 0.5}}]
        metrics: [coherence]
        thresholds:
        - accuracy: 0.5
        - similarity: {reference: x, at_least: 0.5}
        - accuracy: {at_most: 1}
        - {scorer: accuracy, threshold: 1}
        - {scorer: {includes: x}, threshold: {min: 0, max: 1}}
    """,
]
BAD = [
    "[]",
    "{}",
    "conversations: []",
    "conversations: {a: 1}",
    "{conversations: [{id: a, turns: [{user: b, expect: c}]}], nmae: n}",
    "{history: maybe, conversations: [{id: a, turns: [{user: b, expect: c}]}]}",
    "{repeat: 0, conversations: [{id: a, turns: [{user: b, expect: c}]}]}",
    "conversations: [{turns: [{user: b, expect: c}]}]",
    "conversations: [{id: 1, turns: [{user: b, expect: c}]}]",
    "conversations: [{id: a#1, turns: [{user: b, expect: c}]}]",
    "conversations: [{id: ' a', turns: [{user: b, expect: c}]}]",
    "conversations: [{id: a, thread_id: a, turns: [{user: b, expect: c}]}]",
    "conversations: [{id: a}]",
    "conversations: [{id: a, turns: []}]",
    "conversations: [{id: a, turns: [{expect: c}]}]",
    "conversations: [{id: a, turns: [{user: ' ', expect: c}]}]",
    "conversations: [{id: a, turns: [{user: 3, expect: c}]}]",
    "conversations: [{id: a, turns: [{user: b, input: b, expect: c}]}]",
    "conversations: [{id: a, turns: [{user: b, expect: c, ideal: d}]}]",
    "conversations: [{id: a, turns: [{user: b, expect: []}]}]",
    "conversations: [{id: a, turns: [{user: b, expect: null}]}]",
    "conversations: [{id: a, turns: [{user: b, expect: {a: 1}}]}]",
    "conversations: [{id: a, turns: [{user: b, expect: c, goal: d}]}]",
    "conversations: [{id: a, turns: [{user: b, expect: c, tags: d}]}]",
    "conversations: [{id: a, turns: [{user: b, expect: c, tags: [1]}]}]",
    "conversations: [{id: a, turns: [{user: b, expect: c, metadata: {turn: 1}}]}]",
    "conversations: [{id: a, turns: [{user: b, expect: c, metadata: [1]}]}]",
    "conversations: [{id: a, turns: [{user: b, tools: t}]}]",
    "conversations: [{id: a, turns: [{user: b, tools: [{nme: t}]}]}]",
    "conversations: [{id: a, turns: [{user: b, checks: json_valid}]}]",
    "conversations: [{id: a, turns: [{user: b, checks: [{a: 1, b: 2}]}]}]",
    "conversations: [{id: a, turns: [{user: b, checks: [3]}]}]",
    "conversations: [{id: a, turns: [{user: b, thresholds: [{accuracy: 7}]}]}]",
    "conversations: [{id: a, turns: [{user: b, thresholds: [accuracy]}]}]",
    "conversations: [{id: a, turns: [{user: b, thresholds: [{includes: x}]}]}]",
    "conversations: [{id: a, turns: [{user: b, thresholds: [{scorer: accuracy}]}]}]",
    "conversations: [{id: a, turns: [{user: b, thresholds: [{scorer: accuracy, threshold: {mim: 1}}]}]}]",
]


def test_schema_is_one():
    """It is a schema, without anything that would have to be fetched."""
    Draft7Validator.check_schema(dataset_schema())
    references = [part for part in json.dumps(dataset_schema()).split('"') if part.startswith("#") or "://" in part]
    assert {"#/definitions", "http:"} == {part.rpartition("/")[0].partition("//")[0] for part in references}


def test_shipped_file_is_up_to_date():
    """Whoever changes a key runs ``make docs``."""
    assert dataset_schema() == json.loads(shipped_schema())


@pytest.mark.parametrize("text", GOOD)
def test_what_is_read_is_valid(text):
    """An editor draws no line under what the reader takes."""
    ConversationDataset.from_string(text, name="d.yaml")
    assert [] == [error.message for error in SCHEMA.iter_errors(yaml.safe_load(text))]


_texts = st.sampled_from(["a", " ", "b c", "a#1", "json_valid"])
_values = _texts | st.integers(0, 2) | st.none() | st.lists(_texts, max_size=2)
_TURN = ("input", "expect", "ideal", "reply", "tools", "tags", "context", "checks", "metrics", "thresholds")
_turns = st.fixed_dictionaries({"user": _texts}, optional=dict.fromkeys(_TURN, _values))
_CONVERSATION = ("goal", "tools", "repeat", "role", "tags", "gates", "metadata")
_conversations = st.fixed_dictionaries(
    {"id": _texts, "turns": st.lists(_turns, max_size=2)}, optional=dict.fromkeys(_CONVERSATION, _values)
)


@given(st.lists(_conversations, max_size=2))
def test_no_dataset_that_is_read_is_invalid(conversations):
    """The same of whatever anybody may write: what the schema refuses, the reader refuses."""
    data = {"conversations": conversations}
    if not SCHEMA.is_valid(data):
        with pytest.raises(DatasetSchemaError):
            ConversationDataset.from_dict(data)


@pytest.mark.parametrize("text", BAD)
def test_what_a_schema_can_refuse_is_refused_by_both(text):
    """And it draws one under what it can see."""
    with pytest.raises(DatasetSchemaError):
        ConversationDataset.from_string(text, name="d.yaml")
    assert not SCHEMA.is_valid(yaml.safe_load(text))
