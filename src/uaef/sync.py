"""The one door from synchronous code into the asynchronous core, open in a running event loop too."""

from __future__ import annotations

import asyncio
import contextvars
import threading
from collections.abc import Callable, Coroutine
from typing import TypeVar

_Result = TypeVar("_Result")


def run_sync(coroutine: Coroutine[object, object, _Result]) -> _Result:
    """The coroutine's result, awaited on an event loop of its own.

    Where a loop runs already (a notebook, a web server), that loop belongs to another thread, so the call
    blocks like any synchronous call but needs no patched loop.
    """
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return _run(coroutine)
    return _in_thread(coroutine)


def _run(coroutine: Coroutine[object, object, _Result]) -> _Result:
    box: list[_Result] = []

    async def fill() -> None:
        # asyncio.run formats its main task's whole result when it ends; the box keeps it out of sight.
        box.append(await coroutine)

    asyncio.run(fill())
    return box[0]


def _in_thread(coroutine: Coroutine[object, object, _Result]) -> _Result:
    box: list[_Result] = []
    raised: list[BaseException] = []
    stops: list[Callable[[], object]] = []
    context = contextvars.copy_context()

    async def stoppable() -> _Result:
        loop, task = asyncio.get_running_loop(), asyncio.current_task()
        stops.append(lambda: task and loop.call_soon_threadsafe(task.cancel))
        return await coroutine

    def target() -> None:
        try:
            box.append(context.run(_run, stoppable()))
        except BaseException as error:  # noqa: BLE001 - carried over to the caller's thread, unchanged
            raised.append(error)

    thread = threading.Thread(target=target, name="uaef")
    thread.start()
    try:
        thread.join()
    except BaseException:  # Ctrl-C: what was asked for ends with the call that asked
        for stop in stops:
            stop()
        thread.join()
        raise
    if raised:
        raise raised[0]
    return box[0]
