"""What is no dataset: every problem at once, each with its place, and nothing that hangs or crashes."""

from __future__ import annotations

import contextlib
import datetime as dt
import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from uaef.data.conversations import ConversationDataset
from uaef.errors import DataError, DatasetSchemaError

MANY = """\
name: 7
conversatons: []
conversations:
  - id: 44192
    tags: returns
    turns:
      - user: 44192
        expect: yes
      - user: 2024-05-01
        expct: x
      - user: "  "
        expect: []
      - user: a
        input: b
        tags: [2024, x]
        metadata: {turn: 1, a: .nan, 3: x}
        tools: [find, {nme: x}]
        user: again
  - id: a#1
    turns: {a: 1}
  - id: x
    goal: [1]
    turns: []
  - id: x
    repeat: 0
    history: thread
    metadata: 3
    turns:
      - user: null
        expect: hi
      - just text
  - 12
history: allways
"""
PROBLEMS = """\
1:7: name must be text, got a number (7); put it in quotes: "7"
2:1: a dataset has no key 'conversatons'; did you mean conversations?
4:9: conversation 1: id must be text, got a number (44192); put it in quotes: "44192"
5:11: conversation 1: tags must be a list, got text; write [returns]
7:15: conversation 1, turn 1: user must be text, got a number (44192); put it in quotes: "44192"
8:17: conversation 1, turn 1: expect must be text, got true or false (yes); put it in quotes: "yes"
9:9: conversation 1, turn 2: a turn has no expect, and nothing else says how to score it
9:15: conversation 1, turn 2: user must be text, got a date (2024-05-01); put it in quotes: "2024-05-01"
10:9: conversation 1, turn 2: a turn has no key 'expct'; did you mean expect?
11:15: conversation 1, turn 3: user must be text, got blank text
12:17: conversation 1, turn 3: expect is empty: leave the key out
14:9: conversation 1, turn 4: input says the same as user; keep one of them
15:16: conversation 1, turn 4: item 1 of tags must be text, got a number (2024); put it in quotes: "2024"
16:20: conversation 1, turn 4: metadata cannot hold 'turn', which every row has by itself; take another key
16:32: conversation 1, turn 4: .nan is not a finite number; JSON has no other
16:38: conversation 1, turn 4: the key 3 is no text; put it in quotes
17:23: conversation 1, turn 4: an expected call has no name (the tool)
17:24: conversation 1, turn 4: an expected call has no key 'nme'; did you mean name?
18:9: conversation 1, turn 4: the key 'user' is given twice, first in line 13; keep one
19:9: conversation 'a#1': id 'a#1' holds a #, which belongs to turns (refund#3); take it out
20:12: conversation 'a#1': turns must be a list, got an object; begin each item with a dash
22:11: conversation 'x': goal must be text, got a list
23:12: conversation 'x': turns is empty: there is nothing to ask
24:9: conversation 'x': its id is that of another conversation, d.yaml:21:9; give it one of its own
25:13: conversation 'x': repeat must be a whole number of at least 1, got a number (0)
26:5: conversation 'x': history is a key of a dataset, not of a conversation
27:15: conversation 'x': metadata must be an object, got a number (3)
29:15: conversation 'x', turn 1: user must be text, got nothing
31:9: conversation 'x', turn 2: item 2 of turns must be an object with user, got text
32:5: conversation 5: item 5 of conversations must be an object with id and turns, got a number (12)
33:10: history must be one of expected, actual, thread, none, both, got 'allways'
"""


def test_everything_at_once(refusal):
    """All problems of a file in one pass, in its order, with line, column, conversation and turn."""
    assert [f"d.yaml:{line}" for line in PROBLEMS.splitlines()] == refusal(MANY)


def test_error_is_one_of_data(refusal):
    """It is an error of the tree, and holds its problems."""
    assert issubclass(DatasetSchemaError, DataError)
    assert 1 == len(refusal({}))


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "1:1: the dataset is empty; it has conversations, each with an id and turns"),
        ("  \n\n", "1:1: the dataset is empty; it has conversations, each with an id and turns"),
        ("# soon\n", "1:1: a dataset must be an object with conversations, got nothing"),
        ("hello", "1:1: a dataset must be an object with conversations, got text"),
        ("- id: x\n", "1:1: a dataset must be an object with conversations, got a list"),
        ("name: x\n", "1:1: a dataset has no conversations (the conversations, each with an id and turns)"),
        ("conversations: []\n", "1:16: conversations is empty: there is nothing to evaluate"),
        ("conversations:\n", "1:15: conversations must be a list, got nothing"),
        ("conversations: {a: 1}\n", "1:16: conversations must be a list, got an object; begin each item with a dash"),
        ("conversations:\n\t- id: x", "2:1: not YAML: a tab; YAML is indented with spaces"),
        ("name: @x\n", "1:7: not YAML: text that begins with @ has to be put in quotes"),
        ("name: 'x\n", "2:1: not YAML: while scanning a quoted scalar, found unexpected end of stream"),
        (
            "name: a: b\n",
            (
                "1:8: not YAML: mapping values are not allowed in this context; "
                "put text that holds a colon and a blank in quotes"
            ),
        ),
        ("name: x\n---\nname: y\n", "2:1: a second document begins here; a file holds one dataset"),
        (
            "a: \x01\n",
            "1:4: not YAML: the character U+0001 cannot stand there; in double quotes it can, as an escape",
        ),
        ("a: \ud800\n", "1:4: holds half of a surrogate pair, \\ud800"),
        ("a: [*b]\n", "1:5: *b stands for nothing: there is no &b before it"),
        ("a: &b [*b]\n", "1:8: *b stands inside &b itself"),
    ],
)
def test_yaml_that_is_no_dataset(refusal, text, problem):
    """What cannot be read at all is one sentence, which says where and what to do."""
    assert [f"d.yaml:{problem}"] == refusal(text)


@pytest.mark.parametrize(
    ("text", "problems"),
    [
        (
            "x-a: !!python/object/apply:os.system [ls]\nconversations: !mine []\n",
            [
                "1:6: the tag !!python/object/apply:os.system means nothing in a dataset; leave it out",
                "2:16: the tag !mine means nothing in a dataset; leave it out",
                "2:16: conversations is empty: there is nothing to evaluate",
            ],
        ),
        (
            "<<: 3\n? [a]\n: 3\nyes: 1\nconversations: []\n",
            [
                "1:1: << takes an alias of an object, or a list of them",
                "2:3: a key must be text, not a list or an object",
                "4:1: the key yes is no text; put it in quotes",
                "5:16: conversations is empty: there is nothing to evaluate",
            ],
        ),
        (
            f"repeat: {'9' * 5_000}\nx-a: 2024-13-45\nconversations: []\n",
            [
                f"1:9: '{'9' * 40}' cannot be read: Exceeds the limit",
                "2:6: '2024-13-45' cannot be read: month must be in 1..12",
                "3:16: conversations is empty: there is nothing to evaluate",
            ],
        ),
    ],
)
def test_yaml_with_values_that_mean_nothing(refusal, text, problems):
    """Tags, keys and numbers of which nothing can be made are named beside whatever else is wrong."""
    found = refusal(text)
    assert len(problems) == len(found)
    assert all(line.startswith(f"d.yaml:{problem}") for line, problem in zip(found, problems, strict=True))


def test_marks_of_yaml_as_text():
    """What means something to YAML as a key alone is text anywhere else."""
    text = "conversations: [{id: a, turns: [{user: =, expect: <<}]}]"
    (row,) = ConversationDataset.from_string(text, name="d.yaml").rows()
    assert ("=", "<<") == (row["input"]["question"], row["expected_output"])


def test_tags_of_yaml_itself_are_read():
    """A tag that says what a value is anyway, or makes text of a number, is understood."""
    text = "conversations: !!seq [!!map {id: !!str 7, turns: [{user: ! 8, expect: !!str yes}]}]\n"
    (row,) = ConversationDataset.from_string(text).rows()
    assert ("7#1", "8", "yes") == (row["id"], row["input"]["question"], row["expected_output"])


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('{"name": ', "1:10: not JSON: Expecting value"),
        ('{"name" "x"}', '1:9: not JSON: expected :, got "'),
        ('{"name": "x",}', "1:14: not JSON: expected a key in double quotes"),
        ('{"name": [1,]}', "1:13: not JSON: Expecting value"),
        ('{"name": [1', "1:12: not JSON: expected , or ], got the end of the text"),
        ('{"name": "x', "1:10: not JSON: Unterminated string starting"),
        ('{"name": "x"} y', "1:15: not JSON: there is something behind the value"),
        ('{"name": NaN}', "1:10: not JSON: NaN is no number there"),
        ('{"name": %s}' % ("9" * 5_000), "1:10: a number of more digits than can be read"),
    ],
)
def test_json_that_is_none(refusal, text, problem):
    """Places in JSON are as exact."""
    assert [f"d.json:{problem}"] == refusal(text, "d.json")


def test_json_problems(refusal):
    """A key twice, half a pair, a number beyond numbers, and where each conversation and turn stands."""
    text = """{"conversations": [
  {"id": "a", "turns": [{"user": "\\ud83d", "expect": "y"}, {"user": "😀 \\ud83d\\ude00", "expct": 1e999}],
   "id": "b", "goal": "ä", "metadata": {"\\udc00": 1, "n": 1e999}}
]}"""
    assert text.split("\n")[1][86:].startswith('"expct"')
    assert [
        "d.json:2:34: conversation 'a', turn 1: holds half of a surrogate pair, \\ud83d",
        "d.json:2:60: conversation 'a', turn 2: a turn has no expect, and nothing else says how to score it",
        "d.json:2:87: conversation 'a', turn 2: a turn has no key 'expct'; did you mean expect?",
        "d.json:3:4: conversation 'a': the key 'id' is given twice, first in line 2; keep one",
        "d.json:3:41: conversation 'a': the key holds half of a surrogate pair, \\udc00",
        "d.json:3:59: conversation 'a': 1e999 is more than a number can be",
    ] == refusal(text, "d.json")


def test_lines_have_their_own_numbers(refusal):
    """Of JSON lines, every bad line is named, blank ones counted."""
    text = '{"name": "n", "conversations": []}\n\n{"id": "a", "turns": 1}\n{"id": \n{"id": "b"}\n'
    assert [
        "d.jsonl:1:15: conversations stand on the lines below; take the key away",
        "d.jsonl:3:22: conversation 'a': turns must be a list, got a number (1)",
        "d.jsonl:4:8: not JSON: Expecting value",
        (
            "d.jsonl:5:1: conversation 'b': a conversation has no turns "
            "(what the user says, turn by turn, and what should come back)"
        ),
    ] == refusal(text, "d.jsonl")
    assert ["d.jsonl:1:2: not JSON: expected a key in double quotes"] == refusal("{\n", "d.jsonl")
    assert ["d.jsonl:1:1: a dataset has no conversations (the conversations, each with an id and turns)"] == (
        refusal('{"name": "n"}\n', "d.jsonl")
    )


def test_dicts_have_paths(refusal):
    """What a program built has no lines, so its problems name the way to them."""
    turn = {"user": {1, 2}, "expect": float("nan"), 3: 4, "metadata": {"a\ud800": 1, "at": dt.date(2024, 5, 1)}}
    place = "d: conversations[0].turns[0]"
    assert [
        f"{place}.3: conversation 'c', turn 1: the key 3 is no text; put it in quotes",
        f"{place}.user: conversation 'c', turn 1: is a set, which a dataset cannot hold",
        f"{place}.expect: conversation 'c', turn 1: nan is not a finite number; JSON has no other",
        f"{place}.metadata: conversation 'c', turn 1: a key holds half of a surrogate pair, \\ud800",
    ] == refusal({"conversations": [{"id": "c", "turns": (turn,)}]})
    assert ["d: a dataset must be an object with conversations, got a list"] == refusal([])


@pytest.mark.parametrize(
    ("keys", "problem"),
    [
        ({"checks": [{"includes": {"text": float("inf")}}]}, "checks[0].includes.text: inf is not a finite number"),
        ({"repeat": float("nan")}, "repeat: nan is not a finite number"),
        ({"history": "\ud800"}, "history: holds half of a surrogate pair"),
    ],
)
def test_what_is_wrong_anyway_is_said_once(refusal, keys, problem):
    """A value that JSON does not have is not measured by what it is for as well."""
    (found,) = refusal({"conversations": [{"id": "c", "turns": [{"user": "a", "expect": "b"}]}]} | keys)
    assert found.startswith(f"d: {problem}")


BOMB = "x-a: &a0 [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"x-{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 12)
)
MERGED = "x-a: &a0 {a: 1, b: 2}\n" + "".join(
    f"x-{n}: &a{n} {{k{n}: [{', '.join([f'*a{n - 1}'] * 9)}], <<: *a{n - 1}}}\n" for n in range(1, 12)
)
DEEP = "is nested more than 64 levels deep"


@pytest.mark.parametrize(
    ("name", "text", "problem"),
    [
        ("d.yaml", BOMB, "there are more than 1,000,000 values; split it, or use fewer aliases"),
        ("d.yaml", MERGED, "there are more than 1,000,000 values; split it, or use fewer aliases"),
        ("d.yaml", "- " * 100_000, DEEP),
        ("d.yaml", "? " * 100_000, DEEP),
        ("d.yaml", "[" * 100_000, "exceeded maximum nesting depth"),
        ("d.yaml", f"a: {'[' * 80}{']' * 80}", DEEP),
        ("d.json", "[" * 100_000, DEEP),
        ("d.json", '{"a":' * 100_000, DEEP),
    ],
)
def test_bombs(refusal, name, text, problem):
    """What is small and stands for very much, or goes very deep, is refused at once."""
    (found,) = refusal(text, name)
    assert found.endswith(problem)


def test_circle_in_python(refusal):
    """A dict inside itself has no end and is refused like anything too deep."""
    data = {}
    data["x-a"] = data
    (found,) = refusal(data)
    assert found.endswith(DEEP)


@pytest.mark.parametrize(
    ("keys", "problem"),
    [
        ({"expect": {"a": "b"}}, 'expect: {p}: expect must be text or a list of texts, got an object; {c}: "a: b"'),
        ({"expect": ["x", {"a": 7}]}, 'expect[1]: {p}: item 2 of expect must be text, got an object; {c}: "a: 7"'),
        ({"context": {"a": 1, "b": 2}}, "context: {p}: context must be text or a list of texts, got an object"),
        ({"user": {"a": ["b"]}}, "user: {p}: user must be text, got an object"),
        (
            {"tools": [{"name": "x", "args": {}}]},
            "tools[0].args: {p}: an expected call has no key 'args'; did you mean arguments?",
        ),
        (
            {"tools": [{"name": "x", "params": {}}]},
            "tools[0].params: {p}: an expected call has no key 'params'; did you mean parameters?",
        ),
        ({"ctx": "x"}, "ctx: {p}: a turn has no key 'ctx'; did you mean context?"),
        ({"meta": {}}, "meta: {p}: a turn has no key 'meta'; did you mean metadata?"),
    ],
)
def test_what_was_meant(refusal, keys, problem):
    """Text that holds a colon is an object to YAML, and short words stand for longer ones."""
    data = {"conversations": [{"id": "c", "turns": [{"user": "a", "expect": "b"} | keys]}]}
    (found,) = refusal(data)
    said = problem.format(p="conversation 'c', turn 1", c="put text that holds a colon in quotes")
    assert f"d: conversations[0].turns[0].{said}" == found


@pytest.mark.parametrize("number", ["1:2" + ":3" * 300 + ".5", "190:20:30.15", "1e999", "0001-01-01T00:00:00+14:00"])
def test_numbers_of_yaml_that_go_too_far(number):
    """A number or a date that is beyond what can be read is refused in a sentence, or read."""
    with contextlib.suppress(DatasetSchemaError):
        ConversationDataset.from_string(f"x-a: {number}\nconversations: [{{id: a, turns: [{{user: b, expect: c}}]}}]")


@pytest.mark.parametrize(
    ("name", "content", "problem"),
    [
        (
            "d.yaml",
            "a: é\nä: €".encode() + b"\xff\n",
            "d.yaml:2:5: not UTF-8 text (byte 0xff); save the file as UTF-8",
        ),
        ("d.yaml", b"\xef\xbb\xbfa: 1\nb\xfe: \n", "d.yaml:2:2: not UTF-8 text (byte 0xfe); save the file as UTF-8"),
        ("d.yaml", b"", "d.yaml: the file is empty"),
        (
            "d.yaml",
            b"\xef\xbb\xbf",
            "d.yaml:1:1: the dataset is empty; it has conversations, each with an id and turns",
        ),
        ("d.yaml", b"name: x\nid: \xff\n", "d.yaml:2:5: not UTF-8 text (byte 0xff); save the file as UTF-8"),
        (
            "d.json",
            "{}".encode("utf-16"),
            "d.json:1:1: not UTF-8 text (byte 0xff); save the file as UTF-8",
        ),
    ],
)
def test_bytes_that_are_no_text(tmp_path, name, content, problem):
    """Empty files and other encodings."""
    (tmp_path / name).write_bytes(content)
    with pytest.raises(DatasetSchemaError) as caught:
        ConversationDataset.from_file(tmp_path / name)
    assert f"{tmp_path}/{problem}" == str(caught.value)


def test_files_that_cannot_be_read(tmp_path, monkeypatch):
    """A file that is missing, a folder, and a file that is too large for anybody."""
    monkeypatch.chdir(tmp_path)
    for path, problem in (("no.yaml", "no such file: no.yaml"), ("../.", "../.: cannot be read: Is a directory")):
        with pytest.raises(DatasetSchemaError, match=re.escape(problem)):
            ConversationDataset.from_file(path)
    monkeypatch.setattr("uaef.data.files.MOST_BYTES", 10_000_000)
    with (tmp_path / "large.yaml").open("wb") as file:
        file.truncate(10_000_001)
    with pytest.raises(DatasetSchemaError, match=r"^large.yaml: is larger than 10 MB; split it$"):
        ConversationDataset.from_file("large.yaml")


_json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["id", "turns", "user", "expect", "tags", "checks", "tools", "conversations", "x"]),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@given(_json)
def test_nothing_crashes(value):
    """Whatever is in a dataset, it is one or it is refused in sentences; JSON and dicts agree on which."""
    results = []
    for load in (
        ConversationDataset.from_dict,
        lambda v: ConversationDataset.from_string(json.dumps(v), name="d.json"),
    ):
        try:
            results.append(load({"conversations": value}).rows())
        except DatasetSchemaError:
            results.append(None)
    assert results[0] == results[1]


@given(st.text())
def test_no_text_crashes(text):
    """Any text is a dataset or refused."""
    for name in ("d.yaml", "d.json", "d.jsonl", "d"):
        with pytest.raises(DatasetSchemaError):
            ConversationDataset.from_string(text, name=name)
