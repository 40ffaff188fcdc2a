"""A judge reads a window of a conversation by a rubric and says what it finds."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable
from typing import Protocol, runtime_checkable

from uaef.llm_judge.rubric import Rubric
from uaef.models.conversation import Conversation
from uaef.models.scores import MetricScore


@runtime_checkable
class Judge(Protocol):
    """Anything with a ``label`` that can ``judge``; sync or async."""

    @property
    def label(self) -> str:
        """Which judge this is, for provenance: ``"openai:MODEL"``."""

    def judge(self, rubric: Rubric, window: Conversation) -> MetricScore | Awaitable[MetricScore]:
        """What it finds in ``window``: a score, ``not_applicable`` or ``failed``; never a guess."""


class LimitedJudge:
    """A judge of which at most ``most`` calls are under way at once."""

    def __init__(self, judge: Judge, most: int) -> None:
        self._judge = judge
        self._free = asyncio.Semaphore(most)

    @property
    def label(self) -> str:
        """The label of the judge behind it."""
        return self._judge.label

    async def judge(self, rubric: Rubric, window: Conversation) -> MetricScore:
        """What the judge behind it finds, once there is room for a call."""
        async with self._free:
            found = self._judge.judge(rubric, window)
            return await found if inspect.isawaitable(found) else found
