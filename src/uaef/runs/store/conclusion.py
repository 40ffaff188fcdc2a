"""A run that was kept, as the result that it came to."""

from __future__ import annotations

from collections.abc import Sequence

from uaef.models.case import ClaimKind
from uaef.models.results import EvaluationResult
from uaef.runs.cascades import cascades
from uaef.runs.conclusion import claims_of, coverage, run_verdict, summaries, turn_summaries
from uaef.runs.records import StoredRun
from uaef.runs.results import RunResult


def result_of(run: StoredRun, beside: Sequence[EvaluationResult] = ()) -> RunResult:
    """What a run came to; of one that was interrupted, what it has come to so far.

    Args:
        run: as it was kept.
        beside: its results of the play that does not decide, with ``history="both"``.
    """
    info, items = run
    by_name = claims_of(items, info.trials)
    claims = [claim for made in by_name.values() for claim in made]
    whole = [claim for claim in claims if claim.turn is None]
    return RunResult(
        verdict=run_verdict(items, by_name),
        gate_results=summaries(whole, ClaimKind.GATE),
        threshold_results=summaries(whole, ClaimKind.THRESHOLD),
        turn_results=turn_summaries(claims, items, {}),
        items=items,
        claims=claims,
        summary=coverage(items),
        history=info.history,
        agent=info.agent,
        repeat=info.repeat,
        trials=info.trials,
        actual=list(beside),
        cascades=cascades(items, beside),
    )
