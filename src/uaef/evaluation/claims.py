"""Claims: bounds on what was measured, and the verdict they come to."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import NamedTuple

from uaef.errors import UnknownNameError, UsageError
from uaef.models.results import Verdict
from uaef.models.scores import MetricScore
from uaef.text.numbers import shown_below


class Decision(StrEnum):
    """What became of a claim."""

    MET = "met"
    MISSED = "missed"
    UNMEASURED = "unmeasured"
    """It could not be decided, because something failed to be measured."""
    NOT_APPLICABLE = "not_applicable"


class Claim(NamedTuple):
    """That a dimension's score reaches a threshold."""

    dimension: str
    at_least: float
    explicit: bool
    """Whether the caller asked for it, or it is the evaluator's default."""


class Decided(NamedTuple):
    """A claim and what became of it."""

    claim: Claim
    decision: Decision
    reason: str | None = None


def thresholds(
    defaults: Mapping[str, float], given: Mapping[str, float] | None, dimensions: Iterable[str]
) -> dict[str, Claim]:
    """The claims on dimension scores: the defaults with the caller's laid over them.

    Raises:
        ValueError: a dimension that does not exist, or a threshold outside [0, 1].
    """
    given = checked_numbers("threshold", given, {*defaults, *dimensions}, most=1.0)
    claims = {name: Claim(name, bound, explicit=False) for name, bound in defaults.items()}
    return claims | {name: Claim(name, bound, explicit=True) for name, bound in given.items()}


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
        number = isinstance(value, int | float) and not isinstance(value, bool)
        if not number or not math.isfinite(value) or not 0 <= value <= most:
            upper = "" if most == math.inf else f" and at most {most:g}"
            raise UsageError(f"The {kind} of {name!r} must be a number of at least 0{upper}, got {value!r}.")
    return dict(given or {})


class Reached(NamedTuple):
    """What a dimension came to: its score, what it could be at best, and what kept it from being more certain."""

    score: float | None
    at_best: float | None = None
    """The score if everything that failed to be measured had scored 1."""
    n_failed: int = 0
    agent_failure: str | None = None
    """How the agent failed at a turn that the dimension is about."""


def decide(claim: Claim, reached: Reached) -> Decided:
    """What becomes of a claim on a dimension.

    An agent that failed misses it, and so does a score that is below it whatever the failed measurements would
    have come to. Apart from that, a claim the caller made needs every measurement; a default is decided on what
    scored.
    """
    if reached.agent_failure is not None:
        return Decided(claim, Decision.MISSED, f"{claim.dimension}: {reached.agent_failure}")
    best = 1.0 if reached.at_best is None else reached.at_best
    if reached.n_failed and (claim.explicit or reached.score is None) and best >= claim.at_least:
        plural = "s" if reached.n_failed > 1 else ""
        reason = f"{claim.dimension}: could not be decided, {reached.n_failed} measurement{plural} failed"
        return Decided(claim, Decision.UNMEASURED, reason)
    if reached.score is None and reached.n_failed:
        return Decided(claim, Decision.MISSED, f"{claim.dimension}: below threshold {claim.at_least:g} at best")
    if reached.score is None:
        return Decided(claim, Decision.NOT_APPLICABLE)
    if reached.score >= claim.at_least:
        return Decided(claim, Decision.MET)
    score, bar = shown_below(reached.score, claim.at_least)
    return Decided(claim, Decision.MISSED, f"{claim.dimension}: score {score} below threshold {bar}")


def verdict(decided: Iterable[Decided]) -> Verdict | None:
    """What claims on dimensions, which are gates, come to.

    ``failed`` if one was missed or unmeasured; else ``None`` if one that the caller made does not apply, or if
    nothing was claimed; else ``passed``.
    """
    decided = list(decided)
    decisions = {d.decision for d in decided}
    if decisions & {Decision.MISSED, Decision.UNMEASURED}:
        return Verdict.FAILED
    if any(d.claim.explicit and d.decision is Decision.NOT_APPLICABLE for d in decided):
        return None
    return Verdict.PASSED if Decision.MET in decisions else None


def passes(score: MetricScore, claim: Claim | None) -> bool | None:
    """Whether one measurement passes: ``None`` where there is no number, or nothing to compare it with.

    Where nothing is claimed, the answer to a question of yes or no passes at yes.
    """
    if score.score is None or (claim is None and not score.metadata.get("check")):
        return None
    return score.score >= (1.0 if claim is None else claim.at_least)
