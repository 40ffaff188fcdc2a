"""Values that metrics depend on but no metric measures: means over the scores of others."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

from uaef.models.scores import MetricScore

DERIVED: dict[str, tuple[str, ...]] = {
    # Every one of them is better when higher: 1 in hallucination_score means that nothing was made up.
    "quality_score": ("answer_relevance", "completeness", "accuracy", "hallucination_score"),
    "completeness_score": ("conversation_completeness",),
}
"""A derived value and the metrics whose mean it is."""


def sources(depends_on: Iterable[str]) -> tuple[str, ...]:
    """The metrics behind what a metric depends on."""
    return tuple(dict.fromkeys(name for wanted in depends_on for name in DERIVED.get(wanted, (wanted,))))


def with_derived(scores: Mapping[str, MetricScore]) -> dict[str, MetricScore]:
    """The scores, and the derived values that they make up."""
    derived = {name: value for name in DERIVED if (value := derive(name, scores)) is not None}
    return {**scores, **{name: MetricScore(metric_name=name, score=value) for name, value in derived.items()}}


def derive(name: str, scores: Mapping[str, MetricScore]) -> float | None:
    """The derived value ``name``, or ``None`` where none of its metrics scored."""
    known = [scores[source].score for source in DERIVED[name] if source in scores]
    return mean(known) if known else None


def mean(scores: Iterable[float | None]) -> float | None:
    """The mean of those that are numbers, exact whatever their order; ``None`` without any."""
    known = [score for score in scores if score is not None]
    if len(known) == 1:
        return known[0]
    return between(known, math.fsum(known) / len(known)) if known else None


def between(scores: Sequence[float], average: float) -> float:
    """An average of ``scores``, kept within them: rounded, three times 0.7 would miss a bar of 0.7."""
    return min(max(average, min(scores)), max(scores))
