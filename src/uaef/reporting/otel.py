"""Scores as OpenTelemetry events: whether they are sent at all, and what is said where they could not be.

Off unless the environment names an OTLP endpoint; then, and not before, opentelemetry is imported.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Iterable, Mapping

from uaef.foreign import told
from uaef.models.results import EvaluationResult
from uaef.reporting.otel_events import evaluation_events
from uaef.reporting.plain import one_line

TIMEOUT_S = 60.0
"""How long is waited, at the end, for an endpoint that takes nothing."""

_ENDPOINTS = ("OTEL_EXPORTER_OTLP_LOGS_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT")
_PROTOCOLS = ("OTEL_EXPORTER_OTLP_LOGS_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL")
_LOG = logging.getLogger("uaef")


def emit(
    results: Iterable[EvaluationResult],
    *,
    about: Mapping[str, str | int] | None = None,
    warn: Callable[[str], None] = _LOG.warning,
    timeout_s: float = TIMEOUT_S,
) -> int:
    """Send every score and every failure to the OTLP endpoint that the environment names; without one, do nothing.

    It waits until they were taken, and raises nothing: what goes wrong is one sentence for ``warn``.

    Args:
        results: of the conversations.
        about: more to say of all their scores, each name with ``uaef.`` before it: ``{"run": "..."}``.
        warn: told why not everything was sent; left out, the logger ``uaef`` is.
        timeout_s: how long to wait, when everything was handed over, for an endpoint that takes nothing.

    Returns:
        How many events the endpoint took.
    """
    variable = _endpoint()
    if variable is None:
        return 0
    protocol = next(filter(None, map(_set, _PROTOCOLS)), "http/protobuf")
    if not protocol.startswith("http/"):
        warn(
            f"No scores were sent to the endpoint in {variable}: they go out over HTTP, and the protocol is set to "
            f"{protocol[:40]!r}; set OTEL_EXPORTER_OTLP_LOGS_ENDPOINT to one that takes HTTP and "
            "OTEL_EXPORTER_OTLP_LOGS_PROTOCOL to http/protobuf."
        )
        return 0
    try:
        from uaef.reporting.otel_export import send  # noqa: PLC0415 - an extra, and nobody pays for it unasked
    except ImportError:
        warn(f"{variable} is set, but sending scores needs an extra: pip install 'uaef[otel]'.")
        return 0
    try:
        sent = send(evaluation_events(results, about), timeout_s)
    except Exception as error:  # noqa: BLE001 - foreign code, configured by foreign hands; a run does not end by it
        warn(f"Not all scores were sent to the endpoint in {variable}: {one_line(told(error), 200)}.")
        return 0
    if sent.taken < sent.total:
        missing = sent.total - sent.taken
        warn(f"{missing} of {sent.total} scores were not sent to the endpoint in {variable}: {sent.why}.")
    return sent.taken


def _endpoint() -> str | None:
    """The variable that names the endpoint; ``None`` where none does, or OpenTelemetry or its logs are turned off."""
    if _set("OTEL_SDK_DISABLED").lower() == "true" or _set("OTEL_LOGS_EXPORTER").lower() == "none":
        return None
    return next(filter(_set, _ENDPOINTS), None)


def _set(variable: str) -> str:
    """What an environment variable is set to; to OpenTelemetry, empty is the same as not set."""
    return os.environ.get(variable, "").strip()
