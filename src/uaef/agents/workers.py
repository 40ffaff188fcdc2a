"""Threads for agents that block: one for each call under way, and none that keeps the interpreter from ending."""

from __future__ import annotations

import asyncio
import contextvars
import inspect
import threading
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from queue import Empty, SimpleQueue
from typing import TypeVar

from uaef.agents.slots import taken_part

_Result = TypeVar("_Result")
_Job = Callable[[], Callable[[], None]]

IDLE_S = 5.0
"""How long a thread waits for a next call before it ends."""


def is_async(function: object) -> bool:
    """Whether a function, or an object that can be called, is async: it is awaited, and needs no thread."""
    return inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(getattr(function, "__call__", None))  # noqa: B004 - an object's call may be async


class Workers:
    """Runs blocking calls in daemon threads, each in one of its own; one that is done takes a later call.

    Whoever awaits a call limits how many are under way. A call that nobody waits for any more goes on in its thread,
    since nothing can stop it, and keeps its place under the limit (``slots``) as long; but what it comes to is
    dropped, and it does not outlive the interpreter.
    """

    def __init__(self) -> None:
        self._idle: deque[SimpleQueue[_Job]] = deque()

    async def run(self, call: Callable[[], _Result]) -> _Result:
        """What ``call`` returns or raises, in a thread with a copy of the context."""
        loop = asyncio.get_running_loop()
        arrived: asyncio.Future[Callable[[], _Result]] = loop.create_future()
        context = contextvars.copy_context()
        ended = taken_part()

        def job() -> Callable[[], None]:
            outcome = context.run(_outcome, call)
            return lambda: _deliver(loop, arrived, outcome, ended)

        self._free().put(job)
        return (await arrived)()

    def _free(self) -> SimpleQueue[_Job]:
        try:
            return self._idle.pop()
        except IndexError:
            inbox: SimpleQueue[_Job] = SimpleQueue()
            threading.Thread(target=self._work, args=(inbox,), name="uaef-agent", daemon=True).start()
            return inbox

    def _work(self, inbox: SimpleQueue[_Job]) -> None:
        while True:
            try:
                job = inbox.get(timeout=IDLE_S)
            except Empty:
                try:
                    self._idle.remove(inbox)
                except ValueError:
                    continue  # it was just taken: its next call is on the way
                return
            deliver = job()
            self._idle.append(inbox)  # before anybody hears of it, so that the next call finds this thread
            deliver()
            del job, deliver  # a thread that waits keeps nothing alive


def _outcome(call: Callable[[], _Result]) -> Callable[[], _Result]:
    """The result to return or the error to raise: no future takes every error as it is."""
    try:
        result = call()
    except BaseException as error:  # noqa: BLE001 - carried over to whoever waits, unchanged
        raised = error

        def fail() -> _Result:
            raise raised

        return fail
    return lambda: result


def _deliver(
    loop: asyncio.AbstractEventLoop,
    arrived: asyncio.Future[Callable[[], _Result]],
    outcome: Callable[[], _Result],
    ended: Callable[[], None],
) -> None:
    def put() -> None:
        ended()
        if not arrived.done():
            arrived.set_result(outcome)

    with suppress(RuntimeError):  # the loop is closed, and nobody waits
        loop.call_soon_threadsafe(put)
