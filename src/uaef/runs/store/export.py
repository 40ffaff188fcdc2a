"""Measurements for other programs: one a row, under the names that ``uaef runs export`` documents."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator

from uaef.runs.store.codec import Row
from uaef.runs.store.rows import StoredMeasurement

COLUMNS = (
    *("run", "conversation", "slice", "trial", "turn", "metric", "dimension", "status", "score", "reasoning"),
    *("warning", "tags", "beside", "judge", "rubric_version", "seconds", "cost", "thread_id", "trace_id", "span_id"),
    *("own_hash", "context_hash"),
)

_LINES = json.JSONEncoder(ensure_ascii=False, allow_nan=False)


def export_row(stored: StoredMeasurement) -> Row:
    """A measurement as plain data; a number that is none is ``None``."""
    m = stored.measurement
    known = m.score.metadata
    return {
        "run": stored.run,
        "conversation": stored.name,
        "slice": m.slice_name,
        "trial": m.trial,
        "turn": m.turns[0] if len(m.turns) == 1 else None,
        "metric": m.metric,
        "dimension": m.dimension,
        "status": str(m.score.status),
        "score": m.score.score,
        "reasoning": m.score.reasoning,
        "warning": _text(known.get("warning")),
        "tags": list(m.tags),
        "beside": stored.beside,
        "judge": _text(known.get("judge")),
        "rubric_version": _text(known.get("rubric_version")),
        "seconds": _finite(m.seconds),
        "cost": _finite(m.cost),
        "thread_id": stored.thread_id,
        "trace_id": stored.trace_id,
        "span_id": stored.span_id,
        "own_hash": stored.own,
        "context_hash": stored.context,
    }


def json_lines(measurements: Iterable[StoredMeasurement]) -> Iterator[str]:
    """A line of JSON for each measurement."""
    for stored in measurements:
        line = _LINES.encode(export_row(stored))
        # A lone surrogate has no encoding; as an escape JSON can carry it.
        yield line.encode("utf-8", "backslashreplace").decode("utf-8") + "\n"


def _text(value: object) -> str | None:
    return None if value is None else str(value)


def _finite(value: float | None) -> float | None:
    return value if value is None or math.isfinite(value) else None
