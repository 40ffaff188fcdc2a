"""From measurements to a result: scores per metric, dimensions, the overall score, the verdict."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from uaef.evaluation.claims import DimensionClaim, MetricClaim, Reached, decide, decide_metric, verdict
from uaef.evaluation.derived import DERIVED, between, derive, mean
from uaef.evaluation.per_turn import summed_up
from uaef.evaluation.plan import Plan
from uaef.evaluation.required import Required, passes
from uaef.metrics.base import Metric
from uaef.metrics.scopes import Outline, whole
from uaef.models.base import replaced
from uaef.models.conversation import Conversation
from uaef.models.measurement import Measurement
from uaef.models.names import slice_name
from uaef.models.results import ClaimResult, Decision, DimensionResult, EvaluationResult, Verdict
from uaef.models.scores import MetricScore, ScoreStatus
from uaef.models.traces import total

LIGHTEST = 0.10
"""The weight of a dimension that no default names, a caller's own: that of the lightest one on the list."""
_NAMED = 3
_SOURCES = frozenset(source for sources in DERIVED.values() for source in sources)


class Ruler(NamedTuple):
    """What is measured and how the numbers are read: the same for every conversation that it is laid on."""

    plan: Plan
    dimensions: Mapping[str, DimensionClaim] = {}
    """The claims on dimension scores, by dimension."""
    claims: Sequence[MetricClaim] = ()
    weights: Mapping[str, float] = {}


def summarise(conversation: Conversation, ruler: Ruler, measurements: Sequence[Measurement]) -> EvaluationResult:
    """The result of one conversation, built from its measurements alone."""
    plan = ruler.plan
    by_metric = _by_metric(plan, measurements)
    scores = {metric: summed_up(metric, plan.label(metric), found) for metric, found in by_metric.items()}
    dimensions = _dimensions(scores, ruler.weights)
    bounded = _bounded(conversation, ruler.claims, measurements)
    claims = _decided(ruler.dimensions, dimensions, plan, measurements, conversation)
    failed_at = _failed_at(conversation)
    claims += [decide_metric(claim, found, name, failed_at) for claim, name, found in bounded]
    reached = Verdict.FAILED if claims and conversation.failure is not None else verdict(claims)
    turns_passed = _turns_passed(conversation, measurements, Required(claims, measurements))
    unjudged = _unjudged(plan, measurements)
    absent = _absent_turns(conversation)
    return EvaluationResult(
        trace_id=_trace_id(conversation),
        dimension_results=dimensions,
        overall_score=_overall(dimensions),
        verdict=reached,
        passed=reached is Verdict.PASSED,
        failures=list(_failures(conversation, claims)),
        warnings=[*_warnings(conversation, absent, unjudged), *_open(reached, claims, ruler)],
        errors=_errors(conversation, measurements),
        claims=claims,
        missed=[c.name for c in claims if c.decision is Decision.MISSED],
        unmeasured=[c.name for c in claims if c.decision is Decision.UNMEASURED],
        worst=min(
            (m for m in measurements if m.score.score is not None),
            key=lambda m: m.score.score or 0.0,
            default=None,
        ),
        broken_turn=next((number for number, passed in turns_passed.items() if passed is False), None),
        turns_passed=turns_passed,
        absent_turns=absent,
        unjudged=unjudged,
        metadata=_metadata(conversation, plan, measurements, scores, dimensions)
        | {"thresholds": {c.name: c.at_least for c in claims if c.of_dimension}},
        measurements=list(measurements),
        conversation=conversation,
        trial=conversation.trial,
        seconds=total(turn.trace.latency for turn in conversation.turns),
        cost=total([*(turn.trace.cost for turn in conversation.turns), *(m.cost for m in measurements)]),
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
    claims: Mapping[str, DimensionClaim],
    dimensions: Iterable[DimensionResult],
    plan: Plan,
    measurements: Sequence[Measurement],
    conversation: Conversation,
) -> list[ClaimResult]:
    """What becomes of the claims on dimensions that were measured, and of those that the caller made on others."""
    if not claims:
        return []
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
                conversation.failure if "agent_error" in failed.get(claim.dimension, ()) else None,
            ),
            conversation.name,
        )
        for claim in applied
    ]


_Bounded = tuple[MetricClaim, str, Sequence[Measurement]]
"""A claim, the name of what it is about, and what was measured there."""


def _bounded(
    conversation: Conversation, claims: Sequence[MetricClaim], measurements: Iterable[Measurement]
) -> list[_Bounded]:
    """What each claim bounds: the measurements of its metric on the windows of its scope."""
    if not claims:
        return []
    name, numbers = conversation.name, conversation.numbers
    outline = Outline.of(conversation)
    found = {(m.metric, m.turns): m for m in measurements}
    return [
        (
            claim,
            slice_name(name, () if claim.turn is None else (claim.turn,)),
            [found[claim.metric.key, numbers[start:stop]] for start, stop in claim.metric.scope(outline)],
        )
        for claim in claims
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


def _turns_passed(
    conversation: Conversation, measurements: Iterable[Measurement], required: Required
) -> dict[int, bool | None]:
    """Which turns pass: not where the agent failed, nor where a measurement is not what it has to be."""
    outcomes: dict[int, set[bool | None]] = {
        turn.number: set() if turn.error is None else {False} for turn in conversation.turns
    }
    for m in measurements:
        if len(m.turns) == 1:
            ranges = required.of(m)
            passed = passes(m.score, ranges)
            if passed is not None:
                outcomes[m.turns[0]].add(passed)
            elif ranges and m.score.status is ScoreStatus.FAILED:
                outcomes[m.turns[0]].add(None)
    return {number: _together(found) for number, found in outcomes.items()}


def _together(outcomes: Collection[bool | None]) -> bool | None:
    """False if anything is; else open if anything is open, or if there is nothing."""
    if False in outcomes:
        return False
    return True if outcomes and None not in outcomes else None


def _failures(conversation: Conversation, claims: Sequence[ClaimResult]) -> Iterator[str]:
    """What was missed or could not be decided; and, where no claim says so, that the agent failed."""
    said = [c.reason for c in claims if c.reason and c.decision is not Decision.NOT_APPLICABLE]
    yield from said
    failure = conversation.failure
    if claims and failure is not None and not any(failure in reason for reason in said):
        yield f"{failure[0].upper()}{failure[1:]}"


def _failed_at(conversation: Conversation) -> int | None:
    """The turn at which the agent failed, if the turns after it were shown what came of that."""
    if not conversation.flows:
        return None
    return next((turn.number for turn in conversation.turns if turn.error is not None), None)


def _errors(conversation: Conversation, measurements: Iterable[Measurement]) -> list[str]:
    """What failed: the agent at its turns, and what should have been measured and was not."""
    errors = [
        f"{slice_name(conversation.conversation_id, [turn.number])}: the agent failed: {turn.error}"
        for turn in conversation.turns
        if turn.error is not None
    ]
    errors += [
        f"{m.slice_name}: {m.metric}: {m.score.reasoning}"
        for m in measurements
        if m.score.status is ScoreStatus.FAILED and m.score.metadata.get("warning") != "agent_error"
    ]
    return errors


def _warnings(conversation: Conversation, absent: Sequence[int], unjudged: Sequence[str]) -> Iterator[str]:
    for turn in conversation.turns:
        yield from _listed(turn.trace.metadata.get("warnings"))
    if absent:
        turns = f"turn{'s' * (len(absent) > 1)} {', '.join(map(str, absent))}"
        yield f"The ground truth expects something of {turns}, which {conversation.name!r} lacks."
    if conversation.failure:
        yield f"{conversation.failure[0].upper()}{conversation.failure[1:]}"
    if unjudged:
        who = ", ".join(unjudged) if len(unjudged) <= _NAMED else f"{len(unjudged)} metrics"
        yield f"{who} need{'s' * (len(unjudged) == 1)} a judge; pass judge=... or set UAEF_JUDGE"


def _unjudged(plan: Plan, measurements: Iterable[Measurement]) -> list[str]:
    """What could not be measured, or not everywhere, because there was no judge."""
    without = {m.metric for m in measurements if m.score.metadata.get("warning") == "no_judge"}
    return [plan.label(metric) for metric in plan.metrics if metric.key in without]


def _absent_turns(conversation: Conversation) -> list[int]:
    """The turns of which something is expected, and which were not recorded."""
    expected = conversation.ground_truth.turns if conversation.ground_truth and conversation.is_whole else ()
    return sorted(set(expected).difference(conversation.numbers))


def _open(reached: Verdict | None, claims: Sequence[ClaimResult], ruler: Ruler) -> list[str]:
    """Why there is no verdict, where there is none although something is claimed."""
    if reached is not None or not (claims or ruler.dimensions):
        return []
    if all(c.of_dimension and c.decision is Decision.NOT_APPLICABLE for c in claims):
        return ["No threshold applies to what was measured, so nothing could pass."]
    return [
        f"{c.reason or f'{c.name}: nothing was measured that its threshold applies to'}, so the verdict is open."
        for c in claims
        if c.explicit and c.decision is Decision.NOT_APPLICABLE
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
    if _SOURCES.isdisjoint(scores):
        return {}
    return {name: value for name in DERIVED if (value := derive(name, scores)) is not None}
