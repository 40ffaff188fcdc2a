"""Runs as they are kept, said in a line: what the tests of comparisons and gates are about."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence

from uaef import Conversation
from uaef.models import Case, GroundTruth, Measurement, MetricScore
from uaef.models.base import replaced
from uaef.models.case import Ask, ClaimKind
from uaef.models.identity import turn_keys
from uaef.models.results import ClaimResult, Decision, EvaluationResult
from uaef.runs.records import RunInfo, RunStatus, StoredRun
from uaef.testing import turn

Scores = Mapping[str, object]
"""By metric: a number, an exception that failed it, ``None`` where it does not apply, or a score."""


def case(name: str, *users: str, expect: Sequence[str | None] = (), tags: Sequence[str] = ()) -> Case:
    """A case that asks these things; ``expect`` says what should come back, turn by turn."""
    wanted = [*expect, *[None] * (len(users) - len(expect))]
    asks = [
        Ask(user=user, expected=None if want is None else GroundTruth(expected_output=want))
        for user, want in zip(users, wanted, strict=True)
    ]
    return Case(case_id=name, asks=asks, tags=list(tags))


def played(
    asked: Case,
    *turns: Scores,
    whole: Scores | None = None,
    trial: int = 0,
    bars: Mapping[str, float] | None = None,
    facts: Mapping[str, object] | None = None,
    keyed: bool = True,
) -> EvaluationResult:
    """A case as it was played and measured, turn by turn.

    Args:
        asked: the case.
        *turns: what was measured of each turn; an exception under ``agent`` is how the agent failed there.
        whole: what was measured of all of it.
        trial: which repetition it is.
        bars: what is required, by metric; what has none is a check of yes or no, unless its name begins with ``~``.
        facts: the ruler: ``judge``, ``rubric_version``.
        keyed: whether it is known what its turns were asked.
    """
    traces = [
        turn(ask.user, f"answer {n}", metadata={"turn_id": n, **_error(scores)})
        for n, (ask, scores) in enumerate(zip(asked.asks, turns, strict=True), 1)
    ]
    conversation = Conversation.of(traces, name=asked.case_id, tags=asked.tags)
    measured = [
        _measured(asked, (n,), metric, found, facts or {}, trial, whole=len(turns) == 1)
        for n, scores in enumerate(turns, 1)
        for metric, found in scores.items()
        if metric != "agent"
    ]
    everything = tuple(range(1, len(turns) + 1))
    measured += [
        _measured(asked, everything, metric, found, facts or {}, trial, whole=True)
        for metric, found in (whole or {}).items()
    ]
    claims = [
        ClaimResult(name=name, kind=ClaimKind.GATE, decision=Decision.MET, slice_name=asked.case_id, at_least=bar)
        for name, bar in (bars or {}).items()
    ]
    return EvaluationResult(
        trace_id=asked.case_id,
        claims=claims,
        measurements=measured,
        conversation=conversation,
        turn_keys=turn_keys(asked) if keyed else [],
        trial=trial,
    )


def _error(scores: Scores) -> dict[str, object]:
    return {"error": str(scores["agent"])} if "agent" in scores else {}


def _measured(
    asked: Case,
    turns: tuple[int, ...],
    metric: str,
    found: object,
    facts: Mapping[str, object],
    trial: int,
    *,
    whole: bool,
) -> Measurement:
    name = asked.case_id if len(turns) > 1 else f"{asked.case_id}#{turns[0]}"
    return Measurement(
        slice_name=name,
        turns=turns,
        whole=whole,
        metric=metric,
        dimension="Quality",
        score=score_of(metric, found, facts),
        trial=trial,
        tags=tuple(asked.tags),
    )


def score_of(metric: str, found: object, facts: Mapping[str, object]) -> MetricScore:
    """A score as the tests say it."""
    if isinstance(found, MetricScore):
        return found
    if isinstance(found, Exception):
        return MetricScore(metric_name=metric, reasoning=str(found), metadata={"warning": "api_error"})
    if found is None:
        return MetricScore(metric_name=metric, metadata={"warning": "not_applicable"})
    check = {} if metric.startswith("~") else {"check": True}
    return MetricScore(
        metric_name=metric, score=float(found), reasoning=f"it is {found}", metadata={**facts, **check}
    )


AGENT_FAILED = MetricScore(metric_name="ok", reasoning="no line", metadata={"warning": "agent_error"})


def stored(run_id: str, *items: EvaluationResult, **info: object) -> StoredRun:
    """A run of these results."""
    known = {"dataset": "shop", "status": RunStatus.COMPLETE, "agent": "bot", **info}
    return StoredRun(RunInfo(run_id=run_id, started_at=dt.datetime(2026, 1, 2, tzinfo=dt.UTC), **known), list(items))


def renamed(run: StoredRun, run_id: str) -> StoredRun:
    """The same results in another run."""
    return StoredRun(replaced(run.info, run_id=run_id), list(run.items))
