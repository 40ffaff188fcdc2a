"""Scorers, gates and thresholds as ``run_evals`` takes them, as metrics and claims on them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from uaef.errors import EvalConfigError, UaefError, misspelt
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
    at_least: float | None = None
    at_most: float | None = None


GivenThreshold: TypeAlias = Threshold | Mapping[str, object]
"""A threshold, or ``{"scorer": ..., "threshold": 0.5}``; ``{"min": 0.2, "max": 0.8}`` may stand for the number."""


def assertions(scorers: object, gates: object, turn: int | None) -> Assertions:
    """What scorers and gates assert of the conversation, or of the turn of that number.

    Raises:
        EvalConfigError: a sentence for each entry that is neither a scorer nor a threshold, or has no fit bounds.
    """
    problems: list[str] = []
    found = Assertions()
    for what, given, read in (("scorers", scorers, _scorer), ("gates", gates, _gate)):
        try:
            entries = _listed(what, given)
        except EvalConfigError as error:
            problems.append(str(error))
            continue
        for place, entry in enumerate(entries):
            try:
                found += read(entry, turn)
            except UaefError as error:
                problems.append(f"{what}[{place}]: {error}")
    if problems:
        raise EvalConfigError("\n".join(problems))
    return found


def _scorer(entry: object, turn: int | None) -> Assertions:
    bounded = _threshold(entry)
    if bounded is None:
        return Assertions(scorers=(Scorer(_placed(_metric(entry), turn), turn),))
    metric, least, most = bounded
    return Assertions(claims=(MetricClaim(_placed(metric, turn), ClaimKind.THRESHOLD, least, most, turn),))


def _gate(entry: object, turn: int | None) -> Assertions:
    if isinstance(entry, Threshold) or (isinstance(entry, Mapping) and "threshold" in entry):
        raise EvalConfigError(f"a gate has no threshold, it must hold; put {entry!r} into scorers.")
    return Assertions(claims=(gate(_placed(_metric(entry), turn), turn=turn),))


def _placed(metric: Metric, turn: int | None) -> Metric:
    """The metric on the whole conversation or on the turn, unless the caller said where (``metric.on(scope)``)."""
    if turn is None:
        return metric if metric.is_placed else metric.on(whole)
    if metric.is_placed:
        raise EvalConfigError(f"{metric.key} says itself where it is measured; in a turn, it is that turn.")
    return metric.on(turn_numbered(turn))


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
        if entry.at_least is None and entry.at_most is None:
            raise EvalConfigError("a threshold needs a bound: at_least, at_most or both.")
        least = 0.0 if entry.at_least is None else entry.at_least
        most = 1.0 if entry.at_most is None else entry.at_most
        return _metric(entry.scorer), *_range(least, most, entry)
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
