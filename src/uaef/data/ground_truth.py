"""Ground truth from rows: of a spreadsheet, a CSV or JSON file, or written by hand.

A row is a dict of cells by column name. A column goes by any of the names in ``uaef.data.columns.ALIASES``;
a blank cell is absent. ``load_ground_truth_file`` and ``group_by_session`` return rows under the canonical
names (``query``, ``expected_output``, ...), and every function here takes rows in either spelling.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from os import PathLike
from pathlib import Path
from typing import Literal, overload

from uaef.data.columns import ALIASES, KnownRow, Row, columns_by_key, read_all, read_given, read_row, refuse
from uaef.data.evidence import tool_results
from uaef.data.sessions import by_session, disagreements, in_order
from uaef.data.table import RawRow, Table, read_table
from uaef.errors import DataError
from uaef.models import GroundTruth, ToolCall
from uaef.text.by_turn import joined

ParsedRow = tuple[str, str | None, list[str], list[ToolCall] | None]
"""Query, expected answer (or None), context documents, expected tool calls (``None``: not specified)."""

_EXTRAS = ("chatbot_role", "system_instructions")


def load_ground_truth_file(path: str | PathLike[str], *, sheet: str | None = None) -> list[dict[str, object]]:
    """The rows of a file under canonical keys, without blank cells; unknown columns stay as they are.

    ``query``, ``expected_output``, ``session_id``, ``chatbot_role`` and ``system_instructions`` are text,
    ``turn_id`` is a number, ``context`` a list of texts, ``expected_tool_calls`` a list of dicts with
    ``name`` and, where they are specified, ``arguments``. The rows are dicts that also know their place in the file.

    Args:
        path: an .xlsx, .csv (UTF-8), .json (a list of objects) or .jsonl file.
        sheet: of a spreadsheet, the title of the sheet to read; ``None`` is the first one shown.

    Raises:
        DataError: one line for every cell that cannot be read, with file, sheet, row and column.
    """
    table = read_table(Path(path), sheet)
    _check_columns(table)
    rows = [_row(raw) for raw in table.rows]
    refuse(
        [problem for row in rows for problem in row.problems.values()]
        + [problem for session in by_session(rows).values() for problem in disagreements(session)]
    )
    return [KnownRow(row) for row in rows]


def group_by_session(rows: Iterable[Mapping[str, object]]) -> dict[str, list[dict[str, object]]]:
    """The rows of each session under canonical keys: sessions first seen first, turns by number if numbered.

    Rows that were loaded from a file go by their places there in messages, others by their places in ``rows``.

    Raises:
        DataError: naming every row without a session, every cell that cannot be read, every duplicate or
            missing turn number.
    """
    read = read_all(rows, "rows")
    refuse(f"{row.where}: no session_id" for row in read if "session_id" not in row.values)
    sessions = by_session(read)
    refuse(problem for session in sessions.values() for problem in disagreements(session))
    return {name: [KnownRow(row) for row in in_order(session)] for name, session in sessions.items()}


@overload
def parse_ground_truth_row(row: Mapping[str, object], query_only: Literal[True]) -> str: ...


@overload
def parse_ground_truth_row(row: Mapping[str, object], query_only: Literal[False] = ...) -> ParsedRow: ...


def parse_ground_truth_row(row: Mapping[str, object], query_only: bool = False) -> str | ParsedRow:  # noqa: FBT001, FBT002 - as documented
    """The row's query, expected answer, context documents and expected tool calls, or its query alone.

    Args:
        row: cells by column name.
        query_only: whether to read nothing but the query.

    Raises:
        DataError: naming every column that cannot be read.
    """
    read = read_given(row, "row")
    refuse(problem for key, problem in read.problems.items() if not query_only or key in ("", "query"))
    query = read.known["query"]
    if query_only:
        return query
    return query, read.known.get("expected_output"), read.known.get("context", []), _calls(read)


def build_ground_truth(row: Mapping[str, object], events: Iterable[object] | None = None) -> tuple[str, GroundTruth]:
    """The row's query and what is expected of the answer.

    Args:
        row: cells by column name.
        events: what the agent streamed; tool results in it are the evidence where the row has no context.

    Raises:
        DataError: naming every column that cannot be read.
    """
    read = read_given(row, "row")
    refuse(read.problems.values())
    return read.known["query"], GroundTruth(
        expected_output=read.known.get("expected_output"),
        expected_tool_calls=_calls(read),
        expected_arguments=_extras([read]),
        context_documents=read.known.get("context") or tool_results(events or ()),
    )


def build_multi_turn_ground_truth(
    turns: Iterable[Mapping[str, object]], events: Iterable[object] | None = None
) -> GroundTruth:
    """What is expected of a conversation and, in ``turns``, of each turn by its number.

    A turn's number is its ``turn_id``, or its place from 1 where the rows have none. A turn's context is
    what was known by then: its own and that of the turns before it.

    Args:
        turns: the rows of one conversation.
        events: what its run streamed; tool results in it are the evidence where no row has context.

    Raises:
        DataError: naming every column that cannot be read, every duplicate or missing turn number, and rows
            that disagree about the session, the role or the instructions.
    """
    session = read_all(turns, "turns")
    if not session:
        raise DataError("turns: has no rows; a conversation has at least one turn")
    refuse(disagreements(session))
    rows = {row.known.get("turn_id", place): row for place, row in enumerate(in_order(session), 1)}
    entries = _entries(rows)
    calls = [entry.expected_tool_calls for entry in entries.values() if entry.expected_tool_calls is not None]
    answers = joined({number: entry.expected_output for number, entry in entries.items()})
    known_at_end = list(entries.values())[-1].context_documents
    return GroundTruth(
        expected_output=answers or None,
        expected_tool_calls=[call for turn in calls for call in turn] if calls else None,
        expected_arguments=_extras(session),
        context_documents=known_at_end or tool_results(events or ()),
        turns=entries,
    )


def _check_columns(table: Table) -> None:
    if table.columns and "query" not in columns_by_key(table.columns, table.where):
        raise DataError(
            f"{table.where}: no column holds the question; name one of {', '.join(ALIASES['query'])} "
            f"(found {', '.join(map(repr, table.columns))})"
        )


def _row(raw: RawRow) -> Row:
    if raw.problem:
        return Row(raw.where, {}, {}, {"": f"{raw.where}: {raw.problem}"})
    return read_row(raw.where, raw.cells)


def _calls(row: Row) -> list[ToolCall] | None:
    calls = row.known.get("expected_tool_calls")
    return None if calls is None else [ToolCall(**call) for call in calls]


def _extras(session: Iterable[Row]) -> dict[str, object]:
    """Role and instructions of the conversation; the rows that name them agree."""
    return {key: row.values[key] for key in _EXTRAS for row in session if key in row.values}


def _entries(rows: Mapping[int, Row]) -> dict[int, GroundTruth]:
    entries: dict[int, GroundTruth] = {}
    known: dict[str, None] = {}
    for number, row in rows.items():
        known |= dict.fromkeys(row.known.get("context", []))
        entries[number] = GroundTruth(
            expected_output=row.known.get("expected_output"),
            expected_tool_calls=_calls(row),
            context_documents=list(known),
        )
    return entries
