"""Scores as the events ``gen_ai.evaluation.result`` of OpenTelemetry's conventions for generative AI, as plain data.

https://github.com/open-telemetry/semantic-conventions-genai/blob/main/docs/gen-ai/gen-ai-events.md
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple, TypeVar

from uaef.models.measurement import Measurement
from uaef.models.results import EvaluationResult
from uaef.models.scores import FAILURE_WARNINGS, ScoreStatus
from uaef.models.traces import Trace
from uaef.reporting.cells import Bars
from uaef.reporting.rows import State
from uaef.text.well_formed import well_formed

NAME = "gen_ai.evaluation.result"
LONGEST = 1_000
"""How many characters of one text are sent: what a judge says of a conversation can be of any length."""

_PARENT = re.compile(r"(?!ff)[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:-.*)?", re.ASCII)
_HEX = re.compile(r"(?:0x)?([0-9a-f]+)", re.ASCII)
_TRACE_DIGITS, _SPAN_DIGITS = 32, 16
_EPOCH = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)
_LATEST_NS = 2**64
_LABELS = {State.GOOD: "pass", State.LOW: "fail"}
_Found = TypeVar("_Found")

Attribute = str | int | float | Sequence[str]


class Span(NamedTuple):
    """Where in a recorded trace something happened; ``span_id`` is 0 where only the trace is known."""

    trace_id: int
    span_id: int = 0
    flags: int = 0


class Event(NamedTuple):
    """One score, ready to be sent.

    Attributes:
        attributes: what the conventions name, and what else there is to know under ``uaef.``.
        parent: the span that was evaluated; ``None`` where it was not recorded.
        timestamp: when the turn began, in nanoseconds since 1970; ``None`` where it was not recorded.
        failed: whether there should be a number and is none.
    """

    attributes: Mapping[str, Attribute]
    parent: Span | None
    timestamp: int | None
    failed: bool


def evaluation_events(
    results: Iterable[EvaluationResult], about: Mapping[str, str | int] | None = None
) -> Iterator[Event]:
    """Every score and every failure, in the order of the measurements; what did not apply is no result, and no event.

    Args:
        results: of the conversations.
        about: more to say of all of them, each name with ``uaef.`` before it: ``{"run": "..."}``.
    """
    common: dict[str, Attribute] = {f"uaef.{key}": _sent(value) for key, value in (about or {}).items()}
    for result in results:
        bars, windows = Bars(result), _Windows(result)
        for m in result.measurements:
            if m.score.status is not ScoreStatus.NOT_APPLICABLE:
                window = windows.of(m)
                yield Event(
                    attributes=_score(m, bars.cell(m).state) | window.attributes | _place(m) | common,
                    parent=window.parent,
                    timestamp=window.timestamp,
                    failed=m.score.status is ScoreStatus.FAILED,
                )


def _score(m: Measurement, state: State) -> dict[str, Attribute]:
    """What the conventions say of a score, which is what it had to be or is not."""
    found: dict[str, Attribute] = {"gen_ai.evaluation.name": _sent(m.metric)}
    if m.score.score is not None:
        found["gen_ai.evaluation.score.value"] = float(m.score.score)
    if state in _LABELS:
        found["gen_ai.evaluation.score.label"] = _LABELS[state]
    if m.score.reasoning:
        found["gen_ai.evaluation.explanation"] = _sent(m.score.reasoning)
    if m.score.status is ScoreStatus.FAILED:
        warning = m.score.metadata.get("warning")
        found["error.type"] = str(warning) if warning in FAILURE_WARNINGS else "_OTHER"
    return found


def _place(m: Measurement) -> dict[str, Attribute]:
    """What was measured, and by which ruler."""
    found: dict[str, Attribute] = {
        "uaef.slice": _sent(m.slice_name),
        "uaef.dimension": _sent(m.dimension),
        "uaef.trial": m.trial,
    }
    if len(m.turns) == 1:
        found["uaef.turn"] = m.turns[0]
    if m.tags:
        found["uaef.tags"] = [str(_sent(tag)) for tag in m.tags]
    ruler = {key: m.score.metadata.get(key) for key in ("judge", "rubric_version")}
    return found | {f"uaef.{key}": _sent(value) for key, value in ruler.items() if isinstance(value, str | int)}


def _sent(value: str | int) -> str | int:
    """A number as it is; of a text as much as is sent, in characters that can be."""
    if not isinstance(value, str):
        return value
    return well_formed(value if len(value) <= LONGEST else f"{value[: LONGEST - 1]}…")


class _Window(NamedTuple):
    """What was recorded of the turns that a measurement is about."""

    attributes: dict[str, Attribute]
    parent: Span | None = None
    timestamp: int | None = None


class _Windows:
    """What was recorded of the windows of a conversation, each looked up once."""

    def __init__(self, result: EvaluationResult) -> None:
        self._result, self._known = result, dict[tuple[int, ...], _Window]()

    def of(self, m: Measurement) -> _Window:
        """The window of a measurement."""
        if m.turns not in self._known:
            self._known[m.turns] = self._window(m)
        return self._known[m.turns]

    def _window(self, m: Measurement) -> _Window:
        conversation = self._result.conversation
        if conversation is None:
            return _Window({"gen_ai.conversation.id": _sent(self._result.name)})
        turns = [turn.trace for turn in conversation.turns if turn.number in m.turns]
        # A recording of the whole, where it says more than its turns do, is what was evaluated.
        whole = conversation.recorded if m.whole and len(turns) > 1 else None
        thread = _agreed([_text(trace, "thread_id") for trace in turns])
        found: dict[str, Attribute] = {
            "gen_ai.conversation.id": _sent(thread or self._result.thread_id or self._result.name)
        }
        response = _agreed([_text(trace, "response_id") for trace in turns])
        if response is not None:
            found["gen_ai.response.id"] = _sent(response)
        parent = None if whole is None else recorded_span(whole.metadata)
        return _Window(found, parent or _shared_span(turns), _nanoseconds(turns[-1].timestamp) if turns else None)


def _text(trace: Trace, key: str) -> str | None:
    """What the metadata says under ``key``, if it is a text with something in it."""
    value = trace.metadata.get(key)
    return value if isinstance(value, str) and value.strip() else None


def _agreed(values: Sequence[_Found]) -> _Found | None:
    """The value that all have; ``None`` where they differ, or where there are none."""
    return values[0] if values and all(value == values[0] for value in values) else None


def _shared_span(turns: Sequence[Trace]) -> Span | None:
    """The span in which all the turns were recorded; where each has one of its own, the trace that holds them."""
    spans = [recorded_span(trace.metadata) for trace in turns]
    common = _agreed(spans)
    if common is not None:
        return common
    trace_id = _agreed([None if span is None else span.trace_id for span in spans])
    return None if trace_id is None else Span(trace_id)


def recorded_span(metadata: Mapping[str, object]) -> Span | None:
    """The span that a trace's metadata names: by a W3C ``traceparent``, else by ``trace_id`` and ``span_id`` in hex.

    What has not the form, or is all zeros, names none.
    """
    parent = _PARENT.fullmatch(str(metadata.get("traceparent", "")).strip().lower())
    if parent is not None:
        trace_id, span_id, flags = (int(part, 16) for part in parent.groups())
        if trace_id and span_id:
            return Span(trace_id, span_id, flags)
    trace_id, span_id = _id(metadata, "trace_id", _TRACE_DIGITS), _id(metadata, "span_id", _SPAN_DIGITS)
    return Span(trace_id, span_id) if trace_id else None


def _id(metadata: Mapping[str, object], key: str, digits: int) -> int:
    """An identifier of so many hexadecimal digits as a number; 0, which identifies nothing, where there is none."""
    found = _HEX.fullmatch(str(metadata.get(key, "")).strip().lower())
    return int(found[1], 16) if found and len(found[1]) == digits else 0


def _nanoseconds(when: dt.datetime | None) -> int | None:
    """Since 1970; ``None`` where the protocol has no number for it."""
    since = 0 if when is None else (when - _EPOCH) // dt.timedelta(microseconds=1) * 1_000
    return since if 0 < since < _LATEST_NS else None
