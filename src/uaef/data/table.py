"""A ground truth file as a table: rows with their places, cells as the file has them."""

from __future__ import annotations

import csv
import io
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from uaef.data.cells import CellError, as_it_is, is_blank, kind, parsed_json, text
from uaef.data.files import read_content, utf8
from uaef.data.spreadsheet import Grid, read_sheet
from uaef.errors import DataError


class RawRow(NamedTuple):
    """A row that is not blank.

    Attributes:
        where: its place: ``booking.xlsx, sheet 'Sheet1', row 5``.
        cells: what it holds, by the column's name as spelled.
        problem: what is wrong with the row as a whole, if anything.
    """

    where: str
    cells: dict[str, object]
    problem: str | None = None


class Table(NamedTuple):
    """A file's rows, the names of its columns, and its own place: ``booking.xlsx, sheet 'Sheet1'``."""

    where: str
    columns: Sequence[str]
    rows: Sequence[RawRow]


def read_table(path: Path, sheet: str | None = None) -> Table:
    """The table in a file.

    Args:
        path: a file that ends in .xlsx, .csv, .json (a list of objects) or .jsonl (an object a line).
        sheet: of a spreadsheet, the title of the sheet to read; ``None`` is the first one shown.

    Raises:
        DataError: the file is missing, empty, or not what its ending says.
    """
    suffix = path.suffix.lower()
    if suffix != ".xlsx" and suffix not in _TEXT_READERS:
        raise DataError(f"{path.name}: ground truth is read from .xlsx, .csv, .json and .jsonl files")
    if sheet is not None and suffix != ".xlsx":
        raise DataError(f"{path.name}: only an .xlsx file has sheets, but sheet {sheet!r} is asked for")
    content = read_content(path)
    if suffix == ".xlsx":
        title, grid = read_sheet(content, path.name, sheet)
        table = _under_header(grid, f"{path.name}, sheet {title!r}")
    else:
        table = _TEXT_READERS[suffix](utf8(content, path.name), path.name)
    if not table.rows:
        raise DataError(f"{table.where}: has no rows")
    return table


def _csv(source: str, name: str) -> Table:
    return _under_header(list(_records(source, name)), name, ragged=True)


def _records(source: str, name: str) -> Iterator[tuple[int, list[object]]]:
    reader = csv.reader(io.StringIO(source, newline=""), strict=True)
    number, start = 0, 1
    limit = csv.field_size_limit(sys.maxsize)  # a document in a cell is longer than the module expects
    try:
        for number, record in enumerate(reader, 1):
            yield number, list(record)
            start = reader.line_num + 1
    except csv.Error as error:
        raise DataError(f"{name}, row {number + 1} (line {start}): not CSV: {error}") from None
    finally:
        csv.field_size_limit(limit)


def _json(source: str, name: str) -> Table:
    try:
        items = parsed_json(source)
    except CellError as error:
        raise DataError(f"{name}: not JSON: {error}") from None
    if not isinstance(items, list):
        raise DataError(f"{name}: must hold a list of objects, got {kind(items)}")
    rows = [_of_object(item, f"{name}, row {place}") for place, item in enumerate(items, 1)]
    return _of_objects(rows, name)


def _json_lines(source: str, name: str) -> Table:
    # Not splitlines: JSON texts may hold other line separators than the newline.
    lines = enumerate(source.split("\n"), 1)
    return _of_objects([_of_line(line, f"{name}, line {n}") for n, line in lines if line.strip()], name)


_TEXT_READERS: dict[str, Callable[[str, str], Table]] = {".csv": _csv, ".json": _json, ".jsonl": _json_lines}


def _of_line(line: str, where: str) -> RawRow:
    try:
        return _of_object(parsed_json(line), where)
    except CellError as error:
        return RawRow(where, {}, f"not JSON: {error}")


def _of_object(item: object, where: str) -> RawRow:
    if isinstance(item, dict):
        return RawRow(where, item)
    return RawRow(where, {}, f"must be an object, got {kind(item)}")


def _of_objects(rows: list[RawRow], name: str) -> Table:
    columns = list(dict.fromkeys(column for row in rows for column in row.cells))
    return Table(name, columns, [row for row in rows if row.problem or not _all_blank(row.cells.values())])


def _under_header(grid: Grid, where: str, *, ragged: bool = False) -> Table:
    """The table whose first row that is not blank names the columns.

    Args:
        grid: the rows.
        where: its place, for messages.
        ragged: whether a row can have another number of cells than the header, which is a problem.
    """
    filled = [(number, cells) for number, cells in grid if not _all_blank(cells)]
    if not filled:
        return Table(where, [], [])
    (first, header), *body = filled
    columns = _names(header, f"{where}, row {first}")
    rows = [_row(cells, columns, f"{where}, row {number}", ragged=ragged) for number, cells in body]
    return Table(where, columns, rows)


def _names(header: Sequence[object], where: str) -> list[str]:
    try:
        names = [text(as_it_is(f"column {n}" if is_blank(name) else name)) for n, name in enumerate(header, 1)]
    except CellError as error:
        raise DataError(f"{where}, the header: {error}") from None
    twice = sorted(name for name, count in Counter(names).items() if count > 1)
    if twice:
        raise DataError(*(f"{where}: there are two columns {name!r}; keep or rename one" for name in twice))
    return names


def _row(cells: list[object], columns: Sequence[str], where: str, *, ragged: bool) -> RawRow:
    named, surplus = cells[: len(columns)], cells[len(columns) :]
    if ragged and (len(named) < len(columns) or not _all_blank(surplus)):
        counts = f"{len(cells)} cells, but the header has {len(columns)} columns"
        return RawRow(where, {}, f"{counts}; put a cell that holds a comma or a line break in double quotes")
    return RawRow(where, dict(zip(columns, named, strict=True)))


def _all_blank(values: Iterable[object]) -> bool:
    return all(map(is_blank, values))
