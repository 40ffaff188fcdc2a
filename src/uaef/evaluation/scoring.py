"""The engine: a conversation and a plan in, measurements out.

Cheap metrics run where they stand; what waits (a judge, a service) runs at once with everything else of its
stage; what blocks gets a thread. A metric that raises costs its own cell and nothing else.
"""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Mapping, Sequence
from time import perf_counter

from uaef.evaluation.derived import mean, sources, with_derived
from uaef.evaluation.plan import Cell, Plan, cells_of
from uaef.metrics.base import Metric
from uaef.metrics.scopes import Outline, Span
from uaef.models.conversation import Conversation
from uaef.models.measurement import Measurement
from uaef.models.scores import MetricScore, ScoreStatus

_Scores = dict[Span, MetricScore]


async def measure(conversation: Conversation, plan: Plan) -> list[Measurement]:
    """Everything in ``plan``, measured on ``conversation``, in the order of the plan."""
    scoring = _Scoring(conversation, plan)
    outline = Outline.of(conversation)
    measurements: list[Measurement] = []
    for stage in plan.stages:
        made = [scoring.begin(cell) for cell in cells_of(stage, outline)]
        waiting = [m for m in made if not isinstance(m, Measurement)]
        arrived = iter(await asyncio.gather(*waiting) if waiting else ())
        finished = [m if isinstance(m, Measurement) else next(arrived) for m in made]
        scoring.note(finished)
        measurements += finished
    return measurements


class _Scoring:
    """The state of one conversation's scoring: its windows and what was found so far."""

    def __init__(self, conversation: Conversation, plan: Plan) -> None:
        self._conversation = conversation
        self._plan = plan
        self._windows: dict[Span, Conversation] = {}
        self._spans: dict[str, Span] = {}
        self._found: dict[str, _Scores] = {}
        self._noted = {name for metric in plan.metrics for name in sources(metric.depends_on)}

    def begin(self, cell: Cell) -> Measurement | Awaitable[Measurement]:
        """The measurement, or what is to be awaited for it."""
        metric, span = cell
        window = self._window(span)
        if metric.depends_on:
            window = window.knowing(self._given(metric, span))
        started = perf_counter()
        try:
            unmet = metric.unmet(window)
            found = unmet if unmet is not None else _measured(metric, window)
            if inspect.isawaitable(found):
                return self._finish(metric, window, found, started)
            score = metric.score_of(found)
        except Exception as error:  # noqa: BLE001 - a metric is foreign code; its failure is a result
            score = _crashed(metric, error)
        return self._measurement(metric, window, score, started)

    def note(self, measurements: Sequence[Measurement]) -> None:
        """Remember what later stages want to know."""
        for m in measurements:
            name = m.score.metric_name
            if name in self._noted:
                self._found.setdefault(name, {})[self._spans[m.slice_name]] = m.score

    async def _finish(
        self, metric: Metric, window: Conversation, found: Awaitable[object], started: float
    ) -> Measurement:
        try:
            score = metric.score_of(await found)
        except Exception as error:  # noqa: BLE001 - as above
            score = _crashed(metric, error)
        return self._measurement(metric, window, score, started)

    def _measurement(
        self, metric: Metric, window: Conversation, score: MetricScore, started: float
    ) -> Measurement:
        return Measurement(
            slice_name=window.name,
            turns=window.numbers,
            whole=window.is_whole,
            metric=metric.key,
            dimension=metric.dimension,
            score=score,
            trial=window.trial,
            tags=window.tags,
            seconds=perf_counter() - started,
        )

    def _window(self, span: Span) -> Conversation:
        window = self._windows.get(span)
        if window is None:
            window = self._windows[span] = self._conversation[span[0] : span[1]]
            self._spans[window.name] = span
        return window

    def _given(self, metric: Metric, span: Span) -> Mapping[str, MetricScore]:
        """The scores that ``metric`` wants to know about the window ``span``."""
        near = {
            name: score
            for name in sources(metric.depends_on)
            if name in self._found and (score := nearest(name, self._found[name], span)) is not None
        }
        return with_derived(near)


def nearest(name: str, scores: Mapping[Span, MetricScore], span: Span) -> MetricScore | None:
    """A metric's score for a window: the one given there, else the mean inside, else the smallest around it."""
    if span in scores:
        return scores[span]
    inside = [s for (start, stop), s in scores.items() if span[0] <= start and stop <= span[1]]
    if inside:
        return _pooled(name, inside)
    around = [(at[1] - at[0], s) for at, s in scores.items() if at[0] <= span[0] and span[1] <= at[1]]
    return min(around, key=lambda pair: pair[0])[1] if around else None


def _pooled(name: str, scores: Sequence[MetricScore]) -> MetricScore:
    value = mean(score.score for score in scores)
    if value is not None:
        return MetricScore(metric_name=name, score=value)
    failed = next((s for s in scores if s.status is ScoreStatus.FAILED), None)
    return failed if failed is not None else scores[0]


def _measured(metric: Metric, window: Conversation) -> object:
    if metric.blocking:
        return asyncio.to_thread(metric.measure, window)
    return metric.measure(window)


def _crashed(metric: Metric, error: Exception) -> MetricScore:
    detail = f"{type(error).__name__}: {error}"
    return metric.failed(f"{metric.name} raised {detail}", error_details=detail)
