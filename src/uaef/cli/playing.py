"""The options that say how conversations are played."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypedDict, TypeVar

import click

from uaef.cli.numbers import Finite

if TYPE_CHECKING:
    from uaef.runs.options import RunOptions

_Command = TypeVar("_Command", bound=Callable[..., object])
_HISTORIES = ("thread", "actual", "expected", "none", "both")


class PlayArguments(TypedDict):
    """What the options below collect."""

    history: str | None
    concurrency: int
    repeat: int | None
    trials: str
    turn_timeout: float | None
    on_turn_failure: str | None
    resource: str | None


def play_options(command: _Command) -> _Command:
    """The options, added to ``command``."""
    options = (
        click.option(
            "--history",
            type=click.Choice(_HISTORIES),
            help="What the agent is shown before a turn: its own thread, what was said, what should have been said "
            "(the default), nothing, or both.",
        ),
        click.option(
            "--concurrency", type=click.IntRange(min=1), default=8, metavar="N", help="Conversations at once; 8."
        ),
        click.option("--repeat", type=click.IntRange(min=1), metavar="K", help="Play each conversation K times."),
        click.option(
            "--trials",
            type=click.Choice(("all", "majority", "any")),
            default="all",
            help="How many of the K must meet a gate; all of them.",
        ),
        click.option(
            "--turn-timeout",
            type=Finite(min=0, min_open=True),
            default=300.0,
            metavar="SECONDS",
            help="How long a turn may take; 300.",
        ),
        click.option(
            "--on-turn-failure",
            type=click.Choice(("stop", "continue")),
            help="What happens to the turns after one at which the agent failed; stop where they build on it.",
        ),
        click.option(
            "--resource", metavar="ID", help="For whom the conversations are played, where memory is by user."
        ),
    )
    for option in reversed(options):
        command = option(command)
    return command


def run_options(given: PlayArguments) -> RunOptions:
    """The options of a run."""
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
