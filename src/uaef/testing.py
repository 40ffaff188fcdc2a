"""Test doubles for those who build on uaef: a judge that says what it was told to say."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from uaef.llm_judge.rubric import Rubric
from uaef.models.conversation import Conversation
from uaef.models.scores import MetricScore

Answer: TypeAlias = MetricScore | float | Exception
Script: TypeAlias = Answer | Sequence[Answer] | Callable[[Conversation], Answer]


class ScriptedJudge:
    """A judge that answers by a script, and remembers what it was asked.

    Args:
        script: by metric name: a score, a list with one score a call, a function of the window, an exception to
            raise, or a ``MetricScore`` for everything else a judge may say.
        default: the answer for a metric that is not in the script; left out, that is an error.
    """

    label = "scripted"

    def __init__(self, script: Mapping[str, Script], *, default: Script | None = None) -> None:
        self._script = {name: iter(s) if isinstance(s, Sequence) else s for name, s in script.items()}
        self._default = default
        self.asked: list[tuple[str, str]] = []
        """The metric and the slice of each call, in order."""

    def judge(self, rubric: Rubric, window: Conversation) -> MetricScore:
        """What the script says of ``window``."""
        self.asked.append((rubric.name, window.name))
        answer = self._script.get(rubric.name, self._default)
        if answer is None:
            raise LookupError(f"the script has no answer for {rubric.name}")
        if callable(answer):
            answer = answer(window)
        elif hasattr(answer, "__next__"):
            answer = next(answer)
        if isinstance(answer, Exception):
            raise answer
        if isinstance(answer, MetricScore):
            return answer
        return MetricScore(metric_name=rubric.name, score=float(answer), reasoning=f"scripted: {answer}")  # type: ignore[arg-type]
