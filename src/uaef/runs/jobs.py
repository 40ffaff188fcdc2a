"""A job: a case to be played, and the ruler that is laid on the conversation."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from uaef.agents import History
from uaef.errors import EvalConfigError, UaefError, UnknownNameError
from uaef.evaluation.claims import MetricClaim
from uaef.evaluation.plan import Plan, united
from uaef.evaluation.summary import Ruler
from uaef.llm_judge.judge import Judge
from uaef.metrics.base import Metric
from uaef.metrics.checks.base import Check
from uaef.metrics.judged import JudgeMetric
from uaef.metrics.named import metric_named
from uaef.metrics.scopes import Scope, each_turn, tagged, turn_numbered, whole
from uaef.models.case import Case, ClaimKind, NamedClaim

_SCOPES: dict[str, Scope] = {"whole": whole, "each_turn": each_turn}
_TAGGED = "tagged:"


class Scorer(NamedTuple):
    """A metric that is only measured, and the number of the turn it is about; ``None`` for the conversation."""

    metric: Metric
    turn: int | None = None


class Assertions(NamedTuple):
    """What is laid on a conversation or on one of its turns: what is only measured, and what must hold."""

    scorers: tuple[Scorer, ...] = ()
    claims: tuple[MetricClaim, ...] = ()

    @property
    def metrics(self) -> tuple[Metric, ...]:
        """Everything that has to be measured for it."""
        return (*(scorer.metric for scorer in self.scorers), *(claim.metric for claim in self.claims))

    @property
    def wanted(self) -> tuple[tuple[str, int | None], ...]:
        """The keys of the metrics whose scores are wanted, with a threshold and without, each with its turn."""
        wanted = [(scorer.metric.key, scorer.turn) for scorer in self.scorers]
        wanted += [(c.metric.key, c.turn) for c in self.claims if c.kind is ClaimKind.THRESHOLD]
        return tuple(dict.fromkeys(wanted))

    def __add__(self, other: tuple[object, ...]) -> Assertions:
        if not isinstance(other, Assertions):
            return NotImplemented
        return Assertions(self.scorers + other.scorers, self.claims + other.claims)


@dataclass(frozen=True, slots=True)
class Job:
    """A case to be played and what is measured on it.

    Attributes:
        case: what is asked.
        ruler: what is measured, and what must come of it.
        wanted: the keys of the metrics whose scores are wanted, each with the number of its turn, or ``None``.
        history: what the agent is shown in it, unless the caller says otherwise.
        only: the numbers of the turns that are wanted, where those are not all; others are played only where the
            wanted ones build on them.
    """

    case: Case
    ruler: Ruler
    wanted: tuple[tuple[str, int | None], ...]
    history: str = History.THREAD
    only: frozenset[int] | None = None


def ruled(assertions: Assertions, judge: Judge | None) -> tuple[Ruler, tuple[tuple[str, int | None], ...]]:
    """What is asserted as a ruler, and the scores that are wanted.

    Raises:
        MetricError: two different metrics go by one key.
    """
    metrics = united(_judged(metric, judge) for metric in assertions.metrics)
    return Ruler(Plan(metrics), claims=assertions.claims), assertions.wanted


def _judged(metric: Metric, judge: Judge | None) -> Metric:
    return metric.judged_by(judge) if judge is not None and isinstance(metric, JudgeMetric) else metric


def assertions_of(case: Case, first: int = 1) -> Assertions:
    """What a dataset asserts of a case and of its turns, as metrics.

    A check that is written in a conversation sees all its turns together; a registered metric keeps its own scope.

    Args:
        case: what is asked, and what must hold of it.
        first: the number of its first turn.

    Raises:
        EvalConfigError: naming every claim that cannot be made, and where it was written.
    """
    problems: list[str] = []
    found = _named(case.claims, None, problems)
    for number, ask in enumerate(case.asks, first):
        found += _named(ask.claims, number, problems)
    if problems:
        raise EvalConfigError("\n".join(problems))
    return found


def _named(claims: Iterable[NamedClaim], turn: int | None, problems: list[str]) -> Assertions:
    scorers, made = [], []
    for claim in claims:
        try:
            metric = metric_named(claim.name, claim.arguments)
            metric = metric.on(_scope(claim, metric, turn))
        except UaefError as error:
            problems.append(f"{claim.place}: {error}" if claim.place else str(error))
            continue
        if claim.kind is ClaimKind.SCORE:
            scorers.append(Scorer(metric, turn))
        else:
            made.append(_bounded(claim, metric, turn))
    return Assertions(tuple(scorers), tuple(made))


def _bounded(claim: NamedClaim, metric: Metric, turn: int | None) -> MetricClaim:
    least = 1.0 if claim.kind is ClaimKind.GATE else 0.0
    return MetricClaim(
        metric,
        claim.kind,
        at_least=least if claim.at_least is None else claim.at_least,
        at_most=1.0 if claim.at_most is None else claim.at_most,
        turn=turn,
    )


def _scope(claim: NamedClaim, metric: Metric, turn: int | None) -> Scope:
    if turn is not None:
        return turn_numbered(turn)
    if claim.scope is None:
        return whole if isinstance(metric, Check) else metric.scope
    if claim.scope.startswith(_TAGGED):
        return tagged(claim.scope.removeprefix(_TAGGED))
    if claim.scope not in _SCOPES:
        raise UnknownNameError("scope", claim.scope, [*_SCOPES, f"{_TAGGED}NAME"])
    return _SCOPES[claim.scope]
