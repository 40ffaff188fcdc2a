"""A measurement: one cell of the plan, done. Every report, mean and claim is a query on these."""

from __future__ import annotations

from uaef.models.base import Record
from uaef.models.scores import MetricScore


class Measurement(Record, frozen=True, gc=False):
    """What one metric said of one window of one conversation.

    Attributes:
        slice_name: what was measured: ``refund``, ``refund#3``, ``refund#3-5``.
        turns: the numbers of the turns in it, in order.
        whole: whether it is everything that was evaluated.
        metric: the metric's key: its name and its arguments where they differ from the defaults.
        dimension: where the score is counted.
        score: what was found.
        trial: which repetition of the conversation, from 0.
        tags: the cohorts of the conversation and of the turns in the window.
        seconds: how long it took.
        cost: dollars spent on it, where it was known; 0 for code.
    """

    slice_name: str
    turns: tuple[int, ...]
    whole: bool
    metric: str
    dimension: str
    score: MetricScore
    trial: int = 0
    tags: tuple[str, ...] = ()
    seconds: float | None = None
    cost: float | None = None
