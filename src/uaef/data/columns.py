"""The columns of a ground truth table: the names each may have, and a row read under its canonical ones."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, lru_cache
from typing import NamedTuple, TypedDict, cast

from uaef.data import cells
from uaef.errors import DataError, misspelt

ALIASES = {
    "query": ("question", "query", "input", "user"),
    "expected_output": ("answer", "expected_answer", "expected_output", "expected", "ideal", "reference"),
    "context": ("context", "context_documents"),
    "expected_tool_calls": ("expected_tool_calls", "expected_tools", "tool_calls", "tools"),
    "session_id": ("session_id", "conversation_id", "thread_id"),
    "turn_id": ("turn_id", "turn"),
    "chatbot_role": ("chatbot_role", "role"),
    "system_instructions": ("system_instructions", "instructions"),
}
"""The names of each column; upper and lower case, spaces and hyphens make no difference."""

_KEYS = {alias: key for key, aliases in ALIASES.items() for alias in aliases}
_SHORTEST = 8
"""How long a name must be for another to count as a misspelling of it. The first letter has to be right as well:
``preference`` is no ``reference``, and ``version_id`` no ``session_id``."""
_READERS: dict[str, Callable[[object], object]] = {
    "query": cells.text,
    "expected_output": cells.text,
    "context": cells.documents,
    "expected_tool_calls": cells.expected_calls,
    "session_id": cells.identifier,
    "turn_id": cells.turn_number,
    "chatbot_role": cells.text,
    "system_instructions": cells.text,
}


class Known(TypedDict, total=False):
    """The cells of a row that uaef reads; one that was blank is absent."""

    query: str
    expected_output: str
    context: list[str]
    expected_tool_calls: list[cells.ExpectedCall]
    session_id: str
    turn_id: int
    chatbot_role: str
    system_instructions: str


class Row(NamedTuple):
    """A row as it was read.

    Attributes:
        where: its place, for messages: ``booking.xlsx, sheet 'Sheet1', row 5``.
        values: its cells that are not blank, by canonical key; a column unknown to uaef by its own name.
        columns: canonical key to the column's name in the file.
        problems: a sentence for each cell that could not be read, by key; ``""`` for the row as a whole.
    """

    where: str
    values: dict[str, object]
    columns: Mapping[str, str]
    problems: dict[str, str]

    @property
    def known(self) -> Known:
        """The values that uaef reads, with their types."""
        return cast("Known", self.values)

    def place(self, key: str) -> str:
        """The cell's place, for messages."""
        return f"{self.where}, column {self.columns.get(key, key)!r}"


class KnownRow(dict[str, object]):
    """The values of a row that was read, which knows its place: ``booking.xlsx, sheet 'Sheet1', row 5``."""

    def __init__(self, row: Row) -> None:
        super().__init__(row.values)
        self.where = row.where


@cache
def canonical(column: str) -> str | None:
    """The key that a column's name stands for, or None for a column that uaef does not know."""
    return _KEYS.get(_plain(column))


def _plain(column: str) -> str:
    return re.sub(r"[\s-]+", "_", column.strip().lower())


def columns_by_key(columns: Iterable[str], where: str, *, complete: bool = True) -> Mapping[str, str]:
    """The name in the file of each canonical key that has a column.

    Args:
        columns: the names in the file.
        where: its place, for messages.
        complete: whether these are all columns; else some may be absent because their cells were blank.

    Raises:
        DataError: columns mean the same, or one looks like the misspelt name of a column that is not there.
    """
    found, clashes, hints = _sorted_out(tuple(columns))
    refuse(f"{where}: {problem}" for problem in (*clashes, *(hints if complete else ())))
    return found


@lru_cache  # most tables ask the same for each of their rows
def _sorted_out(columns: tuple[str, ...]) -> tuple[Mapping[str, str], Sequence[str], Sequence[str]]:
    """The name of each key's column; which columns mean the same; which look misspelt."""
    found: dict[str, list[str]] = {}
    for column in columns:
        key = canonical(column)
        if key is not None:
            found.setdefault(key, []).append(column)
    clashes = [
        f"columns {' and '.join(map(repr, names))} mean the same ({key}); keep one of them"
        for key, names in found.items()
        if len(names) > 1
    ]
    absent = [alias for alias, key in _KEYS.items() if key not in found and len(alias) >= _SHORTEST]
    unknown = (column for column in columns if canonical(column) is None)
    near = ((c, misspelt(_plain(c), [a for a in absent if a[0] == _plain(c)[:1]])) for c in unknown)
    hints = [f"column {column!r}: did you mean {meant!r}?" for column, meant in near if meant]
    return {key: names[0] for key, names in found.items()}, clashes, hints


def read_row(where: str, raw: Mapping[str, object], *, complete: bool = True) -> Row:
    """The row with every cell read; what could not be read is in its ``problems``.

    Args:
        where: its place, for messages.
        raw: its cells by column name, in any of the names a column may have.
        complete: whether blank cells are in it too.
    """
    try:
        columns = columns_by_key(map(str, raw), where, complete=complete)
    except DataError as error:
        return Row(where, {}, {}, {"": str(error)})
    row = Row(where, {}, columns, {})
    for column, value in raw.items():
        _read_cell(row, str(column), value)
    if "query" not in row.values and "query" not in row.problems:
        names = ", ".join(ALIASES["query"])
        place = row.place("query") if "query" in columns else where
        row.problems["query"] = f"{place}: no question; each row needs one, in a column named one of {names}"
    return row


def read_given(row: object, where: str) -> Row:
    """The row that a caller built or loaded, read like a file's; ``where`` is for messages, if it has no place."""
    if isinstance(row, KnownRow):
        return read_row(row.where, row, complete=False)
    if isinstance(row, Mapping):
        return read_row(where, row)
    return Row(where, {}, {}, {"": f"{where}: must be a dict of cells by column name, got {cells.kind(row)}"})


def read_all(rows: Iterable[object], noun: str) -> list[Row]:
    """The rows that a caller built or loaded; the second is ``noun[1]`` in messages.

    Raises:
        DataError: naming every cell that cannot be read.
    """
    read = [read_given(row, f"{noun}[{place}]") for place, row in enumerate(rows)]
    refuse(problem for row in read for problem in row.problems.values())
    return read


def refuse(problems: Iterable[str]) -> None:
    """Raise what was found, if anything was.

    Raises:
        DataError: one line for each problem.
    """
    found = list(problems)
    if found:
        raise DataError(*found)


def _read_cell(row: Row, column: str, value: object) -> None:
    if cells.is_blank(value):
        return
    key = canonical(column) or column
    try:
        row.values[key] = _READERS.get(key, cells.as_it_is)(cells.as_it_is(value))
    except cells.CellError as error:
        row.problems[key] = f"{row.where}, column {column!r}: {error}"
