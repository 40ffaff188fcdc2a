"""A run from end to end: what was given as jobs, played and scored, and what that comes to."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from uaef.agents import Agent, History, Playing, check_playable, memory_apart, no_memory_warning, opened
from uaef.data.conversations import ConversationDataset
from uaef.errors import EvalConfigError
from uaef.evaluation.settings import Settings
from uaef.models.case import Case, ClaimKind
from uaef.models.identity import turn_keys
from uaef.models.results import EvaluationResult
from uaef.runs.bounds import assertions
from uaef.runs.cascades import cascades
from uaef.runs.conclusion import claims_of, coverage, mean_scores, run_verdict, summaries, turn_summaries
from uaef.runs.items import read_item, shared_names
from uaef.runs.jobs import Assertions, Job, assertions_of, ruled
from uaef.runs.options import BOTH, RunOptions
from uaef.runs.results import RunResult, Trials
from uaef.runs.run import Trial, outline_of, run

_LOG = logging.getLogger("uaef")


class Planned(NamedTuple):
    """Everything that will be played and measured, known before anything is spent."""

    jobs: Sequence[Job]
    warnings: Sequence[str]


def planned(data: object, scorers: object, gates: object, settings: Settings, options: RunOptions) -> Planned:
    """The jobs in ``data``, each with what is asserted of all of them.

    Args:
        data: a list of items, cases, datasets and files of datasets, or one of them.
        scorers: laid on every conversation: metrics, checks, thresholds.
        gates: laid on every conversation: what must hold.
        settings: who judges.
        options: how they will be played.

    Raises:
        UaefError: with everything that is wrong, naming items from 0 and turns from 1, or places in a file.
    """
    top = assertions(scorers, gates, None)
    found: list[tuple[Case, Assertions, str]] = []
    warnings: list[str] = []
    problems: list[str] = []
    for place, entry in enumerate(_entries(data)):
        dataset = ConversationDataset.from_file(entry) if isinstance(entry, str | Path) else entry
        try:
            cases = list(_cases(dataset, place, options.history))
            found += cases
            if isinstance(dataset, ConversationDataset) and any(h in (History.EXPECTED, BOTH) for *_, h in cases):
                warnings += dataset.warnings
        except EvalConfigError as error:
            problems.append(str(error))
    problems += shared_names(case for case, _, _ in found)
    if problems:
        raise EvalConfigError("\n".join(problems))
    shared = ruled(top, settings.judge)  # by all conversations of which nothing else is asserted
    jobs = [
        Job(case, *(ruled(top + own, settings.judge) if any(own) else shared), history)
        for case, own, history in found
    ]
    if not any(each.ruler.plan.metrics for each in jobs):
        raise EvalConfigError("There is nothing to measure: give scorers or gates, or put some into turns.")
    return Planned(jobs, warnings)


def _entries(data: object) -> Sequence[object]:
    entries = data if isinstance(data, list | tuple) else [data]
    if isinstance(data, Mapping) or not entries:
        got = "a dict" if isinstance(data, Mapping) else "an empty list"
        raise EvalConfigError(f"data is a list of items, a dataset or the path of one; got {got}.")
    return entries


def _cases(entry: object, place: int, history: str | None) -> Iterator[tuple[Case, Assertions, str]]:
    """The cases in one entry, what is asserted of each, and what the agent is shown in it."""
    if isinstance(entry, ConversationDataset):
        shown = history or entry.history or History.EXPECTED
        yield from ((case, assertions_of(case), shown) for case in entry.cases)
    elif isinstance(entry, Case):
        is_golden = len(entry.asks) > 1 and all(ask.golden for ask in entry.asks[:-1])
        yield entry, assertions_of(entry), history or (History.EXPECTED if is_golden else History.THREAD)
    else:
        item = read_item(entry, place)
        yield item.case, item.asserted, history or History.THREAD


async def played_and_scored(plan: Planned, agent: Agent, options: RunOptions, settings: Settings) -> RunResult:
    """The result of playing and scoring everything that was planned.

    Raises:
        UsageError: a case cannot be played as the history asks.
    """
    played_as = [(each, _decisive(each)) for each in plan.jobs]
    beside = [(each, History.ACTUAL) for each in plan.jobs if each.history == BOTH]
    for each, history in played_as:
        check_playable(each.case, history)
    warnings = [*plan.warnings, *_memory_warnings(agent, [*played_as, *beside])]
    for warning in warnings:
        _LOG.warning("%s", warning)
    slots = asyncio.Semaphore(options.concurrency)
    histories = {history for _, history in (*played_as, *beside)}
    playing = {history: _playing(agent, history, options, slots) for history in histories}
    keys = {each.case.case_id: turn_keys(each.case) for each in plan.jobs}
    trials = [
        Trial(each, playing[history], number, keys[each.case.case_id])
        for each, history in (*played_as, *beside)
        for number in range(_repeat(each, options))
    ]
    async with settings.judging(), opened(agent):
        results = await run(trials, options.concurrency, options.on_item_complete)
    main = sum(_repeat(each, options) for each in plan.jobs)
    return concluded(plan, agent.name, options, results[:main], results[main:], warnings)


def concluded(
    plan: Planned,
    agent: str,
    options: RunOptions,
    items: Sequence[EvaluationResult],
    actual: Sequence[EvaluationResult] = (),
    warnings: Sequence[str] = (),
) -> RunResult:
    """What the results of conversations come to; also of a run that was not played to its end."""
    trials = Trials(options.trials)
    by_name = claims_of(items, trials)
    claims = [claim for made in by_name.values() for claim in made]
    whole = [claim for claim in claims if claim.turn is None]
    scores = mean_scores(items, {each.case.case_id: each.wanted for each in plan.jobs})
    return RunResult(
        verdict=run_verdict(items, by_name),
        scores={key: score for (key, turn), score in scores.items() if turn is None},
        gate_results=summaries(whole, ClaimKind.GATE),
        threshold_results=summaries(whole, ClaimKind.THRESHOLD),
        turn_results=turn_summaries(claims, items, scores),
        items=list(items),
        claims=claims,
        summary=coverage(items),
        warnings=list(warnings),
        history="+".join(dict.fromkeys(str(each.history) for each in plan.jobs)),
        agent=agent,
        repeat=max(_repeat(each, options) for each in plan.jobs),
        trials=trials,
        actual=list(actual),
        cascades=cascades(items, actual),
    )


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
    return len(each.only) if _decisive(each) in (History.EXPECTED, History.NONE) else max(each.only)


def _decisive(each: Job) -> History:
    """What the agent is shown in the play that decides; of both it is the expected one."""
    return History.EXPECTED if each.history == BOTH else History(each.history)


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
