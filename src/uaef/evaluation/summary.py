"""From measurements to a result: scores per metric, dimensions, the overall score, the verdict."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

from uaef.evaluation.claims import Claim, Decided, Decision, Reached, decide, passes, verdict
from uaef.evaluation.derived import DERIVED, between, derive, mean
from uaef.evaluation.per_turn import summed_up
from uaef.evaluation.plan import Plan
from uaef.metrics.base import Metric
from uaef.metrics.scopes import whole
from uaef.models.base import replaced
from uaef.models.conversation import Conversation
from uaef.models.measurement import Measurement
from uaef.models.results import DimensionResult, EvaluationResult, Verdict
from uaef.models.scores import MetricScore, ScoreStatus

LIGHTEST = 0.10
"""The weight of a dimension that no default names, a caller's own: that of the lightest one on the list."""
_NAMED = 3


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
    decided = _decided(claims, dimensions, plan, measurements, conversation.failure)
    reached = verdict(decided)
    unjudged = _unjudged(plan, measurements)
    return EvaluationResult(
        trace_id=_trace_id(conversation),
        dimension_results=dimensions,
        overall_score=_overall(dimensions),
        verdict=reached,
        passed=reached is Verdict.PASSED,
        failures=[d.reason for d in decided if d.reason],
        warnings=[*_warnings(conversation, unjudged), *_open(decided)],
        missed=[d.claim.dimension for d in decided if d.decision is Decision.MISSED],
        unmeasured=[d.claim.dimension for d in decided if d.decision is Decision.UNMEASURED],
        worst=min(
            (m for m in measurements if m.score.score is not None),
            key=lambda m: m.score.score or 0.0,
            default=None,
        ),
        broken_turn=_broken_turn(measurements, claims),
        metadata=_metadata(conversation, plan, measurements, scores, dimensions)
        | {"unjudged": unjudged, "thresholds": {d.claim.dimension: d.claim.at_least for d in decided}},
        measurements=list(measurements),
        conversation=conversation,
    )


def _trace_id(conversation: Conversation) -> str:
    """The id of the conversation's trace, without joining its turns to one where nobody recorded the whole."""
    if len(conversation) == 1 or conversation.recorded is not None:
        return str(conversation.trace.trace_id)
    return conversation.name


def _by_metric(plan: Plan, measurements: Iterable[Measurement]) -> dict[Metric, list[Measurement]]:
    found: dict[str, list[Measurement]] = {}
    for m in measurements:
        found.setdefault(m.metric, []).append(m)
    return {metric: found.get(metric.key, []) for metric in plan.metrics}


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
    return between([score for score, _ in scored], math.fsum(score * w for score, w in scored) / weight)


def _decided(
    claims: Mapping[str, Claim],
    dimensions: Iterable[DimensionResult],
    plan: Plan,
    measurements: Sequence[Measurement],
    failure: str | None,
) -> list[Decided]:
    """What becomes of the claims on what was measured, and of those that the caller made on anything else."""
    scores = {d.dimension_name: d.aggregate_score for d in dimensions}
    failed: dict[str, list[object]] = {}
    for m in measurements:
        if m.score.status is ScoreStatus.FAILED:
            failed.setdefault(m.dimension, []).append(m.score.metadata.get("warning"))
    best = _at_best(plan, measurements) if failed else {}
    applied = [claims[name] for name in scores if name in claims]
    applied += [claim for name, claim in claims.items() if claim.explicit and name not in scores]
    return [
        decide(
            claim,
            Reached(
                scores.get(claim.dimension),
                best.get(claim.dimension),
                len(failed.get(claim.dimension, ())),
                failure if "agent_error" in failed.get(claim.dimension, ()) else None,
            ),
        )
        for claim in applied
    ]


def _at_best(plan: Plan, measurements: Sequence[Measurement]) -> dict[str, float | None]:
    """The score of each dimension if everything that failed to be measured had scored 1."""
    best = [
        replaced(m, score=MetricScore(metric_name=m.score.metric_name, score=1.0))
        if m.score.status is ScoreStatus.FAILED
        else m
        for m in measurements
    ]
    scores = {
        metric: summed_up(metric, plan.label(metric), found) for metric, found in _by_metric(plan, best).items()
    }
    return {d.dimension_name: d.aggregate_score for d in _dimensions(scores, {})}


def _broken_turn(measurements: Iterable[Measurement], claims: Mapping[str, Claim]) -> int | None:
    return min(
        (m.turns[0] for m in measurements if len(m.turns) == 1 and passes(m.score, claims.get(m.dimension)) is False),
        default=None,
    )


def _warnings(conversation: Conversation, unjudged: Sequence[str]) -> list[str]:
    warnings = [w for turn in conversation.turns for w in _listed(turn.trace.metadata.get("warnings"))]
    absent = _absent_turns(conversation)
    if absent:
        turns = f"turn{'s' * (len(absent) > 1)} {', '.join(map(str, absent))}"
        warnings.append(f"The ground truth expects something of {turns}, which {conversation.name!r} lacks.")
    if conversation.failure:
        warnings.append(f"{conversation.failure[0].upper()}{conversation.failure[1:]}")
    if unjudged:
        who = ", ".join(unjudged) if len(unjudged) <= _NAMED else f"{len(unjudged)} metrics"
        warnings.append(f"{who} need{'s' * (len(unjudged) == 1)} a judge; pass judge=... or set UAEF_JUDGE")
    return warnings


def _unjudged(plan: Plan, measurements: Iterable[Measurement]) -> list[str]:
    """What could not be measured, or not everywhere, because there was no judge."""
    without = {m.metric for m in measurements if m.score.metadata.get("warning") == "no_judge"}
    return [plan.label(metric) for metric in plan.metrics if metric.key in without]


def _absent_turns(conversation: Conversation) -> list[int]:
    """The turns of which something is expected, and which were not recorded."""
    expected = conversation.ground_truth.turns if conversation.ground_truth and conversation.is_whole else ()
    return sorted(set(expected).difference(conversation.numbers))


def _open(decided: Sequence[Decided]) -> list[str]:
    """Why there is no verdict, where there is none."""
    if {d.decision for d in decided} <= {Decision.NOT_APPLICABLE}:
        return ["No threshold applies to what was measured, so nothing could pass."]
    return [
        f"{d.claim.dimension}: nothing was measured that its threshold applies to, so the verdict is open."
        for d in decided
        if d.claim.explicit and d.decision is Decision.NOT_APPLICABLE
    ]


def _listed(warnings: object) -> list[str]:
    return [str(w) for w in warnings] if isinstance(warnings, list) else []


def _metadata(
    conversation: Conversation,
    plan: Plan,
    measurements: Sequence[Measurement],
    scores: Mapping[Metric, MetricScore],
    dimensions: Sequence[DimensionResult],
) -> dict[str, object]:
    by_turn = _by_turn(plan, measurements)
    found = [m.score.status for m in measurements]
    by_name = {score.metric_name: score for score in scores.values()}
    return {
        "num_metrics": len(scores),
        "num_dimensions": len(dimensions),
        "num_turns": len(conversation),
        "is_multi_agent": conversation.is_multi_agent,
        "absent_turns": _absent_turns(conversation),
        "dimension_weights": {d.dimension_name: d.weight for d in dimensions},
        "coverage": {str(status): found.count(status) for status in ScoreStatus},
        "per_turn": _per_turn(conversation, measurements, by_turn),
        "per_turn_averages": {label: by_name[label].score for label in by_turn.values()},
        **_derived(by_name),
    }


def _by_turn(plan: Plan, measurements: Iterable[Measurement]) -> dict[str, str]:
    """The metrics that were measured turn by turn and are reported so: their labels by key."""
    measured = {m.metric for m in measurements if len(m.turns) == 1}
    return {
        m.key: plan.label(m)
        for m in plan.metrics
        if m.key in measured and m.scope is not whole and m.turns_key == Metric.turns_key
    }


def _per_turn(
    conversation: Conversation, measurements: Iterable[Measurement], labels: Mapping[str, str]
) -> list[dict[str, object]]:
    """What was found turn by turn: ``{turn, metric_scores, reasoning}``, and the derived values that were used."""
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
