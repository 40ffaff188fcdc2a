"""Files and functions stay small enough to be read at a sitting."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

SRC = Path(__file__).parents[1] / "src"
FILES = sorted(SRC.rglob("*.py"))
FILE_LINES = 400
FUNCTION_LINES = 50


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(SRC)))
def test_files_and_functions_are_short(path):
    """No file is longer than 400 lines, no function longer than 50; a function's docstring does not count."""
    source = path.read_text("utf-8")
    lines = source.count("\n")
    functions = {
        node.name: _lines(node) - (_lines(node.body[0]) if ast.get_docstring(node) else 0)
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    }
    assert lines <= FILE_LINES
    assert {} == {name: length for name, length in functions.items() if length > FUNCTION_LINES}


def _lines(node: ast.stmt) -> int:
    return (node.end_lineno or node.lineno) - node.lineno + 1
