"""Performance: time, tokens and money."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from uaef.metrics.base import metric
from uaef.models.conversation import Conversation
from uaef.models.scores import MetricScore
from uaef.text.numbers import shown

DIMENSION = "Performance"

Positive = Annotated[float, Meta(gt=0)]
Exponent = Annotated[float, Meta(gt=0, le=1)]


@metric(dimension=DIMENSION, needs=("latency",))
def latency_score(window: Conversation, *, target_s: Positive = 2.0) -> MetricScore:
    """How quickly the answer came.

    1 up to the target, target / latency beyond it; both in seconds.
    """
    latency = window.latency or 0.0
    return latency_score.scored(
        min(1.0, target_s / latency) if latency else 1.0,
        f"{latency:.3g} s against a target of {target_s:g} s",
        latency_ms=latency * 1000,
        threshold_ms=target_s * 1000,
        within_threshold=latency <= target_s,
    )


def _quality(window: Conversation) -> float | None:
    """The quality measured here; the one the caller recorded, where none was asked for."""
    asked = [score for name, score in window.given.items() if name != "quality_score"]
    value = window.metadata.get("quality_score") if not asked or "quality_score" in window.given else None
    return (
        float(value) if isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 1 else None
    )


_NO_QUALITY = "no quality score: measure answer_relevance, completeness, accuracy or hallucination_score as well"


def _at_quality(quality: float, used: float, target: float, exponent: float) -> float:
    return quality if used <= target else quality / (used / target) ** exponent


@metric(dimension=DIMENSION, needs=("tokens",), depends_on=("quality_score",))
def token_efficiency(
    window: Conversation, *, target_tokens: Positive = 1000, exponent: Exponent = 0.5
) -> MetricScore:
    """How much quality the tokens bought.

    quality_score up to the target, quality_score / (tokens / target) ** exponent beyond it; tokens are read and
    written ones together, quality_score is the mean of the quality metrics that scored on the same window.
    """
    quality = _quality(window)
    if quality is None:
        return token_efficiency.not_applicable(_NO_QUALITY, warning="missing_data")
    tokens = (window.input_tokens or 0) + (window.output_tokens or 0)
    return token_efficiency.scored(
        _at_quality(quality, tokens, target_tokens, exponent),
        f"{tokens} tokens against a target of {target_tokens:g}, at quality {shown(quality)}",
        total_tokens=tokens,
        target_tokens=target_tokens,
        quality_score=quality,
    )


@metric(dimension=DIMENSION, needs=("cost",), depends_on=("quality_score",))
def cost_efficiency(window: Conversation, *, target_usd: Positive = 0.01, exponent: Exponent = 0.5) -> MetricScore:
    """How much quality the money bought; what costs nothing is efficient.

    quality_score up to the target, quality_score / (cost / target) ** exponent beyond it; dollars.
    """
    quality = _quality(window)
    if quality is None:
        return cost_efficiency.not_applicable(_NO_QUALITY, warning="missing_data")
    cost = window.cost or 0.0
    return cost_efficiency.scored(
        _at_quality(quality, cost, target_usd, exponent),
        f"${cost:.4g} against a target of ${target_usd:g}, at quality {shown(quality)}",
        cost_usd=cost,
        target_usd=target_usd,
        quality_score=quality,
    )


@metric(dimension=DIMENSION)
def throughput(
    window: Conversation, *, target_tokens_per_s: Positive = 20.0, target_rps: Positive = 10.0
) -> MetricScore:
    """How fast the answer was written.

    min(1, output tokens / latency / target). Where the trace's metadata gives ``throughput_rps`` (requests a
    second, measured by the caller), min(1, throughput_rps / target_rps) instead.
    """
    requests = window.metadata.get("throughput_rps")
    if isinstance(requests, int | float) and not isinstance(requests, bool) and requests >= 0:
        return throughput.scored(
            min(1.0, requests / target_rps),
            f"{requests:.3g} requests/s against a target of {target_rps:g}",
            throughput_rps=requests,
        )
    if window.output_tokens is None or not window.latency:
        return throughput.not_applicable(
            "output tokens and a latency above 0 were not recorded", warning="missing_data"
        )
    rate = window.output_tokens / window.latency
    return throughput.scored(
        min(1.0, rate / target_tokens_per_s),
        f"{rate:.3g} tokens/s against a target of {target_tokens_per_s:g}",
        tokens_per_s=rate,
    )


METRICS = (latency_score, token_efficiency, cost_efficiency, throughput)
