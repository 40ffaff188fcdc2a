"""From measurements to a result: scores per metric, dimensions, the overall score, the verdict."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

from uaef.evaluation.claims import Claim, Decided, Decision, decide, passes, verdict
from uaef.evaluation.derived import DERIVED, derive, mean
from uaef.evaluation.per_turn import summed_up
from uaef.evaluation.plan import Plan
from uaef.metrics.base import Metric
from uaef.models.conversation import Conversation
from uaef.models.measurement import Measurement
from uaef.models.results import DimensionResult, EvaluationResult, Verdict
from uaef.models.scores import MetricScore, ScoreStatus

LIGHTEST = 0.10
"""The weight of a dimension that no default names, a caller's own: that of the lightest one on the list."""


def summarise(
    conversation: Conversation,
    plan: Plan,
    measurements: Sequence[Measurement],
    claims: Mapping[str, Claim],
    weights: Mapping[str, float],
) -> EvaluationResult:
    """The result of one conversation, built from its measurements alone."""
    by_metric = _by_metric(plan, measurements)
    scores = {metric: summed_up(metric, plan.label(metric), found) for metric, found in by_metric.items()}
    dimensions = _dimensions(scores, weights)
    failed = _failures_by_dimension(measurements)
    decided = [
        decide(claims[d.dimension_name], d, failed.get(d.dimension_name, 0))
        for d in dimensions
        if d.dimension_name in claims
    ]
    reached = verdict(decided)
    return EvaluationResult(
        trace_id=str(conversation.trace.trace_id),
        dimension_results=dimensions,
        overall_score=_overall(dimensions),
        verdict=reached,
        passed=reached is Verdict.PASSED,
        failures=[d.reason for d in decided if d.reason],
        warnings=_warnings(conversation, decided, scores.values()),
        missed=[d.claim.dimension for d in decided if d.decision is Decision.MISSED],
        unmeasured=[d.claim.dimension for d in decided if d.decision is Decision.UNMEASURED],
        worst=min(
            (m for m in measurements if m.score.score is not None),
            key=lambda m: m.score.score or 0.0,
            default=None,
        ),
        broken_turn=_broken_turn(measurements, claims),
        metadata=_metadata(conversation, plan, measurements, scores, dimensions, claims),
        measurements=list(measurements),
        conversation=conversation,
    )


def _by_metric(plan: Plan, measurements: Iterable[Measurement]) -> dict[Metric, list[Measurement]]:
    found: dict[str, list[Measurement]] = {}
    for m in measurements:
        found.setdefault(m.metric, []).append(m)
    return {metric: found[metric.key] for metric in plan.metrics if metric.key in found}


def _dimensions(scores: Mapping[Metric, MetricScore], weights: Mapping[str, float]) -> list[DimensionResult]:
    grouped: dict[str, list[MetricScore]] = {}
    for metric, score in scores.items():
        grouped.setdefault(metric.dimension, []).append(score)
    return [
        DimensionResult(
            dimension_name=name,
            metric_scores=group,
            aggregate_score=mean(score.score for score in group),
            weight=weights.get(name, LIGHTEST),
        )
        for name, group in grouped.items()
    ]


def _overall(dimensions: Iterable[DimensionResult]) -> float | None:
    """The weighted mean over the dimensions that have a score; their plain mean if none of them weighs anything."""
    scored = [(d.aggregate_score, d.weight) for d in dimensions if d.aggregate_score is not None]
    weight = math.fsum(w for _, w in scored)
    if not weight:
        return mean(score for score, _ in scored)
    return min(1.0, math.fsum(score * w for score, w in scored) / weight)


def _failures_by_dimension(measurements: Iterable[Measurement]) -> dict[str, int]:
    counts: dict[str, int] = {}
    for m in measurements:
        if m.score.status is ScoreStatus.FAILED:
            counts[m.dimension] = counts.get(m.dimension, 0) + 1
    return counts


def _broken_turn(measurements: Iterable[Measurement], claims: Mapping[str, Claim]) -> int | None:
    return min(
        (
            m.turns[0]
            for m in measurements
            if len(m.turns) == 1 and passes(m.score.score, m.score.status, claims.get(m.dimension)) is False
        ),
        default=None,
    )


def _warnings(conversation: Conversation, decided: Sequence[Decided], scores: Iterable[MetricScore]) -> list[str]:
    recorded = [w for turn in conversation.turns for w in _listed(turn.trace.metadata.get("warnings"))]
    unjudged = [s.metric_name for s in scores if s.metadata.get("warning") == "no_judge"]
    if unjudged:
        recorded.append(f"Without a judge these were not measured: {', '.join(unjudged)}.")
    if not decided:
        recorded.append("No threshold applies to what was measured, so nothing could pass.")
    return recorded


def _listed(warnings: object) -> list[str]:
    return [str(w) for w in warnings] if isinstance(warnings, list) else []


def _metadata(  # noqa: PLR0913 - everything the documented metadata is made of
    conversation: Conversation,
    plan: Plan,
    measurements: Sequence[Measurement],
    scores: Mapping[Metric, MetricScore],
    dimensions: Sequence[DimensionResult],
    claims: Mapping[str, Claim],
) -> dict[str, object]:
    averages = {score.metric_name: score.score for score in scores.values() if "per_turn" in score.metadata}
    counts = dict.fromkeys(map(str, ScoreStatus), 0)
    for m in measurements:
        counts[str(m.score.status)] += 1
    names = [d.dimension_name for d in dimensions]
    by_name = {score.metric_name: score for score in scores.values()}
    return {
        "num_metrics": len(scores),
        "num_dimensions": len(dimensions),
        "num_turns": len(conversation),
        "is_multi_agent": conversation.is_multi_agent,
        "dimension_weights": {d.dimension_name: d.weight for d in dimensions},
        "thresholds": {name: claims[name].at_least for name in names if name in claims},
        "coverage": counts,
        "per_turn": _per_turn(conversation, plan, measurements, scores),
        "per_turn_averages": averages,
        **_derived(by_name),
    }


def _per_turn(
    conversation: Conversation,
    plan: Plan,
    measurements: Sequence[Measurement],
    scores: Mapping[Metric, MetricScore],
) -> list[dict[str, object]]:
    """What was found turn by turn: ``{turn, metric_scores, reasoning}``, and the derived values that were used."""
    labels = {m.key: plan.label(m) for m, score in scores.items() if "per_turn" in score.metadata}
    found: dict[int, dict[str, MetricScore]] = {number: {} for number in conversation.numbers}
    for m in measurements:
        if m.metric in labels and len(m.turns) == 1:
            found[m.turns[0]][labels[m.metric]] = m.score
    return [
        {
            "turn": number,
            "metric_scores": {name: score.score for name, score in by_name.items()},
            "reasoning": {name: score.reasoning for name, score in by_name.items()},
            **_derived(by_name),
        }
        for number, by_name in found.items()
    ]


def _derived(scores: Mapping[str, MetricScore]) -> dict[str, object]:
    return {name: value for name in DERIVED if (value := derive(name, scores)) is not None}
