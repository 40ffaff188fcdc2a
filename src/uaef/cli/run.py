"""``uaef run``: play the conversations of a dataset against an agent, and say which turn broke."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypedDict, Unpack

import click

from uaef.cli.exits import OK, complain
from uaef.cli.judging import JudgeArguments, judge_arguments, judge_options
from uaef.cli.output import STDOUT, check_writable, emit, emit_run, write_text

if TYPE_CHECKING:
    from uaef.agents import Agent
    from uaef.evaluation.settings import Settings
    from uaef.models.results import EvaluationResult
    from uaef.runs.evals import Planned
    from uaef.runs.options import RunOptions
    from uaef.runs.results import RunResult

_HISTORIES = ("thread", "actual", "expected", "none", "both")


class _Playing(TypedDict):
    """The options that say how conversations are played."""

    history: str | None
    concurrency: int
    repeat: int | None
    trials: str
    turn_timeout: float | None
    on_turn_failure: str | None
    resource: str | None


class _Arguments(_Playing, JudgeArguments):
    """All options that have a group of their own."""


@click.command
@click.argument("datasets", nargs=-1, required=True, metavar="DATASET...")
@click.option(
    "--agent",
    required=True,
    metavar="AGENT",
    help="Who answers: MODULE:ATTRIBUTE (a function, a graph, ...), openai:MODEL, or control:silent and "
    "control:echo, which no good dataset lets pass.",
)
@click.option("--only", multiple=True, metavar="NAME", help="A conversation (refund) or a turn (refund#3) alone.")
@click.option("--tag", "tags", multiple=True, metavar="TAG", help="What carries one of these tags alone.")
@click.option("--limit", type=click.IntRange(min=1), metavar="N", help="The first N conversations alone.")
@click.option(
    "--history",
    type=click.Choice(_HISTORIES),
    help="What the agent is shown before a turn: its own thread, what was said, what should have been said (the "
    "default), nothing, or both.",
)
@click.option("--concurrency", type=click.IntRange(min=1), default=8, metavar="N", help="Conversations at once; 8.")
@click.option("--repeat", type=click.IntRange(min=1), metavar="K", help="Play each conversation K times.")
@click.option(
    "--trials",
    type=click.Choice(("all", "majority", "any")),
    default="all",
    help="How many of the K must meet a gate; all of them.",
)
@click.option(
    "--turn-timeout",
    type=click.FloatRange(min=0, min_open=True),
    default=300.0,
    metavar="SECONDS",
    help="How long a turn may take; 300.",
)
@click.option(
    "--on-turn-failure",
    type=click.Choice(("stop", "continue")),
    help="What happens to the turns after one at which the agent failed; stop where they build on it.",
)
@click.option("--resource", metavar="ID", help="For whom the conversations are played, where memory is by user.")
@click.option("--strict", is_flag=True, help="Exit with 1 for a missed threshold too, not only for a gate.")
@judge_options
@click.option("--dry-run", is_flag=True, help="Say what would be played and judged; do neither.")
@click.option(
    "--json",
    "json_file",
    metavar="FILE",
    help="Write everything there as JSON; - is standard output, in place of the report.",
)
def command(  # noqa: PLR0913 - the options of the command, one argument each
    *,
    datasets: Sequence[str],
    agent: str,
    only: Sequence[str],
    tags: Sequence[str],
    limit: int | None,
    strict: bool,
    dry_run: bool,
    json_file: str | None,
    **arguments: Unpack[_Arguments],
) -> int:
    """Play the conversations of each DATASET against an agent and show which turn broke, and why.

    A DATASET is YAML, JSON or JSON lines; `uaef init` writes one to begin with, `uaef validate` checks it.

    \b
    Examples:
      uaef run support.yaml --agent mypkg.bot:answer
      uaef run support.yaml --agent mypkg.graph:graph --history thread --judge openai:MODEL
      uaef run support.yaml --agent openai:MODEL --only refund#3 --repeat 5
      uaef run support.yaml --agent control:silent

    \b
    Exit codes:
      0    every gate was met, or nothing was required and a line says so
      1    a gate was missed; with --strict, a threshold too
      2    wrong usage, or a dataset that cannot be read
      3    something was required but could not be decided
    """  # noqa: D301 - the mark of click for lines to be left as they are
    from uaef.agents import as_agent  # noqa: PLC0415 - loaded for a run, not for --help
    from uaef.cli.run_exits import run_exit_code, run_remarks  # noqa: PLC0415 - as above
    from uaef.evaluation.settings import Settings  # noqa: PLC0415 - as above
    from uaef.runs.evals import planned  # noqa: PLC0415 - as above
    from uaef.runs.narrowing import narrowed  # noqa: PLC0415 - as above

    if json_file is not None:
        check_writable(json_file)
    options = _options(arguments)
    settings = Settings.of(None, judge_arguments(arguments))
    plan = planned(list(datasets), None, None, settings, options)
    plan = plan._replace(jobs=narrowed(plan.jobs, only=only, tags=tags)[:limit])
    player = as_agent(agent)
    if dry_run:
        emit(_foreseen(plan, options))
        return OK
    result = _played(plan, player, options, settings, json_file)
    _show(result, json_file)
    complain(*run_remarks(result, strict=strict))
    return run_exit_code(result, strict=strict)


def _options(given: _Playing) -> RunOptions:
    from uaef.runs.options import RunOptions  # noqa: PLC0415 - loaded for a run, not for --help

    resource = given["resource"]
    return RunOptions(
        history=given["history"],
        concurrency=given["concurrency"],
        repeat=given["repeat"],
        trials=given["trials"],
        turn_timeout_s=given["turn_timeout"],
        on_turn_failure=given["on_turn_failure"],
        target_options={} if resource is None else {"memory": {"resource": resource}},
    )


def _played(plan: Planned, agent: Agent, options: RunOptions, settings: Settings, json_file: str | None) -> RunResult:
    """The result; of a run that is interrupted, what there is by then is shown before it ends."""
    from dataclasses import replace  # noqa: PLC0415 - as above

    from uaef.api.progress import tracked  # noqa: PLC0415 - as above
    from uaef.runs.evals import concluded, foreseen, played_and_scored  # noqa: PLC0415 - as above
    from uaef.sync import run_sync  # noqa: PLC0415 - as above

    kept: list[EvaluationResult] = []
    total = foreseen(plan, options).conversations
    try:
        with tracked(total, kept.append, shown=True) as noted:
            return run_sync(played_and_scored(plan, agent, replace(options, on_item_complete=noted), settings))
    except KeyboardInterrupt:
        _show(concluded(plan, agent.name, options, kept), json_file)
        complain(f"{len(kept)} of {total} conversations were played before the interruption.")
        raise


def _show(result: RunResult, json_file: str | None) -> None:
    """The result where it was asked for: in a file, on standard output, or both."""
    if json_file is not None:
        from uaef.reporting.json import run_to_json  # noqa: PLC0415 - wanted only with --json

        write_text(run_to_json(result) + "\n", json_file)
    if json_file != STDOUT:
        emit_run(result)


def _foreseen(plan: Planned, options: RunOptions) -> str:
    """What would be played and judged, in a line."""
    from uaef.runs.evals import foreseen  # noqa: PLC0415 - loaded for a run, not for --help

    found = foreseen(plan, options)
    judged = f"a judge would be asked {found.judgements} times, twice as often at most" if found.judgements else ""
    return (
        f"{found.conversations} conversations with {found.turns} turns would be played; "
        f"{judged or 'no judge would be asked'}.\n"
    )
