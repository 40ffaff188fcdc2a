"""Foreign code: what a metric, a judge or a model may raise, and what it must not take down with it."""

from __future__ import annotations

import asyncio

# Its failure is a result: also where it calls sys.exit(), or raises what belongs to generators and tasks. Only a
# person who interrupts the run ends it.
RAISED = (Exception, asyncio.CancelledError, GeneratorExit, SystemExit)


def is_our_cancellation(error: BaseException) -> bool:
    """Whether the run itself is being cancelled, and not just some task of foreign code."""
    task = asyncio.current_task()
    return isinstance(error, asyncio.CancelledError) and task is not None and task.cancelling() > 0


def told(error: BaseException) -> str:
    """The error in words, even if it cannot say itself what it is."""
    try:
        return f"{type(error).__name__}: {error}"
    except Exception:  # noqa: BLE001 - it is foreign too
        return type(error).__name__
