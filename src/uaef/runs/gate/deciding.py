"""From a run and its comparison to what becomes of every rule. No rule is met because nothing was measured."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from uaef.models.results import Decision, EvaluationResult
from uaef.models.scores import ScoreStatus
from uaef.runs.comparison.cohorts import ALL, cohort
from uaef.runs.comparison.differences import TURNS, regressed
from uaef.runs.comparison.passing import by_agent
from uaef.runs.comparison.records import (
    CellComparison,
    Comparison,
    Difference,
    SliceComparison,
    Status,
)
from uaef.runs.comparison.summaries import CONVERSATIONS, Summary, summaries
from uaef.runs.gate.confirming import confirmed, is_lost, nothing_compared
from uaef.runs.gate.decisions import Evidence, GateResult, RuleDecision
from uaef.runs.gate.evidence import difference_told, evidence_of, not_compared, told
from uaef.runs.gate.rules import PASS_RATE, FailOn, Floor, Gate, Trigger
from uaef.text.numbers import counted, listed, shown, shown_below

_ROUNDING = 1e-9


def decide(
    gate: Gate,
    items: Sequence[EvaluationResult],
    comparison: Comparison | None = None,
    *,
    replays: Sequence[EvaluationResult] = (),
    dataset: str = "",
) -> GateResult:
    """What becomes of every rule.

    Args:
        gate: the rules.
        items: the results of the run.
        comparison: of the run with its reference; ``None`` where there is none.
        replays: what was played anew, for ``confirmed``; see ``confirming.next_round``.
        dataset: what was played, for the cohort ``dataset``.
    """
    found = [_fail_on(rule, comparison, replays) for rule in gate.fail_on]
    if gate.require_baseline:
        found.append(_required(comparison))
    found += [_floor(floor, items, dataset) for floor in gate.floors]
    if gate.max_failed_judgements is not None:
        found.append(_failed_judgements(gate.max_failed_judgements, items))
    return GateResult(decisions=tuple(found))


def _required(comparison: Comparison | None) -> RuleDecision:
    if comparison is None:
        reason = "there is no run to compare with: pin one with uaef baseline set"
        return RuleDecision(rule="require_baseline", decision=Decision.MISSED, reason=reason)
    reason = f"compared with run {comparison.before.run_id}"
    return RuleDecision(rule="require_baseline", decision=Decision.MET, reason=reason)


def _fail_on(rule: FailOn, comparison: Comparison | None, replays: Sequence[EvaluationResult]) -> RuleDecision:
    if comparison is None:
        reason = "there is no run to compare with, so nothing was compared"
        return RuleDecision(rule=str(rule), decision=Decision.NOT_APPLICABLE, reason=reason)
    if rule.trigger is Trigger.CONFIRMED:
        return confirmed(comparison, replays, rule.replays)
    return (_regression if rule.trigger is Trigger.REGRESSION else _any)(str(rule), comparison)


# --- a fall beyond chance -------------------------------------------------------------


def _regression(rule: str, comparison: Comparison) -> RuleDecision:
    alpha = comparison.alpha
    falls = sorted(regressed(comparison.differences, alpha), key=lambda d: (d.adjusted or 0.0, d.what, d.cohort))
    turns = [s for s in comparison.slices if _fell(s) and s.adjusted is not None and s.adjusted <= alpha]
    if falls or turns:
        evidence = (*map(_evidence_of, falls), *map(evidence_of, turns))
        reason = listed([e.text for e in evidence])
        return RuleDecision(rule=rule, decision=Decision.MISSED, reason=reason, evidence=evidence)
    why = _undecided(comparison)
    if why is not None:
        return RuleDecision(rule=rule, decision=Decision.UNMEASURED, reason=why)
    reason = f"no fall beyond chance; {detectable(comparison)}{not_compared(comparison)}"
    return RuleDecision(rule=rule, decision=Decision.MET, reason=reason)


def _fell(found: SliceComparison | CellComparison) -> bool:
    """Whether it passes in a smaller share of its trials than before."""
    before, after = found.before, found.after
    return bool(before and after and after.passes_less_than(before))


def _evidence_of(found: Difference) -> Evidence:
    worst = f"; the largest fall: {found.worst}" if found.worst else ""
    text = difference_told(found) + worst
    return Evidence(name=f"{found.what}@{found.cohort}", before=found.before, after=found.after, text=text)


def _undecided(comparison: Comparison) -> str | None:
    """Why it is not known whether anything regressed; ``None`` where it is."""
    gated = [each for each in comparison.differences if each.gated]
    tested = [each for each in gated if each.p is not None]
    if not gated:
        return nothing_compared(comparison)
    if not tested:
        return "differences were not tested: pip install 'uaef[stats]'"
    if any(s.is_to_come for s in comparison.slices):
        return f"run {comparison.after.run_id} ended before everything was played"
    return _hidden(tested, comparison.alpha)


def _hidden(tested: Sequence[Difference], alpha: float) -> str | None:
    """What could be hidden by measurements that failed, or by there being so few; ``None`` if nothing could."""
    for each in tested:
        if each.worst_p is not None and each.worst_p <= alpha:
            return f"{each.what}: {each.failed} measurements failed, and could hide a fall"
    for each in tested:
        if each.failed and each.detectable is None:
            return f"{each.what}: {each.failed} measurements failed, of too few to tell a fall from chance"
        if each.change < 0 and each.detectable is None:
            return (
                f"{difference_told(each)}: no fall in so few conversations can be told from chance; "
                "the rule confirmed plays them again"
            )
    return None


def detectable(comparison: Comparison) -> str:
    """The smallest change that this set could have found, in a sentence."""
    known = [each for each in comparison.differences if each.gated]
    if not known:
        return "nothing was tested"
    first = known[0]
    what = "turns that pass" if first.what == TURNS else first.what
    if first.detectable is None:
        return f"{counted(first.n, 'conversation')} cannot show any change of {what} that is more than chance"
    least = math.ceil(first.detectable * 100 - _ROUNDING) / 100
    return (
        f"a change of {what} by {least:.2f} would be found in 4 of 5 runs of {first.n} conversations, a smaller one "
        "less often"
    )


# --- any measurement ------------------------------------------------------------------


def _any(rule: str, comparison: Comparison) -> RuleDecision:
    compared = [(s, [c for c in s.cells if c.gated and _is_compared(s, c)]) for s in comparison.slices]
    fell = [s for s, cells in compared if _crashed(s) or any(map(_fell, cells))]
    if fell:
        names = [s.name for s in fell]
        found = {s.name: evidence_of(s) for s in fell}
        first = told(fell[0])
        more = f"; {len(names) - 1} more: {listed(names[1:])}" if len(names) > 1 else ""
        return RuleDecision(
            rule=rule, decision=Decision.MISSED, reason=f"{first}{more}", evidence=tuple(found.values())
        )
    lost = [s.name for s in comparison.slices if is_lost(s) or _may_pass_less(s)]
    if lost:
        reason = f"{listed(lost)} passed before and could not be measured now"
        return RuleDecision(rule=rule, decision=Decision.UNMEASURED, reason=reason)
    n = sum(len(cells) for _, cells in compared)
    if not n:
        return RuleDecision(rule=rule, decision=Decision.UNMEASURED, reason=nothing_compared(comparison))
    reason = f"none of the {counted(n, 'measurement')} that could be compared passes less often than before"
    reason += not_compared(comparison)
    return RuleDecision(rule=rule, decision=Decision.MET, reason=reason)


def _is_compared(found: SliceComparison, cell: CellComparison) -> bool:
    readings = cell.before, cell.after
    is_decided = all(reading is not None and reading.decided for reading in readings)
    return is_decided and found.identity.is_compared and cell.status is not Status.OTHER_RULER


def _crashed(found: SliceComparison) -> bool:
    """Whether the agent answered before and fails now, at a turn of which nothing else can be compared."""
    return not found.has_measured and found.status is Status.REGRESSED


def _may_pass_less(found: SliceComparison) -> bool:
    """Whether something on it would pass in a smaller share of its trials if what failed to be measured failed."""
    return found.identity.is_compared and any(
        cell.gated and cell.before and cell.before.passed and cell.after and cell.after.failed
        for cell in found.cells
        if cell.status is not Status.OTHER_RULER
    )


# --- floors ---------------------------------------------------------------------------


def _floor(floor: Floor, items: Sequence[EvaluationResult], dataset: str) -> RuleDecision:
    """A floor; what failed to be measured leaves it open, unless no outcome of it could change the decision."""
    found = [each for each in _bounded(floor, items, dataset) if each.lowest is not None]
    if not found:
        reason = f"{_what(floor)}: nothing was measured"
        return RuleDecision(rule=str(floor), decision=Decision.UNMEASURED, reason=reason)
    made = [_of_floor(floor, each) for each in found]
    order = (Decision.MISSED, Decision.UNMEASURED, Decision.MET)
    return min(made, key=lambda each: order.index(each.decision))


def _bounded(floor: Floor, items: Sequence[EvaluationResult], dataset: str) -> Iterable[Summary]:
    by = () if floor.cohort is None else (cohort(floor.cohort),)
    found = [each for each in summaries(items, by, dataset=dataset) if each.cohort == (floor.cohort or ALL)]
    if floor.what == PASS_RATE:
        return [each for each in found if each.what == (CONVERSATIONS if floor.cohort is None else TURNS)]
    return [each for each in found if floor.what in (each.what, each.name)]


def _what(floor: Floor) -> str:
    return floor.what + (f" of {floor.cohort}" if floor.cohort else "")


def _of_floor(floor: Floor, found: Summary) -> RuleDecision:
    value, low, high = found.mean, found.lowest or 0.0, found.highest or 0.0
    worst = f"; the lowest: {found.worst}" if found.worst else ""
    evidence = (Evidence(name=found.what, after=value, text=f"{_what(floor)} is {shown(value)}"),)
    over = f"over {counted(found.n_conversations, 'conversation')}, {found.skipped} skipped, {found.failed} failed"
    if found.n > found.n_conversations:
        over = f"(the mean of their own) {over}"
    if high < floor.at_least:
        below, bar = shown_below(high if value is None else value, floor.at_least)
        reason = f"{_what(floor)} is {below}, below {bar} {over}{worst}"
        return RuleDecision(rule=str(floor), decision=Decision.MISSED, reason=reason, evidence=evidence)
    if low < floor.at_least:
        reason = (
            f"{_what(floor)}: {found.failed} measurements failed, and {floor.at_least:g} may or may not be reached"
        )
        return RuleDecision(rule=str(floor), decision=Decision.UNMEASURED, reason=reason, evidence=evidence)
    reason = f"{_what(floor)} is {shown(value)} {over}"
    return RuleDecision(rule=str(floor), decision=Decision.MET, reason=reason, evidence=evidence)


def _failed_judgements(most: int, items: Iterable[EvaluationResult]) -> RuleDecision:
    """A run of which too much is unknown is undecided, not worse."""
    rule = f"failed_judgements <= {most}"
    failed = [m for i in items for m in i.measurements if m.score.status is ScoreStatus.FAILED and not by_agent(m)]
    if len(failed) <= most:
        return RuleDecision(rule=rule, decision=Decision.MET, reason=f"{len(failed)} measurements failed")
    first = f"{failed[0].slice_name}: {failed[0].metric}: {failed[0].score.reasoning}"
    reason = f"{len(failed)} measurements failed, more than {most}; the first: {first}"
    return RuleDecision(rule=rule, decision=Decision.UNMEASURED, reason=reason)
