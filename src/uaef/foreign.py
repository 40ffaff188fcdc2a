"""Foreign code: what a metric, a judge, a model or an agent may raise, and what it must not take down with it."""

from __future__ import annotations

import asyncio
import inspect
from asyncio.tasks import _enter_task, _leave_task, _unregister_task
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from time import monotonic
from typing import Generic, TypeVar

_Result = TypeVar("_Result")

# Its failure is a result, whatever it raises: also where it calls sys.exit() or pytest.fail(), or raises what belongs
# to generators and tasks. Only what is the run's own (``is_ours``) goes further.
RAISED = BaseException

GRACE_S = 1.0
"""How long foreign work that was told to stop is waited for, so that it can put its things in order."""


class OverdueError(Exception):
    """Foreign work did not come to an end in time."""


def is_ours(error: BaseException) -> bool:
    """Whether an error ends the run: it is being cancelled, or a person interrupts it.

    Foreign work that is awaited has to be run ``apart``, or it could cancel the very task that asks here.
    """
    if isinstance(error, KeyboardInterrupt):  # an agent's own cannot be told from a person's
        return True
    if not isinstance(error, asyncio.CancelledError):
        return False
    try:
        task = asyncio.current_task()
    except RuntimeError:  # no loop runs in this thread, so no task is cancelled
        return False
    return task is not None and task.cancelling() > 0


def told(error: BaseException) -> str:
    """The error in words, even if it cannot say itself what it is."""
    try:
        return f"{type(error).__name__}: {error}"
    except RAISED as raised:  # it is foreign too
        if isinstance(raised, KeyboardInterrupt):
            raise
        return type(error).__name__


def untasked(function: Callable[..., _Result], *arguments: object) -> _Result:
    """What ``function`` returns, called so that no task of ours is the current one, which it could cancel."""
    try:
        task = asyncio.current_task()
    except RuntimeError:
        task = None
    if task is None:
        return function(*arguments)
    loop = task.get_loop()
    _leave_task(loop, task)
    try:
        return function(*arguments)
    finally:
        _enter_task(loop, task)


async def apart(work: Awaitable[_Result], within: float | None = None) -> _Result:
    """What foreign ``work`` comes to, in a task of its own: cancelling itself, it cancels nobody else.

    Work that is given up, because it is overdue or because we are cancelled ourselves, is told to stop and waited for
    no longer than ``GRACE_S``. If it goes on all the same, it is left alone: nobody waits for it, and neither does
    ``asyncio.run`` at its end.

    Args:
        work: a coroutine, or whatever else can be awaited.
        within: how many seconds it may take; what comes later does not count, however it comes.

    Raises:
        OverdueError: it took longer.
        BaseException: what it raised.
    """
    started = monotonic()
    task = asyncio.ensure_future(_outcome(work))
    _unregister_task(task)  # or the end of the loop would cancel it and wait for it, for ever if it has to
    try:
        await asyncio.wait((task,), timeout=within)
    finally:
        if not task.done():
            await _left(task)
        if inspect.iscoroutine(work) and inspect.getcoroutinestate(work) == inspect.CORO_CREATED:
            work.close()  # it was given up before it began
    if not task.done() or task.cancelled():
        raise OverdueError
    outcome = task.result()
    if within is not None and outcome.ended - started > within:
        raise OverdueError
    if outcome.error is not None:
        raise outcome.error
    return outcome.results[0]


@dataclass(slots=True)
class _Outcome(Generic[_Result]):
    """What work came to, and when: one result, or an error."""

    ended: float
    results: tuple[_Result, ...] = ()
    error: BaseException | None = None


async def _outcome(work: Awaitable[_Result]) -> _Outcome[_Result]:
    """The outcome, which no task takes for its own: SystemExit would end the loop, a CancelledError the task."""
    try:
        result = await work
    except RAISED as error:  # raised again by whoever waits
        return _Outcome(monotonic(), error=error)
    return _Outcome(monotonic(), (result,))


_LEFT: set[asyncio.Task[object]] = set()
"""Work that would not stop; a loop alone does not keep its tasks alive."""


async def _left(task: asyncio.Task[_Outcome[_Result]]) -> None:
    """Tell a task to stop, and leave it to itself if it does not."""
    task.cancel()
    task._log_destroy_pending = False  # type: ignore[attr-defined]  # noqa: SLF001 - nobody has to be told at exit
    _LEFT.add(task)
    task.add_done_callback(_LEFT.discard)
    await asyncio.wait((task,), timeout=GRACE_S)
