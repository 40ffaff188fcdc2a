"""A result as rows, nothing in it twice, and back again."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple, cast

from uaef.errors import StoreError
from uaef.models.base import plain, replaced
from uaef.models.conversation import Conversation
from uaef.models.identity import TurnKey
from uaef.models.measurement import Measurement
from uaef.models.results import EvaluationResult
from uaef.models.scores import MetricScore, ScoreStatus
from uaef.models.turns import Turn

Row = dict[str, object]
_LARGEST = 2**63
_BITS = 4 * 3_500
"""Whole numbers of fewer bits have fewer than the 4,300 decimal digits that Python reads."""


class Parts(NamedTuple):
    """A result, taken apart: the row of its own, and those of its measurements."""

    result: Row
    measurements: list[Row]


def to_json(value: object) -> str:
    """``value`` as JSON in ASCII, which any database takes; what is no plain data becomes text."""
    data = plain(value)
    try:
        return json.dumps(data, separators=(",", ":"))
    except ValueError:  # a number of more digits than Python writes or reads
        return json.dumps(_short(data), separators=(",", ":"))


def from_json(text: object) -> object:
    """What ``to_json`` wrote."""
    return json.loads(cast("str", text))


def apart(result: EvaluationResult) -> Parts:
    """The rows of a result.

    Raises:
        StoreError: something recorded in it is nested too deeply.
    """
    try:
        return _apart(result)
    except RecursionError:
        problem = f"The result of {result.name!r} cannot be kept: something recorded in it is nested too deeply."
        raise StoreError(problem) from None


def _apart(result: EvaluationResult) -> Parts:
    rest = replaced(result, conversation=None, measurements=[], worst=None).to_dict()
    worst = next((place for place, m in enumerate(result.measurements) if m is result.worst), None)
    rest["worst"] = plain(result.worst) if worst is None else worst
    for absent in ("conversation", "measurements"):
        del rest[absent]
    row: Row = {
        "name": result.name,
        "trial": result.trial,
        "thread_id": result.thread_id,
        **counted(result.measurements),
        "conversation": None if result.conversation is None else to_json(result.conversation),
        "rest": to_json(rest),
    }
    turns = {} if result.conversation is None else {turn.number: turn for turn in result.conversation.turns}
    keys = {key.name: key for key in result.turn_keys}
    rows = [
        {"place": place, **_row(m), **_where(result, m, turns, keys)} for place, m in enumerate(result.measurements)
    ]
    return Parts(row, rows)


def counted(measurements: Iterable[Measurement]) -> Row:
    """How many there are of each status."""
    found = [m.score.status for m in measurements]
    return {f"n_{status}": found.count(status) for status in ScoreStatus}


def together(row: Mapping[str, object], measurements: list[Measurement]) -> EvaluationResult:
    """The result that ``apart`` took apart.

    Raises:
        StoreError: what is kept is no result.
    """
    try:
        rest = cast("Row", from_json(row["rest"]))
        worst = rest.pop("worst")
        kept = row["conversation"]
        return replaced(
            EvaluationResult.from_dict(rest if isinstance(worst, int) else {**rest, "worst": worst}),
            conversation=None if kept is None else Conversation.from_dict(from_json(kept)),
            measurements=measurements,
            **({"worst": measurements[worst]} if isinstance(worst, int) else {}),
        )
    except (ValueError, LookupError, TypeError, AttributeError) as error:
        raise unreadable(str(row["name"]), error) from None


def measurement(row: Mapping[str, object]) -> Measurement:
    """The measurement in a row."""
    try:
        score = MetricScore(
            metric_name=row["score_name"],  # type: ignore[arg-type] # the model checks these
            score=row["score"],  # type: ignore[arg-type]
            reasoning=row["reasoning"],  # type: ignore[arg-type]
            metadata={} if row["metadata"] == "{}" else from_json(row["metadata"]),  # type: ignore[arg-type]
            status=ScoreStatus(cast("str", row["status"])),
        )
        return Measurement(
            score=score,
            turns=_values(row["turns"]),  # type: ignore[arg-type]
            tags=_values(row["tags"]),  # type: ignore[arg-type]
            **{name: row[name] for name in _AS_THEY_ARE},  # type: ignore[arg-type] # as they were written
        )
    except (ValueError, TypeError) as error:
        raise unreadable(str(row["slice_name"]), error) from None


def unreadable(name: str, error: Exception) -> StoreError:
    """The error that says that what is kept of something does not fit."""
    said = " ".join(str(error).split()).rstrip(".")
    return StoreError(f"What is kept of {name!r} cannot be read, as if it were changed, or of a newer uaef: {said}.")


def digest_of(item: str) -> str:
    """A hash of a text."""
    return hashlib.sha256(item.encode("utf-8", "surrogatepass")).hexdigest()


@lru_cache(maxsize=10_000)  # a run has few of them, and each a thousand times
def _values(text: str) -> tuple[object, ...]:
    return tuple(cast("Sequence[object]", from_json(text)))


_AS_THEY_ARE = ("slice_name", "whole", "metric", "dimension", "trial", "seconds", "cost")


def _row(m: Measurement) -> Row:
    score = m.score
    judged = (score.metadata.get("judge"), score.metadata.get("rubric_version"))
    judge, version = (None if said is None else str(said) for said in judged)
    return {
        **{name: getattr(m, name) for name in _AS_THEY_ARE},
        "turns": to_json(m.turns),
        "turn": m.turns[0] if len(m.turns) == 1 and -_LARGEST <= m.turns[0] < _LARGEST else None,
        "status": str(score.status),
        "score": score.score,
        "reasoning": score.reasoning,
        "score_name": score.metric_name,
        "metadata": to_json(score.metadata),
        "judge": judge,
        "rubric_version": version,
        "tags": to_json(m.tags),
    }


def _where(result: EvaluationResult, m: Measurement, turns: Mapping[int, Turn], keys: Mapping[str, TurnKey]) -> Row:
    """By what else a measurement is found: thread, trace and span that it was recorded in, and the turn's keys."""
    turn = turns.get(m.turns[0]) if len(m.turns) == 1 else None
    recorded = {} if turn is None else turn.trace.metadata
    thread, span = recorded.get("thread_id"), recorded.get("span_id")
    key = keys.get(m.slice_name)
    return {
        "thread_id": result.thread_id if thread is None else str(thread),
        "trace_id": result.trace_id if turn is None else str(turn.trace.trace_id),
        "span_id": None if span is None else str(span),
        "own": None if key is None else key.own,
        "context": None if key is None else key.context,
    }


def _short(value: object) -> object:
    """``value`` with every whole number that is too long for a JSON reader as text, in hexadecimal digits."""
    if isinstance(value, dict):
        return {key: _short(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_short(inner) for inner in value]
    return hex(value) if isinstance(value, int) and value.bit_length() > _BITS else value
