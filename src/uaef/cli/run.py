"""``uaef run``: play the conversations of a dataset against an agent, and say which turn broke."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, TypedDict, Unpack, cast

import click
from click.core import ParameterSource

from uaef.cli.exits import OK, complain, rules_exit_code, worst
from uaef.cli.gating import GateArguments, Gating, gate_options, gating, judged, referred, show_judged
from uaef.cli.judging import JudgeArguments, judge_arguments, judge_named, judge_options
from uaef.cli.keeping import NEWEST, KeepArguments, keep_options, opened_store, places
from uaef.cli.output import STDOUT, emit, emit_run, talking_apart, write_text
from uaef.cli.outputs import check_kept, check_places, gathering, refuse, summarise_step
from uaef.cli.playing import PlayArguments, play_options, run_options
from uaef.errors import StoreError, UsageError

if TYPE_CHECKING:
    from collections.abc import Coroutine

    from uaef.runs.comparison import Comparison
    from uaef.runs.evals import Run
    from uaef.runs.gate import GateResult
    from uaef.runs.keeping import Done, KeptRun
    from uaef.runs.records import RunInfo, StoredRun
    from uaef.runs.results import RunResult
    from uaef.runs.store import Store


class _Chosen(TypedDict):
    """What is played, and who answers."""

    datasets: tuple[str, ...]
    agent: str | None
    only: tuple[str, ...]
    tags: tuple[str, ...]
    limit: int | None


class _Required(GateArguments):
    """What a run has to be; more can be said where it is gone on with."""

    strict: bool


class RunArguments(_Chosen, PlayArguments, JudgeArguments, KeepArguments, _Required):
    """Everything on the command line but ``--dry-run``."""


@click.command
@click.argument("datasets", nargs=-1, metavar="DATASET...")
@click.option(
    "--agent",
    metavar="AGENT",
    help="Who answers: MODULE:ATTRIBUTE (a function, a graph, ...), openai:MODEL, or control:silent and "
    "control:echo, which no good dataset lets pass.",
)
@click.option("--only", multiple=True, metavar="NAME", help="A conversation (refund) or a turn (refund#3) alone.")
@click.option("--tag", "tags", multiple=True, metavar="TAG", help="What carries one of these tags alone.")
@click.option("--limit", type=click.IntRange(min=1), metavar="N", help="The first N conversations alone.")
@play_options
@click.option("--strict", is_flag=True, help="Exit with 1 for a missed threshold too, not only for a gate.")
@gate_options
@judge_options
@click.option("--dry-run", is_flag=True, help="Say what would be played and judged; do neither.")
@keep_options
def command(*, dry_run: bool, **given: Unpack[RunArguments]) -> int:
    """Play the conversations of each DATASET against an agent and show which turn broke, and why.

    A DATASET is YAML, JSON or JSON lines; `uaef init` writes one to begin with, `uaef validate` checks it. The run is
    kept as it is played: `uaef runs` shows it, --resume goes on with one that was killed.

    \b
    Examples:
      uaef run support.yaml --agent mypkg.bot:answer
      uaef run support.yaml --agent mypkg.graph:graph --history thread --judge openai:MODEL
      uaef run support.yaml --agent openai:MODEL --only refund#3 --repeat 5
      uaef run support.yaml --agent mypkg.bot:answer --compare baseline --fail-on confirmed
      uaef run --resume

    \b
    Exit codes:
      0    every gate was met, or nothing was required and a line says so
      1    a gate or a rule was missed; with --strict, a threshold too
      2    wrong usage, or a dataset that cannot be read; or an output that could not be written
      3    something was required but could not be decided
    """  # noqa: D301 - the mark of click for lines to be left as they are
    check_places(places(given))
    with opened_store(given["store"], save=given["save"]) as store:
        given = _resumed(given, store)
        check_kept(places(given), given["datasets"])
        with talking_apart(*places(given).values()):
            run, left_out = prepared(given)
        asked = gating(given, run)
        if dry_run:
            emit(_foreseen(run))
            return OK
        resumed = store.find(given["resume"]) if store and given["resume"] else None
        asked = asked._replace(before=referred(store, asked, run.plan.name, resumed))
        kept, done = _kept(run, given, store)
        return ran(run, given, asked, kept=kept, done=done, left_out=left_out, strict=given["strict"])


def _resumed(given: RunArguments, store: Store | None) -> RunArguments:
    """The arguments; of a run that is gone on with, those that it was begun with."""
    if given["resume"] is None:
        if not given["datasets"] or given["agent"] is None:
            raise UsageError("uaef run takes a DATASET and --agent; or --resume, to go on with a run.")
        return given
    if store is None:
        raise UsageError("--resume goes on with a run in the store, so --no-save makes no sense with it.")
    from uaef.runs.store import resumable  # noqa: PLC0415 - a database, wanted only for a run
    from uaef.runs.wholeness import OWN  # noqa: PLC0415 - as above

    chosen = _said({*_Chosen.__annotations__, *PlayArguments.__annotations__, *JudgeArguments.__annotations__})
    chosen += _said({"label", "marks"})
    if chosen:
        raise UsageError(
            f"--resume goes on with what a run was begun with, so it takes no {' and no '.join(chosen)}."
        )
    named = None if given["resume"] == NEWEST else given["resume"]
    info = resumable(store, named, needs=OWN)
    complain(*_other_code(info))
    rules = {name: given[name] for name in _Required.__annotations__}  # type: ignore[literal-required]
    added = {name: value for name, value in rules.items() if not (value is None or value is False or value == ())}
    return cast("RunArguments", {**given, **begun_with(info), **added, "resume": info.run_id})


def _said(names: Collection[str]) -> list[str]:
    """The options among these that the command line names, as it does."""
    context = click.get_current_context()
    said = [p for p in context.command.params if p.name in names and p.name is not None]
    said = [p for p in said if context.get_parameter_source(str(p.name)) is ParameterSource.COMMANDLINE]
    return [p.opts[0] if isinstance(p, click.Option) else p.make_metavar(context) for p in said]


def _other_code(info: RunInfo) -> list[str]:
    """What is to be known of a run that was begun with other code than there is now."""
    from uaef.runs.store import working_tree  # noqa: PLC0415 - a database, wanted only for a run

    now = working_tree().commit
    if now is None or info.commit is None or now == info.commit:
        return []
    sentence = (
        f"warning: run {info.run_id} was begun at commit {info.commit}, and the code is at {now} by now: its two "
        "parts may be of two agents."
    )
    return [sentence]


def begun_with(info: RunInfo) -> dict[str, object]:
    """The arguments that a run was begun with.

    Raises:
        UsageError: it was not played by ``uaef run``.
    """
    from uaef.runs.wholeness import OWN  # noqa: PLC0415 - loaded for a run, not for --help

    if OWN not in info.parameters:
        raise UsageError(
            f"Run {info.run_id} is none of `uaef run`, so it does not say how it was played, and cannot be played on."
        )
    return {name: tuple(value) if isinstance(value, list) else value for name, value in info.parameters.items()}


def prepared(given: RunArguments) -> tuple[Run, Sequence[str]]:
    """The run, ready to be played, and the claims that were left out, because only a part was chosen."""
    from uaef.agents import as_agent  # noqa: PLC0415 - loaded for a run, not for --help
    from uaef.evaluation.settings import Settings  # noqa: PLC0415 - as above
    from uaef.runs.evals import Run  # noqa: PLC0415 - as above
    from uaef.runs.narrowing import narrowed  # noqa: PLC0415 - as above
    from uaef.runs.planning import planned  # noqa: PLC0415 - as above

    options = run_options(given)
    settings = Settings.of(None, judge_arguments(given))
    plan = planned(list(given["datasets"]), None, None, settings, options)
    jobs, left_out = narrowed(plan.jobs, only=given["only"], tags=given["tags"])
    plan = plan._replace(jobs=jobs[: given["limit"]])
    return Run(plan, as_agent(given["agent"]), options, settings), left_out


def ran(
    run: Run,
    given: RunArguments,
    asked: Gating,
    *,
    kept: KeptRun | None,
    done: Done | None,
    left_out: Sequence[str],
    strict: bool,
) -> int:
    """The exit code of a run that was played, kept, compared, shown and sent.

    Args:
        run: what is played.
        given: where it is written to.
        asked: what it is compared with, and what it has to be.
        kept: its place in the store; ``None`` where it is not kept.
        done: the results that are taken over, and not played again; only of a run that is kept.
        left_out: the claims that are not measured, because only a part was chosen.
        strict: whether a missed threshold is as bad as a missed gate.

    Raises:
        DataError: an output could not be written; all the others were, and the run is kept.
    """
    from uaef.cli.run_exits import run_exit_code, run_remarks  # noqa: PLC0415 - loaded for a run, not for --help
    from uaef.reporting.otel import emit as send  # noqa: PLC0415 - as above
    from uaef.runs.comparison import as_stored  # noqa: PLC0415 - as above
    from uaef.runs.records import RunInfo  # noqa: PLC0415 - as above
    from uaef.runs.store import origin  # noqa: PLC0415 - as above

    info = RunInfo(**origin(), dataset=run.plan.name) if kept is None else kept.info
    result = _played(run, run.play() if kept is None else kept.play(done), given)
    after = as_stored(result, info if kept is None else kept.info)
    comparison, decided = _judged(asked, run, after, given)
    is_reported = STDOUT not in places(given).values()
    failed = _show(run, result, (comparison, decided), given, strict=strict)
    with gathering(failed):
        show_judged(asked, after, comparison, decided, is_reported=is_reported)
    with gathering(failed):
        emit("" if kept is None or not is_reported else f"kept as {info.run_id} in {kept.store.place}\n")
    send([*result.items, *result.actual], about={"run": info.run_id, "dataset": info.dataset}, warn=complain)
    complain(*run_remarks(result, left_out, strict=strict, is_ruled=bool(decided.decisions)))
    refuse(failed)
    return worst(run_exit_code(result, left_out, strict=strict), rules_exit_code(decided))


def _kept(run: Run, given: RunArguments, store: Store | None) -> tuple[KeptRun | None, Done | None]:
    """The run in the store, and what there is of it already; nothing where it is not kept."""
    if store is None:
        return None, None
    from uaef.runs.keeping import begin, resume  # noqa: PLC0415 - a database, wanted only for a run

    if given["resume"]:
        return resume(store, run, store.find(given["resume"]))
    kinds = (_Chosen, PlayArguments, JudgeArguments, _Required)
    told = {name: given[name] for kind in kinds for name in kind.__annotations__}  # type: ignore[literal-required]
    told["judge"] = judge_named(given["judge"])  # whoever goes on with it may be in another environment
    return begin(store, run, label=given["label"], tags=given["marks"], parameters=told), None


def _played(run: Run, playing: Coroutine[object, object, RunResult], given: RunArguments) -> RunResult:
    """The result; of a run that is interrupted, or cannot be kept, what there is is shown before it ends."""
    from uaef.api.progress import tracked  # noqa: PLC0415 - loaded for a run, not for --help
    from uaef.sync import run_sync  # noqa: PLC0415 - as above

    try:
        with tracked(run.n_planned, None, shown=True) as noted, talking_apart(*places(given).values()):
            run.options = replace(run.options, on_item_complete=noted)
            return run_sync(playing)
    except (KeyboardInterrupt, SystemExit, StoreError) as error:
        result = run.so_far()
        if result.items or not isinstance(error, StoreError):
            _salvage(result, given)
            complain(f"{len(result.items)} of {run.n_planned} conversations were played before the end.")
        if isinstance(error, SystemExit):
            raise UsageError(f"The agent ended the program: {type(error).__name__}: {error}") from None
        raise


def _judged(asked: Gating, run: Run, after: StoredRun, given: RunArguments) -> tuple[Comparison | None, GateResult]:
    """The comparison and what became of the rules; if that ends early, what was measured is shown before it does."""
    try:
        with talking_apart(*places(given).values()):  # the agent is asked again where a rule wants re-plays
            return judged(asked, run, after)
    except BaseException:
        _salvage(run.so_far(), given)
        complain("The run is complete, and what it was to be compared with or re-played is not; nothing was decided.")
        raise


def _salvage(result: RunResult, given: RunArguments) -> None:
    """What there is, shown and written before the program ends; what cannot be is said."""
    failed: list[str] = []
    json_file = given["json_file"]
    if json_file != STDOUT:
        with gathering(failed), talking_apart(*places(given).values()):
            emit_run(result)
    if json_file is not None:
        with gathering(failed):
            write_text(_json(result), json_file)
    complain(*failed)


def _show(
    run: Run,
    result: RunResult,
    beside: tuple[Comparison | None, GateResult],
    given: RunArguments,
    *,
    strict: bool,
) -> list[str]:
    """Write the result wherever it was asked for; what comes back is what could not be written.

    The report is first, as it can always be made.
    """
    from uaef.reporting.github import (  # noqa: PLC0415 - loaded for a run, not for --help
        github_annotations,
        is_github,
        places_of,
    )

    failed: list[str] = []
    comparison, gate = beside
    if STDOUT not in places(given).values():
        with gathering(failed):
            emit_run(result)
    for file, document in _documents(result, beside, given, strict=strict):
        with gathering(failed):
            write_text(document, file)
    if is_github():
        from uaef.reporting.markdown import step_summary  # noqa: PLC0415 - wanted only there

        with gathering(failed):
            summarise_step(step_summary(result, comparison, gate=gate, strict=strict))
        claimed = places_of(each.case for each in run.plan.jobs)
        with suppress(OSError):  # where nobody can be told, the exit code still says it
            click.echo("\n".join(github_annotations(result, claimed, gate=gate, strict=strict)), err=True)
    return failed


def _documents(
    result: RunResult, beside: tuple[Comparison | None, GateResult], given: RunArguments, *, strict: bool
) -> Iterator[tuple[str, str]]:
    """Each document that was asked for: where to, and its text."""
    comparison, gate = beside
    if given["json_file"] is not None:
        yield given["json_file"], _json(result, *beside)
    if given["junit"] is not None:
        from uaef.reporting.junit import junit_xml  # noqa: PLC0415 - wanted only with --junit

        yield given["junit"], junit_xml(result, gate=gate, strict=strict)
    if given["pr_comment"] is not None:
        from uaef.reporting.markdown import pr_comment  # noqa: PLC0415 - wanted only with --pr-comment

        yield given["pr_comment"], pr_comment(result, comparison, gate=gate, strict=strict)


def _json(result: RunResult, comparison: Comparison | None = None, gate: GateResult | None = None) -> str:
    from uaef.reporting.json import run_to_json  # noqa: PLC0415 - wanted only with --json

    return run_to_json(result, comparison, gate) + "\n"


def _foreseen(run: Run) -> str:
    """What would be played and judged, in a line."""
    from uaef.runs.evals import foreseen  # noqa: PLC0415 - loaded for a run, not for --help

    found = foreseen(run.plan, run.options)
    judged = f"a judge would be asked {found.judgements} times, twice as often at most" if found.judgements else ""
    several = "s" * (found.conversations != 1)
    return (
        f"{found.conversations} conversation{several} with {found.turns} turn{'s' * (found.turns != 1)} would be "
        f"played; {judged or 'no judge would be asked'}.\n"
    )
