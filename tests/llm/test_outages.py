"""A provider that is down or asks for less: what a thousand calls cost, and how soon it is used again."""

from __future__ import annotations

import asyncio
import socket
from collections import Counter
from itertools import cycle
from time import monotonic, sleep

import pytest
from asking import ONCE, client_of, hello, in_batches, timed
from provider_server import Answer, said
from setup_of_judges import a_prompt

from uaef.errors import ProviderError
from uaef.llm import breaker
from uaef.llm.http_client import HttpClient, tokens_in
from uaef.llm.pace import Pace
from uaef.llm.providers.openai import OpenAIProvider

# --- the breaker ----


def _closed_port() -> str:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{probe.getsockname()[1]}"


def test_a_port_that_refuses_costs_seconds_not_minutes():
    """A thousand calls end within ten seconds."""
    ended, seconds = in_batches(HttpClient(OpenAIProvider("m", base_url=_closed_port())), 1000, 32)
    assert 1000 == ended["failed"] + ended["not tried"]
    assert seconds < 10


def test_a_server_that_hangs_costs_its_timeout_and_seconds(providers):
    """A thousand calls end within the timeout and ten seconds."""
    providers.script = lambda _: Answer(hang=True)
    ended, seconds = in_batches(client_of(timeout_s=1), 1000, 32)
    assert 1000 == ended["failed"] + ended["not tried"]
    assert len(providers.asked) < 300
    assert seconds < 11


@pytest.fixture
def quick_breaker(monkeypatch):
    """A breaker that makes up its mind within a tenth of a second."""
    monkeypatch.setattr(breaker, "LASTING_S", 0.1)
    monkeypatch.setattr(breaker, "PAUSE_S", 1.0)


@pytest.mark.usefixtures("quick_breaker")
def test_a_server_that_comes_back_is_used_again(providers):
    """After an outage one call in a while tries, and its success is everybody's."""
    providers.script = lambda _: Answer(503)
    client = client_of(patience=ONCE)
    ended: Counter = Counter()
    while not ended["not tried"]:
        ended += in_batches(client, 5, 5)[0]
    asked = len(providers.asked)
    assert Counter({"not tried": 20}) == in_batches(client, 20, 5)[0]
    sleep(1.01)
    assert Counter({"not tried": 19, "failed": 1}) == in_batches(client, 20, 5)[0]
    assert asked + 1 == len(providers.asked)
    providers.script = hello
    sleep(1.01)
    assert Counter({"hello": 1}) == in_batches(client, 1, 1)[0]
    assert Counter({"hello": 20}) == in_batches(client, 20, 5)[0]


@pytest.mark.usefixtures("quick_breaker")
def test_a_call_that_waited_for_its_turn_is_not_made_if_the_provider_went_down_meanwhile():
    """It is refused at the last moment as well."""
    watched = breaker.Breaker()

    async def fail():
        raise ProviderError("down", status=500)

    async def run():
        for _ in range(breaker.FAILURES):
            with pytest.raises(ProviderError, match="down"):
                await watched.guarded(fail)
        await asyncio.sleep(0.11)
        with pytest.raises(ProviderError, match="down"):  # the one that tries whether it is back
            await watched.guarded(fail)
        with pytest.raises(ProviderError, match="not tried"):
            await watched.guarded(fail)

    asyncio.run(run())


@pytest.mark.usefixtures("quick_breaker")
def test_a_short_burst_of_failures_is_no_outage(providers, monkeypatch):
    """However many fail together: they have to go on failing."""
    monkeypatch.setattr(breaker, "LASTING_S", 30)
    providers.script = lambda _: Answer(503)
    assert Counter({"failed": 200}) == in_batches(client_of(patience=ONCE), 200, 50)[0]


@pytest.mark.usefixtures("quick_breaker")
@pytest.mark.parametrize("answer", [Answer(400), Answer(429), Answer(200, b"<html>"), Answer(200, b"{}")])
def test_refusals_are_no_outage(providers, answer):
    """A provider that answers every request, with whatever, is up; every request is made."""
    providers.script = lambda _: answer
    client = client_of(patience=ONCE)
    started = monotonic()
    rounds = 0
    while monotonic() - started < 0.5:
        assert Counter({"failed": 5}) == in_batches(client, 5, 5)[0]
        rounds += 1
    assert 5 * rounds == len(providers.asked)


@pytest.mark.usefixtures("quick_breaker")
def test_one_answer_in_between_is_no_outage(providers):
    """Only failures in a row count."""
    answers = cycle([said("openai", "hello"), Answer(500), Answer(500), Answer(500)])
    providers.script = lambda _: next(answers)
    client = client_of(patience=ONCE)
    started = monotonic()
    ended: Counter = Counter()
    while monotonic() - started < 0.5:
        ended += in_batches(client, 4, 1)[0]
    assert 0 == ended["not tried"]
    assert ended["failed"] == 3 * ended["hello"]


# --- the pace ----


def test_requests_a_minute_are_kept_to(providers):
    """1,200 a minute are 20 a second."""
    providers.script = hello
    replies, seconds = timed(client_of(pace=Pace(requests_per_minute=1200)), 21)
    assert 21 == len(replies)
    assert 0.95 <= seconds < 8


def test_tokens_a_minute_are_kept_to(providers):
    """By what a prompt is expected to take."""
    providers.script = hello
    tokens = tokens_in(a_prompt("call 0"))
    _, seconds = timed(client_of(pace=Pace(tokens_per_minute=tokens * 600)), 11)
    assert 0.95 <= seconds < 8


def test_a_429_slows_the_run_down(providers):
    """Each brings the pace down to 70%; later successes bring it back."""
    providers.script = hello
    pace = Pace(requests_per_minute=1200)
    for _ in range(4):
        pace.refused(ProviderError("too many", status=429))
    _, seconds = timed(client_of(pace=pace), 11)
    assert 0.5 / 0.7**4 * 0.85 <= seconds < 12
    for _ in range(200):
        pace.accepted()
    assert timed(client_of(pace=pace), 11)[1] < 1.9


def test_other_failures_do_not_slow_it_down(providers):
    """A server error says nothing about the pace."""
    providers.script = hello
    pace = Pace(requests_per_minute=6000)
    for _ in range(10):
        pace.refused(ProviderError("down", status=500))
    assert timed(client_of(pace=pace), 11)[1] < 1.9


def test_a_provider_that_is_down_is_not_waited_for_at_a_slow_pace(providers):
    """Turns that would come to nothing are not queued for."""
    providers.script = lambda _: Answer(500)
    client = client_of(pace=Pace(requests_per_minute=600), patience=ONCE)
    _, seconds = in_batches(client, 1000, 8)
    assert seconds < 10
