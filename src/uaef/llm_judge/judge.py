"""A judge reads a window of a conversation by a rubric and says what it finds."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, nullcontext
from functools import partial
from time import monotonic
from typing import NamedTuple, Protocol, Self, runtime_checkable

from uaef.errors import ProviderError
from uaef.foreign import RAISED, is_ours, told
from uaef.llm.budget import Budget
from uaef.llm.prices import Price
from uaef.llm_judge.rubric import Rubric
from uaef.models.conversation import Conversation
from uaef.models.scores import MetricScore, failed, score_of
from uaef.text.transcript import Redact

COUNTED = ("calls", "input_tokens", "output_tokens", "cost_usd")
"""What a judgement took, by the keys of its metadata; ``None`` where it is not known."""


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


@runtime_checkable
class Bounded(Protocol):
    """What a judge is as well that can keep to ``max_cost_usd`` and ``redact``: it knows what it spends and shows."""

    @property
    def price(self) -> Price | None:
        """Of a call's tokens, where it is known."""

    def bounded(self, budget: Budget | None, redact: Redact | None) -> Judge:
        """The same judge within a budget, and shown only what ``redact`` leaves; ``None``: as it was.

        Raises:
            DataError: it cannot keep to them.
        """


@runtime_checkable
class Composed(Protocol):
    """What a judge is as well that asks others: a limit is then one for all of them."""

    @property
    def members(self) -> Sequence[Judge]:
        """Who is asked."""

    def each(self, change: Callable[[Judge], Judge]) -> Judge:
        """The same judge with ``change`` applied to each member, and to the members of a member that is composed."""


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


async def heard(judge: Judge, rubric: Rubric, ask: Callable[[], Awaitable[object]]) -> MetricScore:
    """What ``judge`` answers if it is asked, as a score; if it raises, or answers with none, as a failure.

    A failure says whose it is, and that nobody knows what it took.
    """
    facts: dict[str, object] = {"judge": judge.label, "rubric_version": rubric.version, **dict.fromkeys(COUNTED)}
    try:
        return read(rubric, await ask(), facts)
    except RAISED as error:
        if is_ours(error):
            raise
        detail = str(error) if isinstance(error, ProviderError) else told(error)
    reasoning = f"the judge gave no answer: {detail}"
    return failed(rubric.name, reasoning, warning="api_error", error_details=detail, **facts)


def read(rubric: Rubric, found: object, facts: Mapping[str, object] = {}) -> MetricScore:
    """What a judge answered, as a score; what is neither a score nor a number in [0, 1] is an invalid verdict."""
    score = score_of(rubric.name, found)
    if isinstance(found, MetricScore) or score.score is not None:
        return score
    detail = f"the judge answered {found!r}, which is no score"
    return failed(rubric.name, detail, warning="invalid_verdict", error_details=detail, **facts)


def limited(judge: Judge, most: int, deadline_s: float | None = None) -> Judge:
    """``judge`` for one run; of a panel, the limits are those of all members together.

    Args:
        judge: who is asked.
        most: how many calls may be under way at once.
        deadline_s: seconds from now after which nobody is asked or waited for; ``None``: no deadline.
    """
    limits = Limits(asyncio.Semaphore(most), deadline_s, monotonic())
    if isinstance(judge, Composed):
        return judge.each(lambda member: LimitedJudge(member, limits))
    return LimitedJudge(judge, limits)


class Limits(NamedTuple):
    """What the judges of a run share."""

    free: asyncio.Semaphore
    deadline_s: float | None
    started: float

    async def within(self, ask: Callable[[], Awaitable[MetricScore]]) -> MetricScore:
        """The answer, if there is room for a call and it comes before the deadline.

        Raises:
            ProviderError: it does not; past the deadline ``ask`` is not called.
        """
        async with self.free:
            if self.deadline_s is None:
                return await ask()
            self._check(self.deadline_s)  # a timeout alone ends a call only where that waits for something
            try:
                async with asyncio.timeout(self.started + self.deadline_s - monotonic()) as timer:
                    found = await ask()
            except TimeoutError:
                if not timer.expired():
                    raise
                raise _over(self.deadline_s) from None
            self._check(self.deadline_s)
            return found

    def _check(self, deadline_s: float) -> None:
        if monotonic() - self.started > deadline_s:
            raise _over(deadline_s)


def _over(deadline_s: float) -> ProviderError:
    return ProviderError(f"the deadline of the run, {deadline_s:g} s, is over")


class LimitedJudge:
    """A judge that waits until there is room for a call: the border of a run, which nothing a judge raises passes."""

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
        """What the judge behind it finds, once there is room for a call; a failure where it finds nothing."""
        ask = partial(answer_of, self._judge, rubric, window)
        return await heard(self._judge, rubric, partial(self._limits.within, ask))
