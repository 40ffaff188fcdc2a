"""A server on this machine that speaks the wire shapes of three providers, with faults on demand."""

from __future__ import annotations

import asyncio
import contextlib
import json
import socket
import struct
import threading
from collections.abc import Callable
from dataclasses import dataclass, field

WIRES = ("openai", "anthropic", "bedrock")
USAGE = (1000, 100)
"""The tokens that every answer claims to have read and written."""


@dataclass
class Answer:
    """What goes back over the wire, and what goes wrong on the way."""

    status: int = 200
    body: bytes = b""
    headers: dict[str, str] = field(default_factory=lambda: {"Content-Type": "application/json"})
    reset_after: int | None = None
    """The connection is reset after so many bytes of the body."""
    hang: bool = False
    endless: bool = False
    """The body goes on until the other side gives up."""
    delay_s: float = 0.0


@dataclass
class Asked:
    """A request, as any of the three wires puts it."""

    wire: str
    path: str
    """As it was sent, nothing decoded."""
    headers: dict[str, str]
    raw: bytes
    at: float

    @property
    def body(self) -> dict:
        """The payload."""
        return json.loads(self.raw)

    @property
    def system(self) -> str:
        """The system prompt."""
        if self.wire == "openai":
            return self.body["messages"][0]["content"]
        return self.body["system"] if self.wire == "anthropic" else self.body["system"][0]["text"]

    @property
    def messages(self) -> list[tuple[str, str]]:
        """Role and text of each message after the system prompt."""
        texts = [(m["role"], m["content"]) for m in self.body["messages"] if m["role"] != "system"]
        return [(role, text if isinstance(text, str) else text[0]["text"]) for role, text in texts]

    @property
    def user(self) -> str:
        """The first user message: the blocks."""
        return self.messages[0][1]

    @property
    def schema(self) -> dict:
        """The schema of the answer."""
        if self.wire == "openai":
            return self.body["response_format"]["json_schema"]["schema"]
        if self.wire == "anthropic":
            return self.body["tools"][0]["input_schema"]
        return self.body["toolConfig"]["tools"][0]["toolSpec"]["inputSchema"]["json"]

    @property
    def token(self) -> str:
        """What the verdict has to repeat, by the system prompt."""
        return self.system.partition('{"token": "')[2].partition('"')[0]

    @property
    def is_repair(self) -> bool:
        """Whether the question is asked for the second time."""
        return len(self.messages) > 1


Script = Callable[[Asked], Answer]


class ProviderServer:
    """Listens on a port of its own, in a thread of its own, until it is closed.

    ``script`` says what is answered; it may be changed at any time.
    """

    def __init__(self, script: Script | None = None) -> None:
        self.script: Script = script or agree
        self.asked: list[Asked] = []
        self.connections = 0
        self.open_connections = 0
        self.in_flight = 0
        self.most_in_flight = 0
        self._started = threading.Event()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()
        self._started.wait()

    @property
    def url(self) -> str:
        """Scheme, host and port."""
        return f"http://127.0.0.1:{self.port}"

    def close(self) -> None:
        """Stop listening and drop every connection."""
        with contextlib.suppress(RuntimeError):  # it was closed before
            self._loop.call_soon_threadsafe(self._stopping.set)
        self._thread.join()

    def _run(self) -> None:
        self._loop.run_until_complete(self._serve())
        self._loop.close()

    async def _serve(self) -> None:
        self._stopping = asyncio.Event()
        server = await asyncio.start_server(self._connected, "127.0.0.1", 0, limit=2**24)
        self.port = server.sockets[0].getsockname()[1]
        self._started.set()
        await self._stopping.wait()
        for _ in range(3):  # in which whoever has just connected is heard: a closed server loses track of it
            await asyncio.sleep(0.005)
        server.close()
        tasks = asyncio.all_tasks() - {asyncio.current_task()}
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await asyncio.sleep(0.005)  # in which the last connections are closed

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        self.open_connections += 1
        try:
            with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
                while await self._exchange(reader, writer):
                    pass
        finally:
            self.open_connections -= 1
            writer.transport.abort()

    async def _exchange(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        """Answer one request; whether the connection is still good."""
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        headers = {k.lower(): v.strip() for k, _, v in (line.partition(":") for line in head[1:] if line)}
        raw = await reader.readexactly(int(headers.get("content-length", 0)))
        asked = Asked(_wire(head[0].split()[1]), head[0].split()[1], headers, raw, self._loop.time())
        self.asked.append(asked)
        self.in_flight += 1
        self.most_in_flight = max(self.most_in_flight, self.in_flight)
        try:
            answer = self.script(asked)
            if answer.hang:
                await reader.read()  # until the other side gives up
                return False
            return await self._send(answer, writer)
        finally:
            self.in_flight -= 1

    async def _send(self, answer: Answer, writer: asyncio.StreamWriter) -> bool:
        await asyncio.sleep(answer.delay_s)
        length = 10**15 if answer.endless else len(answer.body)
        lines = [f"HTTP/1.1 {answer.status} Said", f"Content-Length: {length}"]
        lines += [f"{name}: {value}" for name, value in answer.headers.items()]
        body = answer.body if answer.reset_after is None else answer.body[: answer.reset_after]
        writer.write("\r\n".join([*lines, "", ""]).encode("latin-1") + body)
        await writer.drain()
        while answer.endless:
            writer.write(b" " * 2**16)
            await writer.drain()
        if answer.reset_after is None:
            return True
        await asyncio.sleep(0.01)  # or what was sent would be dropped as well
        linger = struct.pack("ii", 1, 0)
        writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
        return False


def _wire(path: str) -> str:
    return "openai" if path.endswith("/completions") else "anthropic" if path.endswith("/messages") else "bedrock"


def agree(asked: Asked) -> Answer:
    """A valid verdict: the best score that the schema allows; a word where none is asked for."""
    return said(asked.wire, verdict(asked) if "properties" in asked.schema else "hello")


def verdict(asked: Asked, **changes: object) -> dict:
    """A valid verdict, with some of its fields changed."""
    score = best(asked.schema["properties"]["score"])
    return {"token": asked.token, "reasoning": "the evidence is there", "score": score, **changes}


def best(schema: dict) -> object:
    """The best answer that a schema of ours allows."""
    if "anyOf" in schema:
        return best(schema["anyOf"][0])
    if "enum" in schema:
        return schema["enum"][0]
    if schema["type"] == "object":
        return {name: best(inner) for name, inner in schema["properties"].items()}
    return [] if schema["type"] == "array" else schema["maximum"]


def said(wire: str, *answers: object, finish: str = "done", **how: object) -> Answer:
    """Answers in the provider's own shape, a block each: text as text, all else as a call of the verdict tool."""
    body = {"openai": _openai, "anthropic": _anthropic, "bedrock": _bedrock}[wire](answers, finish)
    return Answer(body=json.dumps(body).encode(), **how)


def _openai(answers: tuple[object, ...], finish: str) -> dict:
    text = "\n".join(answer if isinstance(answer, str) else json.dumps(answer) for answer in answers)
    refused = finish == "refusal"
    message = {"role": "assistant", "content": None if refused else text, "refusal": text if refused else None}
    return {
        "id": "chatcmpl-1",
        "model": "m-2026",
        "choices": [{"index": 0, "message": message, "finish_reason": "length" if finish == "length" else "stop"}],
        "usage": {"prompt_tokens": USAGE[0], "completion_tokens": USAGE[1]},
    }


def _anthropic(answers: tuple[object, ...], finish: str) -> dict:
    return {
        "type": "message",
        "model": "m-2026",
        "content": [
            {"type": "text", "text": answer}
            if isinstance(answer, str)
            else {"type": "tool_use", "id": "tu_1", "name": "verdict", "input": answer}
            for answer in answers
        ],
        "stop_reason": {"length": "max_tokens", "refusal": "refusal"}.get(finish, "tool_use"),
        "usage": {"input_tokens": USAGE[0], "output_tokens": USAGE[1]},
    }


def _bedrock(answers: tuple[object, ...], finish: str) -> dict:
    content = [
        {"text": answer}
        if isinstance(answer, str)
        else {"toolUse": {"toolUseId": "tu_1", "name": "verdict", "input": answer}}
        for answer in answers
    ]
    return {
        "output": {"message": {"role": "assistant", "content": content}},
        "stopReason": {"length": "max_tokens", "refusal": "content_filtered"}.get(finish, "tool_use"),
        "usage": {"inputTokens": USAGE[0], "outputTokens": USAGE[1]},
    }
