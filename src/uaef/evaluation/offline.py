"""The evaluator for batches: each item goes to the evaluator for its kind of trace, and none costs another."""

from __future__ import annotations

import asyncio
import functools
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import NamedTuple, Unpack

from uaef.errors import UnknownNameError, UsageError
from uaef.evaluation.base_evaluator import BaseEvaluator, Expected, Prepared
from uaef.evaluation.multi_agent import MultiAgentEvaluator
from uaef.evaluation.settings import MetricNames, Options, Settings
from uaef.evaluation.single_agent import SingleAgentEvaluator
from uaef.foreign import untasked
from uaef.models.conversation import Conversation, as_conversation
from uaef.models.results import EvaluationResult, Verdict
from uaef.sync import run_sync

IN_FLIGHT = 64
"""How many conversations are measured at once where measuring waits for something; more, if judges may be."""

Expectations = Sequence[Expected] | Mapping[str, Expected]
OnResult = Callable[[EvaluationResult], None]


def evaluator_for(conversation: Conversation) -> BaseEvaluator:
    """The evaluator whose kind of trace the conversation holds."""
    return _stock(MultiAgentEvaluator if conversation.is_multi_agent else SingleAgentEvaluator)


@functools.cache
def _stock(kind: type[BaseEvaluator]) -> BaseEvaluator:
    return kind()


class OfflineEvaluator:
    """Evaluates many recorded conversations, each exactly as it would be evaluated alone.

    Args:
        evaluators: gives the evaluator for a conversation; pass your own to narrow the metrics or to weigh
            differently. What it gives is prepared once, so give the same evaluator again where you can.
    """

    def __init__(self, evaluators: Callable[[Conversation], BaseEvaluator] = evaluator_for) -> None:
        self._evaluators = evaluators

    def batch_evaluate(
        self,
        traces: Sequence[object],
        ground_truths: Expectations | None = None,
        metrics: MetricNames | None = None,
        **options: Unpack[Options],
    ) -> list[EvaluationResult]:
        """The results in the order of ``traces``; see ``abatch_evaluate``."""
        return run_sync(self.abatch_evaluate(traces, ground_truths, metrics, **options))

    async def abatch_evaluate(
        self,
        traces: Sequence[object],
        ground_truths: Expectations | None = None,
        metrics: MetricNames | None = None,
        on_result: OnResult | None = None,
        **options: Unpack[Options],
    ) -> list[EvaluationResult]:
        """The results in the order of ``traces``; an item that cannot be evaluated is a failed result.

        Args:
            traces: traces, session dicts and conversations, mixed freely.
            ground_truths: one for each, ``None`` where there is none; or a dict by the name of the conversation.
            metrics: what to measure.
            on_result: called with each result as it is there.
            **options: see ``Options``.

        Raises:
            ValueError: an option is wrong, or the lengths differ. Nothing was measured then.
        """
        settings = Settings.of(metrics, options)
        jobs = self._jobs(traces, ground_truths, settings)
        async with settings.judging():
            return await one_by_one([job.result for job in jobs], settings, on_result)

    def _jobs(self, traces: Sequence[object], given: Expectations | None, settings: Settings) -> list[_Job]:
        """What is to be done, item by item; preparing it here makes a wrong option an error of the call."""
        prepared = functools.cache(lambda evaluator: evaluator.prepare(settings))
        if self._evaluators is evaluator_for:  # then the options are checked even if no item can be read
            prepared(_stock(SingleAgentEvaluator))
            prepared(_stock(MultiAgentEvaluator))
        read = [self._read(item) for item in traces]
        names = [
            found[0].conversation_id if isinstance(found, tuple) else _name(item)
            for item, found in zip(traces, read, strict=True)
        ]
        expected = _aligned(names, given)
        return [
            _Job(item, truth, (found[0], prepared(found[1])) if isinstance(found, tuple) else found)
            for item, truth, found in zip(traces, expected, read, strict=True)
        ]

    def _read(self, item: object) -> tuple[Conversation, BaseEvaluator] | Exception:
        """The item as a conversation and the evaluator for it, or why it cannot be evaluated."""
        try:
            conversation = as_conversation(item)
            evaluator = self._evaluators(conversation)
            return evaluator.checked(conversation), evaluator
        except Exception as error:  # noqa: BLE001 - one item's failure is a result, and never another's
            return error


async def one_by_one(
    pending: Sequence[Callable[[], Awaitable[EvaluationResult]]], settings: Settings, on_result: OnResult | None
) -> list[EvaluationResult]:
    """The results in order; so many are measured at once as keep the judge busy, and none waits for all others."""
    results: list[EvaluationResult | None] = [None] * len(pending)
    queue = iter(enumerate(pending))

    async def work() -> None:
        for place, measured in queue:
            result = results[place] = await measured()
            if on_result is not None:
                untasked(on_result, result)
            await asyncio.sleep(0)  # so that others in this loop, and Ctrl-C, get their turn

    try:
        async with asyncio.TaskGroup() as group:
            for _ in range(min(max(IN_FLIGHT, settings.max_concurrency), len(pending))):
                group.create_task(work())
    except BaseExceptionGroup as raised:  # by on_result, and that is the caller's own
        raise raised.exceptions[0] from None
    return [result for result in results if result is not None]


class _Job(NamedTuple):
    """One item of a batch: ready to be evaluated, or why it cannot be."""

    item: object
    expected: Expected
    ready: tuple[Conversation, Prepared] | Exception

    async def result(self) -> EvaluationResult:
        if isinstance(self.ready, Exception):
            return failed_result(self.item, self.ready)
        conversation, prepared = self.ready
        try:
            return await prepared.evaluate(conversation, self.expected)
        except Exception as error:  # noqa: BLE001 - as above
            return failed_result(self.item, error)


def _aligned(names: Sequence[str], ground_truths: Expectations | None) -> Sequence[Expected]:
    """One ground truth for each conversation."""
    if ground_truths is None:
        return [None] * len(names)
    if isinstance(ground_truths, Mapping):
        return _by_name(names, ground_truths)
    if not isinstance(ground_truths, list | tuple):
        raise UsageError(
            "ground_truths is a list with one for each trace, or a dict by conversation; "
            f"got {type(ground_truths).__name__}."
        )
    if len(ground_truths) != len(names):
        raise UsageError(
            f"There are {len(names)} traces and {len(ground_truths)} ground truths; "
            "give one for each, None where there is none."
        )
    return ground_truths


def _by_name(names: Sequence[str], ground_truths: Mapping[str, Expected]) -> list[Expected]:
    known = Counter(names)
    for name in ground_truths:
        if name not in known:
            raise UnknownNameError("conversation in ground_truths", str(name), known)
        if known[name] > 1:
            raise UsageError(f"{known[name]} conversations are called {name!r}; give ground_truths as a list.")
    return [ground_truths.get(name) for name in names]


def failed_result(item: object, error: Exception) -> EvaluationResult:
    """The result of an item that could not be evaluated: not passed, and its failure named."""
    return EvaluationResult(
        trace_id=_name(item),
        verdict=Verdict.FAILED,
        failures=[f"Could not be evaluated: {type(error).__name__}: {error}"],
        unmeasured=["everything"],
    )


def _name(item: object) -> str:
    """What to call an item that is no conversation."""
    if isinstance(item, Conversation):
        return item.conversation_id
    if isinstance(item, Mapping):
        return str(item.get("session_id") or "unknown")
    return str(getattr(item, "session_id", None) or getattr(item, "trace_id", None) or "unknown")
