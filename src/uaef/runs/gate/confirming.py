"""``confirmed``: a turn that passed, fails now, and fails again whenever it is played anew.

In a set where many turns are flaky, some fail three times more by chance. So a suspect is played again until what is
left is more than chance would leave (see ``chance``), at least as often as the rule says.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from uaef.evaluation.required import Required
from uaef.models.names import slice_name
from uaef.models.results import Decision, EvaluationResult
from uaef.runs.comparison.passing import outcome, together
from uaef.runs.comparison.records import Comparison, SliceComparison, Status
from uaef.runs.comparison.sides import place_of
from uaef.runs.gate.chance import Seen, at_least, expected_by_chance
from uaef.runs.gate.decisions import Evidence, RuleDecision
from uaef.runs.gate.evidence import evidence_of, not_compared
from uaef.runs.gate.rules import REPLAYS, FailOn, Trigger
from uaef.text.numbers import listed

_LEVEL = 0.05
_MOST = 25
"""How often a suspect is played at most."""


class Suspect(NamedTuple):
    """A turn that passed before and fails now; ``turn`` is ``None`` where it is the conversation as a whole."""

    conversation: str
    turn: int | None

    @property
    def name(self) -> str:
        """``refund#3``; ``refund`` for the whole."""
        return slice_name(self.conversation, () if self.turn is None else (self.turn,))


def suspects(comparison: Comparison) -> list[Suspect]:
    """What passed in most trials of the earlier run and in none of the later one, in order."""
    return [
        Suspect(each.conversation, each.turns[0] if each.turns else None)
        for each in comparison.slices
        if _is_decided(each) and _is_broken(each)
    ]


def _is_decided(each: SliceComparison) -> bool:
    """Whether it is known in both runs whether it passes, and it is the same question."""
    known = all(reading is not None and reading.decided for reading in (each.before, each.after))
    return known and (each.is_turn or not each.turns) and each.identity.is_compared


def _is_broken(each: SliceComparison) -> bool:
    before, after = each.before, each.after
    return bool(before and after and before.passed * 2 > before.decided and not after.passed)


def _passes_less(each: SliceComparison) -> bool:
    before, after = each.before, each.after
    return bool(before and after and after.passed and after.passes_less_than(before))


def next_round(
    comparison: Comparison, replays: Sequence[EvaluationResult], at_least_times: int = REPLAYS
) -> list[Suspect]:
    """Who is to be played once more: the suspects that failed every time, until that is more than chance.

    Call it with everything that was re-played so far, play the conversations it names once each, and call it again;
    it is empty once ``confirmed`` can decide.

    Args:
        comparison: of the run with its reference.
        replays: the results of all re-plays so far, each of a whole conversation or of its turns up to the suspect.
        at_least_times: how often at least.
    """
    again = _failed_again(comparison, suspects(comparison), replays)
    left = [suspect for suspect, found in again.items() if all(each is False for each in found)]
    if not left:
        return []
    times = min(len(again[suspect]) for suspect in left)
    if times < at_least_times:
        return [suspect for suspect in left if len(again[suspect]) < at_least_times]
    return [] if times >= _MOST or _chance(comparison, left, times) <= _LEVEL else left


def confirmed(
    comparison: Comparison, replays: Sequence[EvaluationResult], at_least_times: int = REPLAYS
) -> RuleDecision:
    """What becomes of ``confirmed``; arguments as for ``next_round``.

    It is missed if a suspect failed in every re-play, and chance does not explain that; unmeasured if a re-play that
    matters is lacking or failed to be measured, or if nothing could be compared.
    """
    rule = str(FailOn(trigger=Trigger.CONFIRMED, replays=at_least_times))
    decided = [each for each in comparison.slices if _is_decided(each)]
    if not decided:
        return RuleDecision(rule=rule, decision=Decision.UNMEASURED, reason=nothing_compared(comparison))
    again = _failed_again(comparison, suspects(comparison), replays)
    failed = {suspect: found for suspect, found in again.items() if True not in found}
    certain = [s for s, found in failed.items() if len(found) >= at_least_times and None not in found]
    if certain:
        times = min(len(failed[suspect]) for suspect in certain)
        return _of_certain(rule, comparison, certain, times)
    if failed:
        names = [suspect.name for suspect in failed]
        reason = f"{listed(names)} passed before and fails now, but was not measured in {at_least_times} re-plays"
        return RuleDecision(rule=rule, decision=Decision.UNMEASURED, reason=reason)
    return _of_none(rule, comparison, list(again))


def _of_certain(rule: str, comparison: Comparison, found: Sequence[Suspect], times: int) -> RuleDecision:
    chance = _chance(comparison, found, times)
    shown = _evidence(comparison, found)
    failed = (
        f"{listed([s.name for s in found])} passed before, fails now, and failed again in all of {times} re-plays"
    )
    if chance <= _LEVEL:
        told = listed([evidence.text for evidence in shown])
        return RuleDecision(rule=rule, decision=Decision.MISSED, reason=f"{failed}; {told}", evidence=shown)
    reason = (
        f"{failed}; but so many turns here pass at one time and fail at another that chance alone does this in "
        f"{chance:.0%} of runs: re-play more, or give the baseline more trials"
    )
    return RuleDecision(rule=rule, decision=Decision.UNMEASURED, reason=reason, evidence=shown)


def _of_none(rule: str, comparison: Comparison, cleared: Sequence[Suspect]) -> RuleDecision:
    """What becomes of the rule where no suspect is left: met, unless something could not be looked at."""
    lost = [each.name for each in comparison.slices if is_lost(each)]
    if lost:
        reason = f"{listed(lost)} passed before and could not be measured now"
        return RuleDecision(rule=rule, decision=Decision.UNMEASURED, reason=reason)
    reason = "no turn that passed before fails now"
    rarer = [each.name for each in comparison.slices if _is_decided(each) and _passes_less(each)]
    if rarer:
        reason = (
            f"no turn that passed in most trials before fails in all of them now; {listed(rarer)} passes less often, "
            "which the rule regression tests"
        )
    if cleared:
        reason = f"{listed([s.name for s in cleared])} passed before and fails now, but passed in a re-play"
    return RuleDecision(rule=rule, decision=Decision.MET, reason=reason + not_compared(comparison))


def is_lost(each: SliceComparison) -> bool:
    """Whether something that passed before failed to be measured now, so that nobody knows what became of it."""
    if each.is_to_come:
        return True
    if not each.identity.is_compared:
        return False
    lost = each.status is Status.UNMEASURED and not each.cells
    return lost or any(
        cell.gated and cell.status is Status.UNMEASURED and cell.before is not None and cell.before.passed
        for cell in each.cells
    )


def _failed_again(
    comparison: Comparison, found: Sequence[Suspect], replays: Iterable[EvaluationResult]
) -> dict[Suspect, list[bool | None]]:
    """Whether each suspect passed in each of its re-plays, by the metrics that were compared."""
    by_name: dict[str, list[EvaluationResult]] = {}
    for result in replays:
        by_name.setdefault(result.name, []).append(result)
    metrics = _compared(comparison)
    return {s: [_passes(result, s, metrics[s.name]) for result in by_name.get(s.conversation, ())] for s in found}


def _compared(comparison: Comparison) -> Mapping[str, set[str]]:
    return {s.name: {c.metric for c in s.cells if c.status.is_compared} for s in comparison.slices if _is_decided(s)}


def _passes(result: EvaluationResult, suspect: Suspect, metrics: set[str]) -> bool | None:
    place = () if suspect.turn is None else (suspect.turn,)
    required = Required(result.claims, result.measurements)
    measured = [m for m in result.measurements if place_of(m) == place and m.metric in metrics]
    outcomes = [outcome(m, required.of(m)) for m in measured]
    found = [each.passed for each in outcomes if each.passed is not None or each.is_open]
    turns = () if result.conversation is None else result.conversation.turns
    answered = [turn.error is None for turn in turns if turn.number == suspect.turn]
    found += [False for each in answered if not each]
    if not metrics:  # nothing is compared but whether the agent answers
        found += answered
    return together(found)


def _chance(comparison: Comparison, found: Sequence[Suspect], times: int) -> float:
    """How often so many conversations, or more, would look broken without being so."""
    seen = [
        Seen(each.conversation, each.before.decided, each.before.passed, each.after.decided, each.after.passed)
        for each in comparison.slices
        if _is_decided(each) and each.before and each.after
    ]
    return at_least(len({suspect.conversation for suspect in found}), expected_by_chance(seen, times))


def _evidence(comparison: Comparison, found: Sequence[Suspect]) -> tuple[Evidence, ...]:
    names = {suspect.name for suspect in found}
    return tuple(evidence_of(each) for each in comparison.slices if each.name in names and _is_decided(each))


def nothing_compared(comparison: Comparison) -> str:
    """Why nothing could be compared, in a sentence."""
    others = comparison.having(Status.OTHER_RULER)
    if others:
        why = next((cell.ruler for cell in others[0].cells if cell.ruler), None)
        return f"nothing could be compared: {others[0].name} and the like were measured by another ruler ({why})"
    return f"nothing in run {comparison.after.run_id} could be compared with {comparison.before.run_id}"
