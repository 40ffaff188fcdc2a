"""``uaef score``: measure the conversations of a run that was kept anew, without asking the agent."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Unpack

import click

from uaef.cli.exits import (
    OK,
    UNDECIDED,
    complain,
    missed_remarks,
    results_exit_code,
    verdict_remarks,
)
from uaef.cli.judging import JudgeArguments, judge_arguments, judge_options
from uaef.cli.keeping import LABEL, store_option
from uaef.cli.output import emit, emit_report

if TYPE_CHECKING:
    from uaef.runs.records import StoredRun


@click.command
@click.argument("run_id", metavar="RUN")
@click.option(
    "--metrics",
    multiple=True,
    metavar="NAMES",
    help="What to measure: a,b or once per metric; your own as MODULE:METRIC. Left out, everything there is.",
)
@store_option
@click.option("--label", type=LABEL, metavar="TEXT", help="What to call the new run.")
@judge_options
def command(
    *,
    run_id: str,
    metrics: Sequence[str],
    store: str | None,
    label: str | None,
    **judging: Unpack[JudgeArguments],
) -> int:
    """Measure the conversations of RUN by other metrics or another judge; the agent is not asked.

    What is found is a new run of the same dataset. As nothing was played in it, `uaef baseline set` and --compare
    latest pass it over; either takes it by its name. What is measured on a whole conversation, like coherence, has a
    number only where RUN was played with a history of what was really said: --history thread or actual. Where RUN was
    interrupted, so is the new run, and it never passes.

    \b
    Examples:
      uaef score latest --metrics answer_relevance,safety_score --judge openai:MODEL
      uaef score latest --metrics mypkg.checks:is_brief

    \b
    Exit codes:
      0    every threshold was met, or none applied and a line says so
      1    a threshold was missed
      2    wrong usage, or RUN is not in the store
      3    something was required but could not be decided, or RUN lacks conversations that were planned
    """  # noqa: D301 - the mark of click for lines to be left as they are
    from uaef.api import batch_evaluate  # noqa: PLC0415 - loaded for a run, not for --help
    from uaef.cli.own_metrics import with_own  # noqa: PLC0415 - as above
    from uaef.models.base import replaced  # noqa: PLC0415 - as above
    from uaef.runs.keeping import keep_results  # noqa: PLC0415 - as above
    from uaef.runs.records import RunStatus  # noqa: PLC0415 - as above
    from uaef.runs.store import ended, open_store, origin  # noqa: PLC0415 - as above
    from uaef.runs.wholeness import SCORED  # noqa: PLC0415 - as above

    chosen = with_own(name.strip() for given in metrics for name in given.split(",") if name.strip())
    options = judge_arguments(judging)
    with open_store(store, create=False) as shelf:
        before = ended(shelf, run_id)
        conversations = [item.conversation for item in before.items if item.conversation is not None]
        results = batch_evaluate(conversations, None, chosen if metrics else None, progress=True, **options)
        judge = options.get("judge")
        info = replaced(
            before.info,
            **origin(),
            status=RunStatus.RUNNING,
            finished_at=None,
            verdict=None,
            label=label or f"score of {before.info.run_id}",
            ruler_hash="",
            judge=getattr(judge, "label", None),
            n_planned=max(before.info.n_planned, len(before.items)),
            parameters={SCORED: before.info.run_id},
            warnings=[],
            tags=[],
        )
        info = keep_results(shelf, info, results, before.info.status)
    emit_report(results)
    emit(f"kept as {info.run_id} in {shelf.place}\n")
    claims = [claim for result in results for claim in result.claims]
    lacking = _lacking(before, len(results))
    complain(*missed_remarks(claims, strict=False), *verdict_remarks(results), *lacking)
    return results_exit_code(results, (), strict=False) or (UNDECIDED if lacking else OK)


def _lacking(before: StoredRun, measured: int) -> list[str]:
    """What a run lacks of what was planned, in a sentence: what was never said cannot be measured."""
    from uaef.runs.records import RunStatus  # noqa: PLC0415 - loaded for a run, not for --help

    planned = max(before.info.n_planned, len(before.items))
    was_interrupted = before.info.status is RunStatus.INTERRUPTED
    if measured >= planned and not was_interrupted:
        return []
    why = "was interrupted" if was_interrupted else "could not play everything"
    sentence = (
        f"Run {before.info.run_id} {why}: {measured} of its {planned} conversations could be measured, so this one "
        "cannot pass."
    )
    return [sentence]
