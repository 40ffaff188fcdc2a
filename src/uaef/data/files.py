"""Files as text."""

from __future__ import annotations

from pathlib import Path

from uaef.errors import DataError

MOST_BYTES = 100_000_000


def read_content(path: Path) -> bytes:
    """What is in a file.

    Raises:
        DataError: it is missing, empty, too large or cannot be read.
    """
    try:
        with path.open("rb") as file:
            content = file.read(MOST_BYTES + 1)
    except FileNotFoundError:
        raise DataError(f"no such file: {path}") from None
    except OSError as error:
        raise DataError(f"{path.name}: cannot be read: {error.strerror}") from None
    if len(content) > MOST_BYTES:
        raise DataError(f"{path.name}: is larger than {MOST_BYTES // 1_000_000} MB; split it")
    if not content.strip():
        raise DataError(f"{path.name}: the file is empty")
    return content


def utf8(content: bytes, name: str) -> str:
    """``content`` as text, without the mark that some editors put in front of it.

    Raises:
        DataError: it is not UTF-8; naming the line.
    """
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise DataError(
            f"{name}, line {line}: not UTF-8 text (byte 0x{content[error.start]:02x}); save the file as UTF-8"
        ) from None
