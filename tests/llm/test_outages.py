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
from uaef.llm.http_client import HttpClient
from uaef.llm.pace import Pace
from uaef.llm.providers.openai import OpenAIProvider
from uaef.llm.tokens import tokens_in

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
def test_a_call_that_waited_for_its_turn_is_not_made_if_the_provider_went_down_meanwhile(providers):
    """It is refused at the last moment as well."""
    providers.script = lambda _: Answer(503)
    replies, _ = timed(client_of(patience=ONCE, pace=Pace(requests_per_minute=1500)), 12)  # a turn in 40 ms
    assert 12 == sum(isinstance(reply, ProviderError) for reply in replies)
    assert breaker.FAILURES <= len(providers.asked) < 12
    assert str(replies[-1]).startswith("not tried: the provider is down")


def _failing(seconds: list[float], monkeypatch) -> list[bool]:
    """Whether the breaker is open after a failure at each of these times, and nothing in between."""
    watched = breaker.Breaker()
    now = [0.0]
    monkeypatch.setattr(breaker, "monotonic", lambda: now[0])

    async def fail():
        raise ProviderError("down", status=500)

    async def run():
        found = []
        for now[0] in seconds:
            with pytest.raises(ProviderError) as raised:
                await watched.guarded(fail)
            found.append("down" != str(raised.value) or _refuses(watched))
        return found

    return asyncio.run(run())


def _refuses(watched: breaker.Breaker) -> bool:
    try:
        watched.check()
    except ProviderError:
        return True
    return False


@pytest.mark.parametrize(
    ("seconds", "opened"),
    [
        ([0, 0.1, 0.2, 0.3, 0.4], [False] * 5),  # a burst
        ([0, 1, 2, 3, 4], [False] * 4 + [True]),
        ([0, 0.1, 0.2, 0.3, 0.4, 3.5], [False] * 5 + [True]),
        ([1000, 1000.1, 1000.2, 1000.3, 1000.4, 2000, 2000.1], [False] * 7),  # another run, long after
        ([1000, 1001, 1002, 1003, 1004, 2000], [False] * 4 + [True, False]),  # it was down, and idle since
        ([0, 50, 100, 150, 200], [False] * 4 + [True]),
    ],
)
def test_failures_in_a_row_are_an_outage_if_they_go_on(monkeypatch, seconds, opened):
    """Not if they come in one burst, and not if the last of them is long ago."""
    assert opened == _failing(seconds, monkeypatch)


def test_a_burst_long_ago_does_not_fail_the_run_after_it(providers, monkeypatch):
    """The clock goes on while nobody asks."""
    now = [1000.0]
    monkeypatch.setattr(breaker, "monotonic", lambda: now[0])
    providers.script = lambda _: Answer(503)
    client = client_of(patience=ONCE)
    assert Counter({"failed": 20}) == in_batches(client, 20, 20)[0]
    now[0] += 10.0  # shorter than what is forgotten
    providers.script = hello
    assert Counter({"hello": 20}) == in_batches(client, 20, 5)[0]


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


TOO_MANY = ProviderError("too many", status=429)


def _gap(pace: Pace) -> float:
    """Seconds between two turns at the pace of now."""

    async def run() -> float:
        before = await pace.turn(1, 60)
        return await pace.turn(1, 60) - before

    return asyncio.run(run())


def test_a_429_slows_the_run_down():
    """Each brings the pace down to 70%; later successes bring it back."""
    pace = Pace(requests_per_minute=1200)
    for _ in range(4):
        pace.refused(TOO_MANY, monotonic())
    assert 0.05 / 0.7**4 * 0.9 <= _gap(pace)
    for _ in range(200):
        pace.accepted()
    asyncio.run(pace.turn(1, 60))  # the turn after the slow ones
    assert _gap(pace) < 0.05 / 0.7


def test_calls_that_are_refused_together_slow_it_down_once():
    """They were all made at one pace, and say one thing; a call that is made afterwards says another."""
    pace = Pace(requests_per_minute=1200)
    together = monotonic()
    sleep(0.01)
    for _ in range(50):
        pace.refused(TOO_MANY, together)
    assert 0.05 / 0.7 * 0.9 <= _gap(pace) < 0.05 / 0.7**3
    pace.refused(TOO_MANY, monotonic())
    asyncio.run(pace.turn(1, 60))
    assert 0.05 / 0.7**2 * 0.9 <= _gap(pace)


def test_a_pause_is_for_calls_too_that_had_their_turn(providers):
    """Of ten calls, a tenth of a second apart, the second is refused for a second: none starts within that."""
    answers = [Answer(200, said("openai", "hello").body), Answer(429, headers={"Retry-After": "1"})]
    providers.script = lambda asked: answers.pop(0) if answers else hello(asked)
    replies, _ = timed(client_of(pace=Pace(requests_per_minute=600)), 10)
    assert ["hello"] * 10 == [getattr(reply, "text", reply) for reply in replies]
    times = [asked.at for asked in providers.asked]
    assert 11 == len(times)
    assert min(times[2:]) - times[1] >= 0.95


def test_other_failures_do_not_slow_it_down(providers):
    """A server error says nothing about the pace."""
    providers.script = hello
    pace = Pace(requests_per_minute=6000)
    for _ in range(10):
        pace.refused(ProviderError("down", status=500), monotonic())
    assert timed(client_of(pace=pace), 11)[1] < 1.9


def test_a_provider_that_is_down_is_not_waited_for_at_a_slow_pace(providers):
    """Turns that would come to nothing are not queued for."""
    providers.script = lambda _: Answer(500)
    client = client_of(pace=Pace(requests_per_minute=600), patience=ONCE)
    _, seconds = in_batches(client, 1000, 8)
    assert seconds < 10
