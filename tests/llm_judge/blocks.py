"""The user message of a question, taken apart again by nothing but its fence."""

from __future__ import annotations

import json
import re


def blocks_in(system: str, user: str) -> dict[str, list[object]]:
    """The data of each block by name, every line read as JSON; any other line is an error."""
    fence = re.search(r'"<<(\w+) NAME"', system)[1]
    blocks: dict[str, list[object]] = {}
    name = None
    for line in user.split("\n"):
        if name is None:
            start, name = line.split(" ")
            assert f"<<{fence}" == start
            assert name not in blocks
            blocks[name] = []
        elif line == f"{fence} {name}>>":
            name = None
        else:
            assert fence not in line
            blocks[name].append(json.loads(line))
    assert name is None
    return blocks
