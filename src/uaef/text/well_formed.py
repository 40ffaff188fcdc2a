"""Text that can be written anywhere: half of a surrogate pair, which JSON can name and UTF-8 cannot, made visible."""

from __future__ import annotations


def well_formed(text: str) -> str:
    r"""``text`` with every lone surrogate written out as ``\udXXX``."""
    return text if text.isascii() else text.encode("utf-8", "backslashreplace").decode("utf-8")


def is_well_formed(text: str) -> bool:
    """Whether any program and any database takes ``text``: it has no lone surrogate, and no NUL."""
    return "\0" not in text and well_formed(text) == text
