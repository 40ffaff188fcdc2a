"""The way out of the scores: OpenTelemetry's logs API, its batches, and its exporter over HTTP.

Nothing here is global. The provider is made for one sending and shut down after it.
"""

from __future__ import annotations

import logging
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple

from opentelemetry._logs import Logger, SeverityNumber
from opentelemetry.context import Context
from opentelemetry.exporter.otlp.proto.http._log_exporter import OTLPLogExporter
from opentelemetry.sdk._logs import LoggerProvider, ReadableLogRecord
from opentelemetry.sdk._logs.export import BatchLogRecordProcessor, LogRecordExporter, LogRecordExportResult
from opentelemetry.sdk.resources import SERVICE_NAME, Resource
from opentelemetry.trace import INVALID_SPAN, NonRecordingSpan, SpanContext, TraceFlags, set_span_in_context

from uaef.reporting.otel_events import NAME, Event, Span
from uaef.reporting.plain import one_line

_UNNAMED = "unknown_service"
"""How OpenTelemetry calls a service that nobody named."""
_STATUSES = range(100, 600)
_MOMENT_S = 0.5
"""In which a provider shuts down that has nothing left to do; one that hangs is left to itself."""


class Sent(NamedTuple):
    """What became of the events: how many there were, how many were taken, and why not all."""

    total: int
    taken: int
    why: str


def send(events: Iterable[Event], timeout_s: float) -> Sent:
    """Send the events in batches, each tried as long as ``OTEL_EXPORTER_OTLP_TIMEOUT`` says.

    The first batch that is not taken ends it, and so do ``timeout_s`` at the end in which none is.
    """
    from uaef import __version__  # noqa: PLC0415 - the package imports its parts, not the other way round

    exporter = _Counting(OTLPLogExporter())
    provider = LoggerProvider(_resource(), shutdown_on_exit=False)
    provider.add_log_record_processor(BatchLogRecordProcessor(exporter, max_queue_size=sys.maxsize))
    logger, total = provider.get_logger("uaef", __version__), 0
    try:
        for event in events:
            _emit(logger, event)
            total += 1
        _finish(provider, exporter, timeout_s)
    finally:
        exporter.give_up(f"it took nothing for {timeout_s:g} s")
        _apart(provider.shutdown).join(_MOMENT_S)
    return Sent(total, exporter.taken, exporter.why)


def _resource() -> Resource:
    """What the environment says of this service; where it says no name, that is ``uaef``."""
    resource = Resource.create()
    unnamed = str(resource.attributes.get(SERVICE_NAME, _UNNAMED)).startswith(_UNNAMED)
    return resource.merge(Resource({SERVICE_NAME: "uaef"})) if unnamed else resource


def _emit(logger: Logger, event: Event) -> None:
    logger.emit(
        timestamp=event.timestamp or time.time_ns(),
        context=_within(event.parent),
        severity_number=SeverityNumber.WARN if event.failed else SeverityNumber.INFO,
        severity_text="WARN" if event.failed else "INFO",
        attributes=event.attributes,
        event_name=NAME,
    )


def _within(parent: Span | None) -> Context:
    """A context in which the span that was evaluated is the current one, and none where it is not known.

    Whatever span surrounds the evaluation itself is not it.
    """
    if parent is None:
        return set_span_in_context(INVALID_SPAN, Context())
    flags = TraceFlags(parent.flags)
    there = SpanContext(parent.trace_id, parent.span_id, is_remote=True, trace_flags=flags)
    return set_span_in_context(NonRecordingSpan(there), Context())


def _finish(provider: LoggerProvider, exporter: _Counting, timeout_s: float) -> None:
    """Send what is waiting, as long as some of it is taken in ``timeout_s``; the provider would wait for ever."""
    thread, taken = _apart(provider.force_flush), -1
    while thread.is_alive() and exporter.taken > taken:
        taken = exporter.taken
        thread.join(timeout_s)


def _apart(function: Callable[[], object]) -> threading.Thread:
    """The thread in which ``function`` runs now, and which keeps no process from ending."""
    thread = threading.Thread(target=function, name="uaef-otel", daemon=True)
    thread.start()
    return thread


class _Counting(LogRecordExporter):
    """An exporter that counts what was taken, stops at the first batch that was not, and keeps why in place of a log.

    Attributes:
        taken: how many events the endpoint took.
        why: what kept it from taking more; empty where nothing did.
    """

    def __init__(self, exporter: OTLPLogExporter) -> None:
        self._exporter = exporter
        self._is_over = self._is_shut = False
        self.taken, self.why = 0, ""

    def export(self, batch: Sequence[ReadableLogRecord]) -> LogRecordExportResult:
        if self._is_over:
            return LogRecordExportResult.FAILURE
        try:
            with _overheard(logging.getLogger(OTLPLogExporter.__module__)) as said:
                result = self._exporter.export(batch)
        except Exception as error:  # noqa: BLE001 - some versions answer, some raise
            self.give_up(_ended_in(error))
            return LogRecordExportResult.FAILURE
        if result is LogRecordExportResult.SUCCESS:
            self.taken += len(batch)
        else:
            self.give_up(_reason(said))
        return result

    def give_up(self, why: str) -> None:
        """Send nothing more, not even what is being tried again."""
        if not self._is_over:
            self._is_over, self.why = True, why
            self.shutdown()

    def shutdown(self) -> None:
        if not self._is_shut:
            self._is_shut = True
            self._exporter.shutdown()  # type: ignore[no-untyped-call]

    def force_flush(self, timeout_millis: int = 0) -> bool:
        return self._exporter.force_flush(timeout_millis)


@contextmanager
def _overheard(logger: logging.Logger) -> Iterator[list[logging.LogRecord]]:
    """What ``logger`` is told by this thread, kept from all who would print it; other threads log as ever."""
    said: list[logging.LogRecord] = []
    here = threading.get_ident()

    def keep(record: logging.LogRecord) -> bool:
        if record.thread != here:
            return True
        said.append(record)
        return False

    logger.filters.insert(0, keep)  # before the exporter's own filter, which knows what was said a minute ago
    try:
        yield said
    finally:
        logger.removeFilter(keep)


def _reason(said: Sequence[logging.LogRecord]) -> str:
    """Why a batch was not taken, from what the exporter would have logged; it is silent about a mere lack of time."""
    return next((words for record in reversed(said) if (words := _words(record.args))), "it did not answer in time")


def _words(arguments: object) -> str | None:
    """What the arguments of a log message tell."""
    given = arguments if isinstance(arguments, tuple) else ()
    for one in given:
        if isinstance(one, int) and one in _STATUSES:
            return f"it answered with the status {one}"
        if isinstance(one, Exception):
            return _ended_in(one)
    return f"it answered {one_line(given[0], 100)!r}" if len(given) > 1 and isinstance(given[0], str) else None


def _ended_in(error: Exception) -> str:
    """Of an exception only the kind: its text may hold the endpoint's address, and that a password."""
    return f"sending ended in {type(error).__name__}"
