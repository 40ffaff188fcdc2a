"""How a command ends: the exit codes, and what is said on standard error."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

import click

from uaef.models.case import ClaimKind
from uaef.models.results import ClaimResult, Decision, EvaluationResult
from uaef.reporting.plain import one_line
from uaef.text.numbers import listed

if TYPE_CHECKING:
    from uaef.runs.gate import GateResult

OK = 0
MISSED = 1
WRONG_USE = 2
UNDECIDED = 3
FAULT = 70
INTERRUPTED = 130

_LISTED = 20


def exit_code(claims: Sequence[ClaimResult], *, strict: bool, is_open: bool) -> int:
    """1 if a gate was missed, with ``strict`` a threshold too; else 3 if something required is undecided; else 0.

    Args:
        claims: what was required, and what became of it.
        strict: whether a missed threshold is as bad as a missed gate.
        is_open: whether something was required and not even measured, or not recorded.
    """
    missed = {claim.kind for claim in claims if claim.decision is Decision.MISSED}
    if ClaimKind.GATE in missed or (strict and missed):
        return MISSED
    return UNDECIDED if is_open or any(claim.decision is Decision.UNMEASURED for claim in claims) else OK


def rules_exit_code(decided: GateResult) -> int:
    """The exit code that the rules of a gate come to."""
    return {Decision.MISSED: MISSED, Decision.UNMEASURED: UNDECIDED}.get(decided.decision, OK)


def worst(*codes: int) -> int:
    """The exit code that several come to: what was missed before what is undecided."""
    return next((code for code in (MISSED, UNDECIDED) if code in codes), OK)


def missed_remarks(claims: Sequence[ClaimResult], *, strict: bool) -> list[str]:
    """Which claims on metrics were missed; where those are thresholds alone, that they change no exit code."""
    missed = [c for c in claims if c.decision is Decision.MISSED and not c.of_dimension]
    if not missed:
        return []
    gates = [claim for claim in missed if claim.kind is ClaimKind.GATE]
    idle = "" if gates or strict else " (thresholds alone; --strict makes them count)"
    return [f"missed{idle}: {named_claims(gates or missed)}."]


def named_claims(claims: Iterable[ClaimResult]) -> str:
    """The claims with what they are about; of many, the first."""
    return names((f"{claim.name} of {claim.slice_name}" for claim in claims), most=3)


def results_exit_code(results: Sequence[EvaluationResult], not_recorded: Sequence[str], *, strict: bool) -> int:
    """The exit code for evaluated conversations.

    Args:
        results: of all conversations.
        not_recorded: the conversations and turns of which something was expected, and which are absent.
        strict: whether a missed threshold is as bad as a missed gate.
    """
    if any(r.claims and r.conversation is not None and r.conversation.failure is not None for r in results):
        return MISSED
    claims = [claim for result in results for claim in result.claims]
    is_open = bool(not_recorded) or any(_is_open(r) or r.conversation is None for r in results)
    return exit_code(claims, strict=strict, is_open=is_open)


def absent_turns(results: Iterable[EvaluationResult]) -> list[str]:
    """The turns of which something was expected and which were not recorded, by name: ``refund#3``."""
    return [f"{result.name}#{turn}" for result in results for turn in result.absent_turns]


def verdict_remarks(results: Sequence[EvaluationResult]) -> list[str]:
    """What an exit code alone would not say: where nothing was required, or nothing could be decided."""
    idle = [r for r in results if r.verdict is None and not _is_open(r)]
    undecided = [r for r in results if _is_open(r)]
    failed = [(r.name, r.conversation.failure) for r in results if r.claims and r.conversation is not None]
    remarks = [f"{name}: {failure}." for name, failure in failed if failure is not None]
    if idle:
        remarks.append(
            f"Nothing was required of {names(r.name for r in idle)}: no threshold applies to what was measured."
        )
    lost = [claim for r in results for claim in r.claims if claim.decision is Decision.UNMEASURED]
    if lost:
        why = next((error for r in results for error in r.errors), lost[0].reason)
        remarks.append(f"could not be decided: {named_claims(lost)}; the first: {why}.")
    if undecided:
        remarks.append(
            f"There is no verdict on {names(r.name for r in undecided)}: a threshold could not be applied."
        )
    return remarks


def _is_open(result: EvaluationResult) -> bool:
    """Whether something was required and there is no verdict on it."""
    return result.verdict is None and bool(result.claims)


def names(given: Iterable[str], most: int = 5) -> str:
    """The names, quoted, each once; of many, the first and how many more there are."""
    return listed([repr(name) for name in dict.fromkeys(given)], most)


def complain(*sentences: str) -> None:
    """Say each sentence on standard error, on a line of its own; of very many, the first.

    Where nobody can be told, the exit code still says what it has to say.
    """
    with suppress(OSError):
        for sentence in sentences[:_LISTED]:
            inert = one_line(sentence, 1_000).replace("##[", "# #[")  # which GitHub's runner obeys anywhere in a line
            click.echo(f"uaef: {inert}", err=True)
        if len(sentences) > _LISTED:
            click.echo(f"uaef: and {len(sentences) - _LISTED} more", err=True)
