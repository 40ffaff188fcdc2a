"""Functions as agents: what they are given, where they run, what they may be."""

from __future__ import annotations

import asyncio
import contextvars
import functools
import signal
import subprocess
import sys
import threading
import time

import pytest
from playing import answers, aplay, call, case, errors, play, roles

from uaef.agents import FunctionAgent, History, as_agent
from uaef.errors import UsageError


def answered(function, *asked):
    """What a function says to a call."""
    return roles(asyncio.run(as_agent(function).answer(*asked or (call(),))))[-1][1]


def test_a_function_is_given_only_what_it_names():
    """Each offered argument arrives by its name; one that takes everything gets everything."""
    seen = {}

    async def everything(question, **given):
        seen.update(given)
        return question

    assert answered(everything, call("Hi", turn=2, options={"a": 1}, trial=1)) == "Hi"
    expected = {"history": [], "thread_id": "t-1", "resource": "t-1", "options": {"a": 1}, "case_id": "trip"}
    assert {**expected, "turn": 2, "trial": 1} == seen
    assert answered(lambda q, turn: f"{q}{turn}", call("Hi", turn=3)) == "Hi3"
    assert answered(lambda q, *, resource, case_id: f"{q} {resource} {case_id}", call("Hi")) == "Hi t-1 trip"
    assert answered(lambda *everything: everything[0], call("Hi")) == "Hi"
    assert answered(lambda *, input: input, call("Hi")) == "Hi"  # noqa: A006 - the documented name
    assert answered(lambda q, n=3: f"{q}{n}", call("Hi")) == "Hi3"


def test_messages_is_the_request():
    """A function of ``messages`` is given the history with the user's message behind it."""
    before = [{"role": "user", "content": "a"}]

    def first(messages):
        return str(messages)

    def named(_, *, messages):
        return str(messages)

    for function in (first, named):
        assert answered(function, call("b", history=before)) == str([*before, {"role": "user", "content": "b"}])


class Bot:
    """Can be called, and has methods that can."""

    async def __call__(self, text):
        """For the object."""
        return f"called {text}"

    def ask(self, text):
        """For the method."""
        return f"asked {text}"

    async def aask(self, text, *, history):
        """For the async method."""
        return f"asked {text} {len(history)}"


async def greet(greeting, text, *, history=()):
    """For partial."""
    return f"{greeting} {text} {len(history)}"


@pytest.mark.parametrize(
    ("function", "said", "name"),
    [
        (Bot(), "called x", "Bot"),
        (Bot().ask, "asked x", "Bot.ask"),
        (Bot().aask, "asked x 0", "Bot.aask"),
        (functools.partial(greet, "Hello"), "Hello x 0", "greet"),
        (functools.partial(greet, "Hello", history=[1, 2]), "Hello x 2", "greet"),
        (lambda text: Bot().aask(text, history=[]), "asked x 0", "<lambda>"),
        (str.upper, "X", "str.upper"),
        (str, None, None),
    ],
    ids=["object", "method", "async method", "partial", "bound", "lambda of async", "builtin", "class"],
)
def test_whatever_can_be_called_is_an_agent(function, said, name):
    """Objects, methods, partials and built-ins answer; a class is no agent, but what is made of it may be."""
    if said is None:
        with pytest.raises(UsageError, match=r"str is a class; an agent is made of one: str\(\)."):
            as_agent(function)
        return
    assert said == answered(function, call("x"))
    assert name == as_agent(function).name


def test_what_a_function_remembers():
    """Whoever takes a thread keeps it, whoever takes history alone is given it, whoever takes neither cannot know."""

    def plain(text):
        return text

    def threaded(text, thread_id):
        return text + thread_id

    def shown(text, history):
        return text + str(history)

    def requested(messages):
        return str(messages)

    def both(text, history, thread_id):
        return f"{text} {history} {thread_id}"

    def everything(text, **given):
        return f"{text} {given}"

    found = {
        function.__name__: (agent.remembers, agent.reads_history, agent.wants_history)
        for function in (plain, threaded, shown, requested, both, everything)
        for agent in [FunctionAgent(function)]
    }
    assert {
        "plain": (False, False, False),
        "threaded": (True, False, False),
        "shown": (True, True, True),
        "requested": (True, True, True),
        "both": (True, True, False),
        "everything": (True, True, False),
    } == found


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda: "x", "The agent '<lambda>' takes no input: its first parameter is what the user says."),
        (
            lambda *, history: str(history),
            "The agent '<lambda>' takes no input: its first parameter is what the user says.",
        ),
        (
            lambda q, user: q + user,
            (
                "The agent '<lambda>' needs 'user', which nobody gives it. Give it a default; what an agent may ask "
                "for is input, history, messages, thread_id, resource, options, case_id, turn, trial."
            ),
        ),
    ],
)
def test_a_function_that_cannot_be_asked_is_refused_at_once(function, message):
    """What would fail at every turn fails before the first."""
    with pytest.raises(UsageError) as raised:
        as_agent(function)
    assert message == str(raised.value)


def test_blocking_functions_run_at_once():
    """Eight blocking calls take as long as one, and so do twenty under a limit of twenty."""

    def slow(text):
        time.sleep(0.2)
        return text

    async def many(count):
        limit = asyncio.Semaphore(count)
        agent = as_agent(slow)
        started = time.perf_counter()
        done = await asyncio.gather(*(aplay(agent, case("x", case_id=str(i)), limit=limit) for i in range(count)))
        return time.perf_counter() - started, [answers(turns) for turns in done]

    for count in (8, 20):
        seconds, said = asyncio.run(many(count))
        assert [["x"]] * count == said
        assert seconds < 1


def test_threads_are_used_again_and_know_the_context():
    """One call after the other is made in one thread, which is a daemon and sees the caller's context variables."""
    who = contextvars.ContextVar("who", default="nobody")
    threads = set()

    def agent(_):
        threads.add(threading.current_thread())
        return who.get()

    async def ask():
        who.set("somebody")
        return await aplay(agent, case(*"abcde"))

    assert ["somebody"] * 5 == answers(asyncio.run(ask()))
    assert len(threads) == 1
    assert threads.pop().daemon


HANGS = """
import asyncio, sys, time
from uaef.agents import Playing, as_agent, played
from uaef.models.case import Ask, Case

def agent(text):
    time.sleep(600)

async def main():
    playing = Playing(agent=as_agent(agent), turn_timeout_s=0.2)
    return [turn.error async for turn in played(Case(case_id="c", asks=[Ask(user="x")]), playing)]

print(asyncio.run(main()))
"""


def test_a_function_that_hangs_keeps_nobody_waiting():
    """It is given up after its time, and the interpreter ends although the thread does not."""
    started = time.perf_counter()
    done = subprocess.run([sys.executable, "-c", HANGS], capture_output=True, text=True, timeout=60, check=True)  # noqa: S603 - our own lines
    assert "['no answer within 0.2 s']\n" == done.stdout
    assert "" == done.stderr
    assert time.perf_counter() - started < 30


INTERRUPTED = HANGS.replace("turn_timeout_s=0.2", "turn_timeout_s=None").replace(
    "time.sleep", "print(flush=True) or time.sleep"
)


def test_ctrl_c_ends_a_run_whose_agent_hangs():
    """The interpreter is gone at once, with the interrupt as its reason."""
    run = subprocess.Popen([sys.executable, "-c", INTERRUPTED], stdout=subprocess.PIPE, stderr=subprocess.PIPE)  # noqa: S603 - our own lines
    with run:
        run.stdout.readline()
        run.send_signal(signal.SIGINT)
        assert b"KeyboardInterrupt" in run.communicate(timeout=30)[1]


def test_a_thread_that_is_not_needed_ends(monkeypatch):
    """An idle thread waits for a while and goes; the next call finds another one."""
    monkeypatch.setattr("uaef.agents.workers.IDLE_S", 0.01)
    agent = as_agent(lambda text: text)
    for _ in range(2):
        assert ["x"] == answers(play(agent, case("x")))
        for _ in range(500):
            if not any(thread.name == "uaef-agent" and thread.is_alive() for thread in threading.enumerate()):
                break
            time.sleep(0.01)
        else:
            pytest.fail("the thread is still there")


def test_a_late_answer_reaches_nobody():
    """A thread that comes back after its loop is closed ends without a word."""
    release, errors_seen = threading.Event(), []
    hook, threading.excepthook = threading.excepthook, errors_seen.append

    def agent(_):
        release.wait(10)
        return "late"

    try:
        assert ["no answer within 0.05 s"] == errors(play(agent, case("x"), turn_timeout_s=0.05))
        release.set()
        time.sleep(0.1)
    finally:
        threading.excepthook = hook
    assert [] == errors_seen


@pytest.mark.parametrize("kind", [ValueError, StopIteration, SystemExit, GeneratorExit, asyncio.CancelledError])
@pytest.mark.parametrize("is_async", [True, False])
def test_whatever_a_function_raises_is_the_error_of_its_turn(kind, is_async):
    """An exception of any kind, from a coroutine or a thread, fails the turn and nothing else."""

    def plain(_):
        raise kind("boom")

    async def coroutine(_):
        raise kind("boom")

    turns = play(coroutine if is_async else plain, case("x", "y"), history=History.NONE)
    if kind is StopIteration:
        assert ["RuntimeError: coroutine raised StopIteration"] * 2 == errors(turns)
    else:
        assert [f"{kind.__name__}: boom"] * 2 == errors(turns)


def test_a_person_who_interrupts_is_heard():
    """KeyboardInterrupt is no answer of an agent's."""

    def agent(_):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        play(agent, case("x"))
