"""How ``uaef run`` ends: its exit code, and what is said of what decided it."""

from __future__ import annotations

from collections.abc import Sequence

from uaef.cli.exits import MISSED, OK, UNDECIDED, names
from uaef.models.case import ClaimKind
from uaef.models.results import ClaimResult, Decision
from uaef.runs.results import RunResult


def run_exit_code(run: RunResult, *, strict: bool) -> int:
    """1 if a gate was missed, with ``strict`` a threshold too; else 3 if something required is open; else 0."""
    missed = {c.kind for c in run.claims if c.decision is Decision.MISSED}
    if ClaimKind.GATE in missed or (strict and missed):
        return MISSED
    undecided = any(c.decision is Decision.UNMEASURED for c in run.claims) or (run.verdict is None and run.claims)
    return UNDECIDED if undecided or any(item.conversation is None for item in run.items) else OK


def run_remarks(run: RunResult, *, strict: bool) -> list[str]:
    """What decided a run, and what its exit code alone would not say."""
    found = {decision: _claims(run, decision) for decision in Decision}
    remarks = [
        f"{item.name}: {failure}" for item in run.items if item.conversation is None for failure in item.failures
    ]
    if found[Decision.MISSED]:
        idle = (
            "" if strict or any(c.kind is ClaimKind.GATE for c in found[Decision.MISSED]) else " (thresholds alone)"
        )
        remarks.append(f"missed{idle}: {_named(found[Decision.MISSED])}.")
    if found[Decision.UNMEASURED]:
        why = found[Decision.UNMEASURED][0].reason
        remarks.append(f"could not be decided: {_named(found[Decision.UNMEASURED])}; the first: {why}.")
    if run.verdict is None and run.claims and not found[Decision.UNMEASURED]:
        remarks.append(f"There is no verdict: {_named(found[Decision.NOT_APPLICABLE])} could not be applied.")
    if not run.claims:
        remarks.append("Nothing was required: there are no gates and no thresholds, so nothing could be missed.")
    return remarks


def _claims(run: RunResult, decision: Decision) -> list[ClaimResult]:
    return [claim for claim in run.claims if claim.decision is decision]


def _named(claims: Sequence[ClaimResult]) -> str:
    return names((f"{claim.name} of {claim.slice_name}" for claim in claims), most=3)
