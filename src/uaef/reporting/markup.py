"""Recorded text in Markdown: shown as it is, with no way to become markup, a link, a mention or a command."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from uaef.reporting.evidence import block
from uaef.reporting.plain import one_line

SHOWN = 20
"""How much of one kind, turns that broke or changed, is shown with what was said; of the rest the names."""
LISTED = 30
"""How many rows of a table, or names in a line."""
QUOTED = 1_200
"""How many characters of one text that was said."""
_LONGEST = 300
_PLAIN = re.compile(r"[^\w ,.()='/-]|_|(?<=[wW]{3})\.", re.ASCII)
_BACKTICKS = re.compile("`+")
_LEAST = 3


def code(text: str, longest: int = _LONGEST) -> str:
    """``text`` on one line within ``<code>``, in a sentence or in a table.

    Every character that could mean something is written by its number, which cannot be a sign of Markdown or HTML;
    and GitHub looks for no mentions, issues or links within ``<code>``.
    """
    return f"<code>{_PLAIN.sub(_by_number, one_line(text, longest))}</code>"


def _by_number(found: re.Match[str]) -> str:
    character = found[0]
    return f"&#{ord(character)};" if character.isascii() else character


def fenced(text: str, longest: int) -> str:
    """``text`` in its lines, in a fence that is longer than any row of backticks in it."""
    shown = block(text, longest)
    rows = [len(row) for row in _BACKTICKS.findall(shown)]
    fence = "`" * max(_LEAST, 1 + max(rows, default=0))
    return f"{fence}text\n{shown}\n{fence}"


def told(who: str, text: str) -> list[str]:
    """What somebody said, as lines: who, and the text in a fence."""
    return ["", f"**{who}**", "", fenced(text, QUOTED)]


def table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table; its cells are Markdown already, without line breaks."""
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def more(rows: Sequence[object]) -> list[str]:
    """How many rows a table of the first ones leaves out, as lines."""
    return ["", f"and {len(rows) - LISTED} more"] if len(rows) > LISTED else []


def bounded(blocks: Iterable[str], most: int) -> str:
    """As many blocks, from the first, as fit into ``most`` UTF-16 units, with a line on what was left out.

    A block is taken as a whole or not at all, so that no fence stays open.
    """
    kept: list[str] = []
    blocks = list(blocks)
    room = most - size(_cut(len(blocks)))
    for text in blocks:
        room -= size(text) + 2
        if room < 0:
            break
        kept.append(text)
    left_out = len(blocks) - len(kept)
    return "\n\n".join([*kept, *([_cut(left_out)] if left_out else [])]) + "\n"


def _cut(left_out: int) -> str:
    return f"\n{left_out} more parts of this report do not fit here.\n"


def size(text: str) -> int:
    """How long ``text`` is to those who count a character beyond the basic plane twice."""
    return len(text) + sum(character > "\uffff" for character in text)
