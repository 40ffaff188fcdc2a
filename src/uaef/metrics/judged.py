"""A metric whose score is a judge's: a rubric, where it is applied, and the judge who applies it."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Mapping
from importlib.resources import files
from typing import ClassVar, Self

from uaef.llm_judge.judge import Judge, read
from uaef.llm_judge.rubric import Rubric
from uaef.metrics.base import Found, Metric
from uaef.metrics.scopes import each_turn, whole
from uaef.models.base import replaced
from uaef.models.conversation import Conversation
from uaef.models.scores import MetricScore

PER_TURN_SCORES = "per_turn_scores"
NO_JUDGE = (
    "needs a judge: pass judge='openai:MODEL' (or anthropic:, bedrock:, local), or set UAEF_JUDGE; "
    "none is picked in silence"
)

_NEEDED_FOR = {"turns": "answer", "instructions": "system_instructions", "criteria": "criteria"}


class JudgeMetric(Metric):
    """A rubric as a metric.

    Args:
        rubric: what is asked, of what, and where.
    """

    kind: ClassVar[str] = "judge"

    def __init__(self, rubric: Rubric) -> None:
        self.rubric = rubric
        self.name = rubric.name
        self.description = rubric.question
        self.formula = f"Scale: {rubric.scale}."
        self.dimension = rubric.dimension
        self.scope = whole if rubric.scope == "whole" else each_turn
        items = (_NEEDED_FOR[rubric.items],) if rubric.items else ()
        self.needs = tuple(dict.fromkeys((*rubric.needs, *items, "judge")))
        self.params = {}
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

    def on_each_exchange(self) -> Self:
        """The same rubric as ``per_turn_...``: asked of every turn, and reported with the whole conversation."""
        rubric = replaced(self.rubric, name=f"per_turn_{self.name}", scope="turn")
        return self._but(rubric=rubric, name=rubric.name, scope=each_turn, turns_key=PER_TURN_SCORES)

    def judged_by(self, judge: Judge) -> Self:
        """The same metric with a judge."""
        return self._but(_judge=judge)

    def unasked(self) -> Self:
        """The same metric as part of a default set: without a judge it is not applicable instead of failed."""
        return self._but(_asked=False)

    def measure(self, window: Conversation) -> Found | Awaitable[Found]:
        """What the judge finds in ``window``; without a judge, a failure that says how to give one."""
        if self.rubric.silence is not None and self._is_silent(window):
            return self.scored(self.rubric.silence, "the assistant said nothing")
        if self._judge is None:
            without = self.failed if self._asked else self.not_applicable
            return without(NO_JUDGE, warning="no_judge")
        return self._judge.judge(self.rubric, window)

    def _is_silent(self, window: Conversation) -> bool:
        """Whether there is nothing to judge: no word, and no deed where deeds count."""
        return not window.answer and not (self.rubric.items == "criteria" and window.tool_calls)

    def score_of(self, found: object) -> MetricScore:
        """What the judge answered; what is neither a score nor a number in [0, 1] is an invalid verdict."""
        return read(self.rubric, found)


def judged(name: str) -> JudgeMetric:
    """The built-in judge metric of that name."""
    source = files("uaef.metrics.rubrics").joinpath(f"{name}.md")
    return JudgeMetric(Rubric.from_text(source.read_text(encoding="utf-8"), source.name))
