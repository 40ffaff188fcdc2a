"""Results: what an evaluation says of one conversation, built from its measurements."""

from __future__ import annotations

import uuid
from enum import StrEnum

import msgspec

from uaef.models.base import Record
from uaef.models.conversation import Conversation
from uaef.models.measurement import Measurement
from uaef.models.scores import MetricScore


class Verdict(StrEnum):
    """What the claims come to. Adding a failure can only lower it."""

    PASSED = "passed"
    SCORED = "scored"
    FAILED = "failed"


class DimensionResult(Record, frozen=True, gc=False):
    """The metrics of one dimension.

    Attributes:
        dimension_name: for example ``"Tool Calling"``.
        metric_scores: one per metric; an average over turns where the metric is measured per turn.
        aggregate_score: the mean of those that scored, in [0, 1]; ``None`` when none did.
        weight: its share before normalising, at least 0.
    """

    dimension_name: str
    metric_scores: list[MetricScore]
    aggregate_score: float | None = None
    weight: float = 0.0


class EvaluationResult(Record, frozen=True):
    """What was found out about one conversation.

    Attributes:
        trace_id: of the trace, or of the whole conversation's trace.
        dimension_results: by dimension, in the order in which the metrics were named.
        overall_score: the weighted mean over dimensions that have a score; ``None`` when none has.
        verdict: ``passed``, ``scored``, ``failed``, or ``None`` where nothing was claimed or could be decided.
        passed: whether the verdict is ``passed``.
        failures: what was missed or could not be evaluated, in sentences.
        warnings: what a reader should know before trusting the numbers.
        missed: the claims that were missed, by name.
        unmeasured: the claims that a failed measurement left undecided.
        worst: the measurement with the lowest score, the first of them; ``None`` when nothing scored.
        broken_turn: the number of the first turn that does not pass; ``None`` when all do.
        metadata: ``num_turns``, ``is_multi_agent``, ``absent_turns`` (expected, not recorded), ``unjudged``
            (metrics that lacked a judge), ``per_turn``, ``per_turn_averages``, ``dimension_weights``,
            ``thresholds``, ``coverage`` (``scored``, ``not_applicable``, ``failed``) and more.
        measurements: everything that was measured, in the order of the plan.
        conversation: what was evaluated; ``None`` if it could not even be read.
        evaluation_id: made up for each result.
    """

    trace_id: str
    dimension_results: list[DimensionResult] = []
    overall_score: float | None = None
    verdict: Verdict | None = None
    passed: bool = False
    failures: list[str] = []
    warnings: list[str] = []
    missed: list[str] = []
    unmeasured: list[str] = []
    worst: Measurement | None = None
    broken_turn: int | None = None
    metadata: dict[str, object] = {}
    measurements: list[Measurement] = []
    conversation: Conversation | None = None
    evaluation_id: str = msgspec.field(default_factory=lambda: str(uuid.uuid4()))
