"""Law: the same rows in a CSV, spreadsheet, JSON or JSON lines file load to the same."""

from __future__ import annotations

import csv
import json
import tempfile
from pathlib import Path

import openpyxl
from hypothesis import given, settings
from hypothesis import strategies as st

from uaef.data.ground_truth import build_multi_turn_ground_truth, load_ground_truth_file

# Spreadsheets hold no control characters, and a leading "=" or "#" makes a cell a formula or an error.
TEXT = st.text(st.characters(exclude_categories=["Cc", "Cs", "Cn"]), max_size=20).filter(
    lambda text: not text.startswith(("=", "#")) and "_x" not in text
)
QUESTION = TEXT.filter(str.strip)
NAME = st.sampled_from(["search", "book", "cancel"])
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-99, 99) | TEXT, lambda inner: st.lists(inner, max_size=2)
)
CALL = st.builds(
    lambda name, arguments: {"name": name, "arguments": arguments}, NAME, st.dictionaries(TEXT, JSON, max_size=2)
)
ROWS = st.lists(
    st.fixed_dictionaries(
        {"Question": QUESTION},
        optional={
            "answer": TEXT,
            "tools": st.lists(CALL, max_size=2),
            "context": st.lists(QUESTION, min_size=1, max_size=2) | TEXT,
            "note": TEXT,
        },
    ),
    min_size=1,
    max_size=4,
)
COLUMNS = ("Question", "answer", "tools", "context", "note")


def as_cells(row):
    """The row as a person would type it into a sheet."""
    values = (row.get(column) for column in COLUMNS)
    return [json.dumps(value) if isinstance(value, list) else value for value in values]


def write_all(rows, folder):
    """The rows in a file of each kind."""
    with (folder / "a.csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([COLUMNS, *map(as_cells, rows)])
    book = openpyxl.Workbook()
    for row in [COLUMNS, *map(as_cells, rows)]:
        book.active.append(row)
    book.save(folder / "a.xlsx")
    (folder / "a.json").write_text(json.dumps(rows), encoding="utf-8")
    (folder / "a.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    return [folder / f"a.{ending}" for ending in ("csv", "xlsx", "json", "jsonl")]


@settings(deadline=None)  # the first example imports the spreadsheet reader
@given(ROWS)
def test_all_formats_load_equal(rows):
    """Rows do not depend on the format, and what is built of them is the same as of the rows themselves."""
    with tempfile.TemporaryDirectory() as folder:
        first, *others = [load_ground_truth_file(path) for path in write_all(rows, Path(folder))]
    assert [first, first, first] == others
    assert build_multi_turn_ground_truth(rows) == build_multi_turn_ground_truth(first)


@given(ROWS, st.data())
def test_a_missing_turn_shifts_nothing(rows, data):
    """What is expected of a turn stays with its number, whichever turns are missing and in whatever order."""
    numbered = [{**row, "turn_id": number} for number, row in enumerate(rows, 1)]
    kept = data.draw(st.lists(st.sampled_from(numbered), min_size=1, unique_by=lambda row: row["turn_id"]))
    whole, part = build_multi_turn_ground_truth(numbered), build_multi_turn_ground_truth(kept)
    assert sorted(row["turn_id"] for row in kept) == list(part.turns)
    for number, turn in part.turns.items():
        assert whole.turns[number].expected_output == turn.expected_output
        assert whole.turns[number].expected_tool_calls == turn.expected_tool_calls
