"""The documented functions: evaluate one conversation, or many.

``evaluate`` and ``batch_evaluate`` also work where an event loop runs (a notebook); ``aevaluate`` and
``abatch_evaluate`` are the same, to be awaited.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Unpack

from uaef.api.estimates import estimate_of
from uaef.api.evals import RunEvalsOptions, arun_evals, run_evals
from uaef.api.progress import tracked
from uaef.errors import DataError, UsageError
from uaef.evaluation.base_evaluator import Expected
from uaef.evaluation.offline import Expectations, OfflineEvaluator, OnResult, evaluator_for
from uaef.evaluation.settings import MetricNames, Options
from uaef.llm_judge.estimate import Estimate
from uaef.models.conversation import as_conversation
from uaef.models.results import EvaluationResult
from uaef.sync import run_sync

__all__ = [
    "Options",
    "RunEvalsOptions",
    "abatch_evaluate",
    "aevaluate",
    "arun_evals",
    "batch_evaluate",
    "estimate",
    "evaluate",
    "run_evals",
]


def evaluate(
    trace: object,
    ground_truth: Expected = None,
    metrics: MetricNames | None = None,
    *,
    adapter: str | None = None,
    **options: Unpack[Options],
) -> EvaluationResult:
    """The result for one trace or one conversation.

    Args:
        trace: an ``AgentTrace``, a ``MultiAgentTrace``, a session dict (``per_turn_traces``, ``full_trace``) or a
            ``Conversation``; with ``adapter``, whatever that adapter reads, as long as it is one conversation.
        ground_truth: what was expected; a dict is read as the fields of ``GroundTruth``.
        metrics: names, metrics, or both; left out, every registered metric of the evaluator's dimensions.
        adapter: the name of the adapter to read ``trace`` with (``"langgraph"``, ``"openai"``), or ``"auto"``.
        **options: see ``Options``.

    Raises:
        ValueError: ``trace`` is a list (see ``batch_evaluate``) or nothing that can be evaluated, or an option is
            wrong. What a metric or a judge does wrong is in the result instead.
    """
    return run_sync(aevaluate(trace, ground_truth, metrics, adapter=adapter, **options))


async def aevaluate(
    trace: object,
    ground_truth: Expected = None,
    metrics: MetricNames | None = None,
    *,
    adapter: str | None = None,
    **options: Unpack[Options],
) -> EvaluationResult:
    """The same as ``evaluate``, to be awaited."""
    if adapter is not None:
        sessions = _adapted([trace], adapter)
        trace = sessions[0] if len(sessions) == 1 else sessions
    if isinstance(trace, list | tuple):
        raise UsageError(
            "evaluate() takes one trace or one session, not a list of them; use batch_evaluate(). "
            "A recording (turn payloads, chat messages) needs adapter=, for example adapter='auto'."
        )
    conversation = as_conversation(trace)
    return await evaluator_for(conversation).aevaluate(conversation, ground_truth, metrics, **options)


def batch_evaluate(
    traces: Sequence[object],
    ground_truths: Expectations | None = None,
    metrics: MetricNames | None = None,
    *,
    adapter: str | None = None,
    progress: bool = False,
    on_result: OnResult | None = None,
    **options: Unpack[Options],
) -> list[EvaluationResult]:
    """The results for many traces and conversations, mixed freely, in the order given.

    Args:
        traces: as in ``evaluate``, any number of them; with ``adapter``, recordings that it turns into any number of
            conversations.
        ground_truths: one for each conversation, ``None`` where there is none; or a dict by the conversation's name.
        metrics: as in ``evaluate``.
        adapter: the name of the adapter to read ``traces`` with, or ``"auto"``.
        progress: whether to show a bar, where standard error is a terminal.
        on_result: called with each result as soon as it is there: what it was given survives an interruption.
        **options: see ``Options``.

    Raises:
        ValueError: the lengths differ or an option is wrong; nothing was measured then. An item that cannot be
            evaluated is a result with ``passed=False`` that names its failure.
    """
    coroutine = abatch_evaluate(
        traces, ground_truths, metrics, adapter=adapter, progress=progress, on_result=on_result, **options
    )
    return run_sync(coroutine)


async def abatch_evaluate(
    traces: Sequence[object],
    ground_truths: Expectations | None = None,
    metrics: MetricNames | None = None,
    *,
    adapter: str | None = None,
    progress: bool = False,
    on_result: OnResult | None = None,
    **options: Unpack[Options],
) -> list[EvaluationResult]:
    """The same as ``batch_evaluate``, to be awaited."""
    if not isinstance(traces, list | tuple):
        raise UsageError(
            f"batch_evaluate() takes a list of traces and sessions, got {type(traces).__name__}; use evaluate()."
        )
    items = traces if adapter is None else _adapted(traces, adapter)
    with tracked(len(items), on_result, shown=progress) as noted:
        return await OfflineEvaluator().abatch_evaluate(items, ground_truths, metrics, on_result=noted, **options)


def estimate(
    traces: Sequence[object],
    ground_truths: Expectations | None = None,
    metrics: MetricNames | None = None,
    *,
    adapter: str | None = None,
    **options: Unpack[Options],
) -> Estimate:
    """What ``batch_evaluate`` with the same arguments would ask a judge, at least: calls, tokens, dollars.

    Everything is measured and every question is built, but nobody is asked.

    Raises:
        ValueError: as ``batch_evaluate`` does; also where a conversation cannot be read, since it would cost nothing.
    """
    return estimate_of(
        lambda given: batch_evaluate(traces, ground_truths, metrics, adapter=adapter, **given), options
    )


def _adapted(raw: Sequence[object], adapter: str) -> list[object]:
    """Recordings as conversations: what the adapter knows as one recording is read as one, else item by item."""
    from uaef.adapters import detect, get_adapter  # noqa: PLC0415 - only those who name an adapter load it

    reader = (detect(list(raw)) or (detect(raw[0]) if raw else None)) if adapter == "auto" else get_adapter(adapter)
    if reader is None:
        raise DataError(
            "No adapter recognises the recording; name one with adapter=, see uaef.adapters.list_adapters()."
        )
    together = len(raw) != 1 and reader.recognises(list(raw))
    read = [reader.transform_to_canonical(item) for item in ([list(raw)] if together else raw)]
    return [one for found in read for one in (found if isinstance(found, list) else [found])]
