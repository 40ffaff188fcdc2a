"""The engine: a conversation and a plan in, measurements out.

Cheap metrics run where they stand; what waits (a judge, a service) runs at once with everything else of its
stage; what blocks gets a thread. A metric that raises costs its own cell and nothing else.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Iterable, Mapping, Sequence
from time import perf_counter

from uaef.evaluation.derived import mean, sources, with_derived
from uaef.evaluation.plan import Cell, Plan, cells_of
from uaef.foreign import RAISED, apart, is_ours, told, untasked
from uaef.metrics.base import Metric
from uaef.metrics.scopes import Outline, Span
from uaef.models.conversation import Conversation
from uaef.models.measurement import Measurement
from uaef.models.scores import MetricScore, ScoreStatus

SPLICED = (
    "each turn was shown the expected history, not what was really said, so these turns are no conversation; "
    "history='both' plays one too"
)

_Scores = dict[Span, MetricScore]


async def measure(conversation: Conversation, plan: Plan) -> list[Measurement]:
    """Everything in ``plan``, measured on ``conversation``, in the order of the plan."""
    scoring = Scoring(plan, Outline.of(conversation))
    scoring.see(conversation)
    return await scoring.finish()


class _Place:
    """A window, and what every measurement on it says of where it was made."""

    __slots__ = ("failure", "name", "spliced", "tags", "trial", "turns", "whole", "window")

    def __init__(self, window: Conversation, *, whole: bool) -> None:
        self.window = window
        self.failure = window.failure
        self.spliced = len(window) > 1 and not window.flows
        self.name = window.name
        self.turns = window.numbers
        self.whole = whole
        self.tags = window.tags
        self.trial = window.trial

    def measurement(self, metric: Metric, score: MetricScore, started: float) -> Measurement:
        return Measurement(
            slice_name=self.name,
            turns=self.turns,
            whole=self.whole,
            metric=metric.key,
            dimension=metric.dimension,
            score=score,
            trial=self.trial,
            tags=self.tags,
            seconds=perf_counter() - started,
            cost=_cost(metric, score),
        )


def _cost(metric: Metric, score: MetricScore) -> float | None:
    """What measuring cost: nothing where code did it, else what the judge says."""
    if metric.kind != "judge":
        return 0.0
    cost = score.metadata.get("cost_usd")
    return cost if isinstance(cost, int | float) else None


class Scoring:
    """The scoring of one conversation, which may still be played meanwhile.

    Args:
        plan: what is to be measured.
        outline: of the conversation, as far as it is known before it is played.

    Raises:
        MetricError: a scope is wrong. All cells are known before the first is measured, so that costs nothing.
    """

    def __init__(self, plan: Plan, outline: Outline) -> None:
        self._plan = plan
        self._length = len(outline)
        self._stages = [list(cells_of(stage, outline)) for stage in plan.stages]
        self._conversation: Conversation | None = None
        self._places: dict[Span, _Place] = {}
        self._found: dict[str, _Scores] = {}
        self._begun: list[Measurement | asyncio.Future[Measurement] | None] = [None] * len(self._stages[0])
        self._due: dict[int, list[int]] = {}
        for index, cell in enumerate(self._stages[0]):
            self._due.setdefault(cell.ready_after, []).append(index)

    def see(self, conversation: Conversation) -> None:
        """Begin with everything that can be measured now that the conversation has come so far."""
        self._conversation = conversation
        ready = [due for due in self._due if due <= len(conversation)]
        for index in sorted(index for due in ready for index in self._due.pop(due)):
            found = untasked(self._begin, self._stages[0][index])
            self._begun[index] = found if isinstance(found, Measurement) else asyncio.ensure_future(found)

    async def finish(self) -> list[Measurement]:
        """Everything in the plan, in its order, once the last turn was seen."""
        measurements = await _arrived([found for found in self._begun if found is not None])
        self._note(self._stages[0], measurements)
        for cells in self._stages[1:]:
            finished = await _arrived([untasked(self._begin, cell) for cell in cells])
            self._note(cells, finished)
            measurements += finished
        return measurements

    @property
    def is_waiting(self) -> bool:
        """Whether something that was begun has not come to an end."""
        return any(isinstance(found, asyncio.Future) and not found.done() for found in self._begun)

    def abandon(self) -> None:
        """Stop waiting for whatever is under way."""
        for found in self._begun:
            if isinstance(found, asyncio.Future):
                found.cancel()

    def _begin(self, cell: Cell) -> Measurement | Awaitable[Measurement]:
        """The measurement, or what is to be awaited for it."""
        metric, span = cell
        place = self._place(span)
        window = place.window
        if metric.depends_on:
            window = window.knowing(self._given(metric, span))
        started = perf_counter()
        if place.failure is not None:
            return place.measurement(metric, metric.failed(place.failure, warning="agent_error"), started)
        if place.spliced and not metric.spliced_too:
            return place.measurement(metric, metric.not_applicable(SPLICED), started)
        if metric.blocking:
            return self._finish(metric, place, asyncio.to_thread(_outcome, metric, window), started)
        found = _outcome(metric, window)
        if isinstance(found, MetricScore):
            return place.measurement(metric, found, started)
        return self._finish(metric, place, found, started)

    def _note(self, cells: Iterable[Cell], measurements: Iterable[Measurement]) -> None:
        """Remember what later stages want to know."""
        if not self._plan.wanted:
            return
        for (metric, span), measurement in zip(cells, measurements, strict=True):
            if metric.name in self._plan.wanted:
                self._found.setdefault(metric.name, {})[span] = measurement.score

    async def _finish(self, metric: Metric, place: _Place, found: Awaitable[object], started: float) -> Measurement:
        try:
            outcome = await apart(found)
            score = metric.score_of(await apart(outcome) if isinstance(outcome, Awaitable) else outcome)
        except RAISED as error:
            if is_ours(error):
                raise
            score = _crashed(metric, error)
        return place.measurement(metric, score, started)

    def _place(self, span: Span) -> _Place:
        place = self._places.get(span)
        if place is None:
            assert self._conversation is not None  # noqa: S101 - nothing is begun before it is seen
            window = self._conversation[span[0] : span[1]]
            place = self._places[span] = _Place(window, whole=len(window) == self._length)
        return place

    def _given(self, metric: Metric, span: Span) -> Mapping[str, MetricScore]:
        """The scores that ``metric`` wants to know about the window ``span``."""
        near = {
            name: score
            for name in sources(metric.depends_on)
            if name in self._found and (score := nearest(name, self._found[name], span)) is not None
        }
        return with_derived(near)


async def _arrived(found: Sequence[Measurement | Awaitable[Measurement]]) -> list[Measurement]:
    """The measurements, those that are waited for in their places."""
    waiting = [m for m in found if not isinstance(m, Measurement)]
    arrived = iter(await asyncio.gather(*waiting) if waiting else ())
    return [m if isinstance(m, Measurement) else next(arrived) for m in found]


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


def _outcome(metric: Metric, window: Conversation) -> MetricScore | Awaitable[object]:
    """What ``metric`` finds, or what is to be awaited for it. Nothing that it raises goes further."""
    try:
        unmet = metric.unmet(window)
        if unmet is not None:
            return unmet
        found = metric.measure(window)
        return found if isinstance(found, Awaitable) else metric.score_of(found)
    except RAISED as error:
        if is_ours(error):
            raise
        return _crashed(metric, error)


def _crashed(metric: Metric, error: BaseException) -> MetricScore:
    detail = told(error)
    warning = "api_error" if metric.kind == "judge" else "metric_error"
    return metric.failed(f"{metric.name} raised {detail}", warning=warning, error_details=detail)
