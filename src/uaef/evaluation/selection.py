"""Which metrics are measured: those that were named, or all of the evaluator's dimensions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from uaef.errors import MetricError, UnknownNameError
from uaef.evaluation.derived import sources
from uaef.evaluation.plan import united
from uaef.evaluation.settings import MetricNames, Settings
from uaef.metrics.base import Metric
from uaef.metrics.judged import JudgeMetric
from uaef.metrics.registry import checked, get_metric, list_metrics_by_dimension


def select(settings: Settings, default: Sequence[Metric]) -> list[Metric]:
    """The metrics that ``settings`` ask for, else ``default``; with their parameters and their judge.

    Raises:
        ValueError: a name, a dimension or a parameter that does not exist, or nothing to measure.
    """
    if settings.metrics is not None:
        metrics = _named(settings.metrics)
    elif settings.metric_set is not None:
        metrics = [m for d, names in settings.metric_set.items() for m in _of_dimension(d, names)]
    else:
        metrics = [m.unasked() if isinstance(m, JudgeMetric) else m for m in default]
    if not metrics:
        raise MetricError("There is nothing to measure: no metric was named.")
    metrics = united(_parametrised(metrics, settings.metric_params or {}))
    _check_dependencies(metrics)
    judge = settings.judge
    return [m.judged_by(judge) if judge and isinstance(m, JudgeMetric) else m for m in metrics]


def _named(names: MetricNames) -> list[Metric]:
    return [get_metric(item) if isinstance(item, str) else checked(item) for item in names]


def _of_dimension(dimension: str, names: MetricNames) -> Iterable[Metric]:
    known = list_metrics_by_dimension()
    metrics = _named(names)
    if dimension not in known and dimension not in {m.dimension for m in metrics}:
        raise UnknownNameError("dimension", dimension, known)
    for metric in metrics:
        if metric.dimension != dimension:
            raise MetricError(
                f"Metric {metric.name!r} belongs to the dimension {metric.dimension!r}, not to {dimension!r}."
            )
    return metrics


def _parametrised(metrics: Iterable[Metric], params: Mapping[str, Mapping[str, object]]) -> list[Metric]:
    metrics = list(metrics)
    names = {metric.name for metric in metrics}
    for name in params:
        if name not in names:
            raise UnknownNameError("metric in metric_params", name, names)
    return [m.configured(**params[m.name]) if m.name in params else m for m in metrics]


def _check_dependencies(metrics: Sequence[Metric]) -> None:
    """Make sure that what a metric wants to know is one thing."""
    names = [metric.name for metric in metrics]
    for metric in metrics:
        for wanted in sources(metric.depends_on):
            if names.count(wanted) > 1:
                keys = ", ".join(sorted(m.key for m in metrics if m.name == wanted))
                raise MetricError(
                    f"Metric {metric.name!r} depends on {wanted!r}, of which there are several: {keys}."
                )
