"""Scorers, gates and thresholds as ``run_evals`` takes them, as metrics and claims on them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from uaef.errors import EvalConfigError, misspelt
from uaef.evaluation.claims import MetricClaim, gate, is_number
from uaef.llm_judge.rubric import Rubric
from uaef.metrics.base import Metric
from uaef.metrics.named import metric_named, short_form
from uaef.metrics.registry import checked
from uaef.metrics.scopes import turn_numbered, whole
from uaef.models.case import ClaimKind
from uaef.runs.jobs import Assertions, Scorer

Measure: TypeAlias = "str | Metric | type[Metric] | Rubric"
"""What measures: a metric, a check, a rubric, or the name of one."""


@dataclass(frozen=True, slots=True)
class Threshold:
    """A scorer whose mean must lie within bounds: ``Threshold(checks.similarity("forecast"), at_least=0.5)``.

    Attributes:
        scorer: what measures.
        at_least: the lower bound, in [0, 1].
        at_most: the upper bound, in [0, 1].
    """

    scorer: Measure
    at_least: float = 0.0
    at_most: float = 1.0


GivenThreshold: TypeAlias = Threshold | Mapping[str, object]
"""A threshold, or ``{"scorer": ..., "threshold": 0.5}``; ``{"min": 0.2, "max": 0.8}`` may stand for the number."""


def assertions(scorers: object, gates: object, turn: int | None) -> Assertions:
    """What scorers and gates assert of the conversation, or of the turn of that number.

    Raises:
        UaefError: naming the entry that is neither a scorer nor a threshold, or whose bounds cannot be.
    """
    scope = whole if turn is None else turn_numbered(turn)
    measured: list[Scorer] = []
    claims: list[MetricClaim] = []
    for entry in _listed("scorers", scorers):
        bounded = _threshold(entry)
        if bounded is None:
            measured.append(Scorer(_metric(entry).on(scope), turn))
        else:
            metric, least, most = bounded
            claims.append(MetricClaim(metric.on(scope), ClaimKind.THRESHOLD, least, most, turn))
    for entry in _listed("gates", gates):
        if isinstance(entry, Threshold) or (isinstance(entry, Mapping) and "threshold" in entry):
            raise EvalConfigError(f"a gate has no threshold, it must hold; put {entry!r} into scorers.")
        claims.append(gate(_metric(entry).on(scope), turn=turn))
    return Assertions(tuple(measured), tuple(claims))


def _listed(what: str, given: object) -> Sequence[object]:
    if given is None:
        return ()
    if isinstance(given, list | tuple):
        return given
    raise EvalConfigError(f"{what} is a list of metrics, checks and thresholds; got {given!r}.")


def _metric(entry: object) -> Metric:
    if isinstance(entry, str | Mapping):
        return metric_named(*short_form(entry))
    if not isinstance(entry, type) and callable(entry) and not isinstance(entry, Metric):
        raise EvalConfigError(f"{entry!r} is no metric; make a check of a function with checks.check(function).")
    return checked(entry)


def _threshold(entry: object) -> tuple[Metric, float, float] | None:
    """The metric and its bounds, or ``None`` where the entry is a scorer without a threshold."""
    if isinstance(entry, Threshold):
        return _metric(entry.scorer), *_range(entry.at_least, entry.at_most, entry)
    if not isinstance(entry, Mapping) or not {"scorer", "threshold"} & set(entry):
        return None
    if set(entry) != {"scorer", "threshold"}:
        raise EvalConfigError(f"a threshold is {{'scorer': ..., 'threshold': ...}}; got the keys {sorted(entry)}.")
    bound = entry["threshold"]
    if isinstance(bound, Mapping):
        if not bound or set(bound) - {"min", "max"}:
            near = next((misspelt(str(key), ("min", "max")) for key in bound if key not in ("min", "max")), None)
            hint = f" Did you mean {near!r}?" if near else ""
            raise EvalConfigError(f"a threshold has min, max or both; got {dict(bound)!r}.{hint}")
        return _metric(entry["scorer"]), *_range(bound.get("min", 0.0), bound.get("max", 1.0), bound)
    return _metric(entry["scorer"]), *_range(bound, 1.0, bound)


def _range(least: object, most: object, given: object) -> tuple[float, float]:
    for bound in (least, most):
        if not is_number(bound) or not 0 <= bound <= 1:  # type: ignore[operator] # it is a number by then
            raise EvalConfigError(f"a threshold is a number in [0, 1] or {{'min', 'max'}}; got {given!r}.")
    if least > most:  # type: ignore[operator] # as above
        raise EvalConfigError(f"the least of a threshold lies above the most: {given!r}.")
    return float(least), float(most)  # type: ignore[arg-type] # as above
