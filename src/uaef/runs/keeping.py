"""A run that is kept: every result is in the store as soon as it is there, so that a killed run can go on."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from uaef.errors import UsageError
from uaef.models.identity import content_hash, ruler_hash
from uaef.models.results import EvaluationResult, Verdict
from uaef.runs.conclusion import run_verdict
from uaef.runs.evals import Run
from uaef.runs.records import RunInfo, RunStatus
from uaef.runs.results import RunResult, Trials
from uaef.runs.store import Store, origin


class Done(NamedTuple):
    """Results that are there already, and need not be played again."""

    items: Sequence[EvaluationResult] = ()
    beside: Sequence[EvaluationResult] = ()
    """Of the play that does not decide, with ``history="both"``."""


class KeptRun:
    """A run and its place in a store.

    Args:
        store: where it is kept.
        run: what is played.
        info: the run in the store, begun or resumed.
    """

    def __init__(self, store: Store, run: Run, info: RunInfo) -> None:
        self.store, self._run = store, run
        self.info = info
        run.keep = self._keep
        self._one_at_a_time = asyncio.Lock()

    async def play(self, done: Done | None = None) -> RunResult:
        """Play what is not done yet, keep it, and say in the store how the run ended.

        Args:
            done: results that are taken over as they are; those that the store does not have yet are kept too.
        """
        try:
            result = await self._run.play(self._places(done or Done()))
        except BaseException:
            self.end(RunStatus.INTERRUPTED)
            raise
        self.end(RunStatus.COMPLETE, result)
        return result

    def end(self, status: RunStatus, result: RunResult | None = None) -> None:
        """Say how it ended, and let go of it."""
        self.store.finish(self.info.run_id, status, None if result is None else result.verdict)
        self.info = self.store.find(self.info.run_id)

    def _places(self, done: Done) -> Mapping[int, EvaluationResult]:
        """What is done by its place in the run; the play that does not decide comes after the one that does."""
        first = self._run.n_planned
        beside = self._taken(done.beside, self._run.names[first:], beside=True)
        places = self._taken(done.items, self._run.names[:first])
        return {**places, **{first + place: result for place, result in beside.items()}}

    def _taken(
        self, done: Sequence[EvaluationResult], names: Sequence[tuple[str, int]], *, beside: bool = False
    ) -> Mapping[int, EvaluationResult]:
        """What is done of one play, by its place in it; kept, where the store does not have it yet."""
        by_name = {(result.name, result.trial): result for result in done}
        places = {place: by_name[name] for place, name in enumerate(names) if name in by_name}
        known = self.store.done(self.info.run_id, beside=beside)
        for place, result in places.items():
            if (result.name, result.trial) not in known:
                self.store.add(self.info.run_id, place, result, beside=beside)
        return places

    async def _keep(self, place: int, result: EvaluationResult, *, beside: bool) -> None:
        """One transaction for each conversation, off the loop: a disk may take its time."""
        async with self._one_at_a_time:  # where one cannot be kept, none of the others tries
            await asyncio.to_thread(self.store.add, self.info.run_id, place, result, beside=beside)


def begin(
    store: Store,
    run: Run,
    *,
    label: str | None = None,
    tags: Sequence[str] = (),
    parameters: Mapping[str, object] | None = None,
) -> KeptRun:
    """A run that is new in the store; the arguments are fields of ``RunInfo``.

    Raises:
        StoreError: it cannot be written.
    """
    played = run.played
    info = RunInfo(
        **origin(),
        label=label,
        dataset=run.plan.name,
        dataset_hash=_dataset_hash(run),
        ruler_hash=_ruler_hash(run),
        agent=played.agent,
        history=played.history,
        judge=_judge(run),
        repeat=played.repeat,
        trials=played.trials,
        n_planned=played.n_planned,
        parameters=dict(parameters or {}),
        warnings=list(played.warnings),
        tags=list(tags),
    )
    store.begin(info)
    return KeptRun(store, run, info)


def resume(store: Store, run: Run, info: RunInfo) -> tuple[KeptRun, Done]:
    """A run that was interrupted, and what there is of it already.

    Raises:
        StoreError: another process is writing it.
        UsageError: what would be played now is something else.
    """
    refuse_changed(run, info, "go on")
    taken = store.resume(info.run_id)
    items, beside = (list(store.results(taken.run_id, beside=which)) for which in (False, True))
    return KeptRun(store, run, taken), Done(items, beside)


def refuse_changed(run: Run, info: RunInfo, what: str) -> None:
    """Refuse to take over results of another dataset or judge; ``what``: what the run that was kept cannot do.

    Raises:
        UsageError: what would be played now is something else.
    """
    known = info.dataset_hash, info.ruler_hash, info.n_planned
    if known != (_dataset_hash(run), _ruler_hash(run), run.n_planned):
        raise UsageError(
            f"Run {info.run_id} cannot {what}: its dataset has changed since it began, so the two halves would not "
            "be one run; start a new one."
        )
    judge = _judge(run)
    if judge != info.judge:
        was, now = (name or "nobody" for name in (info.judge, judge))
        raise UsageError(
            f"Run {info.run_id} cannot {what}: it was judged by {was}, and would be by {now} now, so the two halves "
            "would not be one run; start a new one."
        )


def _judge(run: Run) -> str | None:
    return None if run.settings.judge is None else run.settings.judge.label


def _dataset_hash(run: Run) -> str:
    return content_hash([each.case for each in run.plan.jobs])


def _ruler_hash(run: Run) -> str:
    return ruler_hash([each.case for each in run.plan.jobs])


def keep_results(
    store: Store, info: RunInfo, results: Sequence[EvaluationResult], status: RunStatus = RunStatus.COMPLETE
) -> RunInfo:
    """Keep the results of conversations that were recorded, or scored anew, as a run that has ended.

    Args:
        store: where.
        info: what is known of the run. Where it was planned to have more results than there are, it does not pass.
        results: in order.
        status: how it has ended.

    Raises:
        StoreError: it cannot be written.
    """
    claims = {f"{place}": result.claims for place, result in enumerate(results)}
    reached = run_verdict(results, claims, Trials.ALL, info.n_planned)
    verdict = None if reached is Verdict.PASSED and status is not RunStatus.COMPLETE else reached
    store.begin(info)
    for place, result in enumerate(results):
        store.add(info.run_id, place, result)
    store.finish(info.run_id, status, verdict)
    return store.find(info.run_id)
