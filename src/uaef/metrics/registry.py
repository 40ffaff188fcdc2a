"""The metrics that exist: the built-in ones, plug-ins, and what the caller registers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from uaef.errors import MetricError, UnknownNameError
from uaef.llm_judge.rubric import Rubric
from uaef.metrics.base import Metric
from uaef.metrics.judged import JudgeMetric
from uaef.metrics.needs import NEEDS
from uaef.registry import Registry

DIMENSIONS = (
    "Tool Calling",
    "Response Quality",
    "Responsible AI",
    "Performance",
    "Multi-Turn",
    "Multi-Agent",
    "Reasoning",
)
"""The dimensions of the built-in metrics, in the order in which results show them."""

ALIASES = {
    "llm-as-judge": "meets_expectation",
    "faithfulness": "hallucination_score",
    "groundedness": "hallucination_score",
    "answer_relevancy": "answer_relevance",
    "correctness": "accuracy",
}
"""Other names under which a metric is known in the field; a metric that is registered under one goes before."""


def _catalogue(entry: str, loaded: object) -> Iterator[tuple[str, Metric]]:
    if not isinstance(loaded, Iterable):
        raise MetricError(f"The metric plug-in {entry!r} must name an iterable of metrics, got {loaded!r}.")
    for item in loaded:
        metric = checked(item)
        yield metric.name, metric


def checked(item: object) -> Metric:
    """``item`` as a metric: an instance as it is, a class made with its defaults, a rubric for a judge.

    Raises:
        MetricError: it is no metric, or one that cannot work.
    """
    metric = JudgeMetric(item) if isinstance(item, Rubric) else item
    if isinstance(metric, type) and issubclass(metric, Metric):
        metric = _made(metric)
    if not isinstance(metric, Metric):
        raise MetricError(f"{item!r} is no metric; decorate a function with @metric or derive from Metric.")
    if not (metric.is_written or metric.name.isidentifier()):
        raise MetricError(f"A metric's name has letters, digits and underscores only, got {metric.name!r}.")
    if not isinstance(metric.dimension, str) or not metric.dimension.strip():
        raise MetricError(f"The dimension of metric {metric.name!r} must be text, got {metric.dimension!r}.")
    for need in metric.needs:
        if need not in NEEDS:
            raise UnknownNameError(f"need of metric {metric.name!r}:", need, NEEDS)
    if type(metric).measure is Metric.measure:
        raise MetricError(f"Metric {metric.name!r} does not define measure(window).")
    return metric


def _made(kind: type[Metric]) -> Metric:
    try:
        return kind()
    except TypeError as error:
        raise MetricError(f"{kind.__name__} cannot be made without arguments ({error}); pass an instance.") from error


_default: Registry[Metric] = Registry("metric", "uaef.metrics", _catalogue)


def list_metrics() -> list[str]:
    """The names of all registered metrics, sorted."""
    return _default.names()


def list_metrics_by_dimension() -> dict[str, list[str]]:
    """The names of all registered metrics by dimension, each sorted; built-in dimensions first."""
    by_dimension: dict[str, list[str]] = {name: [] for name in DIMENSIONS}
    for metric in registered_metrics():
        by_dimension.setdefault(metric.dimension, []).append(metric.name)
    return {dimension: sorted(names) for dimension, names in by_dimension.items() if names}


def registered_metrics() -> list[Metric]:
    """All registered metrics, dimension by dimension, in the order of their catalogues."""
    metrics = list(_default.items().values())
    places = {name: place for place, name in enumerate(DIMENSIONS)}
    return sorted(metrics, key=lambda m: places.get(m.dimension, len(places)))


def get_metric(name: str, **params: object) -> Metric:
    """The metric of that name, with parameters if any are given.

    Raises:
        UnknownNameError: there is none, or it has no such parameter; the message suggests the nearest.
    """
    metric = _default.get(name if name in _default else ALIASES.get(name, name))
    return metric.configured(**params) if params else metric


def register_metric(metric: Metric | type[Metric], *, override: bool = False) -> None:
    """Add a metric so that it can be asked for by name.

    Raises:
        PluginError: the name is taken and ``override`` is not set.
        MetricError: it is no metric.
    """
    instance = checked(metric)
    _default.register(instance.name, instance, override=override)


def register_use_case_specific_metrics() -> None:
    """Add ``containment`` and ``resolution``; calling it again changes nothing."""
    from uaef.metrics.use_case import METRICS  # noqa: PLC0415 - opt-in

    for metric in METRICS:
        if metric.name not in _default:
            register_metric(metric)
