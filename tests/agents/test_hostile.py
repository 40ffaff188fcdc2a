"""Agents that behave badly: each costs its own turn, in its own time, and nobody else's."""

from __future__ import annotations

import asyncio
import signal
import subprocess
import sys
import threading
import time
import warnings

import pytest
from playing import TRIP, answers, aplay, case, errors, play

from uaef.agents import History
from uaef.models import AgentTrace, Message, ToolCall
from uaef.testing import ScriptedAgent

STEPS = ("Weather?", "Tomorrow?", "Compare.")


class OutError(BaseException):
    """What no ``except Exception`` catches, as pytest's failures and gevent's timeouts are."""


# --- cancelling, and raising what is no Exception -------------------------------------------


async def _cancels_itself(_):
    asyncio.current_task().cancel()
    await asyncio.sleep(0)


async def _cancels_itself_later(text):
    asyncio.current_task().cancel()
    return text


def _calls_a_coroutine_that_cancels(text):
    return _cancels_itself(text)


async def _raises_a_base_exception(_):
    raise OutError("gone")


def _raises_one_in_a_thread(_):
    raise OutError("gone")


async def _fails_as_a_test_does(_):
    pytest.fail("gone")


@pytest.mark.parametrize("history", list(History))
@pytest.mark.parametrize(
    ("agent", "error"),
    [
        (_cancels_itself, "CancelledError: "),
        (_calls_a_coroutine_that_cancels, "CancelledError: "),
        (_raises_a_base_exception, "OutError: gone"),
        (_raises_one_in_a_thread, "OutError: gone"),
        (_fails_as_a_test_does, "Failed: gone"),
    ],
)
def test_whatever_ends_an_agent_is_a_failed_turn(agent, error, history):
    """No turn is missing, and the task that plays goes on: an agent has none of ours to cancel."""
    turns = play(agent, TRIP, history=history, on_turn_failure="continue")
    assert [error] * 3 == errors(turns)


def test_an_agent_that_cancels_itself_and_answers_all_the_same_has_answered():
    """Its task is its own, and nothing was waited for in it any more."""
    assert list(STEPS) == answers(play(_cancels_itself_later, TRIP))


@pytest.mark.parametrize("kind", [OutError, SystemExit, GeneratorExit, asyncio.CancelledError])
@pytest.mark.parametrize("is_async", [True, False])
def test_a_function_of_questions_may_raise_anything(kind, is_async):
    """It fails the turn that it was to ask for."""

    async def awaited(*_):
        raise kind("gone")

    def plain(*_):
        raise kind("gone")

    (turn,) = play(lambda q: q, TRIP, next_turn=awaited if is_async else plain)
    assert f"{kind.__name__}: gone" == turn.error


def test_a_function_of_questions_may_cancel_itself():
    """As an agent may."""

    async def cancels(*_):
        await _cancels_itself("")

    assert ["CancelledError: "] == errors(play(lambda q: q, TRIP, next_turn=cancels))


# --- time ---------------------------------------------------------------------------------


async def _blocks(text):
    time.sleep(0.3)  # noqa: ASYNC251 - that is the point
    return text


async def _answers_when_told_to_stop(text):
    try:
        await asyncio.sleep(60)
    except asyncio.CancelledError:
        return text


async def _never_stops(text):
    while True:
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            text += "!"


@pytest.mark.parametrize("agent", [_blocks, _answers_when_told_to_stop, _never_stops])
def test_an_answer_that_comes_too_late_is_none(agent):
    """However an agent gets past the end of its time: the turn failed, and the run goes on."""
    started = time.perf_counter()
    assert ["no answer within 0.1 s"] == errors(play(agent, case("a"), turn_timeout_s=0.1))
    assert time.perf_counter() - started < 5


STUBBORN = """
import asyncio, sys
from uaef.agents import Playing, as_agent, played
from uaef.models.case import Ask, Case

async def agent(text):
    print("asked", flush=True)
    while True:
        try:
            await asyncio.sleep(600)
        except asyncio.CancelledError:
            pass

async def main(limit):
    playing = Playing(agent=as_agent(agent), turn_timeout_s=limit)
    return [turn.error async for turn in played(Case(case_id="c", asks=[Ask(user="x")]), playing)]

print(asyncio.run(main({limit})))
"""


def test_an_agent_that_never_stops_does_not_keep_the_interpreter_from_ending():
    """It is left alone after a moment, also by the loop that ends, and nothing is said of it."""
    lines = [sys.executable, "-c", STUBBORN.replace("{limit}", "0.1")]
    done = subprocess.run(lines, capture_output=True, text=True, timeout=30, check=True)  # noqa: S603 - our own lines
    assert "asked\n['no answer within 0.1 s']\n" == done.stdout
    assert "" == done.stderr


def test_one_interrupt_ends_a_run_whose_agent_never_stops():
    """Ctrl-C is heard, whatever the agent makes of being cancelled."""
    lines = [sys.executable, "-c", STUBBORN.replace("{limit}", "None")]
    with subprocess.Popen(lines, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as run:  # noqa: S603 - as above
        run.stdout.readline()
        run.send_signal(signal.SIGINT)
        assert b"KeyboardInterrupt" in run.communicate(timeout=20)[1]


@pytest.mark.parametrize("is_async", [True, False])
def test_a_function_of_questions_takes_no_longer_than_a_turn(is_async):
    """One that hangs fails its turn, whether it waits or blocks."""

    async def waits(*_):
        await asyncio.sleep(60)

    def blocks(*_):
        threading.Event().wait(3)

    started = time.perf_counter()
    turns = play(lambda q: q, TRIP, next_turn=waits if is_async else blocks, turn_timeout_s=0.1)
    assert ["next_turn gave no answer within 0.1 s"] == errors(turns)
    assert time.perf_counter() - started < 2


class Crowd:
    """Counts the calls that are under way, until each has really ended."""

    def __init__(self, seconds):
        self.seconds = seconds
        self.now = self.most = 0
        self._lock = threading.Lock()

    def _moved(self, by):
        with self._lock:
            self.now += by
            self.most = max(self.most, self.now)

    def blocking(self, text):
        """Goes on when it is given up."""
        self._moved(1)
        time.sleep(self.seconds)
        self._moved(-1)
        return text

    async def stubborn(self, text):
        """Likewise, in the loop."""
        self._moved(1)
        until = time.perf_counter() + self.seconds
        while time.perf_counter() < until:
            try:
                await asyncio.sleep(0.02)
            except asyncio.CancelledError:
                continue
        self._moved(-1)
        return text


def _crowded(agent, items):
    async def run():
        limit = asyncio.Semaphore(1)
        cases = [case("x", case_id=str(i)) for i in range(items)]
        return await asyncio.gather(*(aplay(agent, each, limit=limit, turn_timeout_s=0.02) for each in cases))

    return asyncio.run(run())


@pytest.mark.parametrize("kind", ["blocking", "stubborn"])
def test_a_call_that_was_given_up_keeps_its_place_until_it_ends(kind):
    """A limit of one means one call under way, also where each takes longer than it may."""
    crowd = Crowd(0.1)
    played = _crowded(getattr(crowd, kind), 4)
    assert [["no answer within 0.02 s"]] * 4 == [errors(turns) for turns in played]
    assert 1 == crowd.most


def test_a_call_that_never_ends_gives_its_place_up_at_last(monkeypatch):
    """Or the run would wait for ever; that more calls are under way than allowed is said."""
    monkeypatch.setattr("uaef.agents.slots.HELD_S", 0.05)
    crowd = Crowd(1.0)
    with pytest.warns(RuntimeWarning, match="was given up 0.05 s ago and still goes on"):
        played = _crowded(crowd.blocking, 2)
    assert [["no answer within 0.02 s"]] * 2 == [errors(turns) for turns in played]
    assert 2 == crowd.most


def test_a_place_is_given_back_once(monkeypatch):
    """A call that ends after its place was given up does not give it back a second time."""
    monkeypatch.setattr("uaef.agents.slots.HELD_S", 0.02)

    async def run():
        limit = asyncio.Semaphore(1)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)
            await aplay(Crowd(0.1).blocking, case("x"), limit=limit, turn_timeout_s=0.02)
            await asyncio.sleep(0.2)
        await limit.acquire()
        return limit.locked()

    assert asyncio.run(run())


# --- what an agent does to what it is given, and gives back ----------------------------------


@pytest.mark.parametrize("named", ["history", "messages", "options"])
def test_a_second_attempt_is_given_what_the_first_was(named):
    """What a failed attempt did to its lists and dicts, however deep, is not seen by the next."""

    class BusyError(Exception):
        transient = True

    seen = []

    async def asked(text, given):
        seen.append(repr(given))
        for part in given if isinstance(given, list) else given.values():
            part.clear()
        given.clear()
        if len(seen) == 2:
            raise BusyError
        return text

    async def shown(text, history):
        return await asked(text, history)

    agents = {
        "history": shown,
        "messages": lambda messages: asked(messages[-1]["content"], messages),
        "options": lambda text, history, options: asked(text, options),  # noqa: ARG005 - so that it has a second turn
    }
    options = {"config": {"tags": ["a"]}}
    assert ["a", "b"] == answers(play(agents[named], case("a", "b"), options=options))
    assert seen[1] == seen[2] != "{}"
    assert options == {"config": {"tags": ["a"]}}


def test_agents_of_every_kind_are_asked_anew():
    """Also one that is handed the call itself."""

    class Busy(ScriptedAgent):
        wants_history = True

        async def answer(self, call):
            shown = [dict(said) for said in call.history]
            for said in call.history:
                said["content"] = "spoilt"
            self.asked.append(shown)
            if len(self.asked) == 2:
                error = ConnectionError("busy")
                error.transient = True
                raise error
            return AgentTrace(messages=[Message(role="assistant", content="ok")])

    agent = Busy([])
    assert ["ok", "ok"] == answers(play(agent, case("a", "b")))
    assert (
        agent.asked[1]
        == agent.asked[2]
        == [
            {"role": "user", "content": "a"},
            {"role": "assistant", "content": "ok"},
        ]
    )


def _deep():
    value: list = []
    for _ in range(20_000):
        value = [value]
    return value


def _in_itself():
    value: list = []
    value.append(value)
    return value


@pytest.mark.parametrize("odd", [10**5001, _deep(), _in_itself()], ids=["long", "deep", "in itself"])
@pytest.mark.parametrize("kind", ["argument", "result"])
def test_what_cannot_be_written_is_shown_as_text(odd, kind):
    """A tool that was called with a foreign value is part of the history, with what can be said of it."""
    arguments = {"n": odd, "city": "Oslo"} if kind == "argument" else {"city": "Oslo"}
    made = ToolCall(name="find", arguments=arguments, result=odd if kind == "result" else "ok")
    agent = ScriptedAgent([AgentTrace(messages=[Message(role="assistant", content="x")], tool_calls=[made]), "end"])
    turns = play(agent, case("a", "b"), history=History.ACTUAL)
    assert [None, None] == errors(turns)
    called = next(said for said in agent.asked[1].history if "tool_calls" in said)
    assert '"city": "Oslo"' in called["tool_calls"][0]["function"]["arguments"]


def test_a_history_that_cannot_be_told_fails_the_turn_that_needs_it(monkeypatch):
    """Whatever goes wrong there, the conversation is not lost."""

    def fails(_):
        raise RecursionError("too deep")

    monkeypatch.setattr("uaef.agents.play.transcript", fails)
    (turn,) = play(ScriptedAgent(["x"]), case("a"), history=History.ACTUAL)
    assert "not played: what was said before it cannot be shown: RecursionError: too deep" == turn.error


def test_questions_of_a_plain_function_that_returns_an_awaitable():
    """It is called in a thread, and what it returns is awaited in the loop."""

    async def later(asked, turns):
        await asyncio.sleep(0)
        return None if turns else asked.asks[0]

    def plain(asked, turns):
        return later(asked, turns)

    assert ["A"] == answers(play(lambda q: q.upper(), case("a"), next_turn=plain))
