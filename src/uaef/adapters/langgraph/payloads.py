"""Turn payloads: what a caller records of one turn, checked as a whole before anything is built."""

from __future__ import annotations

import math
import uuid
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from numbers import Integral, Real

from uaef.adapters.langgraph.events import Piece, read_event
from uaef.adapters.langgraph.messages import UnknownShapeError, whole_number
from uaef.errors import misspelt
from uaef.models.reading import shown

_REQUIRED = ("session_id", "turn_id", "stream_events")
_FIGURES = ("latency", "input_tokens", "output_tokens", "cost_usd")
_KEYS = (*_REQUIRED, *_FIGURES, "tags", "metadata", "error", "trace_id")
_OTHER_NAMES = {
    **dict.fromkeys(("thread_id", "conversation_id"), "session_id"),
    **dict.fromkeys(("turn", "turn_number"), "turn_id"),
    **dict.fromkeys(("events", "stream"), "stream_events"),
    **dict.fromkeys(("duration", "duration_s", "duration_ms", "elapsed", "response_time"), "latency"),
    **dict.fromkeys(("latency_ms", "latency_sec", "latency_seconds"), "latency"),
    **dict.fromkeys(("tokens_in", "prompt_tokens"), "input_tokens"),
    **dict.fromkeys(("tokens_out", "completion_tokens"), "output_tokens"),
    **dict.fromkeys(("cost", "total_cost", "price"), "cost_usd"),
}
_UNITS = {"latency": " (in seconds)", "cost_usd": " (in dollars)"}


@dataclass(frozen=True, slots=True)
class Payload:
    """One turn, checked.

    Attributes:
        pieces: the news in its stream events, in order.
        session_id: the conversation.
        turn_id: the turn's number.
        trace_id: what to call the trace, if the caller says.
        latency: seconds.
        input_tokens: tokens read, if the caller counted them.
        output_tokens: tokens written.
        cost_usd: dollars.
        error: what ended the turn early, in the caller's words.
        metadata: everything else.
    """

    pieces: tuple[Piece, ...]
    session_id: str | None = None
    turn_id: int | None = None
    trace_id: str | None = None
    latency: float | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None
    cost_usd: float | None = None
    error: str | None = None
    metadata: dict[str, object] = field(default_factory=dict)


class PayloadReader:
    """Reads payloads and collects, over all of them, what is wrong."""

    def __init__(self) -> None:
        self.problems: list[str] = []

    def one(self, raw: Mapping[str, object]) -> Payload:
        """The payload of a single trace; ``session_id`` and ``turn_id`` may be absent."""
        return self._read(raw, "payload", required=("stream_events",))

    def several(self, raws: Sequence[object]) -> list[Payload]:
        """The payloads of a list, each with its session and a turn of its own."""
        if not raws:
            self.problems.append("There is nothing to read: the list of turn payloads is empty.")
        read = [(place, self._item(place, raw)) for place, raw in enumerate(raws, 1)]
        self._check_turns([(place, payload) for place, payload in read if payload])
        return [payload for _, payload in read if payload]

    def _item(self, place: int, raw: object) -> Payload | None:
        if isinstance(raw, Mapping):
            return self._read(raw, f"payload {place}", required=_REQUIRED)
        self.problems.append(
            f"payload {place}: a turn payload is a dict with {', '.join(_REQUIRED)}, got {type(raw).__name__}."
        )
        return None

    def _check_turns(self, read: Sequence[tuple[int, Payload]]) -> None:
        used: dict[tuple[str | None, int], int] = {}
        for place, payload in read:
            if payload.session_id is None or payload.turn_id is None:
                continue
            first = used.setdefault((payload.session_id, payload.turn_id), place)
            if first != place:
                self.problems.append(
                    f"payload {place} (session {payload.session_id!r}, turn {payload.turn_id}): turn_id "
                    f"{payload.turn_id} is taken by payload {first}; number each turn of a session differently."
                )

    def _read(self, raw: Mapping[str, object], place: str, required: Sequence[str]) -> Payload:
        where = _where(raw, place)
        found = [*_missing(raw, required), *_misspelt(raw), *_invalid(raw)]
        pieces: list[Piece] = []
        events = raw.get("stream_events")
        if isinstance(events, list | tuple):
            found += _read_events(events, pieces)
        self.problems += [f"{where}: {problem}" for problem in found]
        return Payload(
            pieces=tuple(pieces),
            session_id=_session(raw.get("session_id")),
            turn_id=whole_number(raw.get("turn_id")),
            trace_id=_session(raw.get("trace_id")),
            latency=_number(raw.get("latency")),
            input_tokens=whole_number(raw.get("input_tokens")),
            output_tokens=whole_number(raw.get("output_tokens")),
            cost_usd=_number(raw.get("cost_usd")),
            error=str(raw["error"]) if isinstance(raw.get("error"), str | Exception) else None,
            metadata=_metadata(raw),
        )


def _where(raw: Mapping[str, object], place: str) -> str:
    session, turn = _session(raw.get("session_id")), whole_number(raw.get("turn_id"))
    known = [*([f"session {session!r}"] if session else []), *([f"turn {turn}"] if turn is not None else [])]
    return f"{place} ({', '.join(known)})" if known else place


def _read_events(events: Sequence[object], pieces: list[Piece]) -> Iterator[str]:
    """What is wrong with which event: a sentence for each fault, however many events have it."""
    faulty: dict[str, list[int]] = {}
    for number, event in enumerate(events, 1):
        try:
            pieces += read_event(event)
        except UnknownShapeError as error:
            faulty.setdefault(str(error), []).append(number)
        except (ValueError, RecursionError):  # of Python's own, from deep inside the event
            faulty.setdefault("holds too long a number or is nested too deeply", []).append(number)
    for fault, numbers in faulty.items():
        more = f" (and {len(numbers) - 1} more like it)" if len(numbers) > 1 else ""
        yield f"stream event {numbers[0]}{more} {fault}."


def _missing(raw: Mapping[str, object], required: Sequence[str]) -> Iterator[str]:
    hints = {
        "session_id": "it says which conversation the turn belongs to",
        "turn_id": "it is the turn's number within its session",
        "stream_events": "it is the list of what graph.stream yielded",
    }
    for key in required:
        if raw.get(key) is None:
            yield f"{key} is missing; {hints[key]}."


def _misspelt(raw: Mapping[str, object]) -> Iterator[str]:
    for key in raw:
        meant = None if key in _KEYS else misspelt(str(key), _KEYS)
        other = _OTHER_NAMES.get(str(key).lower())
        if meant:
            yield f"unknown key {key!r}; did you mean {meant!r}?"
        elif other and raw.get(other) is None:
            unit = _UNITS.get(other, "")
            yield f"unknown key {key!r}; did you mean {other!r}{unit}? Your own keys go into metadata."


def _invalid(raw: Mapping[str, object]) -> Iterator[str]:
    for key, (fits, wanted) in _RULES.items():
        value = raw.get(key)
        if value is not None and not fits(value):
            is_huge = isinstance(value, Integral) and whole_number(value) is None and not isinstance(value, bool)
            yield f"{key} must be {wanted}, got {shown(value)}{', which is too large' if is_huge else ''}."


def _is_turn(value: object) -> bool:
    return whole_number(value) is not None


def _is_count(value: object) -> bool:
    count = whole_number(value)
    return count is not None and count >= 0


def _is_amount(value: object) -> bool:
    return _number(value) is not None


def _is_session(value: object) -> bool:
    return _session(value) is not None


def _is_events(value: object) -> bool:
    return isinstance(value, list | tuple) and bool(value)


def _is_tags(value: object) -> bool:
    return isinstance(value, list | tuple) and all(isinstance(tag, str) for tag in value)


_COUNT = (_is_count, "a whole number of at least 0")
_RULES = {
    "session_id": (_is_session, "a text that is not blank"),
    "turn_id": (_is_turn, "an integer; write int(...) around it"),
    "stream_events": (_is_events, "a list with at least one event"),
    "latency": (_is_amount, "a finite number of seconds of at least 0"),
    "input_tokens": _COUNT,
    "output_tokens": _COUNT,
    "cost_usd": (_is_amount, "a finite number of dollars of at least 0"),
    "tags": (_is_tags, "a list of texts"),
    "metadata": (lambda value: isinstance(value, Mapping), "a dict"),
    "error": (lambda value: isinstance(value, str | Exception), "a text"),
    "trace_id": (_is_session, "a text that is not blank"),
}


def _session(value: object) -> str | None:
    if isinstance(value, uuid.UUID) or _is_turn(value):
        return str(value)
    return value if isinstance(value, str) and value.strip() else None


def _number(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, Real):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if math.isfinite(number) and number >= 0 else None


def _metadata(raw: Mapping[str, object]) -> dict[str, object]:
    given = raw.get("metadata")
    other = {str(key): value for key, value in raw.items() if key not in _KEYS}
    tags = {"tags": list(raw["tags"])} if _is_tags(raw.get("tags")) else {}  # type: ignore[call-overload]
    return {**other, **(given if isinstance(given, Mapping) else {}), **tags}
