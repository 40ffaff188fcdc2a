"""A model's server as cheap as it can be: it speaks just enough HTTP for judges, waits, and gives its verdict.

The verdict is made up from the JSON schema that the request asks for, be it that of a response format or of a tool.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import multiprocessing
import os
import re
from collections.abc import Iterator, Mapping
from multiprocessing.connection import Connection

_LENGTH = re.compile(rb"content-length: *(\d+)", re.IGNORECASE)
_VALUES = {"string": "It answers what was asked.", "number": 0.8, "integer": 1, "boolean": True}
# What a request without a schema is given: it may ask for JSON in words, and these are the common ones.
_IN_WORDS = {"properties": {"reason": {"type": "string"}, "score": {"type": "number"}}}


@contextlib.contextmanager
def judge_server(seconds: float) -> Iterator[str]:
    """The base URL of a server in a process of its own that takes ``seconds`` for each verdict.

    Where the system allows it, the server gets the last core and this process the others, for as long; so do the
    processes that this one starts.
    """
    cores = sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else []
    ours, theirs = multiprocessing.Pipe()
    process = multiprocessing.get_context("spawn").Process(target=_serve, args=(theirs, seconds, cores[-1:]))
    process.start()
    try:
        if len(cores) > 1:
            os.sched_setaffinity(0, cores[:-1])
        yield f"http://127.0.0.1:{ours.recv()}/v1"
    finally:
        if len(cores) > 1:
            os.sched_setaffinity(0, cores)
        process.terminate()
        process.join()


class _Tally:
    """What was asked of the server since somebody last asked for the tally."""

    def __init__(self) -> None:
        self._under_way = 0
        self._begin()

    def _begin(self) -> None:
        self._calls = self._bytes = self._most = 0
        self._connections: set[_Judge] = set()

    def asked(self, connection: _Judge, length: int) -> None:
        """One call more is under way, its body that long."""
        self._calls += 1
        self._bytes += length
        self._under_way += 1
        self._most = max(self._most, self._under_way)
        self._connections.add(connection)

    def answered(self) -> None:
        """One call less is under way."""
        self._under_way -= 1

    def taken(self) -> dict[str, int]:
        """The numbers, which begin again from nothing."""
        numbers = {
            "calls": self._calls,
            "bytes": self._bytes,
            "most_at_once": self._most,
            "connections": len(self._connections),
        }
        self._begin()
        return numbers


class _Judge(asyncio.Protocol):
    """One connection: calls come one after the other. What has no ``Content-Length`` asks for the tally."""

    def __init__(self, seconds: float, tally: _Tally) -> None:
        self._seconds = seconds
        self._tally = tally
        self._received = bytearray()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        self._received += data
        body = self._received.find(b"\r\n\r\n") + 4
        if body < 4:  # noqa: PLR2004 - not found
            return
        found = _LENGTH.search(self._received, 0, body)
        length = int(found[1]) if found else 0
        if len(self._received) < body + length:
            return
        request = bytes(self._received[body:])
        self._received.clear()
        if not request:
            self._transport.write(_http(self._tally.taken()))
            return
        self._tally.asked(self, length)
        answer = _http(_completion(json.loads(request)))
        asyncio.get_running_loop().call_later(self._seconds, self._answer, answer)

    def _answer(self, answer: bytes) -> None:
        self._tally.answered()
        self._transport.write(answer)


def _completion(request: Mapping) -> dict[str, object]:
    message: dict[str, object] = {"role": "assistant", "content": None}
    finish = "stop"
    if "tools" in request:
        tool, finish = request["tools"][0]["function"], "tool_calls"
        called = {"name": tool["name"], "arguments": json.dumps(_value(tool["parameters"]))}
        message["tool_calls"] = [{"id": "call-1", "type": "function", "function": called}]
    else:
        asked = request.get("response_format", {}).get("json_schema", {})
        message["content"] = json.dumps(_value(asked.get("schema", _IN_WORDS)))
    return {
        "id": "completion-1",
        "object": "chat.completion",
        "created": 0,
        "model": "m",
        "choices": [{"index": 0, "message": message, "finish_reason": finish}],
        "usage": {"prompt_tokens": 600, "completion_tokens": 40, "total_tokens": 640},
    }


def _value(schema: Mapping) -> object:
    """The first value that comes to mind of those that ``schema`` allows."""
    if "enum" in schema:
        return schema["enum"][0]
    if "anyOf" in schema:
        return _value(schema["anyOf"][0])
    if "properties" in schema:
        return {name: _value(kind) for name, kind in schema["properties"].items()}
    return _VALUES[schema["type"]]


def _http(reply: Mapping) -> bytes:
    body = json.dumps(reply).encode()
    return b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%b" % (len(body), body)


def _serve(ready: Connection, seconds: float, cores: list[int]) -> None:
    if cores:
        os.sched_setaffinity(0, cores)
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(_listen(ready, seconds))


async def _listen(ready: Connection, seconds: float) -> None:
    tally = _Tally()
    serving = asyncio.get_running_loop().create_server(lambda: _Judge(seconds, tally), "127.0.0.1", 0, backlog=1024)
    server = await serving
    ready.send(server.sockets[0].getsockname()[1])
    await server.serve_forever()
