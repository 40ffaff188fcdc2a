"""Files as a person or a program would leave them."""

from __future__ import annotations

import openpyxl
import pytest


@pytest.fixture
def xlsx(tmp_path):
    """A function that writes rows, the header first, into booking.xlsx and returns its path."""

    def write(*rows, edit=None):
        book = openpyxl.Workbook()
        book.active.title = "Sheet1"
        for row in rows:
            book.active.append(row)
        if edit:
            edit(book)
        path = tmp_path / "booking.xlsx"
        book.save(path)
        return path

    return write


@pytest.fixture
def written(tmp_path):
    """A function that writes text or bytes into a file of the given name and returns its path."""

    def write(name, content):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write
