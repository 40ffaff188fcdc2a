"""What is kept of a run beside its results: where it came from and how it ended."""

from __future__ import annotations

import datetime as dt
from enum import StrEnum
from typing import NamedTuple

from uaef.models.base import Record
from uaef.models.results import EvaluationResult, Verdict
from uaef.runs.results import Played, Trials

CASE_METADATA = "case_metadata"
"""Where a result keeps what its dataset says of the conversation and of its turns:
``{"conversation": {...}, "turns": {"3": {...}}}``."""


class RunStatus(StrEnum):
    """How far a run has come."""

    RUNNING = "running"
    COMPLETE = "complete"
    INTERRUPTED = "interrupted"
    """It ended, or was ended, before everything was played."""


class RunInfo(Record, frozen=True):
    """What is known of a run.

    Attributes:
        run_id: its name in the store; sorts by the time it began.
        started_at: when it began, UTC.
        finished_at: when it ended; ``None`` while it runs, or where it was killed.
        status: how far it has come.
        label: what its user calls it.
        dataset: the name of what was played.
        dataset_hash: of what is asked and expected.
        ruler_hash: of what must hold.
        agent: who answered.
        history: what it was shown.
        judge: who judged; ``None`` where nobody did.
        repeat: how many trials each conversation has.
        trials: how they are taken together.
        n_planned: how many conversations, every trial counted, it was to have.
        verdict: what it came to; ``None`` too where nothing was required.
        version: of uaef.
        commit: of the working tree it was run in, if that is one; with ``+`` behind it if files had changed.
        branch: of the same.
        parameters: the other options it was run with, the name of the judge among them, for ``--resume`` to take up.
        warnings: what a reader should know before trusting the numbers, as far as it was known when it began.
        tags: what its user marked it with.
    """

    run_id: str
    started_at: dt.datetime
    finished_at: dt.datetime | None = None
    status: RunStatus = RunStatus.RUNNING
    label: str | None = None
    dataset: str = ""
    dataset_hash: str = ""
    ruler_hash: str = ""
    agent: str = ""
    history: str = ""
    judge: str | None = None
    repeat: int = 1
    trials: Trials = Trials.ALL
    n_planned: int = 0
    verdict: Verdict | None = None
    version: str = ""
    commit: str | None = None
    branch: str | None = None
    parameters: dict[str, object] = {}
    warnings: list[str] = []
    tags: list[str] = []

    @property
    def played(self) -> Played:
        """How it was played."""
        return Played(self.agent, self.history, self.repeat, self.trials, self.n_planned, self.warnings)


class StoredRun(NamedTuple):
    """A run as it is kept: what is known of it, and the result of every conversation and trial."""

    info: RunInfo
    items: list[EvaluationResult]
