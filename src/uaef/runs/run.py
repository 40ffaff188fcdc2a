"""The loop of a run: play conversations, score each turn as soon as it was played, conclude."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from typing import TypeAlias

from uaef.agents.play import played
from uaef.agents.playing import Playing
from uaef.data.conversations import ground_truth_of
from uaef.errors import UaefError
from uaef.evaluation.offline import failed_result
from uaef.evaluation.scoring import Scoring
from uaef.evaluation.summary import summarise
from uaef.metrics.scopes import Outline
from uaef.models.base import replaced
from uaef.models.case import Case
from uaef.models.conversation import Conversation
from uaef.models.ground_truth import GroundTruth
from uaef.models.identity import TurnKey
from uaef.models.results import EvaluationResult
from uaef.models.turns import Turn
from uaef.models.whole import Whole
from uaef.runs.jobs import Job
from uaef.runs.records import CASE_METADATA

OnItem: TypeAlias = Callable[[EvaluationResult], object] | Callable[[EvaluationResult], Awaitable[object]]
Note: TypeAlias = Callable[[int, EvaluationResult], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Trial:
    """A job, how it is played, which repetition it is, from 0, and what its turns are known by."""

    job: Job
    playing: Playing
    number: int
    keys: list[TurnKey]


async def run(trials: Sequence[Trial], results: list[EvaluationResult | None], concurrency: int, note: Note) -> None:
    """Play and score all trials of which there is no result yet.

    Args:
        trials: what is to be played.
        results: one place for each trial; each is filled as soon as its result is there.
        concurrency: how many conversations are played at once; one that is only scored any more does not count.
        note: awaited with the place and the result of each.
    """
    queue = iter([(place, trial) for place, trial in enumerate(trials) if results[place] is None])

    async def conclude(place: int, scored: _TrialUnderWay) -> None:
        results[place] = result = await scored.result()
        await note(place, result)

    async def work(group: asyncio.TaskGroup) -> None:
        for place, trial in queue:
            scored = _TrialUnderWay(trial)
            await scored.play()
            if scored.is_waiting:
                group.create_task(conclude(place, scored))
            else:
                await conclude(place, scored)
            await asyncio.sleep(0)  # so that others in this loop, and Ctrl-C, get their turn

    try:
        async with asyncio.TaskGroup() as group:
            for _ in range(min(concurrency, len(trials))):
                group.create_task(work(group))
    except BaseExceptionGroup as raised:  # by whoever keeps the results
        raise raised.exceptions[0] from None
    for place, trial in enumerate(trials):
        if results[place] is None:  # foreign code ended the task that it ran in
            results[place] = result = _lost(trial)
            await note(place, result)


def _lost(trial: Trial) -> EvaluationResult:
    return _unplayed(trial, UaefError("the agent, a metric or a callback cancelled the task in which it ran"))


def _unplayed(trial: Trial, error: UaefError) -> EvaluationResult:
    """The result of a trial that could not be evaluated, which is known by the same keys as one that could."""
    return _known(trial, failed_result({"session_id": trial.job.case.case_id}, error))


def _known(trial: Trial, result: EvaluationResult) -> EvaluationResult:
    """The result with what joins it to other runs, and with what its dataset says of it."""
    case = trial.job.case
    of_turns = {str(number): ask.metadata for number, ask in enumerate(case.asks, 1) if ask.metadata}
    said = {"conversation": case.metadata, "turns": of_turns}
    metadata = {**result.metadata, CASE_METADATA: said} if case.metadata or of_turns else result.metadata
    return replaced(result, trial=trial.number, turn_keys=trial.keys, metadata=metadata)


class _TrialUnderWay:
    """One trial of a case, scored while it is played."""

    def __init__(self, trial: Trial) -> None:
        self._trial = trial
        self._case = trial.job.case
        self._expected = expected_of(self._case)
        self._turns: list[Turn] = []
        self._so_far: Conversation | None = None
        self._scoring: Scoring | None = None
        self._problem: UaefError | None = None

    async def play(self) -> None:
        """Play it, and begin with every measurement as soon as its turns are there."""
        job, playing = self._trial.job, self._trial.playing
        known = playing.next_turn is None
        try:
            if known:
                self._scoring = Scoring(job.ruler.plan, outline_of(self._case))
            async with aclosing(played(self._case, playing, trial=self._trial.number, only=job.only)) as turns:
                async for turn in turns:
                    self._turns.append(turn)
                    if self._scoring is not None:
                        self._scoring.see(self._conversation(planned=len(self._case.asks)))
            if self._scoring is None:
                conversation = self._conversation()
                self._scoring = Scoring(job.ruler.plan, Outline.of(conversation))
                self._scoring.see(conversation)
        except BaseException as error:
            if self._scoring is not None:
                self._scoring.abandon()
            if not isinstance(error, UaefError):
                raise
            self._problem = error

    @property
    def is_waiting(self) -> bool:
        """Whether something that was begun, a judge, has not come to an end."""
        return self._scoring is not None and self._scoring.is_waiting

    async def result(self) -> EvaluationResult:
        """The result, once everything is measured; of what could not be evaluated, one that says so."""
        try:
            if self._problem is not None or self._scoring is None:
                raise self._problem or UaefError("it was not played")
            measurements = await self._scoring.finish()
            conversation = self._conversation()
            result = summarise(conversation, self._trial.job.ruler, measurements)
            return _known(self._trial, replaced(result, thread_id=_thread(self._turns)))
        except UaefError as error:
            return _unplayed(self._trial, error)

    def _conversation(self, planned: int | None = None) -> Conversation:
        """What was played so far, of as many turns as are planned; the same conversation once it is complete."""
        if self._so_far is not None and len(self._so_far) == len(self._turns):
            return self._so_far
        whole = Whole(
            name=self._case.case_id,
            turns=tuple(self._turns),
            expected=self._expected,
            tags=tuple(self._case.tags),
            trial=self._trial.number,
            planned=None if planned == len(self._turns) else planned,
        )
        self._so_far = Conversation(whole, 0, len(self._turns))
        return self._so_far


def expected_of(case: Case) -> GroundTruth | None:
    """What is expected of the whole and of its turns, as of a conversation that was recorded."""
    asked = case.expected is not None or any(ask.expected is not None for ask in case.asks)
    return ground_truth_of(case) if asked else None


def outline_of(case: Case) -> Outline:
    """What is known of the conversation before it is played."""
    return Outline(
        numbers=tuple(range(1, len(case.asks) + 1)),
        tags=tuple(tuple(ask.tags) for ask in case.asks),
        expected=expected_of(case),
    )


def _thread(turns: Sequence[Turn]) -> str | None:
    """The thread that all turns were played in, if they were played in one."""
    threads = {turn.trace.metadata.get("thread_id") for turn in turns}
    thread = threads.pop() if len(threads) == 1 else None
    return thread if isinstance(thread, str) else None
