"""Runs that are kept: written as they are played, gone on with after a kill, read, pinned, exported."""

from __future__ import annotations

from uaef.runs.store.as_of import AsOf
from uaef.runs.store.provenance import origin, working_tree
from uaef.runs.store.rows import ListedRun, StoredMeasurement
from uaef.runs.store.store import LATEST, Store, ended, open_store, resumable

__all__ = [
    "LATEST",
    "AsOf",
    "ListedRun",
    "Store",
    "StoredMeasurement",
    "ended",
    "open_store",
    "origin",
    "resumable",
    "working_tree",
]
