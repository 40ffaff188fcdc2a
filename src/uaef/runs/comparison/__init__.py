"""Two runs side by side: what is the same turn in both, what became of it, and whether that is more than chance."""

from __future__ import annotations

from uaef.runs.comparison.comparing import compare
from uaef.runs.comparison.records import Comparison, Identity, Status
from uaef.runs.comparison.reference import as_stored, reference
from uaef.runs.comparison.summaries import summaries, survival

__all__ = ["Comparison", "Identity", "Status", "as_stored", "compare", "reference", "summaries", "survival"]
