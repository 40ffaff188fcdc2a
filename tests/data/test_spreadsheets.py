"""Spreadsheets as people keep them: real cell types, formulas, merged cells, several sheets."""

from __future__ import annotations

import datetime as dt
import re
import zipfile

import openpyxl
import pytest

from uaef.data.ground_truth import load_ground_truth_file
from uaef.errors import DataError

FORMULA = (
    "a formula whose result is not in the file; open the file in a spreadsheet program and save it there, "
    "or write the value itself"
)


def refusal(path, **options):
    """The text of the error that loading raises."""
    with pytest.raises(DataError) as caught:
        load_ground_truth_file(path, **options)
    return str(caught.value)


def rewritten(path, part, pattern, replacement):
    """The same file with a part of its XML changed, as another program would have written it."""
    with zipfile.ZipFile(path) as book:
        parts = {name: book.read(name) for name in book.namelist()}
    parts[part], count = re.subn(pattern, replacement, parts[part])
    assert count == 1
    with zipfile.ZipFile(path, "w") as book:
        for name, content in parts.items():
            book.writestr(name, content)
    return path


def test_cell_types(xlsx):
    """Numbers, dates and booleans in text columns become text; blank cells and rows are absent."""
    path = xlsx(
        [None, None, None, None, None],
        ["Question", "Answer", "Turn", "Session", None],
        [44192, dt.datetime(2024, 5, 1), 1, "a", None],  # noqa: DTZ001 - spreadsheets know no time zones
        [None, " ", None, None, None],
        ["Open?", True, 2.0, None, "a remark"],
        ["When?", dt.time(9, 30), None, 2.5, None],
    )
    assert [
        {"query": "44192", "expected_output": "2024-05-01", "turn_id": 1, "Session": "a"},
        {"query": "Open?", "expected_output": "true", "turn_id": 2, "column 5": "a remark"},
        {"query": "When?", "expected_output": "09:30:00", "Session": 2.5},
    ] == load_ground_truth_file(path)


def test_a_bad_cell_is_named_with_its_sheet(xlsx):
    """File, sheet, row, column: as the program shows them."""
    path = xlsx(["query", "tools"], ["a", "[]"], [None, None], ["b", "[]"], ["c", "search"])
    assert refusal(path) == (
        "booking.xlsx, sheet 'Sheet1', row 5, column 'tools': not JSON: Expecting value at character 1; "
        'write calls as ["search", {"name": "book", "arguments": {"nights": 2}}], or [] for none'
    )


def test_formulas_without_results(xlsx):
    """A formula that no program has computed is refused, in columns that uaef does not know too."""
    path = xlsx(["query", "answer", "note"], ["a", '="Fjord"&" Inn"', "=1+1"], ["b", "#REF!", None])
    assert refusal(path).split("\n") == [
        f"booking.xlsx, sheet 'Sheet1', row 2, column 'answer': {FORMULA}",
        f"booking.xlsx, sheet 'Sheet1', row 2, column 'note': {FORMULA}",
        "booking.xlsx, sheet 'Sheet1', row 3, column 'answer': holds the spreadsheet error #REF!",
    ]


def test_a_header_that_is_a_formula(xlsx):
    """The header's place is named too."""
    assert (
        refusal(xlsx(["query", "=A1"], ["a", "b"])) == f"booking.xlsx, sheet 'Sheet1', row 1, the header: {FORMULA}"
    )


@pytest.mark.parametrize(
    ("result", "expected"),
    [
        (rb'<c r="B2" t="str"><f>\1</f><v>Fjord Inn</v></c>', [{"query": "a", "expected_output": "Fjord Inn"}]),
        (rb'<c r="B2"><f>\1</f><v>90</v></c>', [{"query": "a", "expected_output": "90"}]),
        (rb'<c r="B2" t="str"><f>\1</f><v></v></c>', [{"query": "a"}]),
    ],
)
def test_formulas_with_results(xlsx, result, expected):
    """A formula counts as its stored result; the empty text is a blank cell."""
    path = xlsx(["query", "answer"], ["a", "=C2"])
    cell = rb'<c r="B2"><f>(.*?)</f><v ?/?>(?:</v>)?</c>'
    assert expected == load_ground_truth_file(rewritten(path, "xl/worksheets/sheet1.xml", cell, result))


def test_merged_cells(xlsx):
    """A session that is merged over three rows is the session of all three."""
    path = xlsx(
        ["session_id", "query"],
        ["a", "one"],
        [None, "two"],
        [None, "three"],
        ["b", "four"],
        edit=lambda book: book.active.merge_cells("A2:A4"),
    )
    assert ["a", "a", "a", "b"] == [row["session_id"] for row in load_ground_truth_file(path)]


def test_a_forgotten_cell_far_below(xlsx):
    """A cell with a blank in the last row of a sheet costs nothing."""
    path = xlsx(["query"], ["a"], edit=lambda book: book.active.cell(1_048_576, 16_384, " "))
    assert [{"query": "a"}] == load_ground_truth_file(path)


def two_sheets(book):
    """A second sheet beside a hidden first one."""
    book.active.sheet_state = "hidden"
    other = book.create_sheet("Cases")
    other.append(["question"])
    other.append(["on the second sheet"])
    book.active = 1


def test_sheets(xlsx):
    """The first sheet that is shown is read, or the one that is asked for."""
    path = xlsx(["question"], ["on the hidden sheet"], edit=two_sheets)
    assert [{"query": "on the second sheet"}] == load_ground_truth_file(path)
    assert [{"query": "on the hidden sheet"}] == load_ground_truth_file(path, sheet="Sheet1")
    assert refusal(path, sheet="cases") == "booking.xlsx: no sheet 'cases'; it has 'Sheet1', 'Cases'"


def test_an_empty_sheet(xlsx):
    """No cell at all, or a header without rows."""
    assert refusal(xlsx()) == "booking.xlsx, sheet 'Sheet1': has no rows"
    assert refusal(xlsx(["query", "answer"])) == "booking.xlsx, sheet 'Sheet1': has no rows"


def test_no_question_column(xlsx):
    """The columns that were found are named."""
    assert refusal(xlsx(["Frage", "answer"], ["a", "b"])) == (
        "booking.xlsx, sheet 'Sheet1': no column holds the question; "
        "name one of question, query, input, user (found 'Frage', 'answer')"
    )


def test_no_spreadsheet(written, xlsx):
    """A file that only ends in .xlsx, and one that lost a part."""
    advice = "if a program opens it, save it from there as .xlsx, without a password"
    assert refusal(written("a.xlsx", "question\nHello\n")) == (
        f"a.xlsx: cannot be read as an .xlsx spreadsheet (File is not a zip file); {advice}"
    )
    path = rewritten(xlsx(["query"], ["a"]), "xl/worksheets/sheet1.xml", rb"(?s)</sheetData>.*", b"")
    assert re.fullmatch(
        rf"booking\.xlsx: cannot be read as an \.xlsx spreadsheet \(.+\); {re.escape(advice)}", refusal(path)
    )


def test_what_the_reader_leaves_out_does_not_warn(xlsx):
    """Drop-down lists, which are no values, are passed over in silence."""
    extension = b'<extLst><ext uri="{CCE6A557-97BC-4b89-ADB6-D9C93CAAB3DF}" /></extLst></worksheet>'
    path = rewritten(xlsx(["query"], ["a"]), "xl/worksheets/sheet1.xml", rb"</worksheet>", extension)
    with pytest.warns(UserWarning, match="Data Validation extension"):
        openpyxl.load_workbook(path)
    assert [{"query": "a"}] == load_ground_truth_file(path)
