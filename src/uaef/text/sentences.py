"""Sentences and lines: where one statement ends and the next begins."""

from __future__ import annotations

import re

_END = re.compile(r"(?<=[.!?])(?<!\b[A-Za-z]\.)\s+(?=[\"'(\[]?[A-Z0-9])")
"""Not after a single letter: "v. 2", "e.g. Hotels"."""
_BULLET = re.compile(r"^\s*(?:[-*•]|\d+[.)])\s+")


def sentences_in(text: str) -> list[str]:
    """The sentences of a text, line by line, without the blank ones."""
    return [s.strip() for line in text.splitlines() for s in _END.split(line) if s.strip()]


def instructions_in(text: str) -> list[str]:
    """The single instructions of a text: its lines where there are several, else its sentences."""
    lines = [_BULLET.sub("", line).strip() for line in text.splitlines() if line.strip()]
    statements = lines if len(lines) > 1 else sentences_in(text)
    return [said for said in statements if any(map(str.isalpha, said))]  # not the number of the next one
