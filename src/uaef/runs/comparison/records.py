"""What the comparison of two runs is made of: plain records that become JSON and come back from it."""

from __future__ import annotations

from enum import StrEnum

from uaef.models.base import Record


class Identity(StrEnum):
    """How something in one run is the same thing in the other."""

    SAME = "same"
    """The same content after the same turns."""
    CONTEXT_CHANGED = "context-changed"
    """The same content, but something before it was edited: compared, and flagged."""
    RENAMED = "renamed"
    """The same content under another name."""
    CONTENT_CHANGED = "content-changed"
    """Another question under the same name: shown side by side, not compared."""
    NEW = "new"
    REMOVED = "removed"
    MEASURED_BEFORE_ONLY = "measured-before-only"
    """The later run measured nothing of it, and need not have lost it: it was narrowed to other turns."""
    MEASURED_NOW_ONLY = "measured-now-only"

    @property
    def is_compared(self) -> bool:
        """Whether both runs say something of one and the same thing."""
        return self in (Identity.SAME, Identity.CONTEXT_CHANGED, Identity.RENAMED)

    @property
    def is_gone(self) -> bool:
        """Whether the earlier run alone has, or has measured, it."""
        return self in (Identity.REMOVED, Identity.MEASURED_BEFORE_ONLY)


class Status(StrEnum):
    """What became of it, in a word: the worst thing to be said of it."""

    REGRESSED = "regressed"
    IMPROVED = "improved"
    UNCHANGED = "unchanged"
    CONTEXT_CHANGED = "context-changed"
    RENAMED = "renamed"
    CONTENT_CHANGED = "content-changed"
    NEW = "new"
    REMOVED = "removed"
    MEASURED_BEFORE_ONLY = "measured-before-only"
    MEASURED_NOW_ONLY = "measured-now-only"
    OTHER_RULER = "other-ruler"
    """Everything measured of it was measured otherwise: another metric, rubric version or judge."""
    UNMEASURED = "unmeasured"
    """One of the runs has no measurement to compare, because it failed or, of a run cut short, is yet to come."""

    @property
    def is_compared(self) -> bool:
        """Of a metric: whether both runs have something to compare, measured in the same way."""
        return self not in (Status.OTHER_RULER, Status.UNMEASURED)


class Reading(Record, frozen=True, gc=False):
    """What one run says of something.

    Attributes:
        n: in how many trials it was measured, or should have been.
        decided: in how many of them it is known whether it passes.
        passed: in how many of those it does.
        score: the mean over trials, in [0, 1]; a turn at which the agent failed counts 0; ``None`` without a number.
        failed: how many measurements failed; the agent's failures are not among them.
        skipped: how many did not apply.
        why: what was said of the trial with the lowest score.
        answer: of a turn, what the agent said in the first trial that fails, else in the first.
        calls: of a turn, the tools that the agent called in that trial, in words.
    """

    n: int = 0
    decided: int = 0
    passed: int = 0
    score: float | None = None
    failed: int = 0
    skipped: int = 0
    why: str | None = None
    answer: str | None = None
    calls: str | None = None

    @property
    def pass_rate(self) -> float | None:
        """The share of trials that pass, of those decided."""
        return self.passed / self.decided if self.decided else None

    def passes_less_than(self, other: Reading) -> bool:
        """Whether a smaller share of its trials passes; of a single one, whether the other passed and it does not."""
        return (self.pass_rate or 0.0) < (other.pass_rate or 0.0)


class CellComparison(Record, frozen=True, gc=False):
    """One metric on one slice, in both runs.

    Attributes:
        metric: its key.
        dimension: where it is counted.
        status: ``regressed``, ``improved``, ``unchanged``, ``other-ruler``, ``unmeasured``.
        before: what the earlier run says; ``None`` where it did not measure it.
        after: the same of the later run.
        gated: whether something is required of it, or it is a check of yes or no.
        ruler: what differs in how it was measured, in a sentence; ``None`` where nothing does.
    """

    metric: str
    dimension: str
    status: Status
    before: Reading | None = None
    after: Reading | None = None
    gated: bool = False
    ruler: str | None = None


class SliceComparison(Record, frozen=True, gc=False):
    """One turn, one stretch of turns, or what was measured of a conversation as a whole, in both runs.

    Attributes:
        name: ``refund#3``; of what only the earlier run has, its name there.
        conversation: the conversation that it belongs to.
        turns: the numbers of its turns; empty where it is the whole of several.
        identity: how it is the same in both runs.
        status: what became of it.
        before: the earlier run's trials, by what can be compared alone; ``None`` where it lacks it.
        after: the same of the later run.
        cells: by metric.
        was: its name in the earlier run, where that is another.
        note: what more is to be said of its identity.
        tags: its cohorts.
        p: of Fisher's exact test for a fall on its trials; ``None`` with fewer than three in one of the runs.
        adjusted: the same, corrected for how many turns could have fallen beyond chance; ``None`` if it could not.
    """

    name: str
    conversation: str
    turns: tuple[int, ...]
    identity: Identity
    status: Status
    before: Reading | None = None
    after: Reading | None = None
    cells: tuple[CellComparison, ...] = ()
    was: str | None = None
    note: str | None = None
    tags: tuple[str, ...] = ()
    p: float | None = None
    adjusted: float | None = None

    @property
    def is_turn(self) -> bool:
        """Whether it is a single turn."""
        return len(self.turns) == 1

    @property
    def has_measured(self) -> bool:
        """Whether a metric on it is compared; else what is compared of it is whether the agent answers."""
        return any(cell.status.is_compared for cell in self.cells)

    @property
    def is_to_come(self) -> bool:
        """Whether the later run, which was cut short, has not come to it."""
        return self.identity.is_gone and self.status is Status.UNMEASURED


class ConversationComparison(Record, frozen=True, gc=False):
    """One conversation in both runs; it passes in a trial if everything that can be compared in it does.

    Attributes:
        name: what it is called.
        identity: how it is the same in both runs.
        status: what became of it.
        before: the earlier run's trials; ``None`` where it lacks it.
        after: the same of the later run.
        was: its name in the earlier run, where that is another.
        broke_at: the first turn that regressed, by name.
    """

    name: str
    identity: Identity
    status: Status
    before: Reading | None = None
    after: Reading | None = None
    was: str | None = None
    broke_at: str | None = None


class Difference(Record, frozen=True, gc=False):
    """One number of both runs, paired by conversation.

    Attributes:
        what: a metric's key, or ``turns`` for the share of turns that pass.
        cohort: ``all``, or a cohort: ``tag:returns``, ``turn:3``.
        kind: ``pass rate`` or ``mean``.
        n: how many conversations are paired.
        n_changed: in how many of them the number differs.
        before: the mean over these conversations, in [0, 1].
        after: the same of the later run.
        interval: the 95% interval of the difference; ``None`` below 20 conversations.
        p: of the paired test; ``None`` where nothing could be tested.
        adjusted: the same, corrected for everything that is gated.
        detectable: the smallest difference that would have been found 4 times in 5.
        worst_p: the same as ``p``, if everything that failed to be measured in the later run had scored 0.
        gated: whether a gate looks at it.
        failed: how many measurements failed in either run.
        skipped: how many did not apply.
        worst: the slice with the largest fall.
    """

    what: str
    cohort: str
    kind: str
    n: int
    n_changed: int
    before: float
    after: float
    interval: tuple[float, float] | None = None
    p: float | None = None
    adjusted: float | None = None
    detectable: float | None = None
    worst_p: float | None = None
    gated: bool = False
    failed: int = 0
    skipped: int = 0
    worst: str | None = None

    @property
    def change(self) -> float:
        """After minus before."""
        return self.after - self.before


class RunNamed(Record, frozen=True):
    """Which run it is.

    Attributes:
        run_id: in the store.
        label: what its user calls it.
        agent: who answered.
        judge: who judged.
        started_at: when it began, ISO 8601.
        is_complete: whether it was played to its end.
    """

    run_id: str
    label: str | None = None
    agent: str = ""
    judge: str | None = None
    started_at: str = ""
    is_complete: bool = True


class Comparison(Record, frozen=True):
    """Two runs, side by side.

    Attributes:
        before: the earlier run, the reference.
        after: the later run.
        slices: turns and wholes, in the order of the later run, then what only the earlier one has.
        conversations: the same of conversations.
        differences: paired by conversation: per metric, and per cohort.
        counts: how many turns have which status.
        tested: whether the tests could be made; without the extra ``stats`` there are differences alone.
        alpha: the level of the tests.
        warnings: what a reader should know before trusting it.
    """

    before: RunNamed
    after: RunNamed
    slices: tuple[SliceComparison, ...] = ()
    conversations: tuple[ConversationComparison, ...] = ()
    differences: tuple[Difference, ...] = ()
    counts: tuple[tuple[str, int], ...] = ()
    tested: bool = False
    alpha: float = 0.05
    warnings: tuple[str, ...] = ()

    @property
    def turns(self) -> list[SliceComparison]:
        """The turns alone."""
        return [each for each in self.slices if each.is_turn]

    def having(self, *statuses: Status) -> list[SliceComparison]:
        """The slices that have one of these statuses, in order."""
        return [each for each in self.slices if each.status in statuses]
