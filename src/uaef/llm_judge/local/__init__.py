"""The local judge: deterministic heuristics, offline, for the metrics that words alone say something about.

It asks nobody, downloads nothing and remembers nothing. What its scores are worth is measured in
``docs/local-judge.md``.
"""

from __future__ import annotations

from uaef.llm.prices import Price
from uaef.llm_judge.local.expectation import accuracy, completeness, meets_expectation
from uaef.llm_judge.local.finding import Signal
from uaef.llm_judge.local.grounding import grounding
from uaef.llm_judge.local.mood import sentiment, user_satisfaction
from uaef.llm_judge.local.retention import retention
from uaef.llm_judge.rubric import Rubric
from uaef.models.conversation import Conversation
from uaef.models.scores import MetricScore, not_applicable, scored

VERSION = "1"
"""Changes whenever a score may."""

SIGNALS: dict[str, Signal] = {
    "accuracy": accuracy,
    "completeness": completeness,
    "context_retention": retention,
    "hallucination_score": grounding,
    "meets_expectation": meets_expectation,
    "sentiment": sentiment,
    "user_satisfaction": user_satisfaction,
}
"""What it can judge, by the name of the rubric; also as ``per_turn_...``."""
CALIBRATED = frozenset({"hallucination_score"})
"""The signals that were measured against labels of people; the scores of the others are marked."""


class LocalJudge:
    """Judges by the words of a conversation, where a signal for the rubric exists; otherwise it does not apply."""

    label = f"local/{VERSION}"
    blocking = False
    price = Price(0.0, 0.0)

    def bounded(self, budget: object, redact: object) -> LocalJudge:  # noqa: ARG002 - it costs nothing and shows nobody
        """The same judge: there is nothing to spend, and nothing leaves the process."""
        return self

    def judge(self, rubric: Rubric, window: Conversation) -> MetricScore:
        """What the signal for ``rubric`` finds: a score, or ``not_applicable`` and why."""
        facts: dict[str, object] = {"judge": self.label, "rubric_version": rubric.version}
        signal = SIGNALS.get(rubric.name.removeprefix("per_turn_"))
        if signal is None:
            return not_applicable(rubric.name, _NO_SIGNAL, **facts)
        found = signal(window)
        facts = {**found.details, **facts}
        if found.score is None:
            return not_applicable(rubric.name, f"needs an LLM judge: {found.reasoning}", **facts)
        if rubric.name not in CALIBRATED:
            facts["calibration"] = "uncalibrated"
        return scored(rubric.name, found.score, found.reasoning, **facts)


_NO_SIGNAL = "needs an LLM judge (openai:MODEL, anthropic:MODEL, bedrock:MODEL): words alone say nothing about it"
