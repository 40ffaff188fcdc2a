"""What a dataset says: cases, rows, what is expected, and what goes without saying."""

from __future__ import annotations

import json
import logging

import pytest
from hypothesis import given
from hypothesis import strategies as st

from uaef.data.conversations import ConversationDataset, ground_truth_of
from uaef.errors import DatasetSchemaError
from uaef.models import Ask, Case, GroundTruth, ToolCall

YAML = """\
name: shop
conversations:
  - id: lamp
    tags: [orders]
    metadata: {team: north, since: 2024-05-01}
    turns:
      - user: Where is my lamp?
        expect: asks for the order number
        reply: What is your order number?
      - user: It is 71.
        expect: [says that it was sent, names the day]
        tags: [follow-up, orders]
        metadata: {team: south}
  - id: hours
    turns:
      - user: When do you open?
        expect: at ten
"""
CONVERSATIONS = [
    {
        "id": "lamp",
        "tags": ["orders"],
        "metadata": {"team": "north", "since": "2024-05-01"},
        "turns": [
            {
                "user": "Where is my lamp?",
                "expect": "asks for the order number",
                "reply": "What is your order number?",
            },
            {
                "user": "It is 71.",
                "expect": ["says that it was sent", "names the day"],
                "tags": ["follow-up", "orders"],
                "metadata": {"team": "south"},
            },
        ],
    },
    {"id": "hours", "turns": [{"user": "When do you open?", "expect": "at ten"}]},
]
WHOLE = {"name": "shop", "conversations": CONVERSATIONS}
LINES = "".join(f"{json.dumps(line)}\n" for line in ({"name": "shop"}, *CONVERSATIONS))


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("shop.yaml", YAML),
        ("shop.YML", YAML.replace("\n", "\r\n")),
        ("shop.json", json.dumps(WHOLE, indent=2)),
        ("shop.jsonl", LINES),
        ("shop.ndjson", LINES.replace("\n", "\n\n")),
        ("shop", YAML),
        ("shop.txt", json.dumps(WHOLE)),
        ("shop.txt", json.dumps(WHOLE, indent=2)),
        ("shop", LINES),
    ],
)
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_every_format_says_the_same(tmp_path, name, text, mark):
    """YAML, JSON and JSON lines, from a file, a string or a dict, with a byte order mark or without."""
    path = tmp_path / name
    path.write_bytes((mark + text).encode())
    rows = ConversationDataset.from_dict(WHOLE).rows()
    for found in (ConversationDataset.from_file(path), ConversationDataset.from_string(mark + text, name=name)):
        assert ("shop", rows) == (found.name, found.rows())


def test_lines_need_no_head():
    """A single conversation on a line is a dataset too."""
    found = ConversationDataset.from_string(json.dumps(CONVERSATIONS[1]))
    assert ["hours#1"] == [row["id"] for row in found.rows()]


def test_rows():
    """Tags of the conversation first, each once; metadata key by key, the turn's first; history as it should be."""
    first, second, third = ConversationDataset.from_string(YAML).rows()
    assert [] == first["input"]["history"] == third["input"]["history"]
    assert {
        "id": "lamp#2",
        "input": {
            "question": "It is 71.",
            "history": [{"user": "Where is my lamp?", "assistant": "What is your order number?"}],
        },
        "expected_output": "says that it was sent\nnames the day",
        "metadata": {
            "conversation_id": "lamp",
            "turn": 2,
            "tags": ["orders", "follow-up"],
            "team": "south",
            "since": "2024-05-01",
        },
    } == second


@pytest.mark.parametrize(("text", "name"), [("name: north\n", "north"), ("", "d")])
def test_name(text, name):
    """What a dataset calls itself, else what it is called."""
    assert name == ConversationDataset.from_string(text + YAML.removeprefix("name: shop\n"), name="d").name


def test_file_names_the_dataset(tmp_path):
    """A dataset without a name goes by its file's, without the ending."""
    path = tmp_path / "shop.v2.yaml"
    path.write_text(YAML.removeprefix("name: shop\n"))
    assert "shop.v2" == ConversationDataset.from_file(str(path)).name


def test_one_criterion_is_the_expected_output(turn):
    """A text is what is expected; of a list, each line is judged by itself."""
    assert GroundTruth(expected_output="a") == turn(expect="a").expected == turn(expect=["a"]).expected
    assert GroundTruth(expected_output="a\nb", criteria=["a", "b"]) == turn(expect=["a", "b"]).expected


def test_tools(turn):
    """A name, a call with arguments, none at all, and nothing said are four different things."""
    assert turn().expected.expected_tool_calls is None
    assert [] == turn(tools=[]).expected.expected_tool_calls
    assert [
        ToolCall(name="find"),
        ToolCall(name="book", arguments={"nights": 2}),
        ToolCall(name="pay", arguments={}),
    ] == (
        turn(
            tools=["find", {"name": "book", "arguments": {"nights": 2}}, {"tool_name": "pay", "parameters": {}}]
        ).expected.expected_tool_calls
    )


def test_what_holds_of_the_whole(dataset):
    """Goal, role, instructions and trials are the conversation's, else the dataset's."""
    turns = [{"user": "a", "expect": "b"}]
    (case,) = dataset(turns, {"goal": "g", "role": "r", "repeat": 2}, role="R", instructions="I", repeat=3).cases
    assert 2 == case.repeat
    assert (
        GroundTruth(expected_output="g", expected_arguments={"chatbot_role": "r", "system_instructions": "I"})
        == case.expected
    )
    (bare,) = dataset(turns).cases
    assert (None, None) == (bare.expected, bare.repeat)


def test_evidence_adds_up(dataset):
    """A turn rests on what the dataset, its conversation and the turns so far bring, never on what comes later."""
    turns = [{"user": "a", "expect": "b", "context": "t1"}, {"user": "c", "expect": "d", "context": ["t2", "c"]}]
    (case,) = dataset(turns, {"context": ["c"]}, context="d").cases
    assert [["d", "c", "t1"], ["d", "c", "t1", "t2"]] == [ask.expected.context_documents for ask in case.asks]
    assert ["d", "c", "t1", "t2"] == ground_truth_of(case).context_documents


ALIASES = {
    "conversation_id": "c",
    "turns": [
        {"input": "a", "expected_output": "b", "expected_tools": ["t"], "context_documents": "x", "assistant": "r"},
        {"question": "a", "ideal": "b", "tool_calls": [], "criteria": "no"},
    ],
    "expected_outcome": "g",
    "chatbot_role": "r",
    "system_instructions": "i",
    "trials": 2,
}


def test_names_of_the_field():
    """Whoever comes with another tool's words is understood; two words for one thing are not."""
    first = {key: value for key, value in ALIASES.items() if key != "turns"} | {"turns": ALIASES["turns"][:1]}
    (case,) = ConversationDataset.from_dict({"conversations": [first]}).cases
    (ask,) = case.asks
    assert ("c", "a", "r", 2, "g") == (case.case_id, ask.user, ask.reply, case.repeat, case.expected.expected_output)
    assert ("b", [ToolCall(name="t")], ["x"]) == (
        ask.expected.expected_output,
        ask.expected.expected_tool_calls,
        ask.expected.context_documents,
    )
    with pytest.raises(DatasetSchemaError, match=r"criteria says the same as ideal; keep one of them$"):
        ConversationDataset.from_dict({"conversations": [ALIASES]})


def test_anchors_and_merge_keys():
    """What is written once can be used again; keys that begin with x- are whoever's."""
    found = ConversationDataset.from_string(
        """\
x-shop: &shop {role: a shop, tags: [a]}
x-more: &more {tags: [b], metadata: {k: 1}}
conversations:
  - <<: [*shop, *more]
    id: one
    turns: &turns
      - {user: Hello, expect: greets}
  - <<: *shop
    tags: [own]
    id: two
    turns: *turns
"""
    )
    one, two = found.cases
    assert (["a"], {"k": 1}, ["own"]) == (one.tags, one.metadata, two.tags)
    assert "a shop" == two.expected.expected_arguments["chatbot_role"]
    assert [("Hello", ["a"]), ("Hello", ["own"])] == [
        (ask.user, ask.tags) for case in (one, two) for ask in case.asks
    ]


@pytest.mark.parametrize("history", ["expected", "actual", "thread", "none", "both"])
def test_history(dataset, history):
    """A dataset may say what the agent is shown of earlier turns."""
    assert history == dataset([{"user": "a", "expect": "b"}], history=history).history
    assert dataset([{"user": "a", "expect": "b"}]).history is None


def test_replaying_a_criterion_is_pointed_out_once(caplog):
    """Where a criterion would be shown as what the assistant said, that is said once, by turn, when it happens."""
    data = {
        "conversations": [
            {"id": n, "turns": [{"user": "a", "expect": "b"}, {"user": "c", "expect": "d"}]} for n in "tuvwxyz"
        ]
    }
    found = ConversationDataset.from_dict(data, name="d")
    (warning,) = found.warnings
    assert warning.startswith("d: t#1, u#1, v#1, w#1, x#1 and 2 more have no reply, so later turns are shown what ")
    assert [] == caplog.messages
    found.rows()
    found.rows()
    found.warn()
    assert [("uaef", logging.WARNING, warning)] == caplog.record_tuples


def test_turn_without_an_answer_is_pointed_out(dataset):
    """A turn that only advances has no answer that later ones could be shown."""
    turns = [{"user": "a"}, {"user": "b", "checks": ["json_valid"]}]
    found = dataset(turns)
    assert [
        "conversations: c#1 has neither reply nor expect, so later turns are shown no answer to them"
    ] == found.warnings
    assert [{"user": "a", "assistant": None}] == found.rows()[1]["input"]["history"]


def test_nothing_is_pointed_out_where_replies_are_given(dataset):
    """The last turn is shown to nobody, and a reply is a reply."""
    assert [] == dataset([{"user": "a", "expect": "b", "reply": "B"}, {"user": "c", "expect": "d"}]).warnings


def test_ground_truths():
    """By id, and in each by turn number: what a recording of the same conversations can be held to."""
    truths = ConversationDataset.from_string(YAML).ground_truths()
    assert ["lamp", "hours"] == list(truths)
    lamp = truths["lamp"]
    assert ["says that it was sent", "names the day"] == lamp.turns[2].criteria
    assert "[Turn 1] asks for the order number\n[Turn 2] says that it was sent\nnames the day" == lamp.expected_output


def test_ground_truth_of_a_case():
    """Turns by the numbers that were recorded, goal and calls of the whole, and no goal where a turn says nothing."""
    asks = [
        Ask(user="a"),
        Ask(user="b", expected=GroundTruth(expected_tool_calls=["x"])),
        Ask(user="c", expected=GroundTruth(expected_tool_calls=[])),
    ]
    case = Case(case_id="c", asks=asks, expected=GroundTruth(expected_output="goal"))
    truth = ground_truth_of(case, [0, 4], ["found"])
    assert [0, 4, 5] == list(truth.turns)
    assert ("goal", [ToolCall(name="x")], ["found"]) == (
        truth.expected_output,
        truth.expected_tool_calls,
        truth.context_documents,
    )
    assert truth.for_turn(0).expected_output is None


def test_ground_truth_of_a_case_that_says_it_by_turns():
    """By the numbers that were recorded, also of turns that only come up in play."""
    whole = GroundTruth(
        expected_arguments={"chatbot_role": "r", "per_turn_expected": ["A", "B", "C"], "per_turn_ids": [1, 2, 4]}
    )
    case = Case(case_id="c", asks=[Ask(user="a"), Ask(user="b", reply="x")], expected=whole)
    truth = ground_truth_of(case, [0, 1])
    assert {0: "A", 1: "B", 3: "C"} == {number: turn.expected_output for number, turn in truth.turns.items()}
    assert {"chatbot_role": "r"} == truth.extras
    assert [1, 2, 4] == list(ground_truth_of(case).turns)


def test_rows_share_nothing():
    """Whoever changes a row changes no other row, not the dataset, and not what it was made of."""
    metadata = {"order": {"lines": [1]}}
    turns = [{"user": name, "expect": "x", "tags": ["t"], "metadata": {"own": [2]}} for name in "abc"]
    data = {"conversations": [{"id": "c", "tags": ["t"], "metadata": metadata, "turns": turns}]}
    found = ConversationDataset.from_dict(data)
    before = json.dumps(found.rows())
    for row in found.rows():
        row["metadata"]["order"]["lines"].append("changed")
        row["metadata"]["own"].append("changed")
        row["metadata"]["tags"].append("changed")
        for exchange in row["input"]["history"]:
            exchange["assistant"] = "changed"
        others = found.rows()
        assert before == json.dumps(others)
    first, *rest = found.rows()
    kept = json.dumps(rest)
    first["metadata"]["order"]["lines"].append("changed")
    rest[0]["input"]["history"][0]["user"] = "changed"
    assert kept == json.dumps([found.rows()[1], rest[1]])
    assert {"lines": [1]} == metadata["order"]


_texts = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=8).filter(str.strip)
_ids = st.lists(_texts.map(str.strip).filter(lambda name: "#" not in name), min_size=1, max_size=3, unique=True)


@given(_ids, st.lists(st.tuples(_texts, _texts), min_size=1, max_size=3))
def test_whatever_people_write_comes_back(ids, turns):
    """Any text survives JSON and dicts alike, and a row has as many exchanges before it as its number says."""
    data = {
        "conversations": [
            {"id": n, "turns": [{"user": user, "expect": expect} for user, expect in turns]} for n in ids
        ]
    }
    found = ConversationDataset.from_dict(data)
    assert found.rows() == ConversationDataset.from_string(json.dumps(data), name="d.json").rows()
    assert [(f"{n}#{number}", number - 1) for n in ids for number in range(1, len(turns) + 1)] == [
        (row["id"], len(row["input"]["history"])) for row in found.rows()
    ]
    assert [user for user, _ in turns] * len(ids) == [row["input"]["question"] for row in found.rows()]


def test_large_datasets_load(tmp_path):
    """Ten thousand turns are no matter."""
    turn = "      - {user: Is it there?, expect: says yes}\n"
    text = "conversations:\n" + "".join(f"  - id: c{n}\n    turns:\n{turn * 10}" for n in range(1_000))
    path = tmp_path / "large.yaml"
    path.write_text(text)
    assert "<ConversationDataset 'large': 1,000 conversations, 10,000 turns>" == repr(
        ConversationDataset.from_file(path)
    )
