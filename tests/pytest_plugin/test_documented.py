"""The tests that a page shows as such are run by pytest: as code alone they would only be defined."""

from __future__ import annotations

import re
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "ci.md"
BEFORE = """
from uaef import checks

def desk(text, *, history):
    return "You have {days} days."
"""


def plain_test():
    """The block under the heading "Plain tests"."""
    (found,) = re.findall(
        r"^### Plain tests$.*?^```python\n(.*?)^```$", PAGE.read_text("utf-8"), re.DOTALL | re.MULTILINE
    )
    return found


def test_the_plain_test_passes(run):
    """With an agent that says what is required; with another it fails, by the turn's name."""
    code, output = run(BEFORE.replace("{days}", "30") + plain_test())
    assert 0 == code, output
    code, output = run(BEFORE.replace("{days}", "40") + plain_test())
    assert 1 == code, output
    assert "broke" in output
