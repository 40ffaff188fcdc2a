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
    return _in_thread(lambda: _run(coroutine))


def _run(coroutine: Coroutine[object, object, _Result]) -> _Result:
    box: list[_Result] = []

    async def fill() -> None:
        # asyncio.run formats its main task's whole result when it ends; the box keeps it out of sight.
        box.append(await coroutine)

    asyncio.run(fill())
    return box[0]


def _in_thread(call: Callable[[], _Result]) -> _Result:
    box: list[_Result] = []
    raised: list[BaseException] = []
    context = contextvars.copy_context()

    def target() -> None:
        try:
            box.append(context.run(call))
        except BaseException as error:  # noqa: BLE001 - carried over to the caller's thread, unchanged
            raised.append(error)

    thread = threading.Thread(target=target, name="uaef")
    thread.start()
    thread.join()
    if raised:
        raise raised[0]
    return box[0]
