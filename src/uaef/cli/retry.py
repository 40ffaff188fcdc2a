"""``uaef retry``: play again what failed in a run that was kept; the rest is taken over."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import click

from uaef.cli.exits import complain, rules_exit_code, worst
from uaef.cli.gating import Gating, gating, judged, referred, show_judged
from uaef.cli.judging import judge_named
from uaef.cli.keeping import store_option
from uaef.cli.run import RunArguments, begun_with, prepared, ran
from uaef.cli.run import command as run_command
from uaef.errors import UnknownNameError, UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from uaef.models.results import EvaluationResult
    from uaef.runs.evals import Run
    from uaef.runs.keeping import Done
    from uaef.runs.records import RunInfo, StoredRun
    from uaef.runs.store import Store


@click.command
@click.argument("run_id", metavar="RUN")
@click.option("--failed", is_flag=True, help="Every conversation that did not pass.")
@click.option("--errors", is_flag=True, help="Those in which the agent, a metric or a judge failed.")
@store_option
@click.option("--strict", is_flag=True, help="Exit with 1 for a missed threshold too, not only for a gate.")
def command(*, run_id: str, failed: bool, errors: bool, store: str | None, strict: bool) -> int:
    """Play again what failed in RUN, with the options and judge that it had; the results that stand are taken over.

    That makes a new run, of which RUN is named as the label. Where the dataset was edited since, nothing is played.
    What failed and passes on the second try makes --failed kinder than a run, so `uaef baseline set` and --compare
    latest pass such a run over; either takes it by its name.
    --compare latest means what was latest when RUN began: no run is compared with one that it took results from.
    Where nothing in RUN has failed, no run is made either, and the exit code is that of RUN itself.

    \b
    Examples:
      uaef retry latest --errors
      uaef retry 20260102T101112 --failed

    \b
    Exit codes:
      0    every gate was met, or nothing was required and a line says so
      1    a gate or a rule was missed; with --strict, a threshold too
      2    wrong usage, or a dataset that cannot be read or was edited since
      3    something was required but could not be decided
    """  # noqa: D301 - the mark of click for lines to be left as they are
    if failed is errors:
        raise UsageError("Say what to play again: --failed or --errors.")
    from uaef.runs.keeping import begin, refuse_changed  # noqa: PLC0415 - a database, wanted only for a run
    from uaef.runs.store import ended, open_store  # noqa: PLC0415 - as above
    from uaef.runs.wholeness import RETRIED, TAKEN  # noqa: PLC0415 - as above

    with open_store(store, create=False) as shelf:
        before = ended(shelf, run_id)
        given = _given(before.info)
        run, left_out = prepared(given)
        refuse_changed(run, before.info, "be retried")
        beside = list(shelf.results(before.info.run_id, beside=True))
        done = _standing(before.items, beside, errors=errors)
        strict = strict or given["strict"]
        asked = gating(given, run)
        info = before.info
        if (len(done.items), len(done.beside)) == (len(before.items), len(beside)):
            complain(f"Nothing in run {info.run_id} has {'errors' if errors else 'failed'}.")
            return _as_it_is(shelf, before, run, asked, left_out=left_out, strict=strict)
        asked = asked._replace(before=referred(shelf, asked, run.plan.name, info))
        parameters = {TAKEN: info.run_id, **info.parameters, "judge": judge_named(given["judge"])}
        if failed:
            # What failed and passes when it is tried again is no measure of the others, so nothing is measured by it.
            parameters[RETRIED] = info.run_id
        kept = begin(shelf, run, label=f"retry of {info.run_id}", parameters=parameters)
        return ran(run, given, asked, kept=kept, done=done, left_out=left_out, strict=strict)


def _standing(items: Sequence[EvaluationResult], beside: Sequence[EvaluationResult], *, errors: bool) -> Done:
    """The results that stand. The play that does not decide follows the one that does, so that both are of one try.

    Args:
        items: of the play that decides.
        beside: of the other one, with ``--history both``.
        errors: whether only what has errors does not stand; else it is what did not pass.
    """
    from uaef.runs.keeping import Done  # noqa: PLC0415 - a database, wanted only for a run

    fallen = {(item.name, item.trial) for item in items if (item.errors if errors else not item.passed)}
    standing = [item for item in items if (item.name, item.trial) not in fallen]
    also = [each for each in beside if (each.name, each.trial) not in fallen and not (errors and each.errors)]
    return Done(standing, also)


def _as_it_is(
    store: Store, before: StoredRun, run: Run, asked: Gating, *, left_out: Sequence[str], strict: bool
) -> int:
    """The exit code that a run itself has, with the sentences of ``uaef run`` on what decided it.

    A pipeline that retries before it gives up must not take a run that failed for one that passed.
    """
    from uaef.cli.run_exits import run_exit_code, run_remarks  # noqa: PLC0415 - loaded for a run, not for --help
    from uaef.runs.comparison import as_stored  # noqa: PLC0415 - as above

    info = before.info
    asked = _beside_others(store, asked, run.plan.name, info)
    result = run.concluded(before.items, list(store.results(info.run_id, beside=True)))
    after = as_stored(result, info)
    comparison, decided = judged(asked, run, after)
    show_judged(asked, after, comparison, decided)
    missing = run.n_planned - len(before.items)
    if missing > 0:
        complain(
            f"Run {info.run_id} was interrupted: {missing} of its {run.n_planned} conversations were not played; "
            f"uaef run --resume {info.run_id} plays them."
        )
    complain(*run_remarks(result, left_out, strict=strict, is_ruled=bool(decided.decisions)))
    return worst(run_exit_code(result, left_out, strict=strict), rules_exit_code(decided))


def _beside_others(store: Store, asked: Gating, dataset: str, info: RunInfo) -> Gating:
    """What a run is compared with; nothing, and a line says so, where that is the run itself by now."""
    from uaef.models.base import replaced  # noqa: PLC0415 - loaded for a run, not for --help

    try:
        found = referred(store, asked, dataset, info)
    except UnknownNameError:
        if asked.compare is None or store.find(asked.compare).run_id != info.run_id:
            raise
        found = None  # the earlier run of this label was deleted
    else:
        if found is None or found.info.run_id != info.run_id:
            return asked._replace(before=found)
    complain(f"warning: {asked.compare} is run {info.run_id} itself by now, so it is compared with nothing.")
    return asked._replace(before=None, gate=replaced(asked.gate, require_baseline=False))


def _given(info: RunInfo) -> RunArguments:
    """The arguments that a run was begun with, the others as they are if nothing is said."""
    nothing_said = run_command.make_context("run", [])
    defaults = {name: value for name, value in nothing_said.params.items() if name != "dry_run"}
    return cast("RunArguments", {**defaults, **begun_with(info), "resume": None})
