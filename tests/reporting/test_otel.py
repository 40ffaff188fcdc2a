"""Scores on their way to an OTLP endpoint: a real receiver on a real socket, and all that can be wrong with it."""

from __future__ import annotations

import datetime as dt
import gzip
import logging
import os
import socket
import subprocess
import sys
import threading
import time
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from opentelemetry import trace as tracing
from opentelemetry._logs import get_logger_provider
from opentelemetry.exporter.otlp.proto.http._log_exporter import OTLPLogExporter
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest, ExportLogsServiceResponse
from opentelemetry.trace import NonRecordingSpan, SpanContext, use_span
from requests.exceptions import InvalidURL
from tests.reporting.conftest import right_tools, turn

from uaef import Conversation
from uaef.api import evaluate
from uaef.models.base import replaced
from uaef.reporting.otel import emit

TRACE, SPAN = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"


class Receiver(ThreadingHTTPServer):
    """A collector that keeps what it is sent.

    It answers ``status``, ``then`` another, after a ``pause`` in seconds, and not at all while it ``hangs``.
    """

    daemon_threads = True

    def __init__(self, status=200, *, hangs=False, then=None, pause=0.0):
        super().__init__(("127.0.0.1", 0), _Handler)
        self.statuses = iter([status] if then is None else [status, then])
        self.status, self.hangs, self.pause, self.released = status, hangs, pause, threading.Event()
        self.requests, self.paths, self.headers = [], [], []

    @property
    def url(self):
        """Where it listens."""
        return f"http://127.0.0.1:{self.server_address[1]}"

    @property
    def records(self):
        """All records, in the order of arrival."""
        return [
            r for req in self.requests for res in req.resource_logs for s in res.scope_logs for r in s.log_records
        ]

    @property
    def resource(self):
        """The attributes of the service that sent the first request."""
        return attributes(self.requests[0].resource_logs[0].resource)


class _Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if self.headers.get("Content-Encoding") == "gzip":
            body = gzip.decompress(body)
        server = self.server
        if server.hangs:
            server.released.wait(30)
            return
        time.sleep(server.pause)
        status = server.status = next(server.statuses, server.status)
        if status == 200:
            server.requests.append(ExportLogsServiceRequest.FromString(body))
        server.paths.append(self.path)
        server.headers.append(dict(self.headers))
        self.send_response(status)
        self.end_headers()
        self.wfile.write(ExportLogsServiceResponse().SerializeToString())

    def log_message(self, *_):
        """Say nothing."""


def attributes(said):
    """The attributes of a record or a resource as a dict."""
    found = {}
    for pair in said.attributes:
        kind = pair.value.WhichOneof("value")
        value = getattr(pair.value, kind)
        found[pair.key] = [v.string_value for v in value.values] if kind == "array_value" else value
    return found


@contextmanager
def receiving(monkeypatch, status=200, **options):
    """A receiver that the environment names."""
    with Receiver(status, **options) as server:
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", server.url)
        try:
            yield server
        finally:
            server.released.set()
            server.shutdown()


@pytest.fixture(autouse=True)
def clean_environment(monkeypatch):
    """None of the variables of whoever runs the tests."""
    for name in [name for name in os.environ if name.startswith("OTEL_")]:
        monkeypatch.delenv(name)


@pytest.fixture
def one(measured):
    """A result with one score."""
    return measured({1: {"right_tools": (0.5, "one is missing")}}, metrics=[right_tools])


def test_a_score_arrives(monkeypatch, one):
    """Name, severity, attributes, scope, service and path are what a collector expects."""
    before = time.time_ns()
    with receiving(monkeypatch) as server:
        assert 1 == emit([one])
    (record,) = server.records
    assert ["/v1/logs"] == server.paths
    assert ("gen_ai.evaluation.result", 9, "INFO") == (
        record.event_name,
        record.severity_number,
        record.severity_text,
    )
    assert "right_tools" == attributes(record)["gen_ai.evaluation.name"]
    assert 0.5 == attributes(record)["gen_ai.evaluation.score.value"]
    assert (b"", b"") == (record.trace_id, record.span_id)
    assert before <= record.time_unix_nano <= record.observed_time_unix_nano <= time.time_ns()
    assert "uaef" == server.requests[0].resource_logs[0].scope_logs[0].scope.name
    assert "uaef" == server.resource["service.name"]


def test_a_score_hangs_on_its_span_and_happened_with_its_turn(monkeypatch):
    """The identifiers arrive as the bytes that they stand for, whatever span surrounds the evaluation."""
    recorded = turn(1, right_tools=1.0, traceparent=f"00-{TRACE}-{SPAN}-01")
    recorded = replaced(recorded, timestamp=dt.datetime(2025, 3, 1, 12, tzinfo=dt.UTC))
    result = evaluate(Conversation.of([recorded, turn(2, right_tools=1.0)]), metrics=[right_tools])
    surrounding = NonRecordingSpan(SpanContext(7, 7, is_remote=False))
    with receiving(monkeypatch) as server, use_span(surrounding):
        assert 2 == emit([result])
    first, second = server.records
    assert (bytes.fromhex(TRACE), bytes.fromhex(SPAN), 1) == (first.trace_id, first.span_id, first.flags)
    assert (b"", b"", 0) == (second.trace_id, second.span_id, second.flags)
    assert 1_740_830_400_000_000_000 == first.time_unix_nano < second.time_unix_nano


def test_a_failure_is_a_warning_with_a_type(monkeypatch, measured):
    """It arrives without a number, and louder than a score."""
    with receiving(monkeypatch) as server:
        assert 1 == emit([measured({1: {"quick_enough": OSError("no clock"), "right_tools": None}})])
    (record,) = server.records
    assert (13, "WARN") == (record.severity_number, record.severity_text)
    assert "metric_error" == attributes(record)["error.type"]
    assert "gen_ai.evaluation.score.value" not in attributes(record)


@pytest.mark.parametrize(
    "odd", ["half a pair \ud83d", "\x00\x1b[31m\u202e", "e\u0301 👩‍👩‍👧 \U0010fffe", "٣ ﷽ 漢字", "\n\r\u2028"]
)
def test_odd_text_arrives(monkeypatch, measured, odd):
    """Nothing that a judge or a metric writes keeps its score, or those beside it, from arriving."""
    result = measured({1: {"right_tools": (1.0, odd)}}, name=f"refund {odd}", metrics=[right_tools])
    with receiving(monkeypatch) as server:
        assert 1 == emit([result], about={"run": odd})
    (record,) = server.records
    expected = odd.encode("utf-8", "backslashreplace").decode()
    assert expected == attributes(record)["gen_ai.evaluation.explanation"] == attributes(record)["uaef.run"]


def test_ten_thousand_scores_arrive_in_batches(monkeypatch, one):
    """Every one, once, in requests of a few hundred."""
    trials = [replaced(one.measurements[0], trial=trial) for trial in range(10_000)]
    with receiving(monkeypatch) as server:
        assert 10_000 == emit([replaced(one, measurements=trials)])
    assert list(range(10_000)) == sorted(attributes(record)["uaef.trial"] for record in server.records)
    assert max(len(r.resource_logs[0].scope_logs[0].log_records) for r in server.requests) <= 512


def test_nothing_is_global(monkeypatch, one):
    """The providers of the process are what they were, no thread is left, and a second sending works as well."""
    providers, threads = (get_logger_provider(), tracing.get_tracer_provider()), set(threading.enumerate())
    filters = list(logging.getLogger("opentelemetry.exporter.otlp.proto.http._log_exporter").filters)
    with receiving(monkeypatch) as server:
        assert [1, 1] == [emit([one]), emit([one])]
    assert providers == (get_logger_provider(), tracing.get_tracer_provider())
    assert filters == logging.getLogger("opentelemetry.exporter.otlp.proto.http._log_exporter").filters
    assert 2 == len(server.records)
    assert not [t for t in set(threading.enumerate()) - threads if "otel" in t.name.lower() and t.is_alive()]


@pytest.mark.parametrize(
    ("variables", "name", "more"),
    [
        ({"OTEL_SERVICE_NAME": "nightly"}, "nightly", {}),
        ({"OTEL_RESOURCE_ATTRIBUTES": "service.name=bots,team=returns"}, "bots", {"team": "returns"}),
        ({"OTEL_RESOURCE_ATTRIBUTES": "team=returns"}, "uaef", {"team": "returns"}),
    ],
)
def test_the_environment_names_the_service(monkeypatch, one, variables, name, more):
    """What it says of the service is kept; only a name that it lacks is ours."""
    for key, value in variables.items():
        monkeypatch.setenv(key, value)
    with receiving(monkeypatch) as server:
        emit([one])
    assert name == server.resource["service.name"]
    assert more.items() <= server.resource.items()


def test_the_environment_says_how_to_send(monkeypatch, one):
    """The endpoint of the logs before the general one and as it stands, headers, compression, the size of a batch."""
    with receiving(monkeypatch) as server:
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_LOGS_ENDPOINT", f"{server.url}/own/path")
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:9")
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_HEADERS", "api-key=secret")
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_COMPRESSION", "gzip")
        monkeypatch.setenv("OTEL_BLRP_MAX_EXPORT_BATCH_SIZE", "2")
        assert 5 == emit([one] * 5)
    assert {"/own/path"} == set(server.paths)
    assert {"secret"} == {headers["api-key"] for headers in server.headers}
    assert 3 <= len(server.requests)


@pytest.mark.parametrize(
    "variables",
    [
        {},
        {"OTEL_EXPORTER_OTLP_ENDPOINT": "  "},
        {"OTEL_EXPORTER_OTLP_ENDPOINT": "URL", "OTEL_SDK_DISABLED": "True"},
        {"OTEL_EXPORTER_OTLP_ENDPOINT": "URL", "OTEL_LOGS_EXPORTER": "none"},
        {"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "URL"},
    ],
)
def test_off_means_that_nothing_is_sent_and_nothing_imported(variables, tmp_path):
    """A process without an endpoint, or with OpenTelemetry turned off, never loads it; results are not even read."""
    program = (
        "import sys; from uaef.reporting.otel import emit\n"
        "def results():\n    raise SystemExit('they were read')\n    yield\n"
        "print(emit(results()), [name for name in sys.modules if name.startswith('opentelemetry')])"
    )
    with Receiver() as server:
        environment = {key: value.replace("URL", server.url) for key, value in variables.items()}
        done = subprocess.run(  # noqa: S603 - our own words
            [sys.executable, "-c", program],
            env={"PATH": os.environ["PATH"], **environment},
            capture_output=True,
            text=True,
            check=False,
            cwd=tmp_path,
        )
    assert ("0 []\n", "", 0) == (done.stdout, done.stderr, done.returncode)


def test_without_the_extra_one_sentence_says_what_to_install(monkeypatch, one):
    """An endpoint is set and the package is absent: nothing is sent, nothing fails."""
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:9")
    monkeypatch.setitem(sys.modules, "uaef.reporting.otel_export", None)
    said = []
    assert 0 == emit([one], warn=said.append)
    assert [
        "OTEL_EXPORTER_OTLP_ENDPOINT is set, but sending scores needs an extra: pip install 'uaef[otel]'."
    ] == said


def test_an_endpoint_for_another_protocol_is_not_tried(monkeypatch, one):
    """A port that speaks gRPC answers HTTP with nonsense; the sentence says which variables to set."""
    said = []
    with receiving(monkeypatch) as server:
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc")
        assert 0 == emit([one], warn=said.append)
        assert "OTEL_EXPORTER_OTLP_LOGS_PROTOCOL" in said[0]
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_LOGS_PROTOCOL", "http/protobuf")
        assert 1 == emit([one], warn=said.append)
    assert (1, 1) == (len(said), len(server.records))


@pytest.mark.parametrize("status", [400, 401, 404, 413, 500])
def test_a_receiver_that_refuses_costs_one_sentence(monkeypatch, one, status, capfd, caplog):
    """At once, after one request, with the status in it and nothing else on any stream."""
    said, began = [], time.monotonic()
    with receiving(monkeypatch, status) as server:
        assert 0 == emit([one] * 2_000, warn=said.append)
        assert 1 == len(server.paths)
    assert time.monotonic() - began < 10
    assert 1 == len(said)
    assert said[0].startswith("2000 of 2000 scores were not sent to the endpoint in OTEL_EXPORTER_OTLP_ENDPOINT: ")
    assert said[0].endswith(f": it answered with the status {status}.")
    assert ("", "") == capfd.readouterr()
    assert [] == caplog.records


def test_a_receiver_that_stops_taking_keeps_what_it_took(monkeypatch, one):
    """The sentence counts what is missing, and so does the number that comes back."""
    said = []
    with receiving(monkeypatch, 200, then=500) as server:
        taken = emit([one] * 2_000, warn=said.append)
    assert taken == len(server.records)
    assert 0 < taken <= 512
    assert said[0].startswith(f"{2_000 - taken} of 2000 scores were not sent")


def test_a_receiver_that_is_busy_is_asked_again(monkeypatch, one):
    """The status 503 means later, and the exporter knows that."""
    said = []
    with receiving(monkeypatch, 503, then=200) as server:
        assert 1 == emit([one], warn=said.append)
    assert (1, []) == (len(server.records), said)


def test_a_receiver_that_hangs_is_left(monkeypatch, one, capfd):
    """After what the environment allows for a request."""
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_TIMEOUT", "0.5")
    said, began = [], time.monotonic()
    with receiving(monkeypatch, hangs=True):
        assert 0 == emit([one] * 2_000, warn=said.append)
    assert time.monotonic() - began < 10
    assert ["it did not answer in time."] == [sentence.split(": ")[1] for sentence in said]
    assert ("", "") == capfd.readouterr()


def test_no_wait_is_longer_than_the_one_that_was_given(monkeypatch, one, capfd):
    """Also where a request may take for ever."""
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_TIMEOUT", "20")
    said, began = [], time.monotonic()
    with receiving(monkeypatch, hangs=True):
        assert 0 == emit([one], warn=said.append, timeout_s=0.3)
        assert time.monotonic() - began < 10
    assert ["it took nothing for 0.3 s."] == [sentence.split(": ")[1] for sentence in said]
    assert ("", "") == capfd.readouterr()


def test_a_slow_receiver_is_waited_for_as_long_as_it_takes_something(monkeypatch, one):
    """What is left when everything was handed over may take many times the wait, if none is for nothing."""
    monkeypatch.setenv("OTEL_BLRP_MAX_EXPORT_BATCH_SIZE", "1")
    with receiving(monkeypatch, pause=0.3) as server:
        assert 8 == emit([one] * 8, timeout_s=1.5)
    assert 8 == len(server.records)


def test_a_hanging_receiver_does_not_keep_the_process(tmp_path):
    """A program that gave up ends at once, though a request is still under way."""
    program = (
        "from uaef import evaluate, metric\n"
        "from uaef.reporting.otel import emit\n"
        "from uaef.testing import turn\n"
        "fine = metric(name='fine')(lambda turn: 1.0)\n"
        "print(emit([evaluate(turn('Hi', 'Hello'), metrics=[fine])], timeout_s=0.3))"
    )
    with Receiver(hangs=True) as server:
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        began = time.monotonic()
        done = subprocess.run(  # noqa: S603 - our own words
            [sys.executable, "-c", program],
            env={"PATH": os.environ["PATH"], "OTEL_EXPORTER_OTLP_ENDPOINT": server.url},
            capture_output=True,
            text=True,
            check=False,
            cwd=tmp_path,
            timeout=30,
        )
        server.released.set()
        server.shutdown()
    assert time.monotonic() - began < 20
    assert ("0\n", 0) == (done.stdout, done.returncode)
    assert 1 == len(done.stderr.splitlines())


@pytest.mark.parametrize(
    ("url", "why"),
    [
        ("http://user:hunter2@127.0.0.1:{port}?key=hunter2", "sending ended in ConnectionError"),
        ("user:hunter2@localhost", "sending ended in InvalidSchema"),
        ("http://user:hunter2@[::1", "sending ended in InvalidURL"),
    ],
)
def test_an_endpoint_that_is_not_there_costs_one_sentence(monkeypatch, one, url, why, capfd):
    """Refused, or no address at all: the sentence gives no password away, and nothing else is printed."""
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", url.format(port=unused.getsockname()[1]))
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_TIMEOUT", "1.5")
        said, began = [], time.monotonic()
        assert 0 == emit([one], warn=said.append)
    assert time.monotonic() - began < 10
    assert [f"1 of 1 scores were not sent to the endpoint in OTEL_EXPORTER_OTLP_ENDPOINT: {why}."] == said
    assert "hunter2" not in "".join(capfd.readouterr())


def test_a_setting_that_opentelemetry_refuses_costs_one_sentence(monkeypatch, one):
    """A limit that is no number, for example."""
    said = []
    with receiving(monkeypatch) as server:
        monkeypatch.setenv("OTEL_ATTRIBUTE_COUNT_LIMIT", "many")
        assert 0 == emit([one], warn=said.append)
    assert [] == server.records
    assert 1 == len(said)
    assert "OTEL_ATTRIBUTE_COUNT_LIMIT" in said[0]


def test_an_exporter_that_raises_costs_one_sentence(monkeypatch, one, capfd):
    """As earlier versions do where the endpoint is no address."""

    def export(*_):
        raise InvalidURL("http://user:hunter2@[::1")

    monkeypatch.setattr(OTLPLogExporter, "export", export)
    said = []
    with receiving(monkeypatch):
        assert 0 == emit([one], warn=said.append)
    assert ["sending ended in InvalidURL."] == [sentence.split(": ", 1)[1] for sentence in said]
    assert ("", "") == capfd.readouterr()


def test_without_a_listener_the_logger_is_told(monkeypatch, one, caplog):
    """A library says it where its users look, and prints nothing."""
    with receiving(monkeypatch, 500), caplog.at_level(logging.WARNING, "uaef"):
        emit([one])
    assert [("uaef", logging.WARNING)] == [(record.name, record.levelno) for record in caplog.records]


def test_other_exporters_of_the_process_log_as_ever(monkeypatch, one, caplog):
    """What is kept quiet is what this sending says, not what another thread has to say meanwhile."""
    logger = logging.getLogger("opentelemetry.exporter.otlp.proto.http._log_exporter")
    with receiving(monkeypatch, hangs=True) as server:
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_TIMEOUT", "1")
        other = threading.Timer(0.4, logger.error, ["somebody else's batch is lost"])
        other.start()
        emit([one], warn=lambda _: None)
        other.join()
        server.released.set()
    assert ["somebody else's batch is lost"] == [record.message for record in caplog.records]


def test_results_that_break_midway_cost_one_sentence(monkeypatch, one):
    """What was read by then may have been sent; the run goes on."""

    def results():
        yield one
        raise RuntimeError("the store is gone")

    said, threads = [], set(threading.enumerate())
    with receiving(monkeypatch):
        assert 0 == emit(results(), warn=said.append)
    assert not [t for t in set(threading.enumerate()) - threads if "otel" in t.name.lower()]
    assert [
        "Not all scores were sent to the endpoint in OTEL_EXPORTER_OTLP_ENDPOINT: RuntimeError: the store is gone."
    ] == said


def test_no_results_are_no_request(monkeypatch):
    """An empty run says nothing."""
    said = []
    with receiving(monkeypatch) as server:
        assert 0 == emit([], warn=said.append)
    assert ([], []) == (server.paths, said)
