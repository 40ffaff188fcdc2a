"""Files as they come: CSV, JSON and JSON lines, whole and damaged."""

from __future__ import annotations

import copy
import csv
import json
import pickle
import re

import pytest

from uaef.data.ground_truth import build_multi_turn_ground_truth, group_by_session, load_ground_truth_file
from uaef.errors import DataError

CSV = """\
Session ID,Turn,Question,Expected Answer,Tools,difficulty
b,2,"Book it, please",Booked,"[{""name"": ""book"", ""arguments"": {""nights"": 2}}]",hard
,,,,,
b,1,Find a hotel,,[],easy
c,1,Hello,nan,,
"""
ROWS = [
    {
        "session_id": "b",
        "turn_id": 2,
        "query": "Book it, please",
        "expected_output": "Booked",
        "expected_tool_calls": [{"name": "book", "arguments": {"nights": 2}}],
        "difficulty": "hard",
    },
    {"session_id": "b", "turn_id": 1, "query": "Find a hotel", "expected_tool_calls": [], "difficulty": "easy"},
    {"session_id": "c", "turn_id": 1, "query": "Hello", "expected_output": "nan"},
]


def refusal(path, **options):
    """The text of the error that loading raises."""
    with pytest.raises(DataError) as caught:
        load_ground_truth_file(path, **options)
    return str(caught.value)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig"])
def test_csv(written, encoding):
    """Canonical keys, blank cells absent, blank rows skipped, typed text as typed."""
    assert ROWS == load_ground_truth_file(written("booking.CSV", CSV.encode(encoding)))
    assert ROWS == load_ground_truth_file(str(written("crlf.csv", CSV.replace("\n", "\r\n"))))


def test_from_file_to_ground_truth(written):
    """The way of the notebook: load, group, ask, build."""
    sessions = group_by_session(load_ground_truth_file(written("booking.csv", CSV)))
    assert ["Find a hotel", "Book it, please"] == [str(turn["query"]) for turn in sessions["b"]]
    truth = build_multi_turn_ground_truth(sessions["b"])
    assert truth.expected_output == "[Turn 2] Booked"
    assert truth.expected_arguments["per_turn_ids"] == [1, 2]


def test_json_cells(written):
    """JSON holds numbers, lists and null where a CSV file holds text."""
    path = written(
        "rows.json",
        """[{"input": 7, "ideal": 44192.0, "context": ["a", "b"], "turn": 1.0, "tools": ["search"], "tags": [1]},
            {},
            {"input": "x", "ideal": null, "context": NaN}]""",
    )
    search = {"name": "search"}
    assert [
        {
            "query": "7",
            "expected_output": "44192",
            "context": ["a", "b"],
            "turn_id": 1,
            "expected_tool_calls": [search],
            "tags": [1],
        },
        {"query": "x"},
    ] == load_ground_truth_file(path)


def test_json_lines(written):
    """An object a line; blank lines are skipped, other line separators belong to the text."""
    path = written("rows.jsonl", '{"query": "a\u2028b"}\r\n\n{"query": "c", "expected": true}\n')
    assert [
        {"query": "a\u2028b"},
        {"query": "c", "expected_output": "true"},
    ] == load_ground_truth_file(path)


def test_a_csv_of_pandas(written):
    """The index that pandas writes without a name is kept as a column like any other."""
    path = written("index.csv", ",question,turn\n0,a,1.0\n1,b,2.0\n")
    assert [
        {"column 1": "0", "query": "a", "turn_id": 1},
        {"column 1": "1", "query": "b", "turn_id": 2},
    ] == load_ground_truth_file(path)


def test_every_bad_cell_of_a_file_is_named(written):
    """One error for the whole file: cells, rows of another length, and turns that collide."""
    path = written(
        "bad.csv",
        "session_id,turn,question,tools\n"
        "a,1,Hello,search\n"
        "a,1,,[]\n"
        "\n"
        "a,x,Book it, please,[]\n"
        "a,2,Bye\n"
        "b,first,Hello,{}\n"
        "b,,Again,[]\n"
        "b,3,Bye,[],,\n",
    )
    comma = "put a cell that holds a comma or a line break in double quotes"
    assert [
        (
            "bad.csv, row 2, column 'tools': not JSON: Expecting value at character 1; "
            'write calls as ["search", {"name": "book", "arguments": {"nights": 2}}], or [] for none'
        ),
        (
            "bad.csv, row 3, column 'question': no question; each row needs one, "
            "in a column named one of question, query, input, user"
        ),
        f"bad.csv, row 5: 5 cells, but the header has 4 columns; {comma}",
        f"bad.csv, row 6: 3 cells, but the header has 4 columns; {comma}",
        "bad.csv, row 7, column 'turn': must be a whole number of at least 0, got 'first'",
        "bad.csv, row 7, column 'tools': must be a JSON array of calls, got an object",
        "bad.csv, row 3, column 'turn': the session has turn 1 already, in bad.csv, row 2",
        "bad.csv, row 8, column 'turn': blank, but other turns of the session have a number",
    ] == refusal(path).split("\n")


@pytest.mark.parametrize(
    ("name", "content", "problems"),
    [
        (
            "a.csv",
            "session_id,turn,question\ns,1,a\n,,\n,2,b\n",
            ["a.csv, row 4: no session_id"],
        ),
        (
            "a.jsonl",
            '{"query": "a"}\n\n{"query": "b", "thread_id": "s"}\n{"query": "c"}\n',
            ["a.jsonl, line 1: no session_id", "a.jsonl, line 4: no session_id"],
        ),
        ("a.json", '[{"query": "a"}]', ["a.json, row 1: no session_id"]),
    ],
)
def test_grouping_names_the_rows_of_the_file(written, name, content, problems):
    """What is wrong with rows that came from a file is said with their places there, also after other rows went."""
    rows = load_ground_truth_file(written(name, content))
    with pytest.raises(DataError) as caught:
        group_by_session(rows)
    assert problems == list(caught.value.problems)


def test_building_names_the_rows_of_the_file(written):
    """The places go all the way, through grouping and through what the caller writes into the rows."""
    path = written("a.csv", "thread_id,question\nb,one\na,two\nb,three\n")
    turns = group_by_session(load_ground_truth_file(path))["b"]
    turns[1]["turn_id"] = "x"
    with pytest.raises(DataError, match=r"^a\.csv, row 4, column 'turn_id': must be a whole number"):
        build_multi_turn_ground_truth(turns)
    turns[1]["turn_id"] = 2
    with pytest.raises(DataError, match=r"^a\.csv, row 2, column 'turn_id': blank, but other turns"):
        build_multi_turn_ground_truth(turns)


def test_rows_of_a_file_are_plain_data(written):
    """They equal dicts, and can be copied, pickled and written as JSON."""
    rows = load_ground_truth_file(written("booking.csv", CSV))
    assert ROWS == json.loads(json.dumps(rows)) == copy.deepcopy(rows) == pickle.loads(pickle.dumps(rows))  # noqa: S301 - our own
    assert repr(ROWS) == repr([dict(row) for row in rows]) == repr(rows)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.csv", "", "a.csv: the file is empty"),
        (
            "a.csv",
            "question,expected_tools_calls,Session ID\na,[],s\n",
            "a.csv: column 'expected_tools_calls': did you mean 'expected_tool_calls'?",
        ),
        ("a.csv", "quesiton,answer\na,b\n", "a.csv: column 'quesiton': did you mean 'question'?"),
        (
            "a.jsonl",
            '{"query": "a", "thread_id": "s"}\n{"query": "b", "threadid": "s"}\n',
            "a.jsonl, line 2: column 'threadid': did you mean 'thread_id'?",
        ),
        ("a.jsonl", "\n \n", "a.jsonl: the file is empty"),
        ("a.csv", "\ufeff", "a.csv: has no rows"),
        ("a.csv", "question,answer\n,\n", "a.csv: has no rows"),
        ("a.json", "[]", "a.json: has no rows"),
        ("a.json", "[{}]", "a.json: has no rows"),
        ("a.xls", "x", "a.xls: ground truth is read from .xlsx, .csv, .json and .jsonl files"),
        ("a", "x", "a: ground truth is read from .xlsx, .csv, .json and .jsonl files"),
        (
            "a.csv",
            "frage;antwort\nHallo;Ja\n",
            "a.csv: no column holds the question; name one of question, query, input, user (found 'frage;antwort')",
        ),
        (
            "a.csv",
            "question,input\na,b\n",
            "a.csv: columns 'question' and 'input' mean the same (query); keep one of them",
        ),
        ("a.csv", "question,note,note\na,b,c\n", "a.csv, row 1: there are two columns 'note'; keep or rename one"),
        (
            "a.csv",
            "question\nok\ncaf\xe9".encode("latin-1"),
            "a.csv, line 3: not UTF-8 text (byte 0xe9); save the file as UTF-8",
        ),
        ("a.csv", "question\n".encode("utf-16"), "a.csv, line 1: not UTF-8 text (byte 0xff); save the file as UTF-8"),
        ("a.csv", 'question\n"a\nb"\n"open\nrest\n', "a.csv, row 3 (line 4): not CSV: unexpected end of data"),
        ("a.csv", 'question\n"a" b\n', "a.csv, row 2 (line 2): not CSV: ',' expected after '\"'"),
        (
            "a.json",
            '[{"query": "a"},\n {"query" "b"}]',
            "a.json: not JSON: Expecting ':' delimiter at line 2, character 11",
        ),
        ("a.json", '{"query": "a"}', "a.json: must hold a list of objects, got an object"),
        (
            "a.json",
            '[{"query": "a"}, "b", 3]',
            "a.json, row 2: must be an object, got text\na.json, row 3: must be an object, got a number (3)",
        ),
        ("a.json", '[{"query": "a", "query": "b"}]', "a.json: not JSON: the key 'query' appears twice in one object"),
        (
            "a.json",
            "[" * 100_000,
            "a.json: not JSON: nested too deeply",
        ),
        (
            "a.json",
            '[{"query": "a"}, {"question": "b"}]',
            "a.json: columns 'query' and 'question' mean the same (query); keep one of them",
        ),
        ("a.json", '[{"query": ["a"]}]', "a.json, row 1, column 'query': must be text, got a list"),
        (
            "a.jsonl",
            '{"query": "a"}\n{"query": "b"\n["c"]\n',
            (
                "a.jsonl, line 2: not JSON: Expecting ',' delimiter at character 14\n"
                "a.jsonl, line 3: must be an object, got a list"
            ),
        ),
        ("a.jsonl", "nothing", "a.jsonl, line 1: not JSON: Expecting value at character 1"),
        (
            "a.jsonl",
            '{"query": "a", "turn": -1}',
            "a.jsonl, line 1, column 'turn': must be a whole number of at least 0, got -1",
        ),
    ],
)
def test_files_refused(written, name, content, message):
    """Each damage has its sentence, with the place."""
    assert message == refusal(written(name, content))


def test_no_such_file(tmp_path):
    """A path that leads nowhere, or to a folder."""
    assert f"no such file: {tmp_path / 'none.csv'}" == refusal(tmp_path / "none.csv")
    (tmp_path / "folder.csv").mkdir()
    assert re.match(r"^folder\.csv: cannot be read: .+", refusal(tmp_path / "folder.csv"))


def test_only_spreadsheets_have_sheets(written):
    """A sheet cannot be asked of a CSV file."""
    path = written("a.csv", "question\na\n")
    assert "a.csv: only an .xlsx file has sheets, but sheet 'Two' is asked for" == refusal(path, sheet="Two")


def test_a_document_may_stand_in_a_cell(written):
    """A cell of a CSV file holds as much as one of the other formats; the limit of the module is as it was."""
    before = csv.field_size_limit()
    path = written("a.csv", f"question,context\nq,{'x' * 200_000}\n")
    assert [{"query": "q", "context": ["x" * 200_000]}] == load_ground_truth_file(path)
    assert before == csv.field_size_limit()
