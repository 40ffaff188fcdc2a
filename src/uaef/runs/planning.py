"""What will be played and measured: everything that was given as jobs, or everything that is wrong with it."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, TypeVar

from uaef.agents import History, check_playable, memory_apart
from uaef.data.conversations import ConversationDataset
from uaef.errors import EvalConfigError, MetricError, UsageError
from uaef.evaluation.settings import Settings
from uaef.models.case import Case
from uaef.runs.bounds import assertions
from uaef.runs.items import read_item, shared_names
from uaef.runs.jobs import Assertions, Job, assertions_of, ruled
from uaef.runs.options import BOTH, RunOptions

_Made = TypeVar("_Made")


class Planned(NamedTuple):
    """Everything that will be played and measured, known before anything is spent."""

    jobs: Sequence[Job]
    warnings: Sequence[str]
    name: str = ""
    """Of the datasets, sorted, so that it is the same in whatever order they were given; or empty."""
    cases: Sequence[Case] = ()
    """All that were given, whatever part of them is played."""


class _Asserted(NamedTuple):
    """A case, what is asserted of it, and what the agent is shown in it."""

    case: Case
    own: Assertions
    history: str


def planned(data: object, scorers: object, gates: object, settings: Settings, options: RunOptions) -> Planned:
    """The jobs in ``data``, each with what is asserted of all of them.

    Args:
        data: a list of items, cases, datasets and files of datasets, or one of them.
        scorers: laid on every conversation: metrics, checks, thresholds.
        gates: laid on every conversation: what must hold.
        settings: who judges.
        options: how they will be played.

    Raises:
        EvalConfigError: with everything that is wrong, naming items from 0 and turns from 1.
        DatasetSchemaError: a file is no dataset; with everything that is wrong with it, and where.
    """
    gathering = _Gathering(options.history)
    gathering.attempt(lambda: memory_apart(options.target_options))
    top = gathering.attempt(lambda: assertions(scorers, gates, None)) or Assertions()
    for place, entry in enumerate(_entries(data)):
        gathering.add(entry, place)
    found = gathering.complete()
    try:
        jobs = _jobs(found, top, settings)
    except MetricError as error:
        raise EvalConfigError(str(error)) from None
    if not any(each.ruler.plan.metrics for each in jobs):
        raise EvalConfigError("There is nothing to measure: give scorers or gates, or put some into turns.")
    return Planned(jobs, gathering.warnings, "+".join(sorted(gathering.names)), [each.case for each in jobs])


def _jobs(found: Sequence[_Asserted], top: Assertions, settings: Settings) -> list[Job]:
    shared = ruled(top, settings.judge)  # by all conversations of which nothing else is asserted
    return [
        Job(each.case, *(ruled(top + each.own, settings.judge) if any(each.own) else shared), each.history)
        for each in found
    ]


class _Gathering:
    """The cases as they come in, and what is wrong with them: one sentence each."""

    def __init__(self, history: str | None) -> None:
        self.warnings: list[str] = []
        self.names: list[str] = []
        self._history = history
        self._found: list[_Asserted] = []
        self._problems: list[str] = []

    def attempt(self, make: Callable[[], _Made]) -> _Made | None:
        """What ``make`` makes; ``None`` where it refuses, which is one problem more."""
        try:
            return make()
        except (EvalConfigError, UsageError) as error:
            self._problems.append(str(error))
            return None

    def add(self, entry: object, place: int) -> None:
        """The entry in ``place``, counted from 0: an item, a case, a dataset or the file of one."""
        dataset = ConversationDataset.from_file(entry) if isinstance(entry, str | Path) else entry
        for each in self.attempt(lambda: list(_asserted(dataset, place, self._history))) or ():
            self.attempt(functools.partial(check_playable, each.case, decisive(each.history)))
            self._found.append(each)
        if isinstance(dataset, ConversationDataset):
            self.names.append(dataset.name)
            self.warnings += [*dataset.unmeasured, *dataset.strict_gates]
            if decisive(self._history or dataset.history or History.EXPECTED) is History.EXPECTED:
                self.warnings += dataset.warnings

    def complete(self) -> Sequence[_Asserted]:
        """Everything that was added.

        Raises:
            EvalConfigError: something is wrong.
        """
        self._problems += shared_names(each.case for each in self._found)
        if self._problems:
            raise EvalConfigError("\n".join(self._problems))
        return self._found


def decisive(history: str) -> History:
    """What the agent is shown in the play that decides; of both it is the expected one."""
    return History.EXPECTED if history == BOTH else History(history)


def _entries(data: object) -> Sequence[object]:
    entries = data if isinstance(data, list | tuple) else [data]
    if isinstance(data, Mapping) or not entries:
        got = "a dict" if isinstance(data, Mapping) else "an empty list"
        raise EvalConfigError(f"data is a list of items, a dataset or the path of one; got {got}.")
    return entries


def _asserted(entry: object, place: int, history: str | None) -> Iterator[_Asserted]:
    """The cases in one entry, with what is asserted of each."""
    if isinstance(entry, ConversationDataset):
        shown = history or entry.history or History.EXPECTED
        yield from (_Asserted(case, assertions_of(case), shown) for case in entry.cases)
    elif isinstance(entry, Case):
        is_golden = len(entry.asks) > 1 and all(ask.golden for ask in entry.asks[:-1])
        by_default = History.EXPECTED if is_golden else History.THREAD
        yield _Asserted(entry, assertions_of(entry), history or by_default)
    else:
        item = read_item(entry, place)
        yield _Asserted(item.case, item.asserted, history or History.THREAD)
