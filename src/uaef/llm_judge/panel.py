"""More than one opinion: several judges, or the same one several times, and one score out of theirs."""

from __future__ import annotations

import asyncio
import copy
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import AsyncExitStack
from functools import partial
from statistics import fmean, median
from typing import Literal, Self

from uaef.errors import DataError, MetricError
from uaef.llm.budget import Budget
from uaef.llm.prices import Price
from uaef.llm_judge.choice import cache_for, judge_for
from uaef.llm_judge.judge import COUNTED, Bounded, Composed, Judge, answer_of, heard, opened
from uaef.llm_judge.llm import LLMJudge
from uaef.llm_judge.rubric import Rubric
from uaef.models.conversation import Conversation
from uaef.models.scores import MetricScore, ScoreStatus, failed, not_applicable, scored, total_if_known
from uaef.text.transcript import Redact

Aggregate = Literal["mean", "median", "majority"]
_YES = 0.5


class Panel:
    """Asks every member, and combines what they scored.

    It fails as soon as as many members failed as scored, and does not apply where none failed and none scored: those
    who could not tell are on neither side. Members that failed are named in ``metadata["failed_members"]``;
    ``metadata["spread"]`` is the greatest score less the least.

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
        self.members = tuple(judge_for(judge, cache=cache_for(judge)) for judge in judges)
        self.members = self.each(_anew(Counter())).members
        self._aggregate = aggregate
        self.label = f"panel[{aggregate}]({', '.join(judge.label for judge in self.members)})"

    def each(self, change: Callable[[Judge], Judge]) -> Panel:
        """The same panel with ``change`` applied to each member, and to the members of a member that is composed."""
        changed = copy.copy(self)
        changed.members = tuple(
            member.each(change) if isinstance(member, Composed) else change(member) for member in self.members
        )
        return changed

    @property
    def price(self) -> Price | None:
        """None of its own: its members' prices may differ."""
        return None

    def bounded(self, budget: Budget | None, redact: Redact | None) -> Panel:
        """The same panel, whose members share a budget and are shown only what ``redact`` leaves."""

        def bound(judge: Judge) -> Judge:
            if not isinstance(judge, Bounded):
                raise DataError(f"max_cost_usd and redact do not apply to {judge.label!r}, a member of the panel.")
            return judge.bounded(budget, redact)

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
        votes = await asyncio.gather(
            *(heard(judge, rubric, partial(answer_of, judge, rubric, window)) for judge in self.members)
        )
        scores = [vote.score for vote in votes if vote.score is not None]
        broken = [vote for vote in votes if vote.status is ScoreStatus.FAILED]
        facts = self._facts(rubric, votes)
        if broken and len(broken) >= len(scores):
            names = ", ".join(self._failed(votes))
            reasoning = f"{len(broken)} of {len(votes)} members failed: {names}: {broken[0].reasoning}"
            said = broken[0].metadata
            facts["error_details"] = said.get("error_details", broken[0].reasoning)
            return failed(rubric.name, reasoning, warning=str(said.get("warning", "api_error")), **facts)
        if not scores:
            return not_applicable(rubric.name, "no member could tell", **facts)
        reasoning = f"{self._aggregate} of {len(scores)}: " + "; ".join(v.reasoning or "" for v in votes)
        return scored(rubric.name, self._combined(scores), reasoning, **facts, spread=max(scores) - min(scores))

    def _facts(self, rubric: Rubric, votes: Sequence[MetricScore]) -> dict[str, object]:
        """What every judgement of a panel says: who said what, and what that took."""
        return {
            "judge": self.label,
            "rubric_version": rubric.version,
            "members": [
                {"judge": judge.label, "score": vote.score, "status": str(vote.status), "reasoning": vote.reasoning}
                for judge, vote in zip(self.members, votes, strict=True)
            ],
            "failed_members": self._failed(votes),
            **{name: total_if_known(vote.metadata.get(name) for vote in votes) for name in COUNTED},
            "cached": all(vote.metadata.get("cached") for vote in votes),
        }

    def _failed(self, votes: Sequence[MetricScore]) -> list[str]:
        return [j.label for j, v in zip(self.members, votes, strict=True) if v.status is ScoreStatus.FAILED]

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
