"""What a caller may ask of an evaluation, in one place, for every function that evaluates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import TypeAlias, TypedDict

from uaef.errors import UnknownNameError, UsageError
from uaef.llm_judge.judge import Judge, LimitedJudge
from uaef.metrics.base import Metric

MetricNames: TypeAlias = Sequence["str | Metric"]


class Options(TypedDict, total=False):
    """The keyword arguments of ``evaluate``, ``batch_evaluate`` and the evaluators' methods.

    Keys:
        metric_set: metrics by dimension, instead of ``metrics``: ``{"Multi-Turn": ["coherence"]}``.
        metric_params: parameters by metric name: ``{"turn_efficiency": {"expected_turns": 4}}``.
        dimension_weights: laid over the evaluator's defaults; at least 0, normalised over what scored.
        thresholds: laid over the evaluator's defaults; in [0, 1].
        context: documents an answer may rest on, where the ground truth gives none.
        judge: who applies the rubrics; without one, judge metrics are not measured, and say so.
        max_concurrency: how many judge calls may be under way at once, at least 1.
    """

    metric_set: Mapping[str, MetricNames] | None
    metric_params: Mapping[str, Mapping[str, object]] | None
    dimension_weights: Mapping[str, float] | None
    thresholds: Mapping[str, float] | None
    context: Sequence[str] | None
    judge: Judge | None
    max_concurrency: int


_KINDS: dict[str, tuple[tuple[type, ...], str]] = {
    "metrics": ((list, tuple), "a list of names and metrics: metrics=['coherence']"),
    "metric_set": ((Mapping,), "a dict of lists by dimension: metric_set={'Multi-Turn': ['coherence']}"),
    "metric_params": ((Mapping,), "a dict by metric: metric_params={'latency_score': {'target_s': 1.5}}"),
    "dimension_weights": ((Mapping,), "a dict by dimension: dimension_weights={'Tool Calling': 0.5}"),
    "thresholds": ((Mapping,), "a dict by dimension: thresholds={'Tool Calling': 0.8}"),
    "context": ((list, tuple), "a list of documents: context=['...']"),
}


@dataclass(frozen=True, slots=True)
class Settings:
    """The options of one call, checked as far as that goes without knowing the metrics."""

    metrics: MetricNames | None = None
    metric_set: Mapping[str, MetricNames] | None = None
    metric_params: Mapping[str, Mapping[str, object]] | None = None
    dimension_weights: Mapping[str, float] | None = None
    thresholds: Mapping[str, float] | None = None
    context: Sequence[str] | None = None
    judge: Judge | None = None
    max_concurrency: int = 32

    @classmethod
    def of(cls, metrics: MetricNames | None, options: Options) -> Settings:
        """The options as settings.

        Raises:
            UnknownNameError: an option that does not exist.
            ValueError: ``metrics`` and ``metric_set`` are both given, or a value cannot be.
        """
        known = [field.name for field in fields(cls)]
        for name in options:
            if name not in known:
                raise UnknownNameError("option", name, known)
        settings = cls(metrics=metrics, **options)
        settings._check()
        if settings.judge is None:
            return settings
        # One limit for the whole call, however many evaluators it takes.
        return replace(settings, judge=LimitedJudge(settings.judge, settings.max_concurrency))

    def _check(self) -> None:
        if self.metrics is not None and self.metric_set is not None:
            raise UsageError("Give either metrics or metric_set, not both.")
        for name, (kinds, words) in _KINDS.items():
            value = getattr(self, name)
            if value is not None and not isinstance(value, kinds):
                raise UsageError(f"{name} is {words}; got {value!r}.")
        for name, value in (self.metric_set or {}).items():
            if not isinstance(value, list | tuple):
                raise UsageError(f"metric_set[{name!r}] is a list of names; got {value!r}.")
        for name, value in (self.metric_params or {}).items():
            if not isinstance(value, Mapping):
                raise UsageError(f"metric_params[{name!r}] is a dict of parameters; got {value!r}.")
        if type(self.max_concurrency) is not int or self.max_concurrency < 1:
            raise UsageError(f"max_concurrency must be a whole number of at least 1, got {self.max_concurrency!r}.")
        if self.judge is not None and (isinstance(self.judge, type) or not isinstance(self.judge, Judge)):
            raise UsageError(f"judge must have a label and a judge(rubric, window) method, got {self.judge!r}.")
