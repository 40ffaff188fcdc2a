"""What became of each turn, and of each claim on a conversation: what every report for a pipeline is made of.

A pipeline ends red or green, so these agree with the exit code of ``uaef run``: a turn is broken by a claim that was
missed, and a metric that is only shown breaks nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from uaef.evaluation.claims import bounds
from uaef.evaluation.required import windows_of
from uaef.models.case import ClaimKind
from uaef.models.conversation import Conversation
from uaef.models.measurement import Measurement
from uaef.models.names import slice_name
from uaef.models.results import ClaimResult, Decision, EvaluationResult
from uaef.reporting.gaps import named_turns
from uaef.runs.conclusion import claims_of, failures_of_agent
from uaef.runs.gate.decisions import GateResult
from uaef.runs.results import RunResult, Trials

GATE = "uaef gate"
"""Under which name the rules of a gate stand beside conversations."""
_NO_REASON = "no reason was given"


class Outcome(NamedTuple):
    """What became of a turn, of a claim on a conversation, or of a conversation that could not be evaluated."""

    name: str
    """Where: ``refund#3``, ``refund``."""
    what: str
    """The claim, where it is one on the conversation: ``includes('48') (gate)``; else empty."""
    decision: Decision
    reasons: Sequence[str]
    """Why it is not met."""
    remarks: Sequence[str]
    """What else is worth knowing of it: a claim that was missed and does not count."""
    claims: Sequence[ClaimResult]
    """The claims that decided."""
    window: Conversation | None
    """What was said and done there; ``None`` if it could not be read."""

    @property
    def is_broken(self) -> bool:
        """Whether it keeps the run from passing: missed, or not decided."""
        return self.decision in (Decision.MISSED, Decision.UNMEASURED)

    @property
    def is_rule(self) -> bool:
        """Whether it is of a rule of the gate, not of something that was played."""
        return self.name == GATE and bool(self.what) and self.window is None


class ItemOutcomes(NamedTuple):
    """One conversation and trial: what became of its turns, then of the claims on all of it."""

    item: EvaluationResult
    turns: Sequence[Outcome]
    whole: Sequence[Outcome]

    @property
    def all(self) -> Sequence[Outcome]:
        """The turns, then the claims on the conversation."""
        return (*self.turns, *self.whole)


class _Ruled(NamedTuple):
    """A claim of a trial with what it counts for, once all trials are taken together."""

    claim: ClaimResult
    decision: Decision
    remark: str | None


def outcomes(run: RunResult, *, strict: bool = False) -> list[ItemOutcomes]:
    """What became of everything, conversation by conversation, trial by trial.

    Args:
        run: what was played.
        strict: whether a missed threshold breaks what it is about, as a missed gate does.
    """
    together = claims_of(run.items, run.trials)
    failed = failures_of_agent(run.items, run.trials)
    return [
        _item(
            item, _ruled(item, together.get(item.name, ()), run.trials, strict=strict), has_failed=item.name in failed
        )
        for item in run.items
    ]


def rule_outcomes(gate: GateResult) -> list[Outcome]:
    """What became of each rule of the gate, as of the claims: why, then the measurements that decided."""
    return [
        Outcome(
            name=GATE,
            what=each.rule,
            decision=each.decision,
            reasons=[]
            if each.decision is Decision.MET
            else [each.reason, *(e.text for e in each.evidence if e.text)],
            remarks=[each.reason] if each.decision is Decision.MET else [],
            claims=(),
            window=None,
        )
        for each in gate.decisions
    ]


def _ruled(
    item: EvaluationResult, together: Sequence[ClaimResult], trials: Trials, *, strict: bool
) -> Sequence[_Ruled]:
    taken = together if len(together) == len(item.claims) else item.claims  # else a trial could not be evaluated
    return [_counted(own, of_all, trials, strict=strict) for own, of_all in zip(item.claims, taken, strict=True)]


def _counted(own: ClaimResult, of_all: ClaimResult, trials: Trials, *, strict: bool) -> _Ruled:
    if own.decision not in (Decision.MISSED, Decision.UNMEASURED):
        return _Ruled(own, own.decision, None)
    if of_all.decision is Decision.MET:
        how = f"{trials} decides" if own.kind is ClaimKind.GATE else "their mean decides"
        return _Ruled(own, Decision.MET, f"{own.decision} in this trial alone, met over all trials ({how})")
    if of_all.decision is Decision.UNMEASURED:
        return _Ruled(own, Decision.UNMEASURED, None)
    if own.kind is ClaimKind.THRESHOLD and own.decision is Decision.MISSED and not strict:
        return _Ruled(own, Decision.MET, "a threshold that was missed, which only --strict makes a failure")
    return _Ruled(own, own.decision, None)


def _item(item: EvaluationResult, ruled: Sequence[_Ruled], *, has_failed: bool) -> ItemOutcomes:
    if item.conversation is None:
        reasons = item.failures or [_NO_REASON]
        return ItemOutcomes(item, [], [Outcome(item.name, "", Decision.UNMEASURED, reasons, (), (), None)])
    turns = [_turn(item, window, ruled, has_failed=has_failed) for window in item.conversation]
    return ItemOutcomes(item, turns, [_whole(item, each) for each in ruled if each.claim.turn is None])


def _turn(item: EvaluationResult, window: Conversation, ruled: Sequence[_Ruled], *, has_failed: bool) -> Outcome:
    (number,) = window.numbers
    measured = {m.metric: m for m in item.measurements if m.turns == (number,)}
    about = [each for each in ruled if _is_about(each.claim, number, item.measurements)]
    breaking = [each for each in about if each.claim.turn == number or number in each.claim.broken_by]
    decision = _worst(each.decision for each in breaking)
    if decision not in (Decision.MISSED, Decision.UNMEASURED):
        decision = Decision.MET if any(_holds(each, number) for each in about) else Decision.NOT_APPLICABLE
    deciding = [each.claim for each in breaking if each.decision is decision]
    reasons = list(dict.fromkeys(_reason(claim, number, measured) for claim in deciding))
    error = window.turns[0].error
    if error is not None and not about:  # nothing is required of it, and yet this is no way to answer
        outvoted = Decision.MET if ruled else Decision.UNMEASURED
        decision, reasons = Decision.MISSED if has_failed else outvoted, [agent_failed(error)]
    if decision is Decision.MET:
        reasons = []
    return Outcome(
        name=slice_name(item.name, [number]),
        what="",
        decision=decision,
        reasons=reasons,
        remarks=[f"{_reason(e.claim, number, measured)} ({e.remark})" for e in breaking if e.remark],
        claims=deciding,
        window=window,
    )


def agent_failed(error: str) -> str:
    """The error of a turn in a sentence; of one that was not played, that it was not."""
    return error if error.startswith("not played") else f"the agent failed: {error}"


def _is_about(claim: ClaimResult, number: int, measurements: Sequence[Measurement]) -> bool:
    """Whether a turn can break a claim: one on it, or one on the conversation that was measured turn by turn."""
    if claim.turn is not None or claim.of_dimension:
        return claim.turn == number
    return (number,) in windows_of(claim, measurements) or number in claim.broken_by


def _holds(each: _Ruled, number: int) -> bool:
    """Whether a claim says of the turn that it is as it has to be; one that others broke says so of this one."""
    if number in each.claim.broken_by or each.claim.turn == number:
        return each.decision is Decision.MET
    return each.claim.decision is not Decision.NOT_APPLICABLE


def _worst(decisions: Iterator[Decision]) -> Decision:
    found = set(decisions)
    order = (Decision.MISSED, Decision.UNMEASURED, Decision.MET)
    return next((decision for decision in order if decision in found), Decision.NOT_APPLICABLE)


def _reason(claim: ClaimResult, number: int, measured: dict[str, Measurement]) -> str:
    """Why a turn breaks a claim; of one that several turns break, what was measured on this one."""
    of_another = claim.turn is None and claim.broken_by[:1] != (number,)
    if of_another and claim.name in measured:
        return f"{claim.name}: {measured[claim.name].score.reasoning or _NO_REASON}"
    return (claim.reason or f"{claim.name}: {_NO_REASON}").removeprefix(f"turn {number}: ")


def _whole(item: EvaluationResult, each: _Ruled) -> Outcome:
    """What became of a claim on a conversation."""
    claim = each.claim
    where = f" (broken by {named_turns(claim.broken_by)})" if len(claim.broken_by) > 1 else ""
    reason = f"{claim.reason or f'{claim.name}: {_NO_REASON}'}{where}"
    is_idle = each.decision is Decision.NOT_APPLICABLE
    return Outcome(
        name=item.name,
        what=_named(claim),
        decision=each.decision,
        reasons=[] if each.decision is Decision.MET else [f"does not apply: {reason}" if is_idle else reason],
        remarks=[f"{reason} ({each.remark})"] if each.remark else [],
        claims=[claim],
        window=item.conversation,
    )


def _named(claim: ClaimResult) -> str:
    """A claim in words: ``includes('48') (gate)``, ``coherence (threshold >= 0.5)``."""
    is_plain = claim.kind is ClaimKind.GATE and claim.at_least >= 1
    return f"{claim.name} ({claim.kind}{'' if is_plain else f' {bounds(claim.at_least, claim.at_most)}'})"
