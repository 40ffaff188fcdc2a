"""``uaef evaluate``: from files of recordings to a report and an exit code."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Unpack

import click

from uaef.cli.exits import (
    OK,
    absent_turns,
    complain,
    missed_remarks,
    names,
    results_exit_code,
    verdict_remarks,
)
from uaef.cli.judging import JudgeArguments, estimated, judge_arguments, judge_options
from uaef.cli.keeping import LABEL, opened_store
from uaef.cli.numbers import json_or_text
from uaef.cli.output import STDOUT, check_writable, emit_report, talking_apart, write_json
from uaef.cli.outputs import check_kept, gathering, refuse
from uaef.errors import UsageError

if TYPE_CHECKING:
    from uaef.cli.matching import Matched
    from uaef.evaluation.offline import OnResult
    from uaef.evaluation.settings import MetricNames, Options
    from uaef.models.conversation import Conversation
    from uaef.models.results import EvaluationResult
    from uaef.runs.store import Store


@click.command
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option(
    "--adapter",
    default="auto",
    metavar="NAME",
    help="Who reads the files: langgraph, openai, a plug-in; auto tells by the shape.",
)
@click.option(
    "--ground-truth",
    type=click.Path(readable=False, path_type=Path),
    metavar="FILE",
    help="What was expected: rows (.xlsx, .csv, .json, .jsonl), joined by session_id, or a dataset of conversations "
    "(.yaml, .json, .jsonl), joined by id; rows without sessions belong to a single conversation.",
)
@click.option(
    "--metrics",
    multiple=True,
    metavar="NAMES",
    help="What to measure: a,b or once per metric; your own as MODULE:METRIC, like mypkg.checks:is_brief.",
)
@click.option("--param", "params", multiple=True, metavar="METRIC.NAME=VALUE", help="A parameter of a metric.")
@click.option("--weight", "weights", multiple=True, metavar="DIMENSION=NUMBER", help="How much a dimension weighs.")
@click.option(
    "--threshold", "thresholds", multiple=True, metavar="DIMENSION=NUMBER", help="What a dimension must reach."
)
@click.option("--strict", is_flag=True, help="Exit with 1 for a missed threshold of a dataset too, not only a gate.")
@judge_options
@click.option("--dry-run", is_flag=True, help="Say what the judge would be asked and what that costs; ask nothing.")
@click.option("--save", is_flag=True, help="Keep the results as a run in the store (UAEF_STORE, else .uaef/uaef.db).")
@click.option("--store", metavar="URL", help="That store: sqlite:///PATH or postgresql://...; goes with --save.")
@click.option("--label", type=LABEL, metavar="TEXT", help="What to call that run.")
@click.option(
    "--json",
    "json_file",
    metavar="FILE",
    help="Write everything there as JSON; - is standard output, in place of the report.",
)
def command(  # noqa: PLR0913 - the options of the command, one argument each
    *,
    files: Sequence[str],
    adapter: str,
    ground_truth: Path | None,
    metrics: Sequence[str],
    params: Sequence[str],
    weights: Sequence[str],
    thresholds: Sequence[str],
    json_file: str | None,
    strict: bool,
    dry_run: bool,
    save: bool,
    store: str | None,
    label: str | None,
    **judging: Unpack[JudgeArguments],
) -> int:
    """Evaluate the conversations recorded in each FILE and show the report.

    A FILE is JSON or JSON lines; - is standard input. It holds turn payloads with LangGraph's stream events, session
    dicts, traces, or chat messages in the shape of OpenAI's API. What it holds is told from its shape.

    A conversation is called by its session_id; with chat messages by session_id, thread_id, conversation_id or id; a
    trace without a session by its trace_id. One that has none of these is called by the name of its file without the
    ending, with its place behind it if the file holds several: chat, or chat-1 and chat-2.

    \b
    Examples:
      uaef evaluate payloads.jsonl --ground-truth expected.xlsx
      uaef evaluate chat.json --metrics latency_score,turn_efficiency,mypkg.checks:is_brief
      uaef evaluate a.jsonl --param turn_efficiency.expected_turns=4
      uaef evaluate a.jsonl --weight "Tool Calling=0.5" --threshold Performance=0.9
      uaef evaluate a.jsonl --judge openai:MODEL --dry-run
      cat chat.json | uaef evaluate - --json results.json

    \b
    Exit codes:
      0    what had to hold was met, or nothing had to and a line says so
      1    a threshold of a dimension or a gate of a dataset was missed; with --strict, a threshold of a dataset too
      2    wrong usage, or a file that cannot be read; or an output that could not be written
      3    something was required but could not be decided, or expected but not recorded
    """  # noqa: D301 - the mark of click for lines to be left as they are
    from uaef.api.estimates import estimate_of  # noqa: PLC0415 - loaded for a run, not for --help
    from uaef.cli.loading import load_conversations  # noqa: PLC0415 - as above
    from uaef.cli.matching import Matched, matched  # noqa: PLC0415 - as above
    from uaef.reporting.otel import emit as send  # noqa: PLC0415 - as above

    chosen = _chosen(metrics, json_file)
    options: Options = {
        "metric_params": _parameters(params),
        "dimension_weights": _numbers("--weight", weights),
        "thresholds": _numbers("--threshold", thresholds),
        **judge_arguments(judging),
    }
    _check_places(json_file, store, [*files, ground_truth], save=save)
    conversations = load_conversations(files, adapter)
    truth = Matched() if ground_truth is None else matched(conversations, ground_truth)
    measure = functools.partial(_measured, conversations, truth, chosen if metrics else None)
    if dry_run:
        click.echo(estimated(estimate_of(measure, options)))
        return OK
    if metrics and truth.cases:
        complain(
            "warning: --metrics says what is measured, so the gates and thresholds of the dataset are not applied."
        )
    with opened_store(store, save=save) as shelf:
        results = _evaluated(measure, options, json_file, len(conversations))
        failed = _shown(results, json_file)
        if shelf is not None:
            complain(_kept(results, label, "" if ground_truth is None else ground_truth.stem, options, shelf))
    send(results, warn=complain)
    absent = [*truth.not_recorded, *absent_turns(results)]
    if absent and ground_truth:
        complain(f"{ground_truth.name}: nothing was recorded of {names(absent)}, of which something is expected.")
    return _ended(results, absent, failed, strict=strict)


def _check_places(json_file: str | None, store: str | None, read: Sequence[object], *, save: bool) -> None:
    """Refuse places that nothing could be written to, or that are read, before anything is measured."""
    check_kept({"--json": json_file}, [str(file) for file in read if file is not None])
    if store is not None and not save:
        raise UsageError("--store says where --save keeps the results, so it goes with --save.")
    if json_file is not None:
        check_writable(json_file)


def _chosen(metrics: Sequence[str], json_file: str | None) -> MetricNames:
    """The metrics by name, those of the user's own modules among them."""
    from uaef.cli.own_metrics import with_own  # noqa: PLC0415 - loaded for a run, not for --help

    with talking_apart(json_file):
        return with_own(name.strip() for given in metrics for name in given.split(",") if name.strip())


def _ended(results: Sequence[EvaluationResult], absent: Sequence[str], failed: Sequence[str], *, strict: bool) -> int:
    """The exit code, after what led to it was said.

    Raises:
        DataError: something could not be written: ``failed``.
    """
    claims = [claim for result in results for claim in result.claims]
    complain(*missed_remarks(claims, strict=strict), *verdict_remarks(results))
    refuse(failed)
    return results_exit_code(results, absent, strict=strict)


_Measure = Callable[..., list["EvaluationResult"]]


def _evaluated(measure: _Measure, options: Options, json_file: str | None, total: int) -> list[EvaluationResult]:
    """The results; of a run that is interrupted, those there are by then are shown before it ends."""
    from uaef.api.progress import tracked  # noqa: PLC0415 - loaded for a run, not for --help

    kept: list[EvaluationResult] = []
    try:
        with tracked(total, kept.append, shown=True) as noted, talking_apart(json_file):
            return measure(options, noted)
    except (KeyboardInterrupt, SystemExit) as error:
        complain(*_shown(kept, json_file))
        complain(f"{len(kept)} of {total} conversations were evaluated before the interruption.")
        if isinstance(error, SystemExit):
            raise UsageError(f"A metric or a judge ended the program: {type(error).__name__}: {error}") from None
        raise


def _measured(
    conversations: Sequence[Conversation],
    truth: Matched,
    metrics: MetricNames | None,
    options: Options,
    on_result: OnResult | None = None,
) -> list[EvaluationResult]:
    """The results by the metrics that are named; where none is, by what a dataset asserts of each conversation."""
    from uaef.api import batch_evaluate  # noqa: PLC0415 - loaded for a run, not for --help
    from uaef.evaluation.settings import Settings  # noqa: PLC0415 - as above
    from uaef.runs.recorded import score_recorded  # noqa: PLC0415 - as above
    from uaef.sync import run_sync  # noqa: PLC0415 - as above

    if truth.cases is None or metrics is not None:
        return batch_evaluate(conversations, truth.expected, metrics, on_result=on_result, **options)
    if any(options.get(name) for name in ("metric_params", "dimension_weights", "thresholds")):
        raise UsageError("The dataset says what is measured; --param, --weight and --threshold go with --metrics.")
    settings = Settings.of(None, options)
    return run_sync(score_recorded(conversations, truth.expected or [], truth.cases, settings, on_result))


def _kept(
    results: Sequence[EvaluationResult], label: str | None, dataset: str, options: Options, store: Store
) -> str:
    """Keep the results, and say where."""
    from uaef.runs.keeping import keep_results  # noqa: PLC0415 - a database, wanted only with --save
    from uaef.runs.records import RunInfo  # noqa: PLC0415 - as above
    from uaef.runs.store import origin  # noqa: PLC0415 - as above
    from uaef.runs.wholeness import RECORDED  # noqa: PLC0415 - as above

    judge = getattr(options.get("judge"), "label", None)
    known = RunInfo(**origin(), label=label, dataset=dataset, history=RECORDED, judge=judge, n_planned=len(results))
    info = keep_results(store, known, results)
    return f"kept as {info.run_id} in {store.place}"


def _shown(results: Sequence[EvaluationResult], json_file: str | None) -> list[str]:
    """Write the results where they were asked for, in a file, on standard output, or both; what failed comes back."""
    failed: list[str] = []
    if json_file is not None:
        with gathering(failed):
            write_json(results, json_file)
    if json_file != STDOUT:
        with gathering(failed):
            emit_report(results)
    return failed


def _parameters(given: Iterable[str]) -> dict[str, dict[str, object]]:
    """``latency_score.target_s=1.5`` as ``{"latency_score": {"target_s": 1.5}}``; a value is JSON, else text."""
    found: dict[str, dict[str, object]] = {}
    for text in given:
        name, equals, value = text.partition("=")
        metric, dot, parameter = name.strip().rpartition(".")
        if not (equals and dot and metric and parameter):
            raise _refused("--param", text, "METRIC.NAME=VALUE, like turn_efficiency.expected_turns=4")
        found.setdefault(metric, {})[parameter] = json_or_text(value)
    return found


def _numbers(option: str, given: Iterable[str]) -> dict[str, float]:
    """``Tool Calling=0.5`` as ``{"Tool Calling": 0.5}``."""
    found = {}
    for text in given:
        dimension, _, number = text.rpartition("=")
        try:
            found[dimension.strip()] = float(number)
        except ValueError:
            raise _refused(option, text, 'DIMENSION=NUMBER, like "Tool Calling=0.5"') from None
        if not dimension.strip():
            raise _refused(option, text, 'DIMENSION=NUMBER, like "Tool Calling=0.5"')
    return found


def _refused(option: str, text: str, expected: str) -> click.ClickException:
    return click.UsageError(f"{option} {text!r}: expected {expected}", click.get_current_context())
