"""The generated pages are what the generator would write today."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"
PAGES = runpy.run_path(str(DOCS / "generate.py"))["PAGES"]


@pytest.mark.parametrize("page", PAGES)
def test_committed_page_is_up_to_date(page):
    """Whoever changes a metric or a command runs ``make docs``."""
    assert PAGES[page]() == (DOCS / page).read_text("utf-8")
