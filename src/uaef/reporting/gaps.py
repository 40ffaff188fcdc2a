"""What was not measured, and why: every missing number, grouped by its reason."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from uaef.models.measurement import Measurement
from uaef.models.scores import ScoreStatus

_NAMED = 3
_LISTED_TURNS = 8


@dataclass(frozen=True, slots=True)
class Gap:
    """Metrics that have no number for one and the same reason.

    Attributes:
        metrics: as the report calls them.
        turns: where; empty if they have no number anywhere.
        why: the reason, in words; ``None`` where a judge is missing.
        failed: whether there should be a number.
    """

    metrics: Sequence[str]
    turns: Sequence[int]
    why: str | None
    failed: bool

    @property
    def sentence(self) -> str:
        """``18 metrics need a judge``; ``latency_score at turn 3: the latency was not recorded``."""
        several = len(self.metrics) > 1
        who = ", ".join(self.metrics) if len(self.metrics) <= _NAMED else f"{len(self.metrics)} metrics"
        if self.turns:
            who += f" at {_places(self.turns)}"
        if self.why is None:
            return f"{who} {'need' if several else 'needs'} a judge"
        return f"{who}: {self.why}"


def gaps(measurements: Iterable[Measurement], labels: Mapping[str, str]) -> list[Gap]:
    """The reasons why numbers are missing, each with the metrics it concerns, in the order of the plan.

    Args:
        measurements: of one conversation.
        labels: what the report calls a metric, by its key.
    """
    measurements = list(measurements)
    scored = {m.metric for m in measurements if m.score.score is not None}
    places: dict[tuple[bool, str | None, str], list[int]] = {}
    for m in measurements:
        if m.score.score is None:
            turns = places.setdefault((m.score.status is ScoreStatus.FAILED, _why(m), m.metric), [])
            turns.extend(m.turns if m.metric in scored and not m.whole else ())
    grouped: dict[tuple[bool, str | None, tuple[int, ...]], list[str]] = {}
    for (failed, why, metric), turns in places.items():
        grouped.setdefault((failed, why, tuple(turns)), []).append(labels.get(metric, metric))
    return [Gap(metrics, list(turns), why, failed) for (failed, why, turns), metrics in grouped.items()]


def _why(measurement: Measurement) -> str | None:
    score = measurement.score
    warning = score.metadata.get("warning")
    return None if warning == "no_judge" else score.reasoning or str(warning or "no reason was given")


def _places(turns: Sequence[int]) -> str:
    if len(turns) > _LISTED_TURNS:
        return f"{len(turns)} turns"
    return f"turn{'s' * (len(turns) > 1)} {', '.join(map(str, turns))}"
