"""The one door from synchronous code into the asynchronous core, open in a running event loop too."""

from __future__ import annotations

import asyncio
import contextvars
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from typing import TypeVar

_Result = TypeVar("_Result")
_ENDS = (KeyboardInterrupt, SystemExit)


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
    ends: list[BaseException] = []

    async def fill() -> None:
        asyncio.get_running_loop().set_exception_handler(_heard)
        try:
            # asyncio.run formats its main task's whole result when it ends; the box keeps it out of sight.
            box.append(await coroutine)
        except _ENDS as error:  # it would leave through the loop, before the other tasks have ended
            ends.append(error)

    with asyncio.Runner() as runner:
        try:
            runner.run(fill())
        except _ENDS as error:
            ends.insert(0, error)
        if ends:
            _end_tasks(runner.get_loop())
    if ends:
        raise ends[0]
    return box[0]


def _end_tasks(loop: asyncio.AbstractEventLoop) -> None:
    """End the tasks of a loop that one of them ended, however many more do so; a person is still heard."""
    while tasks := asyncio.all_tasks(loop):
        for task in tasks:
            task.cancel()
        try:
            loop.run_until_complete(asyncio.wait(tasks))
        except _ENDS as error:
            if not any(task.done() and not task.cancelled() and task.exception() is error for task in tasks):
                raise


def _heard(loop: asyncio.AbstractEventLoop, context: dict[str, object]) -> None:
    """Tell what nobody waited for, but not what ended the loop: whoever called hears of that."""
    if not isinstance(context.get("exception"), _ENDS):
        loop.default_exception_handler(context)


def _in_thread(coroutine: Coroutine[object, object, _Result]) -> _Result:
    future: Future[_Result] = Future()
    stops: list[Callable[[], object]] = []
    interrupted = threading.Event()
    context = contextvars.copy_context()

    async def stoppable() -> _Result:
        loop, task = asyncio.get_running_loop(), asyncio.current_task()
        stops.append(lambda: task and loop.call_soon_threadsafe(task.cancel))
        if interrupted.is_set():
            coroutine.close()
            raise asyncio.CancelledError
        return await coroutine

    def target() -> None:
        try:
            future.set_result(context.run(_run, stoppable()))
        except BaseException as error:  # noqa: BLE001 - carried over to the caller's thread, unchanged
            future.set_exception(error)

    try:
        threading.Thread(target=target, name="uaef").start()
        return future.result()
    except BaseException:
        if not future.done():  # Ctrl-C: the work ends with the call that asked for it
            interrupted.set()
            for stop in stops:
                stop()
        raise
