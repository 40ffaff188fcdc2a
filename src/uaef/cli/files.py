"""What is in a file: a JSON document, or a JSON value on each line."""

from __future__ import annotations

import json
from collections.abc import Iterable
from itertools import chain
from pathlib import Path
from typing import IO, NamedTuple

import click

from uaef.errors import DataError

STDIN = "-"
_BY_LINE = (".jsonl", ".ndjson")
_UTF_16 = (b"\xff\xfe", b"\xfe\xff")


class Content(NamedTuple):
    """A file that could be read.

    Attributes:
        name: what messages call it.
        stem: what conversations in it are called that have no name.
        raw: the document; of a file with a value on each line, the list of them.
        lines: the number of each value's line; ``None`` for a document.
    """

    name: str
    stem: str
    raw: object
    lines: tuple[int, ...] | None = None

    def where(self, place: int) -> str:
        """The place of a value, for messages: ``chat.jsonl, line 3``."""
        if self.lines is not None:
            return f"{self.name}, line {self.lines[place]}"
        return f"{self.name}, item {place + 1}" if isinstance(self.raw, list) else self.name


def read_file(path: str) -> Content:
    """What is in the file at ``path``; ``-`` is standard input.

    It has a value on each line if its name ends so (``.jsonl``, ``.ndjson``), or if its first line is a whole value
    and not the only one. Lines are read one after the other.

    Raises:
        DataError: it cannot be read, is empty or is not JSON; every bad line is named.
    """
    name, stem = ("standard input", "stdin") if path == STDIN else (path, Path(path).stem)
    try:
        with click.open_file(path, "rb") as file:
            return _content(name, stem, file, by_line=Path(path).suffix.lower() in _BY_LINE)
    except FileNotFoundError:
        raise DataError(f"no such file: {path}") from None
    except IsADirectoryError:
        raise DataError(f"{path}: is a directory; name the files in it.") from None
    except OSError as error:
        raise DataError(f"{path}: cannot be read: {error.strerror}.") from None


def _content(name: str, stem: str, file: IO[bytes], *, by_line: bool) -> Content:
    lines = ((number, line) for number, line in enumerate(file, 1) if line.strip())
    first = next(lines, None)
    if first is None:
        raise DataError(f"{name}: the file is empty.")
    number, line = first
    if line.startswith(_UTF_16) or b"\0" in line:
        raise DataError(f"{name}: is not text in UTF-8, but UTF-16 or a binary format.")
    if by_line:
        return _values(name, stem, chain([first], lines))
    try:
        value = _parsed(name, number, line)
    except DataError:
        return Content(name, stem, _parsed(name, number, line + file.read()))
    second = next(lines, None)
    return Content(name, stem, value) if second is None else _values(name, stem, chain([first, second], lines))


def _values(name: str, stem: str, lines: Iterable[tuple[int, bytes]]) -> Content:
    values: dict[int, object] = {}
    problems: list[str] = []
    for number, line in lines:
        try:
            values[number] = _parsed(name, number, line)
        except DataError as error:
            problems.append(str(error))
    if problems:
        raise DataError(*problems)
    return Content(name, stem, list(values.values()), tuple(values))


def _parsed(name: str, line: int, data: bytes) -> object:
    """The JSON value in ``data``, which begins on that line of the file."""
    try:
        return json.loads(data.rstrip().decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        line += data.count(b"\n", 0, error.start)
        raise DataError(f"{name}, line {line}: byte 0x{data[error.start]:02x} is not text in UTF-8.") from None
    except json.JSONDecodeError as error:
        at = f"line {line + error.lineno - 1}, column {error.colno}"
        raise DataError(f"{name}, {at}: not valid JSON: {error.msg}.") from None
    except (ValueError, RecursionError) as error:  # a number of 5,000 digits, a list in a list in a list ...
        raise DataError(f"{name}, line {line}: too much for a JSON reader: {error}.") from None
