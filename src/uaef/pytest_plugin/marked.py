"""What ``@pytest.mark.uaef`` asks for: conversations, each to be played for itself."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from uaef.agents import as_agent
from uaef.data.conversations import ConversationDataset
from uaef.errors import EvalConfigError, UnknownNameError, UsageError
from uaef.evaluation.settings import Options, Settings
from uaef.runs.evals import Run
from uaef.runs.jobs import Job
from uaef.runs.narrowing import narrowed
from uaef.runs.options import RunOptions
from uaef.runs.planning import planned
from uaef.runs.results import RunResult
from uaef.runs.wholeness import SELECTED
from uaef.sync import run_sync

CONVERSATION, TURN = "conversation", "turn"
_JUDGING = ("judge", "max_concurrency", "max_cost_usd", "deadline_s", "redact")
_PLAYING = tuple(RunOptions.__dataclass_fields__)
_OWN = ("dataset", "agent", "per", "only", "tags", "scorers", "gates")
NOBODY = "none"
"""Who judges, unless it is said: a test that asks the network does so because somebody wrote it."""


@dataclass
class Marked:
    """Everything that one marker asks for.

    Attributes:
        dataset: the name of the dataset.
        plays: its conversations, in order.
    """

    dataset: str
    plays: list[Played] = field(default_factory=list)

    @property
    def n_planned(self) -> int:
        """How many results there are if every test runs: one for each conversation and trial."""
        return sum(each.trials for each in self.plays)

    @property
    def chosen(self) -> dict[str, object]:
        """What makes a run of it a part of its dataset: what the marker chooses, and what pytest was told to run."""
        asked = self.plays[0].asked
        named: dict[str, object] = {key: names for key in ("only", "tags") if (names := _names(asked, key))}
        wanted, there = (sum(map(len, sets)) for sets in zip(*((p.wanted, p.tests) for p in self.plays), strict=True))
        return named if wanted == there else {**named, SELECTED: f"{wanted} of {there}"}

    def first(self, played: Played) -> int:
        """The place of a conversation's first trial among all results."""
        return sum(each.trials for each in self.plays[: self.plays.index(played)])


@dataclass(eq=False)
class Played:
    """One conversation of a dataset, as a marker wants it played.

    Attributes:
        name: of the conversation.
        entry: what ``run_evals`` would be given for it.
        asked: the marker's arguments.
        marked: everything that the marker asks for.
        trials: how often it is played.
        tests: the names of its tests: of the conversation, or of its turns.
        wanted: those of them that run.
        fresh: what it came to, until somebody has kept it.
    """

    name: str
    entry: object
    asked: Mapping[str, object]
    marked: Marked
    trials: int = 1
    tests: set[str] = field(default_factory=set)
    wanted: set[str] = field(default_factory=set)
    fresh: RunResult | None = None
    _kept: tuple[object, RunResult] | None = None

    @property
    def is_by_turn(self) -> bool:
        """Whether there is a test for each turn."""
        return self.asked.get("per") == TURN

    def result(self, agent: object = None) -> RunResult:
        """What it came to. The tests of its turns share one play of it.

        Args:
            agent: who answers, where the marker does not say.

        Raises:
            UaefError: it cannot be played so.
        """
        agent = self.asked.get("agent") if agent is None else agent
        if agent is None:
            raise UsageError("Nobody answers: give agent=... to @pytest.mark.uaef or to evals.check().")
        if self._kept is None or self._kept[0] is not agent:
            result = self._play(agent)
            if not self.is_by_turn:
                return result
            self._kept = (agent, result)
        return self._kept[1]

    def _play(self, agent: object) -> RunResult:
        asked = self.asked
        settings, options = _settings(asked), _options(asked)
        plan = planned([self.entry], asked.get("scorers"), asked.get("gates"), settings, options)
        if self.is_by_turn:
            jobs = narrowed(plan.jobs, only=sorted(self.wanted) or [self.name]).jobs
        else:
            jobs = _narrowed(plan.jobs, _names(asked, "only"), _names(asked, "tags"))
        run = Run(plan._replace(jobs=jobs), as_agent(agent), options, settings)
        self.fresh = run_sync(run.play())
        return self.fresh


class Part(NamedTuple):
    """What one test is about: a conversation (``refund``), or a turn (``refund#3``), and how it is played."""

    name: str
    played: Played


def parts_of(positional: Sequence[object], asked: Mapping[str, object], folders: Sequence[Path]) -> list[Part]:
    """The tests that a marker asks for, in the order of the dataset.

    Args:
        positional: the marker's positional arguments, of which it takes none.
        asked: its others.
        folders: where a dataset is looked for, the first first.

    Raises:
        UaefError: an argument cannot be, or the dataset cannot be read.
    """
    _check(positional, asked)
    options = _options(asked)
    entries = list(_entries(asked["dataset"], folders))
    plan = planned(entries, asked.get("scorers"), asked.get("gates"), _settings({}), options)
    if asked.get("per") == TURN and options.next_turn is not None:
        raise EvalConfigError("per='turn' needs to know the turns beforehand, and next_turn makes them up.")
    entry_of = {job.case.case_id: _named(entry, job) for entry, job in zip(entries, plan.jobs, strict=True)}
    jobs = narrowed(plan.jobs, only=_names(asked, "only"), tags=_names(asked, "tags")).jobs
    name = "+".join(dict.fromkeys(entry.name for entry in entries if isinstance(entry, ConversationDataset)))
    marked = Marked(name)
    for job in jobs:
        case = job.case
        played = Played(case.case_id, entry_of[case.case_id], asked, marked, options.repeat or case.repeat or 1)
        played.tests.update(_tests(job, played))
        marked.plays.append(played)
    return [
        Part(name, played) for job, played in zip(jobs, marked.plays, strict=True) for name in _tests(job, played)
    ]


def _tests(job: Job, played: Played) -> Iterator[str]:
    """The names of the tests of a conversation."""
    name = job.case.case_id
    if not played.is_by_turn:
        yield name
        return
    numbers = range(1, len(job.case.asks) + 1) if job.only is None else sorted(job.only)
    yield from (f"{name}#{number}" for number in numbers)
    if any(claim.turn is None for claim in job.ruler.claims):
        yield name


def _check(positional: Sequence[object], asked: Mapping[str, object]) -> None:
    if positional or asked.get("dataset") is None:
        raise EvalConfigError("The marker uaef takes arguments by name, and dataset=... at least.")
    known = (*_OWN, *_JUDGING, *_PLAYING)
    for name in asked:
        if name not in known:
            raise UnknownNameError("argument of the marker uaef:", name, known)
    if asked.get("per", CONVERSATION) not in (CONVERSATION, TURN):
        raise EvalConfigError(f"per is 'conversation' or 'turn', got {asked['per']!r}.")


def found(data: object, folders: Sequence[Path]) -> object:
    """Data for a run, with the path of a dataset as one that leads there; anything else as it is.

    Raises:
        UsageError: there is no such file.
    """
    if not isinstance(data, str | Path):
        return data
    places = [folder / data for folder in folders]
    path = next((place for place in places if place.exists()), None)
    if path is None:
        where = " nor in ".join(dict.fromkeys(map(str, folders)))
        raise UsageError(f"There is no dataset {str(data)!r} in {where}.")
    return path


def _entries(data: object, folders: Sequence[Path]) -> Iterator[object]:
    """The data, a conversation each."""
    for each in data if isinstance(data, list | tuple) else [data]:
        entry = found(each, folders)
        dataset = ConversationDataset.from_file(entry) if isinstance(entry, Path) else entry
        if isinstance(dataset, ConversationDataset):
            for case in dataset.cases:
                yield ConversationDataset(dataset.name, [case], history=dataset.history, warnings=dataset.warnings)
        else:
            yield entry


def _named(entry: object, job: Job) -> object:
    """The entry under the name that it has among the others; an item without one is called by its place."""
    return {**entry, "id": job.case.case_id} if isinstance(entry, Mapping) else entry


def _narrowed(jobs: Sequence[Job], only: Sequence[str], tags: Sequence[str]) -> Sequence[Job]:
    """The jobs of one conversation, where names and tags may be those of others."""
    cases = [job.case for job in jobs]
    names = {c.case_id for c in cases} | {f"{c.case_id}#{n}" for c in cases for n in range(1, len(c.asks) + 1)}
    known = {tag for c in cases for tag in (*c.tags, *(tag for ask in c.asks for tag in ask.tags))}
    left = narrowed(jobs, only=[n for n in only if n in names], tags=[tag for tag in tags if tag in known])
    return left.jobs


def _names(asked: Mapping[str, object], key: str) -> list[str]:
    given = asked.get(key, ())
    if isinstance(given, str) or not isinstance(given, list | tuple | set | frozenset):
        raise EvalConfigError(f"{key} is a list of names, got {given!r}.")
    return list(map(str, given))


def _options(asked: Mapping[str, object]) -> RunOptions:
    return RunOptions(**{name: asked[name] for name in _PLAYING if name in asked})  # type: ignore[arg-type] # it checks them


def _settings(asked: Mapping[str, object]) -> Settings:
    judging: Options = {"judge": NOBODY}
    judging.update({name: asked[name] for name in _JUDGING if name in asked})  # type: ignore[typeddict-item] # by their names
    return Settings.of(None, judging)
