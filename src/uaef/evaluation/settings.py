"""What a caller may ask of an evaluation, in one place, for every function that evaluates."""

from __future__ import annotations

import os
import warnings
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TypeAlias, TypedDict

from uaef.errors import UnknownNameError, UsageError
from uaef.foreign import RAISED, is_ours, told
from uaef.llm_judge.choice import chosen_judge
from uaef.llm_judge.judge import Judge, limited, opened
from uaef.llm_judge.redaction import Redaction
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
        judge: who applies the rubrics: ``"openai:MODEL"``, ``"anthropic:MODEL"``, ``"bedrock:MODEL"``, ``"local"``,
            a judge, a chat model or a function; left out, ``UAEF_JUDGE``, then ``[tool.uaef]``, then nobody: judge
            metrics are not measured then, and say so. ``"none"`` is nobody whatever the environment says.
        max_concurrency: how many judge calls may be under way at once, at least 1; left out,
            ``UAEF_MAX_CONCURRENCY``, then 32.
        max_cost_usd: what the judge may cost; calls that would exceed it are not made, and their metrics failed.
        deadline_s: seconds after which the judge is not asked or waited for any more; what is left is failed.
        redact: a function from text to text, or ``"pii"``, applied to all that is shown to a judge; what code
            measures is not redacted.
    """

    metric_set: Mapping[str, MetricNames] | None
    metric_params: Mapping[str, Mapping[str, object]] | None
    dimension_weights: Mapping[str, float] | None
    thresholds: Mapping[str, float] | None
    context: Sequence[str] | None
    judge: object
    max_concurrency: int
    max_cost_usd: float | None
    deadline_s: float | None
    redact: Redaction | None


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
    """The options of one call, checked as far as that goes without knowing the metrics; the judge is chosen."""

    metrics: MetricNames | None = None
    metric_set: Mapping[str, MetricNames] | None = None
    metric_params: Mapping[str, Mapping[str, object]] | None = None
    dimension_weights: Mapping[str, float] | None = None
    thresholds: Mapping[str, float] | None = None
    context: Sequence[str] | None = None
    judge: Judge | None = None
    max_concurrency: int = 0

    @classmethod
    def of(cls, metrics: MetricNames | None, options: Options) -> Settings:
        """The options as settings.

        Raises:
            UnknownNameError: an option that does not exist.
            ValueError: ``metrics`` and ``metric_set`` are both given, or a value cannot be.
        """
        for name in options:
            if name not in Options.__annotations__:
                raise UnknownNameError("option", name, ["metrics", *Options.__annotations__])
        plain = {name: options.get(name) for name in _PLAIN}
        most = _concurrency(options.get("max_concurrency"))
        judge = _judge(options, most)
        settings = cls(metrics=metrics, judge=judge, max_concurrency=most if judge else 0, **plain)  # type: ignore[arg-type]
        settings._check()
        return settings

    @asynccontextmanager
    async def judging(self) -> AsyncIterator[None]:
        """The length of a run, for which the judge is opened. One that cannot be closed takes no result with it."""
        if self.judge is None:
            yield
            return
        judge = opened(self.judge)
        await judge.__aenter__()
        try:
            yield
        finally:
            try:
                await judge.__aexit__(None, None, None)
            except RAISED as error:  # the verdicts are in; how the judge leaves changes none
                if is_ours(error):
                    raise
                warnings.warn(f"The judge could not be closed: {told(error)}", RuntimeWarning, stacklevel=2)

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


_PLAIN = ("metric_set", "metric_params", "dimension_weights", "thresholds", "context")


def _judge(options: Options, most: int) -> Judge | None:
    """The judge that the options choose, with one limit for the whole call, however many evaluators it takes."""
    judge = chosen_judge(options.get("judge"), max_cost_usd=options.get("max_cost_usd"), redact=options.get("redact"))
    return None if judge is None else limited(judge, most, _deadline(options.get("deadline_s")))


def _deadline(given: object) -> float | None:
    if given is not None and (isinstance(given, bool) or not isinstance(given, int | float) or not given > 0):
        raise UsageError(f"deadline_s must be a number of seconds above 0, got {given!r}.")
    return None if given is None else float(given)


def _concurrency(given: int | None) -> int:
    asked: object = given
    where = "max_concurrency"
    if given is None:
        where, text = "UAEF_MAX_CONCURRENCY", os.environ.get("UAEF_MAX_CONCURRENCY", "").strip()
        asked = int(text) if text.isdecimal() else text or 32
    if type(asked) is not int or asked < 1:
        raise UsageError(f"{where} must be a whole number of at least 1, got {asked!r}.")
    return asked
