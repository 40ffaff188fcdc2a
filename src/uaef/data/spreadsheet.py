"""One sheet of an .xlsx file as a grid of cells."""

from __future__ import annotations

import io
import warnings
from typing import TYPE_CHECKING

from uaef.data.cells import Unreadable
from uaef.errors import DataError

if TYPE_CHECKING:
    from openpyxl.cell.cell import Cell, MergedCell
    from openpyxl.workbook import Workbook
    from openpyxl.worksheet.worksheet import Worksheet

Grid = list[tuple[int, list[object]]]
"""Rows that have cells, in order: the row's number in the file and its cells from the first column on."""

_NO_RESULT = Unreadable(
    "a formula whose result is not in the file; open the file in a spreadsheet program and save it there, "
    "or write the value itself"
)


def read_sheet(content: bytes, name: str, sheet: str | None) -> tuple[str, Grid]:
    """The sheet's title and its grid; a cell merged over several rows counts for each of them.

    Args:
        content: the file's bytes.
        name: the file's name, for messages.
        sheet: the title of the sheet to read; ``None`` is the first one that is not hidden.

    Raises:
        DataError: it is no spreadsheet, or it has no such sheet.
    """
    chosen = _sheet(_book(content, name), name, sheet)
    cells = _cells(chosen)
    formulas = {place for place, cell in cells.items() if cell.data_type == "f"}
    if formulas:
        cells = _cells(_book(content, name, results=True)[chosen.title])
    values = {place: _value(cell, computed=place in formulas) for place, cell in cells.items()}
    for merged in chosen.merged_cells.ranges:
        first = (merged.min_row, merged.min_col)
        values |= {(row, merged.min_col): values[first] for row in range(merged.min_row, merged.max_row + 1)}
    return chosen.title, _grid(values)


def _book(content: bytes, name: str, *, results: bool = False) -> Workbook:
    """The workbook with its formulas, or with their ``results``."""
    from openpyxl import load_workbook  # noqa: PLC0415 - wanted only when a spreadsheet is read

    with warnings.catch_warnings():
        # openpyxl warns of drop-down lists and styles that it leaves out; neither is a value.
        warnings.simplefilter("ignore", UserWarning)
        try:
            return load_workbook(io.BytesIO(content), data_only=results)
        except Exception as error:  # noqa: BLE001 - a damaged file can break the reader anywhere
            reason = str(error).partition("\n")[0]
            raise DataError(
                f"{name}: cannot be read as an .xlsx spreadsheet ({reason}); if a program opens it, "
                "save it from there as .xlsx, without a password"
            ) from None


def _sheet(book: Workbook, name: str, title: str | None) -> Worksheet:
    sheets = {sheet.title: sheet for sheet in book.worksheets}
    if title is None:
        shown = [sheet for sheet in sheets.values() if sheet.sheet_state == "visible"]
        title = (shown or list(sheets.values()))[0].title if sheets else None
    if title is None or title not in sheets:
        raise DataError(f"{name}: no sheet {title!r}; it has {', '.join(map(repr, sheets)) or 'none'}")
    return sheets[title]


def _cells(sheet: Worksheet) -> dict[tuple[int, int], Cell | MergedCell]:
    # Walking the sheet in any public way makes a cell for each gap, up to a forgotten one in row 1048576.
    return sheet._cells  # noqa: SLF001 - see above


def _value(cell: Cell | MergedCell, *, computed: bool) -> object:
    if cell.data_type == "e":
        return Unreadable(f"holds the spreadsheet error {cell.value}")
    # A formula with the empty text as its result is a "str"; one without any result is untyped, that is "n".
    if computed and cell.value is None and cell.data_type == "n":
        return _NO_RESULT
    return cell.value


def _grid(values: dict[tuple[int, int], object]) -> Grid:
    width = max((column for _, column in values), default=0)
    rows: dict[int, list[object]] = {}
    for (row, column), value in sorted(values.items(), key=lambda item: item[0]):
        rows.setdefault(row, [None] * width)[column - 1] = value
    return list(rows.items())
