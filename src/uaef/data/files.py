"""Files as text."""

from __future__ import annotations

from pathlib import Path

from uaef.errors import DataError

MOST_BYTES = 100_000_000


def read_content(path: Path, name: str | None = None) -> bytes:
    """What is in a file.

    Args:
        path: the file.
        name: what messages call it; left out, by the last part of its path.

    Raises:
        DataError: it is missing, empty, too large or cannot be read.
    """
    name = path.name if name is None else name
    try:
        with path.open("rb") as file:
            content = file.read(MOST_BYTES + 1)
    except FileNotFoundError:
        raise DataError(f"no such file: {path}") from None
    except OSError as error:
        raise DataError(f"{name}: cannot be read: {error.strerror}") from None
    if len(content) > MOST_BYTES:
        raise DataError(f"{name}: is larger than {MOST_BYTES // 1_000_000} MB; split it")
    if not content.strip():
        raise DataError(f"{name}: the file is empty")
    return content


def utf8(content: bytes, name: str, *, with_column: bool = False) -> str:
    """``content`` as text, without the mark that some editors put in front of it.

    Args:
        content: what is in a file.
        name: what messages call it.
        with_column: whether they give the place as editors follow it, ``name:line:column``, and not in words.

    Raises:
        DataError: it is not UTF-8; naming the place.
    """
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        *before, begun = error.object[: error.start].split(b"\n")  # of the content without the mark
        line, column = len(before) + 1, len(begun.decode()) + 1
        place = f"{name}:{line}:{column}" if with_column else f"{name}, line {line}"
        byte = error.object[error.start]
        raise DataError(f"{place}: not UTF-8 text (byte 0x{byte:02x}); save the file as UTF-8") from None
