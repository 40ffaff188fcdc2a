"""Connections: few, kept, of the loop that uses them, and all closed in the end."""

from __future__ import annotations

import asyncio
import gc
import threading
import warnings
from collections import Counter
from time import monotonic, sleep

import pytest
from asking import ONCE, ask, client_of, hello, in_batches
from provider_server import Answer, said
from setup_of_judges import a_prompt

from uaef.llm.http_client import HttpClient
from uaef.llm.providers.openai import OpenAIProvider
from uaef.llm.transport import MOST_BYTES


def test_connections_are_few_and_kept(providers):
    """200 calls, at most 10 at once: at most 10 connections, and none is open afterwards."""
    providers.script = hello
    ended, _ = in_batches(client_of(), 200, 10)
    assert Counter({"hello": 200}) == ended
    assert providers.connections <= 10
    assert providers.most_in_flight <= 10
    _wait_until(lambda: providers.open_connections == 0)


def test_no_more_connections_than_allowed(providers):
    """Calls beyond the limit wait for a connection."""
    providers.script = hello
    ask(client_of(connections=3), 30)
    assert providers.connections <= 3


def _wait_until(true) -> None:
    deadline = monotonic() + 5
    while not true():
        assert monotonic() < deadline
        sleep(0.01)


def test_a_run_leaves_nothing_open(providers):
    """No warning of anything left open, whatever happened in it."""
    providers.script = lambda asked: Answer(200, b"{") if "call 3" in asked.user else hello(asked)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        ask(client_of(patience=ONCE), 10)
        gc.collect()
    assert [] == [str(warning.message) for warning in caught]


def test_a_body_without_end_is_not_read_to_it(providers):
    """No more than any verdict needs; the connection is given up, not waited out."""
    providers.script = lambda _: Answer(endless=True)
    (error,) = ask(client_of(timeout_s=20))
    assert f"the answer is longer than {MOST_BYTES} bytes" == str(error)
    _wait_until(lambda: providers.open_connections == 0)


def test_a_client_is_used_within_its_run():
    """A call outside is a mistake of the caller's, and named."""
    with pytest.raises(RuntimeError, match="a client makes its calls inside `async with client:`"):
        asyncio.run(HttpClient(OpenAIProvider("m", base_url="http://127.0.0.1:1")).complete(a_prompt()))


def test_one_client_serves_several_loops_at_once_and_one_after_another(providers):
    """Each loop has a pool of its own; an inner run does not close the outer one's."""
    providers.script = hello
    client = client_of()
    found: list = []
    threads = [threading.Thread(target=lambda: found.extend(ask(client, 20))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    found += ask(client, 20)

    async def nested():
        async with client:
            async with client:
                first = await client.complete(a_prompt())
            return [first, await client.complete(a_prompt())]

    found += asyncio.run(nested())
    assert ["hello"] * 102 == [reply.text for reply in found]
    _wait_until(lambda: providers.open_connections == 0)


def test_a_cancelled_run_leaves_no_task_and_no_connection(providers):
    """Cancelling takes every call with it."""
    providers.script = lambda _: Answer(hang=True)

    async def run() -> set:
        client = client_of()

        async def calls():
            async with client:
                await asyncio.gather(*(client.complete(a_prompt()) for _ in range(10)))

        task = asyncio.create_task(calls())
        await asyncio.to_thread(_wait_until, lambda: len(providers.asked) == 10)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        return asyncio.all_tasks() - {asyncio.current_task()}

    assert set() == asyncio.run(run())
    _wait_until(lambda: providers.open_connections == 0)


def test_a_server_that_closes_kept_connections_costs_no_call(server, monkeypatch):
    """A connection that died between calls is replaced."""
    monkeypatch.setenv("OPENAI_BASE_URL", f"{server.url}/v1")
    server.script = lambda asked: Answer(body=said(asked.wire, "hello").body, headers={"Connection": "close"})
    assert ["hello"] * 20 == [reply.text for reply in ask(client_of(), 20)]


def test_a_proxy_is_used_where_the_environment_names_one(server, monkeypatch):
    """As every other tool on the machine does."""
    monkeypatch.setenv("HTTP_PROXY", server.url)
    server.script = hello
    (reply,) = ask(HttpClient(OpenAIProvider("m", base_url="http://models.example/v1")))
    assert ("hello", "http://models.example/v1/chat/completions") == (reply.text, server.asked[0].path)


def test_a_server_that_goes_away_is_an_error(server):
    """While it is asked."""
    server.script = lambda _: Answer(hang=True)
    client = HttpClient(OpenAIProvider("m", base_url=server.url), patience=ONCE)
    threading.Timer(0.2, server.close).start()
    (error,) = ask(client)
    assert "ServerDisconnectedError: Server disconnected" == str(error)
