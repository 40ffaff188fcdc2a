"""The plan: which metric is measured on which window, known before anything is spent."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from graphlib import CycleError, TopologicalSorter
from typing import NamedTuple

from uaef.errors import MetricError
from uaef.evaluation.derived import sources
from uaef.metrics.base import Metric
from uaef.metrics.scopes import Outline, Scope, Span, either


class Cell(NamedTuple):
    """One measurement to be made."""

    metric: Metric
    span: Span
    """The window: turns ``start`` to ``stop - 1``, counted from 0."""

    @property
    def ready_after(self) -> int:
        """How many turns must have been played before it can be measured."""
        return self.span[1]


class Plan:
    """Metrics in an order in which each comes after what it depends on.

    Args:
        metrics: what to measure, each under a key of its own.

    Raises:
        MetricError: metrics depend on each other in a circle.
    """

    def __init__(self, metrics: Sequence[Metric]) -> None:
        self.metrics = tuple(metrics)
        self.stages = _stages(self.metrics)
        self.wanted = {name for metric in self.metrics for name in sources(metric.depends_on)}
        named = Counter(metric.name for metric in self.metrics)
        self._shared = {name for name, times in named.items() if times > 1}

    def label(self, metric: Metric) -> str:
        """What results call ``metric``: its name, or its key where the plan holds several of that name."""
        return metric.key if metric.name in self._shared else metric.name

    def cells(self, outline: Outline) -> Iterator[Cell]:
        """Everything that will be measured on a conversation of this outline."""
        for stage in self.stages:
            yield from cells_of(stage, outline)


def cells_of(metrics: Iterable[Metric], outline: Outline) -> Iterator[Cell]:
    """The cells of these metrics on a conversation of this outline.

    Raises:
        MetricError: a scope names turns that do not exist.
    """
    spans: dict[Scope, list[Span]] = {}
    for metric in metrics:
        scope = metric.scope
        if scope not in spans:
            spans[scope] = _spans(metric, outline)
        for span in spans[scope]:
            yield Cell(metric, span)


def _spans(metric: Metric, outline: Outline) -> list[Span]:
    try:
        spans = list(dict.fromkeys(metric.scope(outline)))
    except Exception as error:  # a scope is foreign code: say whose it is
        raise MetricError(f"The scope of {metric.name!r} raised {type(error).__name__}: {error}") from error
    for span in spans:
        if not _lies_in(span, len(outline)):
            raise MetricError(
                f"The scope of {metric.name!r} gave {span!r} for a conversation of {len(outline)} turns; "
                "a span is (start, stop) with 0 <= start < stop <= number of turns."
            )
    return spans


def _lies_in(span: object, turns: int) -> bool:
    if not isinstance(span, tuple) or [type(part) for part in span] != [int, int]:
        return False
    start, stop = span
    return bool(0 <= start < stop <= turns)


def united(metrics: Iterable[Metric]) -> list[Metric]:
    """Each metric once: one that is named for several places is measured in all of them.

    Raises:
        MetricError: two different metrics go by one key.
    """
    by_key: dict[str, list[Metric]] = {}
    for metric in metrics:
        alike = by_key.setdefault(metric.key, [])
        if alike and alike[0].definition != metric.definition:
            raise MetricError(f"Two different metrics answer to {metric.key!r}; give one of them another name.")
        alike.append(metric)
    return [_everywhere(alike) for alike in by_key.values()]


def _everywhere(alike: Sequence[Metric]) -> Metric:
    if len(alike) == 1:
        return alike[0]
    scopes = tuple(dict.fromkeys(metric.scope for metric in alike))
    return alike[0] if len(scopes) == 1 else alike[0].on(either(*scopes))


def _stages(metrics: Sequence[Metric]) -> list[tuple[Metric, ...]]:
    """The metrics in stages: those of one stage need nothing but earlier stages."""
    if not any(metric.depends_on for metric in metrics):
        return [tuple(metrics)]
    names = {metric.name for metric in metrics}
    needed = {m.name: [s for s in sources(m.depends_on) if s in names] for m in metrics}
    sorter = TopologicalSorter(needed)
    try:
        sorter.prepare()
    except CycleError as error:
        raise MetricError(f"Metrics depend on each other in a circle: {' > '.join(error.args[1])}.") from None
    stages = []
    while sorter.is_active():
        ready = set(sorter.get_ready())
        stages.append(tuple(m for m in metrics if m.name in ready))
        sorter.done(*ready)
    return stages
