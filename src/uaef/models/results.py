"""Results: what an evaluation says of one conversation, built from its measurements."""

from __future__ import annotations

import uuid
from enum import StrEnum

import msgspec

from uaef.models.base import Record
from uaef.models.case import ClaimKind
from uaef.models.conversation import Conversation
from uaef.models.identity import TurnKey
from uaef.models.measurement import Measurement
from uaef.models.scores import MetricScore


class Verdict(StrEnum):
    """What the claims come to. Adding a failure can only lower it."""

    PASSED = "passed"
    SCORED = "scored"
    FAILED = "failed"


class Decision(StrEnum):
    """What became of a claim."""

    MET = "met"
    MISSED = "missed"
    UNMEASURED = "unmeasured"
    """It could not be decided, because something failed to be measured."""
    NOT_APPLICABLE = "not_applicable"


class ClaimResult(Record, frozen=True, gc=False):
    """A claim, and what became of it.

    Attributes:
        name: what is bounded: a dimension's score, or a metric by its key.
        kind: ``gate`` (every measurement) or ``threshold`` (their mean).
        decision: ``met``, ``missed``, ``unmeasured``, ``not_applicable``.
        score: the mean of what it bounds; ``None`` when nothing scored, or where the agent failed.
        at_least: the lower bound, in [0, 1].
        at_most: the upper bound, in [0, 1].
        explicit: whether the caller made it; if not, it is an evaluator's default.
        of_dimension: whether it bounds a dimension's score.
        slice_name: what it is about: ``refund``, ``refund#3``.
        turn: the number of the turn it is about; ``None`` where it is about the conversation.
        windows: the windows whose measurements it bounds, each by the numbers of its turns; ``None`` where it bounds
            a dimension's score.
        broken_by: the numbers of the turns that keep it from being met.
        reason: why it is not met, in a sentence; ``None`` where it is.
    """

    name: str
    kind: ClaimKind
    decision: Decision
    slice_name: str
    score: float | None = None
    at_least: float = 0.0
    at_most: float = 1.0
    explicit: bool = True
    of_dimension: bool = False
    turn: int | None = None
    windows: tuple[tuple[int, ...], ...] | None = None
    broken_by: tuple[int, ...] = ()
    reason: str | None = None


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
        errors: what failed, the agent or a measurement, in sentences that name the turn.
        claims: what was required, and what became of it; the thresholds of dimensions come first.
        missed: the claims that were missed, by name.
        unmeasured: the claims that a failed measurement left undecided.
        worst: the measurement with the lowest score, the first of them; ``None`` when nothing scored.
        broken_turn: the number of the first turn that does not pass; ``None`` when all do.
        turns_passed: by turn number, whether everything that was measured on it is what it has to be; ``None`` where
            nothing decides.
        absent_turns: the turns of which something is expected, and which were not recorded.
        unjudged: the metrics that lacked a judge.
        metadata: ``num_turns``, ``is_multi_agent``, ``per_turn``, ``per_turn_averages``, ``dimension_weights``,
            ``thresholds``, ``coverage`` (``scored``, ``not_applicable``, ``failed``) and more.
        measurements: everything that was measured, in the order of the plan.
        conversation: what was evaluated; ``None`` if it could not even be read.
        turn_keys: what its turns are known by, where it was played from a case.
        trial: which repetition it is, from 0.
        thread_id: the thread it was played in; ``None`` where each turn had one of its own, or it was recorded.
        seconds: how long the agent took, all turns together; ``None`` where that is not known.
        cost: dollars that the agent and the judges cost; ``None`` where a part is not known.
        evaluation_id: made up for each result.
    """

    trace_id: str
    dimension_results: list[DimensionResult] = []
    overall_score: float | None = None
    verdict: Verdict | None = None
    passed: bool = False
    failures: list[str] = []
    warnings: list[str] = []
    errors: list[str] = []
    claims: list[ClaimResult] = []
    missed: list[str] = []
    unmeasured: list[str] = []
    worst: Measurement | None = None
    broken_turn: int | None = None
    turns_passed: dict[int, bool | None] = {}
    absent_turns: list[int] = []
    unjudged: list[str] = []
    metadata: dict[str, object] = {}
    measurements: list[Measurement] = []
    conversation: Conversation | None = None
    turn_keys: list[TurnKey] = []
    trial: int = 0
    thread_id: str | None = None
    seconds: float | None = None
    cost: float | None = None
    evaluation_id: str = msgspec.field(default_factory=lambda: str(uuid.uuid4()))

    @property
    def name(self) -> str:
        """What the conversation is called; where it could not be read, what is known of it."""
        return self.trace_id if self.conversation is None else self.conversation.conversation_id
