"""A run from end to end: what was planned is played and scored, and concluded."""

from __future__ import annotations

import asyncio
import inspect
import logging
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple, Protocol

from uaef.agents import Agent, History, Playing, memory_apart, no_memory_warning, opened
from uaef.errors import EvalConfigError
from uaef.evaluation.settings import Settings
from uaef.foreign import RAISED, apart, is_ours, told, untasked
from uaef.models.identity import turn_keys
from uaef.models.results import EvaluationResult
from uaef.runs.conclusion import concluded
from uaef.runs.jobs import Job
from uaef.runs.options import BOTH, RunOptions
from uaef.runs.planning import Planned, decisive
from uaef.runs.results import Played, RunResult, Trials
from uaef.runs.run import Trial, outline_of, run


class Keep(Protocol):
    """Keeps a result."""

    async def __call__(self, place: int, result: EvaluationResult, *, beside: bool) -> None:
        """Keep it in its place, counted from 0; ``beside``: of the play that does not decide."""


MOST_PLAYS = 1_000_000
"""How many plays a run may have: a slip in a number is told from a wish before memory or money runs out."""
_LOG = logging.getLogger("uaef")


class Run:
    """A run: what was planned is played and scored, and concluded, however far it has come.

    Args:
        plan: what is played and measured.
        agent: who answers.
        options: how it is played and taken together.
        settings: who judges.

    Attributes:
        keep: awaited with the place and the result of every conversation as it is there, before anybody else is told;
            what it raises ends the run.

    Raises:
        EvalConfigError: there would be more than ``MOST_PLAYS``.
    """

    def __init__(self, plan: Planned, agent: Agent, options: RunOptions, settings: Settings) -> None:
        self.plan, self.agent, self.options, self.settings = plan, agent, options, settings
        self.keep: Keep | None = None
        beside = [(each, History.ACTUAL) for each in plan.jobs if each.history == BOTH]
        self._played_as = [*((each, decisive(each.history)) for each in plan.jobs), *beside]
        self.n_planned = sum(_repeat(each, options) for each in plan.jobs)
        n_plays = sum(_repeat(each, options) for each, _ in self._played_as)
        if n_plays > MOST_PLAYS:
            raise EvalConfigError(
                f"That is {n_plays:,} plays of conversations, and a run has at most {MOST_PLAYS:,}: lower repeat, or "
                "play fewer conversations."
            )
        self.warnings = [*plan.warnings, *_memory_warnings(agent, self._played_as)]
        slots = asyncio.Semaphore(options.concurrency)
        histories = {history for _, history in self._played_as}
        self._playing = {history: _playing(agent, history, options, slots) for history in histories}
        self._results: list[EvaluationResult | None] = [None] * n_plays

    @cached_property
    def _trials(self) -> list[Trial]:
        """What is played, in the order of the results; whoever only counts needs none of it."""
        keys = {each.case.case_id: turn_keys(each.case) for each in self.plan.jobs}
        return [
            Trial(each, self._playing[history], number, keys[each.case.case_id])
            for each, history in self._played_as
            for number in range(_repeat(each, self.options))
        ]

    @property
    def played(self) -> Played:
        """How it is played."""
        jobs, options = self.plan.jobs, self.options
        return Played(
            agent=self.agent.name,
            history="+".join(dict.fromkeys(str(each.history) for each in jobs)),
            repeat=max(_repeat(each, options) for each in jobs),
            trials=Trials(options.trials),
            n_planned=self.n_planned,
            warnings=self.warnings,
        )

    @property
    def names(self) -> list[tuple[str, int]]:
        """The conversations that are played, each with its trial; the play that does not decide comes last."""
        return [(trial.job.case.case_id, trial.number) for trial in self._trials]

    async def play(self, done: Mapping[int, EvaluationResult] | None = None) -> RunResult:
        """The result of playing and scoring everything.

        Args:
            done: results that are there already, by place; they are not played again.
        """
        for warning in self.warnings:
            _LOG.warning("%s", warning)
        for place, result in (done or {}).items():
            self._results[place] = result
        async with self.settings.judging(), opened(self.agent):
            await run(self._trials, self._results, self.options.concurrency, self._note)
        return self.so_far()

    def so_far(self) -> RunResult:
        """What has been played by now comes to; of a run that was interrupted, that never is ``passed``."""
        items = [result for result in self._results[: self.n_planned] if result is not None]
        actual = [result for result in self._results[self.n_planned :] if result is not None]
        return self.concluded(items, actual)

    def concluded(self, items: Sequence[EvaluationResult], beside: Sequence[EvaluationResult] = ()) -> RunResult:
        """What these results of its conversations come to; ``beside``: of the play that does not decide."""
        wanted = {each.case.case_id: each.wanted for each in self.plan.jobs}
        return concluded(items, self.played, beside=beside, wanted=wanted)

    async def _note(self, place: int, result: EvaluationResult) -> None:
        """Keep the result, and tell the caller; what the caller's function raises loses nothing."""
        if self.keep is not None:
            beside = place >= self.n_planned
            await self.keep(place - self.n_planned * beside, result, beside=beside)
        tell = self.options.on_item_complete
        if tell is None:
            return
        try:
            answer = untasked(tell, result)
            if inspect.isawaitable(answer):
                await apart(answer)
        except RAISED as error:  # it is the caller's; the results are more than its failure
            if is_ours(error):
                raise
            warning = f"on_item_complete raised {told(error)}, for {result.name!r}; the run went on."
            self.warnings.append(warning)
            _LOG.warning("%s", warning, exc_info=error)


class Foreseen(NamedTuple):
    """What a run will take, if every turn is played."""

    conversations: int
    turns: int
    judgements: int


def foreseen(plan: Planned, options: RunOptions) -> Foreseen:
    """What will be played and judged, counted before anything is spent."""
    conversations = turns = judgements = 0
    for each in plan.jobs:
        times = _repeat(each, options) * (2 if each.history == BOTH else 1)
        cells = each.ruler.plan.cells(outline_of(each.case))
        conversations += times
        turns += times * _turns_played(each)
        judgements += times * sum(cell.metric.kind == "judge" for cell in cells)
    return Foreseen(conversations, turns, judgements)


def _turns_played(each: Job) -> int:
    if each.only is None:
        return len(each.case.asks)
    return len(each.only) if decisive(each.history) in (History.EXPECTED, History.NONE) else max(each.only)


def _repeat(each: Job, options: RunOptions) -> int:
    return options.repeat or each.case.repeat or 1


def _memory_warnings(agent: Agent, played_as: Sequence[tuple[Job, History]]) -> Iterator[str]:
    for history in dict.fromkeys(history for _, history in played_as):
        cases = [each.case for each, policy in played_as if policy is history]
        warning = no_memory_warning(agent, cases, history)
        if warning is not None:
            yield warning


def _playing(agent: Agent, history: History, options: RunOptions, slots: asyncio.Semaphore) -> Playing:
    passed_on, resource = memory_apart(options.target_options)
    return Playing(
        agent=agent,
        history=history,
        limit=slots,
        turn_timeout_s=options.turn_timeout_s,
        attempts=options.attempts,
        on_turn_failure=options.on_turn_failure,  # type: ignore[arg-type] # one of the two, it was checked
        options=passed_on,
        resource=resource,
        next_turn=options.next_turn,
    )
