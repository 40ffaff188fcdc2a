"""The options that lay a run beside an earlier one and say what it has to be, and what comes of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypedDict, TypeVar

import click

from uaef.cli.exits import complain
from uaef.cli.output import emit_rendered, from_here
from uaef.errors import UsageError

if TYPE_CHECKING:
    from uaef.runs.comparison import Comparison
    from uaef.runs.comparison.cohorts import Cohort
    from uaef.runs.evals import Run
    from uaef.runs.gate import Gate, GateResult
    from uaef.runs.records import RunInfo, StoredRun
    from uaef.runs.store import Store

_Command = TypeVar("_Command", bound=Callable[..., object])


class GateArguments(TypedDict):
    """What the options below collect."""

    compare: str | None
    by: tuple[str, ...]
    fail_on: tuple[str, ...]
    min_pass_rate: tuple[str, ...]
    minimum: tuple[str, ...]
    max_failed_judgements: int | None
    require_baseline: bool


def gate_options(command: _Command) -> _Command:
    """The options, added to ``command``."""
    options = (
        click.option(
            "--compare",
            metavar="RUN",
            help="Show what changed since: baseline, latest, a run by name or label, or a file of --json.",
        ),
        click.option(
            "--by",
            multiple=True,
            metavar="COHORTS",
            help="Cohorts to show and compare: turn, tag, tag:returns, depth.",
        ),
        click.option(
            "--fail-on",
            multiple=True,
            metavar="RULE",
            help="Exit with 1 for: regression (beyond chance), confirmed[:N] (fails again in N re-plays), any.",
        ),
        click.option(
            "--min-pass-rate",
            multiple=True,
            metavar="[COHORT=]X",
            help="How many conversations must pass; of a cohort, how many of its turns.",
        ),
        click.option("--min", "minimum", multiple=True, metavar="METRIC[@COHORT]=X", help="What a mean must reach."),
        click.option(
            "--max-failed-judgements",
            type=click.IntRange(min=0),
            metavar="N",
            help="How many measurements may fail.",
        ),
        click.option("--require-baseline", is_flag=True, help="Exit with 1 where there is nothing to compare with."),
    )
    for option in reversed(options):
        command = option(command)
    return command


class Gating(NamedTuple):
    """The rules, what a run is compared with, and the cohorts."""

    gate: Gate
    compare: str | None
    by: tuple[Cohort, ...]
    before: StoredRun | None = None
    """The run that it is compared with, once that was found."""


def gating(given: GateArguments, run: Run) -> Gating:
    """What the command line and ``[tool.uaef.gate]`` ask for, checked before anything is spent.

    Raises:
        UsageError: a rule cannot be, or could not decide anything.
        UnknownNameError: a rule names a metric or a cohort that there is not.
        DataError: ``pyproject.toml`` cannot be read.
    """
    from uaef.runs.comparison.cohorts import cohort, separated  # noqa: PLC0415 - loaded for a run, not for --help
    from uaef.runs.gate import RuleError, check, gate, laid_over, project  # noqa: PLC0415 - as above
    from uaef.runs.statistics import is_installed  # noqa: PLC0415 - as above

    own = project(from_here("."))
    try:
        made = gate(
            fail_on=given["fail_on"],
            min_pass_rate=given["min_pass_rate"],
            minimum=given["minimum"],
            max_failed_judgements=given["max_failed_judgements"],
            require_baseline=given["require_baseline"],
        )
    except RuleError as error:
        raise UsageError(f"{_option(error.key)}: {error.sentence}") from None
    rules, compare = laid_over(own.gate, made), own.compare if given["compare"] is None else given["compare"]
    by = tuple(cohort(name) for text in given["by"] or own.by for name in separated(text) if name)
    metrics = {m.key: m.name for each in run.plan.jobs for m in each.ruler.plan.metrics}
    check(rules, metrics=metrics, is_compared=compare is not None, is_tested=is_installed())
    asked = _named(made, by if given["by"] else (), _option)
    _check_cohorts(run, asked, own=_named(own.gate, () if given["by"] else by, "{} of [tool.uaef.gate]".format))
    return Gating(rules, compare, by)


def _option(key: str) -> str:
    """The option of the command line that stands for a key of the project's table."""
    return f"--{key.replace('_', '-')}"


def _named(rules: Gate, by: Sequence[Cohort], place: Callable[[str], str]) -> list[tuple[str, str]]:
    """The cohorts that are asked for, each behind the place that asks for it."""
    from uaef.runs.gate.rules import PASS_RATE  # noqa: PLC0415 - loaded for a run, not for --help

    floors = [("min_pass_rate" if f.what == PASS_RATE else "min", f.cohort) for f in rules.floors]
    asked = [("by", str(group)) for group in by] + [(key, name) for key, name in floors if name is not None]
    return [(place(key), name) for key, name in asked]


def _check_cohorts(run: Run, asked: Sequence[tuple[str, str]], own: Sequence[tuple[str, str]]) -> None:
    """Refuse cohorts to which nothing can belong: a floor on one could decide nothing.

    Args:
        run: what is played.
        asked: the cohorts of the command line, which are for the run at hand, each behind its option.
        own: those of the project, which are for its whole dataset, so they may be what a part of it lacks.

    Raises:
        UnknownNameError: nothing in the dataset belongs to one.
        UsageError: nothing that would be played does.
    """
    from uaef.runs.comparison.known import is_there, unknown, windows  # noqa: PLC0415 - loaded for a run

    plan = run.plan
    everything = [where for case in plan.cases for where in windows(case, plan.name)]
    played = [where for each in plan.jobs for where in windows(each.case, plan.name, each.only)]
    for place, name in (*asked, *own):
        if not is_there(name, everything):
            raise unknown(name, place, everything, in_list=place in ("--by", "by of [tool.uaef.gate]"))
    for place, name in asked:
        if not is_there(name, played):
            raise UsageError(
                f"Nothing that would be played belongs to the cohort {name!r} of {place}; it is among what --only, "
                "--tag or --limit leave out."
            )


def referred(store: Store | None, asked: Gating, dataset: str, resumed: RunInfo | None = None) -> StoredRun | None:
    """The run to compare one of ``dataset`` with; where there is none, a line says so.

    Args:
        store: where it may be kept.
        asked: what is to be compared with.
        dataset: what is played.
        resumed: a run that has begun, and is gone on with or retried: what came after it is no reference.

    Raises:
        UaefError: there is no such run, or it cannot be read.
    """
    from uaef.runs.comparison import as_stored, reference  # noqa: PLC0415 - loaded for a run, not for --help
    from uaef.runs.records import RunInfo  # noqa: PLC0415 - as above
    from uaef.runs.store import AsOf, origin  # noqa: PLC0415 - as above

    if asked.compare is None:
        return None
    path = Path(asked.compare)
    if path.suffix == ".json":
        from uaef.reporting.json import run_from_json  # noqa: PLC0415 - wanted only for a file

        return as_stored(run_from_json(_text_of(asked.compare)), RunInfo(**origin(), label=path.name))
    if store is None:
        raise UsageError(
            f"--compare {asked.compare!r} needs the store; leave out --no-save, or name a file of --json."
        )
    found = reference(AsOf(store, resumed), asked.compare, resumed or RunInfo(**origin(), dataset=dataset))
    if found is None and not asked.gate.require_baseline:
        complain(f"warning: there is no {asked.compare} of {dataset!r} yet to compare with.")
    return found


def _text_of(file: str) -> str:
    try:
        return from_here(file).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{file}: cannot be read: {error}.") from None


def judged(asked: Gating, run: Run, after: StoredRun) -> tuple[Comparison | None, GateResult]:
    """How the run compares, and what becomes of the rules; suspects are played again where a rule asks for that."""
    from uaef.runs.comparison import compare  # noqa: PLC0415 - loaded for a run, not for --help
    from uaef.runs.gate import decide  # noqa: PLC0415 - as above
    from uaef.runs.replaying import replays  # noqa: PLC0415 - as above

    comparison = None if asked.before is None else compare(asked.before, after, by=asked.by)
    again = [] if comparison is None or asked.gate.replays is None else replays(run, comparison, asked.gate.replays)
    return comparison, decide(asked.gate, after.items, comparison, replays=again, dataset=after.info.dataset)


def show_judged(
    asked: Gating, after: StoredRun, comparison: Comparison | None, decided: GateResult, *, is_reported: bool = True
) -> None:
    """The comparison and the cohorts on standard output, unless that is taken; the rules on standard error.

    Raises:
        DataError: standard output cannot be written; the rules were told all the same.
    """
    from uaef.reporting.cohorts import render_cohorts  # noqa: PLC0415 - rich, wanted only now
    from uaef.reporting.comparison import gate_remarks, render_comparison  # noqa: PLC0415 - as above
    from uaef.runs.comparison import summaries, survival  # noqa: PLC0415 - as above

    try:
        if asked.by and is_reported:
            found = summaries(after.items, asked.by, dataset=after.info.dataset)
            emit_rendered(lambda **how: render_cohorts(found, survival(after.items), **how))
        if comparison is not None and is_reported:
            emit_rendered(lambda **how: render_comparison(comparison, **how))
    finally:
        complain(*gate_remarks(decided))
