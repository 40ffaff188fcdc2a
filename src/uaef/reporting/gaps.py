"""What was not measured, and why: every missing number, grouped by its reason.

A judge that was missing, or an agent that failed, is no gap here: the result tells that by itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from uaef.models.measurement import Measurement
from uaef.models.scores import ScoreStatus

_NAMED = 3
_TOLD = ("no_judge", "agent_error")
_LISTED_TURNS = 8


@dataclass(frozen=True, slots=True)
class Gap:
    """Metrics that have no number for one and the same reason.

    Attributes:
        metrics: as the report calls them.
        turns: where; empty if they have no number anywhere.
        why: the reason, in words.
        failed: whether there should be a number.
    """

    metrics: Sequence[str]
    turns: Sequence[int]
    why: str
    failed: bool

    @property
    def sentence(self) -> str:
        """``latency_score at turn 3: the latency was not recorded``; ``18 metrics: the assistant said nothing``."""
        who = ", ".join(self.metrics) if len(self.metrics) <= _NAMED else f"{len(self.metrics)} metrics"
        if self.turns:
            who += f" at {named_turns(self.turns)}"
        return f"{who}: {self.why}"


def gaps(measurements: Iterable[Measurement], labels: Mapping[str, str]) -> list[Gap]:
    """The reasons why numbers are missing, each with the metrics it concerns, in the order of the plan.

    Args:
        measurements: of one conversation.
        labels: what the report calls a metric, by its key.
    """
    measurements = [m for m in measurements if m.score.metadata.get("warning") not in _TOLD]
    scored = {m.metric for m in measurements if m.score.score is not None}
    places: dict[tuple[bool, str, str], list[int]] = {}
    for m in measurements:
        if m.score.score is None:
            turns = places.setdefault((m.score.status is ScoreStatus.FAILED, _why(m), m.metric), [])
            turns.extend(m.turns if m.metric in scored and not m.whole else ())
    grouped: dict[tuple[bool, str, tuple[int, ...]], list[str]] = {}
    for (failed, why, metric), turns in places.items():
        grouped.setdefault((failed, why, tuple(turns)), []).append(labels.get(metric, metric))
    return [Gap(metrics, list(turns), why, failed) for (failed, why, turns), metrics in grouped.items()]


def _why(measurement: Measurement) -> str:
    score = measurement.score
    return score.reasoning or str(score.metadata.get("warning") or "no reason was given")


def named_turns(turns: Sequence[int]) -> str:
    """``turn 3``; ``turns 3, 5``; of many, how many they are."""
    if len(turns) > _LISTED_TURNS:
        return f"{len(turns)} turns"
    return f"turn{'s' * (len(turns) > 1)} {', '.join(map(str, turns))}"
