"""What a run would ask: the questions, the tokens and the dollars, before anything is spent."""

from __future__ import annotations

from collections.abc import Iterator

from uaef.llm.tokens import tokens_in
from uaef.llm_judge.judge import Bounded, Composed, Judge
from uaef.llm_judge.prompt import question
from uaef.llm_judge.rubric import Rubric
from uaef.models.base import Record
from uaef.models.conversation import Conversation
from uaef.models.scores import MetricScore, not_applicable, total_if_known
from uaef.text.transcript import Redact

ANSWER_TOKENS = 200
"""About how long a verdict is."""


class Estimate(Record, frozen=True):
    """What a run would take, at least; a repair doubles a call.

    Attributes:
        judge: who would be asked; ``None``: nobody.
        calls: how often.
        input_tokens: about how many would be read.
        output_tokens: about how many would be written.
        cost_usd: dollars; ``None`` where the price is not known.
    """

    judge: str | None
    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float | None = None


class CountingJudge:
    """Stands in for a judge, builds every question that it would be asked, and asks none.

    Args:
        judge: the judge it stands in for.
        redact: applied to what that judge would be shown.
    """

    blocking = False

    def __init__(self, judge: Judge, redact: Redact | None = None) -> None:
        self.label = judge.label
        self._members = tuple(_members(judge))
        self._redact = redact
        self._calls = 0
        self._input_tokens = 0

    def judge(self, rubric: Rubric, window: Conversation) -> MetricScore:
        """No score: the question is counted, not asked."""
        self._calls += 1
        self._input_tokens += tokens_in(question(rubric, window, self._redact).prompt)
        return not_applicable(rubric.name, "not asked: this is an estimate")

    def estimate(self) -> Estimate:
        """What was counted."""
        written = self._calls * ANSWER_TOKENS
        prices = [member.price if isinstance(member, Bounded) else None for member in self._members]
        costs = [price and price.of(self._input_tokens, written) for price in prices]
        return Estimate(
            judge=self.label,
            calls=self._calls * len(prices),
            input_tokens=self._input_tokens * len(prices),
            output_tokens=written * len(prices),
            cost_usd=total_if_known(costs),
        )


def _members(judge: Judge) -> Iterator[Judge]:
    """The judges who are really asked: the members of a panel, and of a panel in it."""
    if not isinstance(judge, Composed):
        yield judge
        return
    for member in judge.members:
        yield from _members(member)
