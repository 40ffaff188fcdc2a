"""A judge reads a window of a conversation by a rubric and says what it finds."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager, nullcontext
from time import monotonic
from typing import NamedTuple, Protocol, Self, runtime_checkable

from uaef.errors import ProviderError
from uaef.llm_judge.rubric import Rubric
from uaef.models.conversation import Conversation
from uaef.models.scores import MetricScore


@runtime_checkable
class Judge(Protocol):
    """Anything with a ``label`` that can ``judge``; sync or async.

    One that is also an async context manager is entered for the length of a run. A plain ``judge`` is taken to block
    and asked in a thread, unless the judge says ``blocking = False``.
    """

    @property
    def label(self) -> str:
        """Which judge this is, for provenance: ``"openai:MODEL"``."""

    def judge(self, rubric: Rubric, window: Conversation) -> MetricScore | Awaitable[MetricScore]:
        """What it finds in ``window``: a score, ``not_applicable`` or ``failed``; never a guess."""


def opened(judge: Judge) -> AbstractAsyncContextManager[object]:
    """``judge`` for the length of a run, whether or not it has anything to open."""
    return judge if isinstance(judge, AbstractAsyncContextManager) else nullcontext()


async def answer_of(judge: Judge, rubric: Rubric, window: Conversation) -> MetricScore:
    """What ``judge`` finds, without keeping everybody else waiting meanwhile."""
    plain = not inspect.iscoroutinefunction(judge.judge)

    def ask() -> MetricScore | Awaitable[MetricScore]:
        try:
            return judge.judge(rubric, window)
        except StopIteration as error:  # which no future can carry
            raise RuntimeError("the judge raised StopIteration") from error

    found = await asyncio.to_thread(ask) if getattr(judge, "blocking", plain) else ask()
    return await found if inspect.isawaitable(found) else found


def limited(judge: Judge, most: int, deadline_s: float | None = None) -> Judge:
    """``judge`` for one run; of a panel, the limits are those of all members together.

    Args:
        judge: who is asked.
        most: how many calls may be under way at once.
        deadline_s: seconds from now after which nobody is asked or waited for; ``None``: no deadline.
    """
    limits = Limits(asyncio.Semaphore(most), deadline_s, monotonic())
    each: Callable[[Callable[[Judge], Judge]], Judge] | None = getattr(judge, "each", None)
    return LimitedJudge(judge, limits) if each is None else each(lambda member: LimitedJudge(member, limits))


class Limits(NamedTuple):
    """What the judges of a run share."""

    free: asyncio.Semaphore
    deadline_s: float | None
    started: float

    async def within(self, answer: Awaitable[MetricScore]) -> MetricScore:
        """The answer, if it comes before the deadline.

        Raises:
            ProviderError: it does not.
        """
        if self.deadline_s is None:
            return await answer
        try:
            async with asyncio.timeout(self.started + self.deadline_s - monotonic()) as timer:
                return await answer
        except TimeoutError:
            if not timer.expired():
                raise
            raise ProviderError(f"the deadline of the run, {self.deadline_s:g} s, is over") from None


class LimitedJudge:
    """A judge that waits until there is room for a call."""

    def __init__(self, judge: Judge, limits: Limits) -> None:
        self._judge = judge
        self._limits = limits

    @property
    def label(self) -> str:
        """The label of the judge behind it."""
        return self._judge.label

    async def __aenter__(self) -> Self:
        await opened(self._judge).__aenter__()
        return self

    async def __aexit__(self, *exception: object) -> None:
        await opened(self._judge).__aexit__(None, None, None)

    async def judge(self, rubric: Rubric, window: Conversation) -> MetricScore:
        """What the judge behind it finds, once there is room for a call."""
        async with self._limits.free:
            return await self._limits.within(answer_of(self._judge, rubric, window))
