"""What all evaluators share: a plan, one engine, one way to a result. Subclasses say what they accept and weigh."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import ClassVar, Unpack

from uaef.errors import UsageError
from uaef.evaluation.claims import checked_numbers, thresholds
from uaef.evaluation.plan import Plan
from uaef.evaluation.scoring import measure
from uaef.evaluation.selection import select
from uaef.evaluation.settings import MetricNames, Options, Settings
from uaef.evaluation.summary import Ruler, summarise
from uaef.metrics.base import Metric
from uaef.metrics.registry import DIMENSIONS, list_metrics_by_dimension, registered_metrics
from uaef.models.base import replaced
from uaef.models.conversation import Conversation, as_conversation
from uaef.models.ground_truth import GroundTruth
from uaef.models.results import EvaluationResult
from uaef.models.traces import AgentTrace, MultiAgentTrace, Trace
from uaef.sync import run_sync

Expected = GroundTruth | Mapping[str, object] | None


class BaseEvaluator:
    """Evaluates conversations. Override ``available_metrics`` to narrow what it measures by default.

    Args:
        default_dimension_weights: laid over the class's ``dimension_weights``.
        default_thresholds: laid over the class's ``thresholds``.
    """

    accepts: ClassVar[tuple[type[AgentTrace | MultiAgentTrace], ...]] = (AgentTrace, MultiAgentTrace)
    dimension_weights: Mapping[str, float] = {}
    thresholds: Mapping[str, float] = {}

    def __init__(
        self,
        *,
        default_dimension_weights: Mapping[str, float] | None = None,
        default_thresholds: Mapping[str, float] | None = None,
    ) -> None:
        given = default_dimension_weights or default_thresholds
        known = {*self.dimension_weights, *list_metrics_by_dimension()} if given else ()
        weights = checked_numbers("weight", default_dimension_weights, known)
        bars = checked_numbers("threshold", default_thresholds, known, most=1.0)
        self.dimension_weights = {**self.dimension_weights, **weights}
        self.thresholds = {**self.thresholds, **bars}

    def available_metrics(self) -> list[Metric]:
        """What is measured when the caller names nothing: every registered metric of this evaluator's dimensions."""
        metrics = [m for m in registered_metrics() if m.by_default]
        return [m for m in metrics if m.dimension in self.dimension_weights or m.dimension not in DIMENSIONS]

    def evaluate(
        self,
        trace: object,
        ground_truth: Expected = None,
        metrics: MetricNames | None = None,
        **options: Unpack[Options],
    ) -> EvaluationResult:
        """The result for a trace, a session dict or a conversation.

        Raises:
            ValueError: an option is wrong, or the trace is not of the kind this evaluator accepts.
        """
        return run_sync(self.aevaluate(trace, ground_truth, metrics, **options))

    async def aevaluate(
        self,
        trace: object,
        ground_truth: Expected = None,
        metrics: MetricNames | None = None,
        **options: Unpack[Options],
    ) -> EvaluationResult:
        """The same as ``evaluate``, to be awaited."""
        settings = Settings.of(metrics, options)
        prepared = self.prepare(settings)
        async with settings.judging():
            return await prepared.evaluate(self.checked(as_conversation(trace)), ground_truth)

    def evaluate_multi_turn(
        self,
        per_turn_traces: Sequence[Trace],
        full_trace: Trace | None = None,
        ground_truth: Expected = None,
        metrics: MetricNames | None = None,
        **options: Unpack[Options],
    ) -> EvaluationResult:
        """The result for the turns of a conversation and, if there is one, the recording of the whole.

        Raises:
            ValueError: there is no turn, or one is not of the kind this evaluator accepts.
        """
        conversation = Conversation.of(list(per_turn_traces), full_trace=full_trace)
        return self.evaluate(conversation, ground_truth, metrics, **options)

    def prepare(self, settings: Settings) -> Prepared:
        """Everything that is the same for all conversations of one call, checked before anything is measured."""
        metrics = select(settings, self.available_metrics())
        dimensions = {*list_metrics_by_dimension(), *self.dimension_weights, *(m.dimension for m in metrics)}
        weights = checked_numbers("weight", settings.dimension_weights, dimensions)
        claims = thresholds(self.thresholds, settings.thresholds, dimensions)
        return Prepared(Ruler(Plan(metrics), claims, (), {**self.dimension_weights, **weights}), settings.context)

    def checked(self, conversation: Conversation) -> Conversation:
        """``conversation``, if every trace in it is of the kind this evaluator accepts.

        Raises:
            ValueError: naming the trace and the evaluator that would accept it.
        """
        several = len(conversation) > 1
        traces = {f"per_turn_traces[{i}]" if several else "trace": t.trace for i, t in enumerate(conversation.turns)}
        if conversation.recorded is not None:
            traces["full_trace"] = conversation.recorded
        for where, trace in traces.items():
            if not isinstance(trace, self.accepts):
                raise UsageError(
                    f"{type(self).__name__} does not accept {_named(trace)} ({where}); " + _advice(traces.values())
                )
        return conversation


def _named(trace: Trace) -> str:
    return "a MultiAgentTrace" if isinstance(trace, MultiAgentTrace) else "an AgentTrace"


def _advice(traces: Iterable[Trace]) -> str:
    kinds = {type(trace) for trace in traces}
    if len(kinds) > 1:
        return "in one conversation make all traces AgentTraces or all MultiAgentTraces."
    return f"use {'MultiAgentEvaluator' if MultiAgentTrace in kinds else 'SingleAgentEvaluator'}."


class Prepared:
    """A plan and the bounds on what it finds, ready for any number of conversations."""

    def __init__(self, ruler: Ruler, context: Sequence[str] | None) -> None:
        self._ruler = ruler
        self._context = list(context or ())

    async def evaluate(self, conversation: Conversation, ground_truth: Expected = None) -> EvaluationResult:
        """The result for one conversation."""
        expected = conversation.ground_truth if ground_truth is None else GroundTruth.of(ground_truth)
        if self._context and not (expected and expected.context_documents):
            expected = replaced(expected or GroundTruth(), context_documents=self._context)
        if expected is not conversation.ground_truth:
            conversation = conversation.expecting(expected)
        measurements = await measure(conversation, self._ruler.plan)
        return summarise(conversation, self._ruler, measurements)
