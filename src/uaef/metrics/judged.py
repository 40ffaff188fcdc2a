"""A metric whose score is a judge's."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Mapping
from typing import ClassVar, Self

from uaef.llm_judge.judge import Judge
from uaef.llm_judge.rubric import Rubric, Scale
from uaef.metrics.base import Found, Metric
from uaef.metrics.scopes import Scope, each_turn
from uaef.models.conversation import Conversation
from uaef.models.scores import MetricScore


class JudgeMetric(Metric):
    """A rubric, where it is applied, and the judge who applies it.

    Args:
        name: how it is asked for.
        text: what the judge is asked, in words.
        dimension: where its score is counted.
        scale: what the judge may answer.
        scope: where it is measured.
        needs: beyond a judge, what must be there.
        silence: the score of an assistant that said nothing, given without asking; ``None``: the judge is asked.
        turns_key: the metadata key under which an average over turns lists them.
    """

    kind: ClassVar[str] = "judge"

    def __init__(  # noqa: PLR0913 - a declaration: each argument is one column of the catalogue
        self,
        name: str,
        text: str,
        dimension: str,
        *,
        scale: Scale = Scale.UNIT,
        scope: Scope = each_turn,
        needs: tuple[str, ...] = (),
        silence: float | None = None,
        turns_key: str = "per_turn",
    ) -> None:
        self.name = name
        self.description = text
        self.dimension = dimension
        self.scope = scope
        self.needs = (*needs, "judge")
        self.turns_key = turns_key
        self.params = {}
        self.rubric = Rubric(name=name, text=text, scale=scale)
        self._silence = silence
        self._judge: Judge | None = None
        self._asked = True

    @property
    def definition(self) -> object:
        """The rubric."""
        return self.rubric

    @property
    def parameters(self) -> Mapping[str, inspect.Parameter]:
        """None: a rubric is data, and another wording is another rubric."""
        return {}

    def judged_by(self, judge: Judge) -> Self:
        """The same metric with a judge."""
        return self._but(_judge=judge)

    def unasked(self) -> Self:
        """The same metric as part of a default set: without a judge it is not applicable instead of failed."""
        return self._but(_asked=False)

    def measure(self, window: Conversation) -> Found | Awaitable[Found]:
        """What the judge finds in ``window``; without a judge, a failure that says how to give one."""
        if self._silence is not None and not window.answer:
            return self.scored(self._silence, "the assistant said nothing")
        if self._judge is None:
            without = self.failed if self._asked else self.not_applicable
            return without("needs a judge: pass judge=...; none is picked in silence", warning="no_judge")
        return self._judge.judge(self.rubric, window)

    def score_of(self, found: object) -> MetricScore:
        """What the judge answered; what is neither a score nor a number in [0, 1] is an invalid verdict."""
        score = super().score_of(found)
        if isinstance(found, MetricScore) or score.score is not None:
            return score
        return self.failed(f"the judge answered {found!r}, which is no score", warning="invalid_verdict")
