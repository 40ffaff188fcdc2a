"""A model's server as cheap as it can be: it speaks just enough HTTP for judges, waits, and gives its verdict."""

from __future__ import annotations

import asyncio
import contextlib
import json
import multiprocessing
import os
import re
from collections.abc import Iterator
from multiprocessing.connection import Connection

_TOKEN = re.compile(rb"exactly (\w+)\.")
_LENGTH = re.compile(rb"content-length: *(\d+)", re.IGNORECASE)


@contextlib.contextmanager
def judge_server(seconds: float) -> Iterator[str]:
    """The base URL of a server in a process of its own that takes ``seconds`` for each verdict.

    Where the system allows it, the server gets the last core and this process the others, for as long.
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


class _Judge(asyncio.Protocol):
    """One connection: requests come one after the other, each with a ``Content-Length``."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._received = bytearray()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        self._received += data
        body = self._received.find(b"\r\n\r\n") + 4
        if body < 4:  # noqa: PLR2004 - not found
            return
        length = int(_LENGTH.search(self._received, 0, body)[1])
        if len(self._received) < body + length:
            return
        answer = _answer(_TOKEN.search(self._received, body)[1].decode())
        self._received.clear()
        asyncio.get_running_loop().call_later(self._seconds, self._transport.write, answer)


def _answer(token: str) -> bytes:
    verdict = json.dumps({"token": token, "reasoning": "It answers what was asked.", "score": 0.8})
    reply = {
        "model": "m",
        "choices": [{"message": {"role": "assistant", "content": verdict}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 600, "completion_tokens": 40},
    }
    body = json.dumps(reply).encode()
    return b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%b" % (len(body), body)


def _serve(ready: Connection, seconds: float, cores: list[int]) -> None:
    if cores:
        os.sched_setaffinity(0, cores)
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(_listen(ready, seconds))


async def _listen(ready: Connection, seconds: float) -> None:
    server = await asyncio.get_running_loop().create_server(lambda: _Judge(seconds), "127.0.0.1", 0, backlog=1024)
    ready.send(server.sockets[0].getsockname()[1])
    await server.serve_forever()
