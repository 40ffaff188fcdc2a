"""From the results of conversations to that of a run: trials taken together, claims per turn, the verdict."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from uaef.evaluation.claims import verdict as verdict_of
from uaef.evaluation.derived import mean
from uaef.models.base import replaced
from uaef.models.case import ClaimKind
from uaef.models.measurement import Measurement
from uaef.models.names import slice_name
from uaef.models.results import ClaimResult, Decision, EvaluationResult, Verdict
from uaef.models.scores import ScoreStatus
from uaef.runs.cascades import cascades
from uaef.runs.results import ClaimSummary, Played, RunResult, RunSummary, Trials, TurnSummary

Wanted = Mapping[str, Sequence[tuple[str, int | None]]]
"""The scores wanted of each conversation: keys of metrics, each with the number of its turn, or ``None``."""

Scores = Mapping[tuple[str, int | None], float | None]
"""The means of what is wanted, by the same."""

_WORST_FIRST = (Verdict.FAILED, Verdict.SCORED, None, Verdict.PASSED)
_BROKEN = (Decision.MISSED, Decision.UNMEASURED)


def concluded(
    items: Sequence[EvaluationResult],
    played: Played,
    *,
    beside: Sequence[EvaluationResult] = (),
    wanted: Wanted | None = None,
) -> RunResult:
    """What a run comes to; of one that was not played to its end, what it has come to so far.

    Args:
        items: the results of its conversations, trial by trial.
        played: how it was played.
        beside: the results of the play that does not decide, with ``history="both"``.
        wanted: the scores that were asked for; of a run that was kept they are not known.
    """
    by_name = claims_of(items, played.trials)
    claims = [claim for made in by_name.values() for claim in made]
    whole = [claim for claim in claims if claim.turn is None]
    scores = mean_scores(items, wanted or {})
    return RunResult(
        verdict=run_verdict(items, by_name, played.trials, played.n_planned),
        scores={key: score for (key, turn), score in scores.items() if turn is None},
        gate_results=summaries(whole, ClaimKind.GATE),
        threshold_results=summaries(whole, ClaimKind.THRESHOLD),
        turn_results=turn_summaries(claims, items, scores),
        items=list(items),
        claims=claims,
        summary=coverage(items),
        warnings=list(played.warnings),
        history=played.history,
        agent=played.agent,
        repeat=played.repeat,
        trials=played.trials,
        actual=list(beside),
        cascades=cascades(items, beside),
        n_planned=played.n_planned,
    )


def claims_of(items: Sequence[EvaluationResult], trials: Trials) -> dict[str, list[ClaimResult]]:
    """What became of every claim by conversation, the trials of a conversation taken together."""
    by_name: dict[str, list[EvaluationResult]] = {}
    for item in items:
        by_name.setdefault(item.name, []).append(item)
    return {name: _of_trials(found, trials) for name, found in by_name.items()}


def _of_trials(items: Sequence[EvaluationResult], trials: Trials) -> list[ClaimResult]:
    if len(items) == 1:
        return items[0].claims
    read = [item.claims for item in items if item.conversation is not None]
    lost = len(items) - len(read)  # a trial that could not be evaluated leaves every claim on it open
    return [
        _together([*claims, *[replaced(claims[0], decision=Decision.UNMEASURED, score=None)] * lost], trials)
        for claims in zip(*read, strict=True)
    ]


def _together(claims: Sequence[ClaimResult], trials: Trials) -> ClaimResult:
    """One claim over several trials: a gate by the policy, a threshold by the mean of the trials."""
    first = claims[0]
    score = mean(claim.score for claim in claims)
    is_gate = first.kind is ClaimKind.GATE
    decision = _gate_together(claims, trials) if is_gate else _threshold_together(claims, score)
    of_that = next((claim for claim in claims if claim.decision is decision), None)
    reason = of_that.reason if of_that else f"{first.name}: the mean of {len(claims)} trials is outside its bounds"
    met = decision is Decision.MET
    return replaced(
        of_that or first,
        decision=decision,
        score=score,
        reason=None if met else reason,
        broken_by=() if met else tuple(dict.fromkeys(turn for claim in claims for turn in claim.broken_by)),
    )


def _gate_together(claims: Sequence[ClaimResult], trials: Trials) -> Decision:
    """Whether so many trials meet it as have to; one in which it does not apply, or is open, is not one that does."""
    found = [claim.decision for claim in claims]
    needed = _needed(trials, len(found))
    if found.count(Decision.MET) >= needed:
        return Decision.MET
    if len(found) - found.count(Decision.MISSED) < needed:
        return Decision.MISSED
    if all(decision is Decision.NOT_APPLICABLE for decision in found if decision is not Decision.MISSED):
        return Decision.NOT_APPLICABLE if Decision.MISSED not in found else Decision.MISSED
    return Decision.UNMEASURED if Decision.UNMEASURED in found else Decision.NOT_APPLICABLE


def _needed(trials: Trials, n: int) -> int:
    """In how many of ``n`` trials something has to hold."""
    return {Trials.ALL: n, Trials.ANY: 1, Trials.MAJORITY: n // 2 + 1}[trials]


def _threshold_together(claims: Sequence[ClaimResult], score: float | None) -> Decision:
    found = {claim.decision for claim in claims}
    if Decision.UNMEASURED in found:
        return Decision.UNMEASURED
    if any(claim.decision is Decision.MISSED and claim.score is None for claim in claims):
        return Decision.MISSED  # the agent failed, or nothing could have reached it
    if score is None:
        return Decision.NOT_APPLICABLE
    return Decision.MET if claims[0].at_least <= score <= claims[0].at_most else Decision.MISSED


def run_verdict(
    items: Sequence[EvaluationResult],
    claims: Mapping[str, Sequence[ClaimResult]],
    trials: Trials,
    n_planned: int,
) -> Verdict | None:
    """The worst verdict of the conversations of which anything was claimed; ``None`` where of none.

    One that could not be evaluated at all has failed, and one in which the agent did. A run that lacks some of what
    was planned, trials counted, does not pass.
    """
    found = {verdict_of(made) for made in claims.values() if made}
    found |= {Verdict.FAILED for item in items if item.conversation is None}
    found |= {Verdict.FAILED for _ in failures_of_agent(items, trials)}
    worst = next((verdict for verdict in _WORST_FIRST if verdict in found), None)
    return None if worst is Verdict.PASSED and len(items) < n_planned else worst


def failures_of_agent(items: Iterable[EvaluationResult], trials: Trials) -> dict[str, str]:
    """How the agent failed first, by the conversation that it keeps from passing: in too many of its trials.

    A conversation of which nothing was claimed could not pass anyway, and is left out.
    """
    by_name: dict[str, list[EvaluationResult]] = {}
    for item in items:
        if item.claims and item.conversation is not None:
            by_name.setdefault(item.name, []).append(item)
    found: dict[str, str] = {}
    for name, played in by_name.items():
        failed = [item.conversation.failure for item in played if item.conversation and item.conversation.failure]
        if len(played) - len(failed) < _needed(trials, len(played)):
            found[name] = failed[0]
    return found


def summaries(claims: Iterable[ClaimResult], kind: ClaimKind) -> list[ClaimSummary]:
    """The claims of one kind, each over all conversations that it was made on."""
    grouped: dict[tuple[str, float, float], list[ClaimResult]] = {}
    for claim in claims:
        if claim.kind is kind:
            grouped.setdefault((claim.name, claim.at_least, claim.at_most), []).append(claim)
    return [_summary(found) for found in grouped.values()]


def _summary(found: Sequence[ClaimResult]) -> ClaimSummary:
    decisions = {claim.decision for claim in found}
    scores = {claim.slice_name: claim.score for claim in found if claim.score is not None}
    return ClaimSummary(
        key=found[0].name,
        passed=False if decisions & set(_BROKEN) else True if Decision.MET in decisions else None,
        score=mean(scores.values()),
        n=len(scores),
        failed_in=[name for claim in found if claim.decision in _BROKEN for name in _broken_slices(claim)],
        at_least=found[0].at_least,
        at_most=found[0].at_most,
    )


def _broken_slices(claim: ClaimResult) -> list[str]:
    """Where a claim was broken: at the turn that it is about or, of a conversation, at the turns that broke it."""
    if claim.turn is not None or not claim.broken_by:
        return [claim.slice_name]
    return [slice_name(claim.slice_name, [turn]) for turn in claim.broken_by]


def turn_summaries(
    claims: Sequence[ClaimResult], items: Sequence[EvaluationResult], scores: Scores
) -> list[TurnSummary]:
    """What was asserted of single turns, turn by turn; empty where nothing was."""
    by_turn: dict[int | None, list[ClaimResult]] = {}
    for claim in claims:
        by_turn.setdefault(claim.turn, []).append(claim)
    if not {*by_turn, *(turn for _, turn in scores)} - {None}:
        return []
    return [
        TurnSummary(
            index=index,
            gate_results=summaries(by_turn.get(index + 1, ()), ClaimKind.GATE),
            threshold_results=summaries(by_turn.get(index + 1, ()), ClaimKind.THRESHOLD),
            scores={key: score for (key, turn), score in scores.items() if turn == index + 1},
        )
        for index in range(
            max((len(item.conversation) for item in items if item.conversation is not None), default=0)
        )
    ]


def mean_scores(items: Iterable[EvaluationResult], wanted: Wanted) -> Scores:
    """The mean of each score that is wanted over the conversations; of trials of one, their mean counts."""
    found: dict[tuple[str, int | None], dict[str, list[float | None]]] = {}
    for item in items:
        by_key: dict[str, list[Measurement]] = {}
        for m in item.measurements:
            by_key.setdefault(m.metric, []).append(m)
        for key, turn in wanted.get(item.name, ()):
            by_name = found.setdefault((key, turn), {})
            by_name.setdefault(item.name, []).append(_score(by_key.get(key, ()), turn))
    return {asked: mean(map(mean, by_name.values())) for asked, by_name in found.items()}


def _score(measured: Sequence[Measurement], turn: int | None) -> float | None:
    """What a metric found at a turn; of the conversation, on the whole, else its mean over the windows."""
    if turn is None:
        return mean(m.score.score for m in [m for m in measured if m.whole] or measured)
    return next((m.score.score for m in measured if m.turns == (turn,)), None)


def coverage(items: Iterable[EvaluationResult]) -> RunSummary:
    """How much was measured."""
    items = list(items)
    statuses = [m.score.status for item in items for m in item.measurements]
    return RunSummary(
        n=len(items),
        scored=statuses.count(ScoreStatus.SCORED),
        not_applicable=statuses.count(ScoreStatus.NOT_APPLICABLE),
        failed=statuses.count(ScoreStatus.FAILED),
    )
