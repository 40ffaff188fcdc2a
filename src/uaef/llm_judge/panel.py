"""More than one opinion: several judges, or the same one several times, and one score out of theirs."""

from __future__ import annotations

import asyncio
import copy
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import AsyncExitStack
from statistics import fmean, median
from typing import Literal, Self

from uaef.errors import DataError, MetricError
from uaef.foreign import RAISED, is_our_cancellation, told
from uaef.llm.budget import Budget
from uaef.llm_judge.choice import made_judge
from uaef.llm_judge.judge import Judge, answer_of, opened
from uaef.llm_judge.llm import LLMJudge
from uaef.llm_judge.rubric import Rubric
from uaef.models.conversation import Conversation
from uaef.models.scores import MetricScore, ScoreStatus
from uaef.text.transcript import Redact

Aggregate = Literal["mean", "median", "majority"]
_YES = 0.5
_COUNTED = ("calls", "input_tokens", "output_tokens", "cost_usd")


class Panel:
    """Asks every member, and combines what they scored.

    It fails as soon as half of its members or more failed, and does not apply where none of them scored. Members that
    failed are named in ``metadata["failed_members"]``; ``metadata["spread"]`` is the greatest score less the least.

    Args:
        judges: at least one judge, or whatever names one; the same several times is several opinions.
        aggregate: ``mean``, ``median``, or ``majority`` (1 if more than half of those who scored say 0.5 or more; a
            tie is no majority, and 0).

    Raises:
        MetricError: there is no judge, or no such way to combine.
        DataError, UnknownNameError: a member is no judge.
    """

    def __init__(self, judges: Sequence[object], aggregate: Aggregate = "mean") -> None:
        if not judges or isinstance(judges, str):
            raise MetricError("A panel needs a list of at least one judge.")
        if aggregate not in ("mean", "median", "majority"):
            raise MetricError(f"A panel combines by mean, median or majority, got {aggregate!r}.")
        self.members = tuple(judge if isinstance(judge, Judge) else made_judge(judge) for judge in judges)
        self.members = self.each(_anew(Counter())).members
        self._aggregate = aggregate
        self.label = f"panel[{aggregate}]({', '.join(judge.label for judge in self.members)})"

    def each(self, change: Callable[[Judge], Judge]) -> Panel:
        """The same panel with ``change`` applied to each member, and to the members of a member that is a panel."""
        changed = copy.copy(self)
        changed.members = tuple(
            member.each(change) if isinstance(member, Panel) else change(member) for member in self.members
        )
        return changed

    def bounded(self, budget: Budget | None, redact: Redact | None) -> Panel:
        """The same panel, whose members share a budget and are shown only what ``redact`` leaves."""

        def bound(judge: Judge) -> Judge:
            if not hasattr(judge, "bounded"):
                raise DataError(f"max_cost_usd and redact do not apply to {judge.label!r}, a member of the panel.")
            member: Judge = judge.bounded(budget, redact)
            return member

        return self.each(bound)

    async def __aenter__(self) -> Self:
        async with AsyncExitStack() as entered:
            for judge in self.members:
                await entered.enter_async_context(opened(judge))
            entered.pop_all()  # all are open: they are closed in __aexit__, not here
        return self

    async def __aexit__(self, *exception: object) -> None:
        async with AsyncExitStack() as entered:
            for judge in self.members:
                entered.push_async_exit(opened(judge))

    async def judge(self, rubric: Rubric, window: Conversation) -> MetricScore:
        """What the members find together."""
        votes = await asyncio.gather(*(_vote(judge, rubric, window) for judge in self.members))
        scores = [vote.score for vote in votes if vote.score is not None]
        failed = [judge.label for judge, v in zip(self.members, votes, strict=True) if v.status is ScoreStatus.FAILED]
        metadata: dict[str, object] = {
            "judge": self.label,
            "rubric_version": rubric.version,
            "members": [
                {"judge": judge.label, "score": vote.score, "status": str(vote.status), "reasoning": vote.reasoning}
                for judge, vote in zip(self.members, votes, strict=True)
            ],
            "failed_members": failed,
            **{name: _total([vote.metadata.get(name) for vote in votes]) for name in _COUNTED},
            "cached": all(vote.metadata.get("cached") for vote in votes),
        }
        if len(failed) * 2 >= len(votes):
            first = next(v for v in votes if v.status is ScoreStatus.FAILED)
            warning = first.metadata.get("warning", "api_error")
            reasoning = f"{len(failed)} of {len(votes)} members failed: {', '.join(failed)}: {first.reasoning}"
            return MetricScore(
                metric_name=rubric.name,
                reasoning=reasoning,
                metadata={"warning": warning, **metadata},
                status=ScoreStatus.FAILED,
            )
        if not scores:
            metadata["warning"] = "not_applicable"
            return MetricScore(metric_name=rubric.name, reasoning="no member could tell", metadata=metadata)
        metadata["spread"] = max(scores) - min(scores)
        return MetricScore(
            metric_name=rubric.name,
            score=self._combined(scores),
            reasoning=f"{self._aggregate} of {len(scores)}: " + "; ".join(v.reasoning or "" for v in votes),
            metadata=metadata,
        )

    def _combined(self, scores: Sequence[float]) -> float:
        if self._aggregate == "mean":
            return fmean(scores)
        if self._aggregate == "median":
            return median(scores)
        return float(sum(score >= _YES for score in scores) * 2 > len(scores))


def _anew(asked: Counter[str]) -> Callable[[Judge], Judge]:
    """From a judge to the same judge, asked anew instead of remembered where one of its name was ``asked`` before."""

    def anew(judge: Judge) -> Judge:
        number = asked[judge.label]
        asked[judge.label] += 1
        return judge.sample(number) if isinstance(judge, LLMJudge) else judge

    return anew


def _total(values: Sequence[object]) -> float | None:
    """The sum; ``None`` as soon as one member does not say."""
    known = [value for value in values if isinstance(value, int | float)]
    return sum(known) if len(known) == len(values) else None


async def _vote(judge: Judge, rubric: Rubric, window: Conversation) -> MetricScore:
    """One member's score; a member that raises or answers with nonsense has failed, and the others are heard."""
    try:
        found: object = await answer_of(judge, rubric, window)
    except RAISED as error:
        if is_our_cancellation(error):
            raise
        return _failed_vote(rubric, told(error), "api_error")
    if isinstance(found, MetricScore):
        return found
    if isinstance(found, int | float) and 0 <= found <= 1:
        return MetricScore(metric_name=rubric.name, score=float(found))
    return _failed_vote(rubric, f"answered with {type(found).__name__}, which is no score", "invalid_verdict")


def _failed_vote(rubric: Rubric, detail: str, warning: str) -> MetricScore:
    return MetricScore(
        metric_name=rubric.name, reasoning=detail, metadata={"warning": warning, "error_details": detail}
    )
