"""Text that can be written anywhere: half of a surrogate pair, which JSON can name and UTF-8 cannot, made visible."""

from __future__ import annotations


def well_formed(text: str) -> str:
    r"""``text`` with every lone surrogate written out as ``\udXXX``."""
    return text if text.isascii() else text.encode("utf-8", "backslashreplace").decode("utf-8")
