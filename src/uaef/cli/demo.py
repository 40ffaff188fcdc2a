"""``uaef demo``: a report to look at."""

from __future__ import annotations

from typing import Unpack

import click

from uaef.cli.exits import OK
from uaef.cli.judging import JudgeArguments, judge_arguments, judge_options
from uaef.cli.output import emit_report


@click.command
@judge_options
def command(**judging: Unpack[JudgeArguments]) -> int:
    """Evaluate conversations that come with uaef and show the report.

    They were recorded from a booking agent and from a team of agents. One goes wrong at its third turn, to show what
    that looks like, so this command exits with 0 although a threshold is missed.
    """
    from uaef.adapters import get_adapter  # noqa: PLC0415 - loaded for a run, not for --help
    from uaef.api import batch_evaluate  # noqa: PLC0415 - as above
    from uaef.demo import METRICS, load_demo  # noqa: PLC0415 - as above

    payloads, expected = load_demo()
    sessions = get_adapter("langgraph").transform_to_canonical(payloads)
    assert isinstance(sessions, list)  # noqa: S101 - turn payloads become sessions; for the type checker
    from uaef.llm_judge.choice import configured_judge  # noqa: PLC0415 - as above

    judging["judge"] = judging["judge"] or configured_judge() or "local"
    emit_report(batch_evaluate(sessions, expected, METRICS, **judge_arguments(judging)))
    return OK
