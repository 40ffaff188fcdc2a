"""What a run comes to: a verdict over its conversations, per claim and per turn."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import NamedTuple

from uaef.models.base import Record
from uaef.models.measurement import Measurement
from uaef.models.results import ClaimResult, EvaluationResult, Verdict


class Trials(StrEnum):
    """How the trials of a conversation are taken together where a gate is concerned."""

    ALL = "all"
    MAJORITY = "majority"
    ANY = "any"


class Played(NamedTuple):
    """How a run was played: what its result says of it beside what became of its conversations.

    The fields are those of ``RunResult``.
    """

    agent: str
    history: str
    repeat: int
    trials: Trials
    n_planned: int
    warnings: Sequence[str] = ()


class ClaimSummary(Record, frozen=True):
    """One claim over all conversations that it was made on.

    Attributes:
        key: of the metric or check.
        passed: whether it was met in every conversation that it applies to; ``None`` where it applies to none.
        score: the mean of the conversations' scores; ``None`` where none has one.
        n: how many conversations have a score.
        failed_in: the conversations or turns in which it was missed or could not be decided.
        at_least: the lower bound.
        at_most: the upper bound.
    """

    key: str
    passed: bool | None
    score: float | None
    n: int
    failed_in: list[str] = []
    at_least: float = 0.0
    at_most: float = 1.0


class TurnSummary(Record, frozen=True):
    """What was asserted of the turns of one number, over all conversations that have such a turn.

    Attributes:
        index: the turn's place, counted from 0.
        gate_results: the gates on these turns.
        threshold_results: the thresholds on these turns.
        scores: the means of the scorers on these turns; ``None`` where nothing scored.
    """

    index: int
    gate_results: list[ClaimSummary] = []
    threshold_results: list[ClaimSummary] = []
    scores: dict[str, float | None] = {}

    @property
    def passed(self) -> bool | None:
        """Whether every claim on these turns was met in every conversation; ``None`` where none applies."""
        found = [claim.passed for claim in (*self.gate_results, *self.threshold_results)]
        return False if False in found else True if True in found else None


class RunSummary(Record, frozen=True):
    """How much was measured.

    Attributes:
        n: how many conversations, every trial counted.
        scored: how many measurements have a number.
        not_applicable: how many had nothing to measure.
        failed: how many should have a number and have none.
    """

    n: int
    scored: int
    not_applicable: int
    failed: int


class Cascade(Record, frozen=True):
    """A turn that fails, and where from: played on the expected history and on what was really said.

    Attributes:
        slice_name: the turn.
        alone: whether it passes on the expected history; ``None`` where nothing decides.
        in_conversation: whether it passes on what was really said.
        cause: ``its own`` where it fails on the expected history too; ``an earlier turn`` where only on the real one;
            ``chance`` where it fails only there although it is the first, so that nothing was different; ``unknown``
            where nothing decides whether it passes alone.
        reason: why it does not pass, where it fails.
    """

    slice_name: str
    alone: bool | None
    in_conversation: bool | None
    cause: str = ""
    reason: str | None = None


class RunResult(Record, frozen=True):
    """What playing and scoring came to.

    Attributes:
        verdict: the worst of the conversations about which anything was claimed; ``None`` where nothing was, or
            where a claim that was made does not apply.
        scores: the mean of each top-level scorer over the conversations; ``None`` where it scored in none.
        gate_results: the gates on whole conversations.
        threshold_results: the thresholds on whole conversations.
        turn_results: what was asserted of single turns, turn by turn.
        items: one result per conversation, in the order given; with several trials, all trials of the first, and so
            on.
        claims: what was required of each conversation and what became of it, its trials taken together.
        summary: how much was measured.
        warnings: what a reader should know before trusting the numbers.
        history: what agents were shown: ``thread``, ``actual``, ``expected``, ``none``, or several.
        agent: what was played.
        repeat: how many trials each conversation had.
        trials: how they were taken together.
        actual: with ``history="both"``, the results on what was really said, in the order of ``items``.
        cascades: with ``history="both"``, every turn that fails in one of the two plays.
        n_planned: how many conversations it was to have, every trial counted; more than ``items`` if it was
            interrupted, and then it never passes.
    """

    verdict: Verdict | None
    scores: dict[str, float | None] = {}
    gate_results: list[ClaimSummary] = []
    threshold_results: list[ClaimSummary] = []
    turn_results: list[TurnSummary] = []
    items: list[EvaluationResult] = []
    claims: list[ClaimResult] = []
    summary: RunSummary = RunSummary(n=0, scored=0, not_applicable=0, failed=0)
    warnings: list[str] = []
    history: str = ""
    agent: str = ""
    repeat: int = 1
    trials: Trials = Trials.ALL
    actual: list[EvaluationResult] = []
    cascades: list[Cascade] = []
    n_planned: int = 0

    def __repr__(self) -> str:
        """What it came to, in a line; its fields would fill a screen."""
        found = f"{len(self.items)} conversations, {len(self.claims)} claims, {len(self.measurements)} measurements"
        return f"<RunResult {self.verdict or 'no verdict'}: {found}>"

    @property
    def passed(self) -> bool:
        """Whether the verdict is ``passed``."""
        return self.verdict is Verdict.PASSED

    @property
    def measurements(self) -> list[Measurement]:
        """Everything that was measured, conversation by conversation."""
        return [m for item in self.items for m in item.measurements]
