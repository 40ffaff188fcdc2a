"""Claims: bounds on what was measured, what becomes of each, and the verdict they come to."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from uaef.errors import UnknownNameError, UsageError
from uaef.evaluation.derived import between, mean
from uaef.metrics.base import Metric
from uaef.models.case import ClaimKind
from uaef.models.measurement import Measurement
from uaef.models.results import ClaimResult, Decision, Verdict
from uaef.models.scores import ScoreStatus
from uaef.text.numbers import shown_below


class DimensionClaim(NamedTuple):
    """That a dimension's score reaches a threshold: a gate on that score."""

    dimension: str
    at_least: float
    explicit: bool
    """Whether the caller asked for it, or it is the evaluator's default."""


class MetricClaim(NamedTuple):
    """A bound on what a metric finds where its scope says."""

    metric: Metric
    kind: ClaimKind
    at_least: float = 0.0
    at_most: float = 1.0
    turn: int | None = None
    """The number of the turn it is about; ``None`` where the conversation is what it is about."""

    def admits(self, score: float) -> bool:
        """Whether a score lies within the bounds."""
        return self.at_least <= score <= self.at_most


def gate(metric: Metric, *, at_least: float = 1.0, turn: int | None = None) -> MetricClaim:
    """That every applicable measurement of ``metric`` reaches ``at_least``."""
    return MetricClaim(metric, ClaimKind.GATE, at_least=at_least, turn=turn)


def thresholds(
    defaults: Mapping[str, float], given: Mapping[str, float] | None, dimensions: Iterable[str]
) -> dict[str, DimensionClaim]:
    """The claims on dimension scores: the defaults with the caller's laid over them.

    Raises:
        ValueError: a dimension that does not exist, or a threshold outside [0, 1].
    """
    given = checked_numbers("threshold", given, {*defaults, *dimensions}, most=1.0)
    claims = {name: DimensionClaim(name, bound, explicit=False) for name, bound in defaults.items()}
    return claims | {name: DimensionClaim(name, bound, explicit=True) for name, bound in given.items()}


def checked_numbers(
    kind: str, given: Mapping[str, float] | None, known: Iterable[str], *, most: float = math.inf
) -> dict[str, float]:
    """``given``, checked: every key a dimension by its exact name, every value a number from 0 to ``most``.

    Raises:
        ValueError: naming the key and what was expected.
    """
    known = set(known)
    for name, value in (given or {}).items():
        if name not in known:
            raise UnknownNameError(f"dimension in {kind}s", name, known)
        if not is_number(value) or not 0 <= value <= most:
            upper = "" if most == math.inf else f" and at most {most:g}"
            raise UsageError(f"The {kind} of {name!r} must be a number of at least 0{upper}, got {value!r}.")
    return dict(given or {})


def is_number(value: object) -> bool:
    """Whether ``value`` is a finite number, and not a yes or no."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return isinstance(value, int) or math.isfinite(value)


class Reached(NamedTuple):
    """What a dimension came to: its score, what it could be at best, and what kept it from being more certain."""

    score: float | None
    at_best: float | None = None
    """The score if everything that failed to be measured had scored 1."""
    n_failed: int = 0
    agent_failure: str | None = None
    """How the agent failed at a turn that the dimension is about."""


def decide(claim: DimensionClaim, reached: Reached, name: str) -> ClaimResult:
    """What becomes of a claim on a dimension of the conversation ``name``.

    An agent that failed misses it, and so does a score that is below it whatever the failed measurements would
    have come to. Apart from that, a claim the caller made needs every measurement; a default is decided on what
    scored.
    """
    decision, reason = _decision(claim, reached)
    return ClaimResult(
        name=claim.dimension,
        kind=ClaimKind.GATE,
        decision=decision,
        slice_name=name,
        score=reached.score,
        at_least=claim.at_least,
        explicit=claim.explicit,
        of_dimension=True,
        reason=None if reason is None else f"{claim.dimension}: {reason}",
    )


def _decision(claim: DimensionClaim, reached: Reached) -> tuple[Decision, str | None]:
    if reached.agent_failure is not None:
        return Decision.MISSED, reached.agent_failure
    best = 1.0 if reached.at_best is None else reached.at_best
    if reached.n_failed and (claim.explicit or reached.score is None) and best >= claim.at_least:
        return Decision.UNMEASURED, _undecided(reached.n_failed)
    if reached.score is None and reached.n_failed:
        return Decision.MISSED, f"below threshold {claim.at_least:g} at best"
    if reached.score is None:
        return Decision.NOT_APPLICABLE, None
    if reached.score >= claim.at_least:
        return Decision.MET, None
    score, bar = shown_below(reached.score, claim.at_least)
    return Decision.MISSED, f"score {score} below threshold {bar}"


def _undecided(n_failed: int) -> str:
    return f"could not be decided, {n_failed} measurement{'s' * (n_failed > 1)} failed"


def decide_metric(
    claim: MetricClaim, found: Sequence[Measurement], name: str, failed_at: int | None = None
) -> ClaimResult:
    """What becomes of a claim on a metric, from the measurements that it bounds.

    Args:
        claim: the bound.
        found: what was measured where it applies.
        name: what the claim is about: the conversation, or the turn.
        failed_at: the turn at which the agent failed, where later turns build on it.
    """
    scores = [m.score.score for m in found if m.score.score is not None]
    failed = [m for m in found if m.score.status is ScoreStatus.FAILED] if len(scores) < len(found) else []
    by_agent = [m for m in failed if m.score.metadata.get("warning") == "agent_error"]
    after = [m for m in found if failed_at is not None and m.turns[0] > failed_at]
    broken: Sequence[Measurement]
    if by_agent:
        decision, broken, reason = Decision.MISSED, by_agent, by_agent[0].score.reasoning
    elif after:
        decision, broken, reason = Decision.MISSED, after, f"the agent had failed at turn {failed_at}"
    else:
        decide_kind = _of_gate if claim.kind is ClaimKind.GATE else _of_threshold
        decision, broken, reason = decide_kind(claim, found, scores, failed)
    return ClaimResult(
        name=claim.metric.key,
        kind=claim.kind,
        decision=decision,
        slice_name=found[0].slice_name if len(found) == 1 else name,
        score=None if by_agent or after else mean(scores),
        at_least=claim.at_least,
        at_most=claim.at_most,
        turn=claim.turn,
        windows=tuple([m.turns for m in found]),
        broken_by=tuple([m.turns[0] for m in broken if len(m.turns) == 1]),
        reason=None if reason is None else f"{_turn(broken)}{claim.metric.key}: {reason}",
    )


def _turn(broken: Sequence[Measurement]) -> str:
    """The turn that breaks a claim first, to begin a sentence with; nothing where a longer window does."""
    return f"turn {broken[0].turns[0]}: " if broken and len(broken[0].turns) == 1 else ""


_Found = tuple[Decision, Sequence[Measurement], str | None]


def _of_gate(
    claim: MetricClaim, found: Sequence[Measurement], scores: Sequence[float], failed: Sequence[Measurement]
) -> _Found:
    """Every applicable measurement must be admitted; one that failed leaves it open, unless another decides it."""
    if not all(map(claim.admits, scores)):
        broken = _outside(claim, found)
        return Decision.MISSED, broken, _why(claim, broken[0])
    if failed:
        return Decision.UNMEASURED, failed, failed[0].score.reasoning or _undecided(len(failed))
    return (Decision.MET, (), None) if scores else _idle(found)


def _of_threshold(
    claim: MetricClaim, found: Sequence[Measurement], scores: Sequence[float], failed: Sequence[Measurement]
) -> _Found:
    """Their mean must be admitted; where some failed, only what no outcome of theirs could change is decided."""
    if failed:
        n = len(scores) + len(failed)
        least, most = (
            between([0.0, 1.0], total / n) for total in (math.fsum(scores), math.fsum(scores) + len(failed))
        )
        if most < claim.at_least or least > claim.at_most:
            return Decision.MISSED, failed, f"outside {bounds(claim.at_least, claim.at_most)} whatever failed"
        return Decision.UNMEASURED, failed, failed[0].score.reasoning or _undecided(len(failed))
    average = mean(scores)
    if average is None:
        return _idle(found)
    if claim.admits(average):
        return Decision.MET, (), None
    broken = _outside(claim, found)
    return Decision.MISSED, broken, _why(claim, broken[0], average)


def _idle(found: Sequence[Measurement]) -> _Found:
    """That nothing applies, and why."""
    return Decision.NOT_APPLICABLE, (), found[0].score.reasoning if found else "its scope holds no turn"


def _outside(claim: MetricClaim, found: Sequence[Measurement]) -> list[Measurement]:
    return [m for m in found if m.score.score is not None and not claim.admits(m.score.score)]


def _why(claim: MetricClaim, broken: Measurement, average: float | None = None) -> str:
    """The score beside its bound, and what the metric says of the first measurement that is outside.

    Of a question of yes or no, what it says is enough.
    """
    if broken.score.metadata.get("check") and broken.score.reasoning and average is None:
        return broken.score.reasoning
    score = broken.score.score if average is None else average
    assert score is not None  # noqa: S101 - it scored, that is how it broke the claim; for the type checker
    said = f": {broken.score.reasoning}" if broken.score.reasoning else ""
    if score < claim.at_least:
        shown, bar = shown_below(score, claim.at_least)
        return f"{shown} is below {bar}{said}"
    bar, shown = shown_below(claim.at_most, score)
    return f"{shown} is above {bar}{said}"


def bounds(at_least: float, at_most: float) -> str:
    """Bounds as text: ``>= 0.5``, ``0.2 to 0.8``; never rounded to another bound."""
    least, most = (f"{x:g}" if float(f"{x:g}") == x else repr(x) for x in (at_least, at_most))
    return f">= {least}" if at_most >= 1 else f"{least} to {most}"


def verdict(claims: Iterable[ClaimResult]) -> Verdict | None:
    """What claims come to.

    ``failed`` if a gate was missed or unmeasured; else ``scored`` if a threshold was; else ``None`` if one that the
    caller made does not apply, or if nothing was claimed; else ``passed``.
    """
    claims = list(claims)
    broken = {c.kind for c in claims if c.decision in (Decision.MISSED, Decision.UNMEASURED)}
    if ClaimKind.GATE in broken:
        return Verdict.FAILED
    if broken:
        return Verdict.SCORED
    if any(c.explicit and c.decision is Decision.NOT_APPLICABLE for c in claims):
        return None
    return Verdict.PASSED if any(c.decision is Decision.MET for c in claims) else None
