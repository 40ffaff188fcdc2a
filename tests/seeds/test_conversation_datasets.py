"""The page on conversation datasets, call by call: its format, its rows, its history, its tags, its refusals."""

from __future__ import annotations

import re

import pytest

from uaef.data.conversations import ConversationDataset
from uaef.errors import DataError, DatasetSchemaError
from uaef.models import ClaimKind, GroundTruth

TANDEM = """\
name: workshop.multi-turn
conversations:
  - id: creak-then-brakes
    tags: [repairs]
    turns:
      - user: 'My tandem creaks when I pedal.'
        expect: 'asks how old the chain is'
      - user: 'Three years.'
        expect: 'suggests a new chain'
      - user: 'Can you look at the brakes in the same visit?'
        expect: 'adds the brakes to the visit, does not ask about the chain again'
        tags: [context-retention]
"""


@pytest.fixture
def dataset(tmp_path):
    """The dataset from a file."""
    path = tmp_path / "workshop.yaml"
    path.write_text(TANDEM)
    return ConversationDataset.from_file(path)


def test_one_row_per_turn(dataset):
    """A turn is a row: its name, the question with everything before it, what is expected, where it belongs."""
    rows = dataset.rows()
    assert ["creak-then-brakes#1", "creak-then-brakes#2", "creak-then-brakes#3"] == [row["id"] for row in rows]
    assert {
        "id": "creak-then-brakes#3",
        "input": {
            "question": "Can you look at the brakes in the same visit?",
            "history": [
                {"user": "My tandem creaks when I pedal.", "assistant": "asks how old the chain is"},
                {"user": "Three years.", "assistant": "suggests a new chain"},
            ],
        },
        "expected_output": "adds the brakes to the visit, does not ask about the chain again",
        "metadata": {
            "conversation_id": "creak-then-brakes",
            "turn": 3,
            "tags": ["repairs", "context-retention"],
        },
    } == rows[2]


def test_judge_is_the_measure(dataset):
    """The page's ``llm-as-judge`` on every turn is what goes without saying, as a gate."""
    named = ConversationDataset.from_string(f"metrics: [llm-as-judge]\n{TANDEM}")
    assert [["meets_expectation"]] * 3 == [[claim.name for claim in ask.claims] for ask in dataset.cases[0].asks]
    assert {ClaimKind.GATE} == {claim.kind for ask in dataset.cases[0].asks for claim in ask.claims}
    assert ["llm-as-judge"] == [claim.name for claim in named.cases[0].claims]


def test_agent_can_be_shown_the_history(dataset):
    """How the history is replayed is the runner's; the dataset supplies it, and never what a model said."""
    row = dataset.rows()[1]
    messages = [
        {"role": role, "content": exchange[role]}
        for exchange in row["input"]["history"]
        for role in ("user", "assistant")
    ]
    assert ["My tandem creaks when I pedal.", "asks how old the chain is"] == [m["content"] for m in messages]


def test_metadata_of_both_levels():
    """Extra maps are merged in, and the turn wins."""
    text = TANDEM.replace("    tags: [repairs]\n", "    tags: [repairs]\n    metadata: {shop: north, bay: 1}\n")
    rows = ConversationDataset.from_string(f"{text}        metadata: {{bay: 2}}\n").rows()
    assert [("north", 1), ("north", 1), ("north", 2)] == [
        (row["metadata"]["shop"], row["metadata"]["bay"]) for row in rows
    ]


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ("conversations: []", "conversations is empty: there is nothing to evaluate"),
        ("name: only", "a dataset has no conversations"),
        (TANDEM.replace("id: creak-then-brakes\n    ", ""), "conversation 1: a conversation has no id"),
        (TANDEM.replace("creak-then-brakes", "12"), "conversation 1: id must be text, got a number (12)"),
        (
            TANDEM.replace("user: 'Three years.'\n        ", ""),
            "conversation 'creak-then-brakes', turn 2: a turn has no user",
        ),
        (
            TANDEM.replace("        expect: 'suggests a new chain'\n", ""),
            "conversation 'creak-then-brakes', turn 2: a turn has no expect",
        ),
        (
            TANDEM + TANDEM.partition("conversations:\n")[2],
            "conversation 'creak-then-brakes': its id is that of another conversation, conversations:3:9",
        ),
        ("conversations: {a: {turns: []}}", "conversations must be a list, got an object"),
        (
            "conversations: [x]",
            "conversation 1: item 1 of conversations must be an object with id and turns, got text",
        ),
        ("conversations: [{id: a, turns: 3}]", "conversation 'a': turns must be a list"),
        (
            "conversations: [{id: a, turns: [x]}]",
            "conversation 'a', turn 1: item 1 of turns must be an object with user",
        ),
        ("{", "not YAML"),
    ],
)
def test_refusals(wrong, says):
    """Everything that the page and the code behind it refuse is refused, naming conversation and turn."""
    with pytest.raises(DatasetSchemaError, match=re.escape(says)) as caught:
        ConversationDataset.from_string(wrong)
    assert isinstance(caught.value, DataError)


def test_missing_file(tmp_path):
    """A file that is not there is the same kind of error."""
    with pytest.raises(DatasetSchemaError, match="no such file"):
        ConversationDataset.from_file(tmp_path / "none.yaml")


def test_from_dict(dataset):
    """The same from what a program built."""
    found = ConversationDataset.from_dict(
        {
            "name": dataset.name,
            "conversations": [
                {
                    "id": case.case_id,
                    "tags": case.tags,
                    "turns": [
                        {"user": ask.user, "expect": ask.expected.expected_output}
                        | ({"tags": ask.tags} if ask.tags else {})
                        for ask in case.asks
                    ],
                }
                for case in dataset.cases
            ],
        }
    )
    assert dataset.rows() == found.rows()


def test_recorded_dataset(shared):
    """A dataset of this format as somebody else wrote it loads as it is."""
    path = shared / "peer-multiturn-yaml" / "padosoft.support.multi-turn.yaml"
    found = ConversationDataset.from_file(path)
    assert ("support.multi-turn", 1, 3) == (found.name, len(found.cases), len(found.cases[0].asks))
    assert GroundTruth(expected_output="confirms the 30-day window") == found.cases[0].asks[1].expected


def test_file_of_the_page(shared):
    """The file that stands on the page itself loads, and its third row is the page's own."""
    page = (shared.parent / "seeds" / "3-padosoft-conversation-datasets.txt").read_text("utf-8")
    start, end = page.index("name: support"), page.index("\n\nuse ")
    found = ConversationDataset.from_string(page[start:end])
    assert ["returns", "context-retention"] == found.rows()[2]["metadata"]["tags"]
    assert ["asks for the order number", "confirms the 30-day window"] == [
        exchange["assistant"] for exchange in found.rows()[2]["input"]["history"]
    ]
