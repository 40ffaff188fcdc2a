"""How ``uaef run`` ends: its exit code, and what is said of what decided it."""

from __future__ import annotations

from collections.abc import Sequence

from uaef.cli.exits import MISSED, exit_code, missed_remarks, named_claims, names
from uaef.models.results import Decision
from uaef.runs.conclusion import failures_of_agent
from uaef.runs.results import RunResult


def run_exit_code(run: RunResult, left_out: Sequence[str], *, strict: bool) -> int:
    """The exit code of a run.

    Args:
        run: what was played.
        left_out: the claims that were not measured, because only a part was chosen.
        strict: whether a missed threshold is as bad as a missed gate.
    """
    failed = any(item.errors for item in run.items)
    is_open = (
        (run.verdict is None and bool(run.claims))
        or (not run.claims and bool(left_out or failed))
        or any(item.conversation is None for item in run.items)
        or len(run.items) < run.n_planned
    )
    if failures_of_agent(run.items, run.trials):
        return MISSED
    return exit_code(run.claims, strict=strict, is_open=is_open)


def run_remarks(run: RunResult, left_out: Sequence[str], *, strict: bool, is_ruled: bool) -> list[str]:
    """What decided a run, and what its exit code alone would not say.

    Args:
        run: what was played.
        left_out: the claims that were not measured, because only a part was chosen.
        strict: whether a missed threshold is as bad as a missed gate.
        is_ruled: whether rules were laid on it beside what its dataset requires.
    """
    lost = [item for item in run.items if item.conversation is None]
    remarks = [f"{item.name}: {failure}" for item in lost for failure in item.failures]
    remarks += missed_remarks(run.claims, strict=strict)
    failed = failures_of_agent(run.items, run.trials)
    remarks += [f"{name}: {failure}." for name, failure in failed.items()]
    undecided = [claim for claim in run.claims if claim.decision is Decision.UNMEASURED]
    if undecided:
        remarks.append(f"could not be decided: {named_claims(undecided)}; the first: {undecided[0].reason}.")
    idle = [claim for claim in run.claims if claim.decision is Decision.NOT_APPLICABLE]
    if idle and not undecided and run.verdict is None:
        remarks.append(f"There is no verdict: {named_claims(idle)} could not be applied.")
    if left_out:
        remarks.append(f"Not measured, because only a part was chosen: {names(left_out, most=3)}.")
    elif not run.claims and not is_ruled:
        remarks.append("Nothing was required: there are no gates and no thresholds, so nothing could be missed.")
    return remarks
