"""What is read of a store beside whole results: a run with its counts, a measurement with all that it belongs to."""

from __future__ import annotations

from typing import NamedTuple

from uaef.models.measurement import Measurement
from uaef.runs.records import RunInfo


class ListedRun(NamedTuple):
    """A run, and how much was kept of it.

    Attributes:
        info: what is known of it.
        results: how many conversations, every trial counted, and those of a play beside the deciding one.
        scored: how many measurements have a number.
        not_applicable: how many had nothing to measure.
        failed: how many should have a number and have none.
    """

    info: RunInfo
    results: int
    scored: int
    not_applicable: int
    failed: int

    @property
    def measurements(self) -> int:
        """How many measurements there are."""
        return self.scored + self.not_applicable + self.failed


class StoredMeasurement(NamedTuple):
    """A measurement, and what it belongs to.

    Attributes:
        run: the run's name in the store.
        name: the conversation.
        measurement: what was measured.
        beside: whether it is of the play that does not decide, with ``history="both"``.
        thread_id: the thread that it was played in.
        trace_id: of the turn's trace, or of the conversation's.
        span_id: of the turn, where a span was recorded.
        own: the hash of the turn's own content, where it was played from a case.
        context: the hash of everything before it.
    """

    run: str
    name: str
    measurement: Measurement
    beside: bool = False
    thread_id: str | None = None
    trace_id: str | None = None
    span_id: str | None = None
    own: str | None = None
    context: str | None = None
