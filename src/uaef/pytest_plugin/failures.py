"""Why a test failed, in words: the turns that broke, the reasons, and what was said there."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from uaef.models.results import ClaimResult, Decision
from uaef.reporting.evidence import said
from uaef.reporting.outcomes import Outcome
from uaef.reporting.plain import one_line

_SHOWN = 10
_LONGEST = 400
_WORDS = {
    Decision.MISSED: ("broke", "was missed"),
    Decision.UNMEASURED: ("could not be decided, so it does not pass",) * 2,
}


def failure(name: str, decided: Sequence[Outcome], idle: Sequence[ClaimResult]) -> str:
    """The message of a failed test; empty if nothing failed.

    Args:
        name: what the test is about; empty if it has no name.
        decided: what became of it.
        idle: what was required and does not apply.
    """
    broken = [outcome for outcome in decided if outcome.is_broken]
    if not broken and not idle:
        return ""
    lines = [_head(name, broken, idle)]
    for outcome in broken[:_SHOWN]:
        lines += ["", *_of(outcome)]
    if len(broken) > _SHOWN:
        lines += ["", f"and {len(broken) - _SHOWN} more"]
    lines += [line for claim in idle[:_SHOWN] for line in ("", _idle(claim))]
    # The one command that the log of a GitHub step obeys in the midst of a line.
    return "\n".join(lines).replace("##[", "# #[")


def _head(name: str, broken: Sequence[Outcome], idle: Sequence[ClaimResult]) -> str:
    """What failed, in a line: pytest's short summary shows no more."""
    turns = list(dict.fromkeys(one_line(o.name) for o in broken if not o.what and o.decision is Decision.MISSED))
    if turns:
        more = f" and {len(turns) - _SHOWN} more" if len(turns) > _SHOWN else ""
        return f"{', '.join(turns[:_SHOWN])}{more} broke"
    if broken:
        worst = min(broken, key=lambda outcome: outcome.decision is not Decision.MISSED)
        return _title(worst)
    return f"{one_line(name or idle[0].slice_name)} has no verdict: something that is required does not apply"


def _title(outcome: Outcome) -> str:
    what = f": {outcome.what}" if outcome.what else ""
    return f"{one_line(outcome.name + what)} {_WORDS[outcome.decision][bool(outcome.what)]}"


def _of(outcome: Outcome) -> Iterator[str]:
    yield _title(outcome)
    yield from (f"  {one_line(reason)}" for reason in outcome.reasons)
    if outcome.window is not None and not outcome.what:
        yield from (f"  {who}: {one_line(text, _LONGEST)}" for who, text in said(outcome.window))


def _idle(claim: ClaimResult) -> str:
    return one_line(
        f"{claim.slice_name}: {claim.name} is required and does not apply: {claim.reason or ''}".rstrip(": ")
    )
