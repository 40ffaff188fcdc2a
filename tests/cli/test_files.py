"""Reading files: documents, lines, and everything that is neither."""

from __future__ import annotations

import os

import pytest

from uaef.cli.files import read_file
from uaef.errors import DataError


@pytest.mark.parametrize(
    ("name", "content", "raw", "lines"),
    [
        ("a.json", '{"a": 1}', {"a": 1}, None),
        ("a.json", '\n\n{\n "a": [1,\n 2]\n}\n\n', {"a": [1, 2]}, None),
        ("a.json", "\ufeff[1]", [1], None),
        ("a.json", '{"a": 1}\n{"b": 2}\n', [{"a": 1}, {"b": 2}], (1, 2)),
        ("a.log", '\n{"a": 1}\n\n \n[2]', [{"a": 1}, [2]], (2, 5)),
        ("a.jsonl", '{"a": 1}\n', [{"a": 1}], (1,)),
        ("a.NDJSON", '\ufeff{"a": "한\u2028국"}\r\n3', [{"a": "한\u2028국"}, 3], (1, 2)),
        ("a.json", '"\\ud800"', "\ud800", None),
    ],
)
def test_what_is_in_a_file(write, name, content, raw, lines):
    """A document is itself; lines are values, and each knows its number, blank lines counted."""
    found = read_file(str(write(name, content)))
    assert (raw, lines) == (found.raw, found.lines)


@pytest.mark.parametrize(
    ("name", "content", "problems"),
    [
        ("a.json", "", ["a.json: the file is empty."]),
        ("a.jsonl", " \n\n", ["a.jsonl: the file is empty."]),
        ("a.json", '{\n "a": 1,\n "b": }', ["a.json, line 3, column 7: not valid JSON: Expecting value."]),
        ("a.json", '\n\n{"a": 1', ["a.json, line 3, column 8: not valid JSON: Expecting ',' delimiter."]),
        (
            "a.jsonl",
            '{"a": 1}\n{"b"\n\n[1 2]\n{"c": 1} x\n',
            [
                "a.jsonl, line 2, column 5: not valid JSON: Expecting ':' delimiter.",
                "a.jsonl, line 4, column 4: not valid JSON: Expecting ',' delimiter.",
                "a.jsonl, line 5, column 10: not valid JSON: Extra data.",
            ],
        ),
        ("a.json", '{"a": 1}\noops\n', ["a.json, line 2, column 1: not valid JSON: Expecting value."]),
        ("a.json", "[1]".encode("utf-16"), ["a.json: is not text in UTF-8, but UTF-16 or a binary format."]),
        ("a.xlsx", b"PK\x03\x04\x00\x00", ["a.xlsx: is not text in UTF-8, but UTF-16 or a binary format."]),
        ("a.json", b'{"a":\n"\xe9"}', ["a.json, line 2: byte 0xe9 is not text in UTF-8."]),
        ("a.jsonl", b'1\n"\xe9"\n', ["a.jsonl, line 2: byte 0xe9 is not text in UTF-8."]),
    ],
)
def test_what_cannot_be_read_is_named_with_its_place(write, folder, name, content, problems):
    """Every bad line of a file is named in one go, with its column."""
    write(name, content)
    with pytest.raises(DataError) as raised:
        read_file(name)
    assert problems == list(raised.value.problems)
    assert folder.joinpath(name).exists()


@pytest.mark.parametrize(
    ("content", "problem"),
    [("[" * 100_000, "maximum recursion depth exceeded"), ("9" * 5_000, "Exceeds the limit")],
)
def test_what_no_json_reader_takes_is_refused(write, content, problem):
    """Lists in lists without end, and numbers of thousands of digits, are an error and no crash."""
    with pytest.raises(DataError, match=rf"a\.json, line 1: too much for a JSON reader: {problem}"):
        read_file(str(write("a.json", content)))


@pytest.mark.parametrize(
    ("path", "problem"),
    [
        ("nowhere.json", "no such file: nowhere.json"),
        (".", ".: is a directory; name the files in it."),
        ("a.json/b.json", "a.json/b.json: cannot be read: Not a directory."),
    ],
)
def test_what_cannot_be_opened(write, path, problem):
    """A path that is no readable file is an error that says why."""
    write("a.json", "1")
    with pytest.raises(DataError) as raised:
        read_file(path)
    assert problem == str(raised.value)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_file_without_permission(write):
    """A file that may not be read is an error that says so."""
    path = write("a.json", "1")
    path.chmod(0)
    with pytest.raises(DataError, match="cannot be read: Permission denied"):
        read_file(str(path))
