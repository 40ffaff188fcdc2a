"""Write ``ground_truth.xlsx``: one row per turn, with what a person would expect of it.

Run it in ``examples`` with ``python -m booking.write_ground_truth``.
"""

from __future__ import annotations

import json
from pathlib import Path

from booking.script import SESSIONS
from openpyxl import Workbook

SPREADSHEET = Path(__file__).with_name("ground_truth.xlsx")
COLUMNS = ("session_id", "turn_id", "question", "expected_answer", "expected_tool_calls")


def rows() -> list[tuple[str, int, str, str, str]]:
    """The rows below the header; no tool expected is written ``[]``, since a blank cell leaves it open."""
    return [
        (session, number, turn.question, turn.expected_answer, json.dumps(turn.expected_tools))
        for session, turns in SESSIONS.items()
        for number, turn in enumerate(turns, start=1)
    ]


def write(path: Path) -> None:
    """Write the spreadsheet to ``path``."""
    book = Workbook()
    sheet = book.worksheets[0]
    sheet.title = "turns"
    for row in (COLUMNS, *rows()):
        sheet.append(row)
    for column, width in zip("ABCDE", (18, 8, 50, 60, 80), strict=True):
        sheet.column_dimensions[column].width = width
    book.save(path)


if __name__ == "__main__":
    write(SPREADSHEET)
