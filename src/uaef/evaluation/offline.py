"""The evaluator for batches: each item goes to the evaluator for its kind of trace, and none costs another."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Unpack

from uaef.evaluation.base_evaluator import BaseEvaluator, Expected, Prepared
from uaef.evaluation.multi_agent import MultiAgentEvaluator
from uaef.evaluation.settings import MetricNames, Options, Settings
from uaef.evaluation.single_agent import SingleAgentEvaluator
from uaef.models.conversation import Conversation, as_conversation
from uaef.models.results import EvaluationResult, Verdict
from uaef.sync import run_sync

IN_FLIGHT = 64
"""How many conversations are measured at once where measuring waits for something."""

OnResult = Callable[[EvaluationResult], None]


def evaluator_for(conversation: Conversation) -> BaseEvaluator:
    """The evaluator whose kind of trace the conversation holds."""
    return MultiAgentEvaluator() if conversation.is_multi_agent else SingleAgentEvaluator()


class OfflineEvaluator:
    """Evaluates many recorded conversations, each exactly as it would be evaluated alone.

    Args:
        evaluators: makes the evaluator for a conversation; override it to narrow the metrics.
    """

    def __init__(self, evaluators: Callable[[Conversation], BaseEvaluator] = evaluator_for) -> None:
        self._evaluators = evaluators

    def batch_evaluate(
        self,
        traces: Sequence[object],
        ground_truths: Sequence[Expected] | None = None,
        metrics: MetricNames | None = None,
        **options: Unpack[Options],
    ) -> list[EvaluationResult]:
        """The results in the order of ``traces``; see ``abatch_evaluate``."""
        return run_sync(self.abatch_evaluate(traces, ground_truths, metrics, **options))

    async def abatch_evaluate(
        self,
        traces: Sequence[object],
        ground_truths: Sequence[Expected] | None = None,
        metrics: MetricNames | None = None,
        on_result: OnResult | None = None,
        **options: Unpack[Options],
    ) -> list[EvaluationResult]:
        """The results in the order of ``traces``; an item that cannot be evaluated is a failed result.

        Args:
            traces: traces, session dicts and conversations, mixed freely.
            ground_truths: one for each, or ``None`` where there is none.
            metrics: what to measure.
            on_result: called with each result as it is there.
            **options: see ``Options``.

        Raises:
            ValueError: an option is wrong, or the lengths differ. Nothing was measured then.
        """
        settings = Settings.of(metrics, options)
        expected = _aligned(traces, ground_truths)
        batch = _Batch(self._evaluators, settings)
        results: list[EvaluationResult | None] = [None] * len(traces)
        jobs = iter(zip(range(len(traces)), traces, expected, strict=True))

        async def work() -> None:
            for place, trace, ground_truth in jobs:
                result = results[place] = await batch.evaluate(trace, ground_truth)
                if on_result is not None:
                    on_result(result)

        workers = min(IN_FLIGHT, len(traces)) if batch.waits else 1
        async with asyncio.TaskGroup() as group:
            for _ in range(workers):
                group.create_task(work())
        return [result for result in results if result is not None]


class _Batch:
    """One call's settings, prepared once for each kind of evaluator."""

    def __init__(self, evaluators: Callable[[Conversation], BaseEvaluator], settings: Settings) -> None:
        self._evaluators = evaluators
        self._settings = settings
        self._prepared: dict[type[BaseEvaluator], Prepared] = {}
        # Preparing checks the settings, so that a wrong one is an error of the call and not of every item.
        for cls in (SingleAgentEvaluator, MultiAgentEvaluator):
            self._for(cls())

    @property
    def waits(self) -> bool:
        """Whether measuring waits for something."""
        return any(prepared.plan.is_async for prepared in self._prepared.values())

    async def evaluate(self, item: object, ground_truth: Expected) -> EvaluationResult:
        try:
            conversation = as_conversation(item)
            evaluator = self._evaluators(conversation)
            return await self._for(evaluator).evaluate(evaluator.checked(conversation), ground_truth)
        except Exception as error:  # noqa: BLE001 - one item's failure is a result, and never another's
            return failed_result(item, error)

    def _for(self, evaluator: BaseEvaluator) -> Prepared:
        kind = type(evaluator)
        if kind not in self._prepared:
            self._prepared[kind] = evaluator.prepare(self._settings)
        return self._prepared[kind]


def _aligned(traces: Sequence[object], ground_truths: Sequence[Expected] | None) -> Iterable[Expected]:
    if ground_truths is None:
        return [None] * len(traces)
    if len(ground_truths) != len(traces):
        raise ValueError(
            f"There are {len(traces)} traces and {len(ground_truths)} ground truths; "
            "give one for each, None where there is none."
        )
    return ground_truths


def failed_result(item: object, error: Exception) -> EvaluationResult:
    """The result of an item that could not be evaluated: not passed, and its failure named."""
    return EvaluationResult(
        trace_id=_name(item),
        verdict=Verdict.FAILED,
        failures=[f"Could not be evaluated: {type(error).__name__}: {error}"],
        unmeasured=["everything"],
    )


def _name(item: object) -> str:
    if isinstance(item, Conversation):
        return item.conversation_id
    found = item.get("session_id") if isinstance(item, Mapping) else getattr(item, "trace_id", None)
    return str(found or "unknown")
