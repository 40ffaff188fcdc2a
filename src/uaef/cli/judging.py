"""The options of commands that ask a judge, and the judge that they choose."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypedDict, TypeVar

import click

from uaef.cli.numbers import Finite

if TYPE_CHECKING:
    from uaef.evaluation.settings import Options
    from uaef.llm_judge.estimate import Estimate

_Command = TypeVar("_Command", bound=Callable[..., object])


class JudgeArguments(TypedDict):
    """What the options below collect."""

    judge: str | None
    max_cost_usd: float | None
    max_concurrency: int | None
    deadline: float | None
    redact_pii: bool
    no_cache: bool


def judge_options(command: _Command) -> _Command:
    """The options, added to ``command``."""
    options = (
        click.option(
            "--judge",
            metavar="JUDGE",
            help="Who judges: openai:MODEL (any compatible server, by OPENAI_BASE_URL), anthropic:MODEL, "
            "bedrock:MODEL, local (heuristics, no account) or none; else UAEF_JUDGE, else [tool.uaef] in "
            "pyproject.toml.",
        ),
        click.option(
            "--max-cost-usd",
            type=Finite(min=0),
            metavar="DOLLARS",
            help="What the judge may cost; what would exceed it is not asked, and counts as failed.",
        ),
        click.option(
            "--max-concurrency",
            type=click.IntRange(min=1),
            metavar="N",
            help="How many judge calls may be under way at once; else UAEF_MAX_CONCURRENCY, else 32.",
        ),
        click.option(
            "--deadline",
            type=Finite(min=0, min_open=True),
            metavar="SECONDS",
            help="After so long the judge is not asked or waited for any more; what is left counts as failed.",
        ),
        click.option("--redact-pii", is_flag=True, help="Take identities out of what a judge is shown (uaef[pii])."),
        click.option(
            "--no-cache",
            is_flag=True,
            help="Ask anew what was asked before; UAEF_CACHE says where answers are kept, or off.",
        ),
    )
    for option in reversed(options):
        command = option(command)
    return command


def judge_named(given: str | None) -> str:
    """The name of the judge: the one that is given, else that of the environment, else the project's, else none.

    Raises:
        DataError: ``pyproject.toml`` cannot be read.
    """
    from uaef.llm_judge.choice import NONE, configured_judge  # noqa: PLC0415 - loaded for a run, not for --help

    return given or configured_judge() or NONE


def judge_arguments(given: JudgeArguments) -> Options:
    """The options as keyword arguments of ``batch_evaluate``; on the command line answers are kept between runs.

    Raises:
        ValueError: there is no such judge, or it lacks a key, an extra or a price.
    """
    from uaef.llm_judge.choice import chosen_judge  # noqa: PLC0415 - loaded for a run, not for --help

    arguments: Options = {
        "judge": chosen_judge(judge_named(given["judge"]), cached=not given["no_cache"]) or "none",
        "max_cost_usd": given["max_cost_usd"],
        "deadline_s": given["deadline"],
        "redact": "pii" if given["redact_pii"] else None,
    }
    if given["max_concurrency"] is not None:
        arguments["max_concurrency"] = given["max_concurrency"]
    return arguments


def estimated(estimate: Estimate) -> str:
    """What a run would take, in one sentence."""
    if estimate.judge is None:
        return "No judge would be asked: none is named."
    times = "once" if estimate.calls == 1 else f"{estimate.calls} times"
    cost = "at a price that is not known" if estimate.cost_usd is None else f"about ${estimate.cost_usd:.4f}"
    return (
        f"{estimate.judge} would be asked {times}, twice as often if every answer had to be repaired: "
        f"about {estimate.input_tokens} tokens read and {estimate.output_tokens} written, {cost}."
    )
