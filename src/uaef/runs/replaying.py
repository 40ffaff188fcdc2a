"""Playing suspects again: turns that passed before and fail now, until it is plain that it is not chance."""

from __future__ import annotations

from uaef.models.results import EvaluationResult
from uaef.runs.comparison import Comparison
from uaef.runs.evals import Run
from uaef.runs.gate import Suspect, next_round
from uaef.runs.options import replayed
from uaef.runs.planning import Planned
from uaef.sync import run_sync


def replays(run: Run, comparison: Comparison, at_least: int) -> list[EvaluationResult]:
    """The results of all re-plays that the rule ``confirmed`` asks for; nothing of them is kept.

    Args:
        run: what was played.
        comparison: of it with its reference.
        at_least: how often a suspect is played again at least.
    """
    results: list[EvaluationResult] = []
    while suspects := next_round(comparison, results, at_least):
        plan = _of(run.plan, suspects)
        again = Run(plan, run.agent, replayed(run.options), run.settings)
        results += run_sync(again.play()).items
    return results


def _of(plan: Planned, suspects: list[Suspect]) -> Planned:
    """The conversations of the suspects, whole: a turn may fail only after what was said before it."""
    names = {suspect.conversation for suspect in suspects}
    return plan._replace(jobs=[job for job in plan.jobs if job.case.case_id in names], warnings=())
