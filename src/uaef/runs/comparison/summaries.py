"""One run in numbers: per metric, cohort and turn position, each with what has to stand beside a mean."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from uaef.evaluation.derived import mean
from uaef.evaluation.required import Required
from uaef.models.base import Record
from uaef.models.names import slice_name
from uaef.models.results import EvaluationResult
from uaef.runs import statistics
from uaef.runs.comparison.cohorts import ALL, Cohort, Where, cohorts, metadata_of
from uaef.runs.comparison.differences import FEWEST, TURNS, natural
from uaef.runs.comparison.passing import Outcome, outcome, together
from uaef.runs.comparison.sides import Place, place_of, tags_of

CONVERSATIONS = "conversations"
"""Stands for the share of conversations that pass, beside the keys of metrics."""


class Summary(Record, frozen=True, gc=False):
    """One number of a run: the mean over windows and trials, then over conversations.

    Attributes:
        what: a metric's key; ``turns`` or ``conversations`` for the share of those that pass.
        cohort: ``all``, ``tag:returns``, ``turn:3``.
        name: the metric's name without its arguments.
        mean: in [0, 1], a turn at which the agent failed counting 0; ``None`` where nothing has a number.
        pass_rate: the same of passing; ``None`` where nothing says what passes.
        n: how many measurements it rests on, ...
        n_conversations: ... in how many conversations.
        skipped: how many did not apply, or nothing says what passes.
        failed: how many failed.
        worst: the window with the lowest number, the first of them.
        worst_value: that number.
        interval: of 95%, of the pass rate or, without one, of the mean; ``None`` below 20 conversations, or without
            the extra ``stats``.
        lowest: the mean if everything that failed had come to 0.
        highest: the same if it had come to 1.
    """

    what: str
    cohort: str
    name: str
    mean: float | None
    pass_rate: float | None
    n: int
    n_conversations: int
    skipped: int = 0
    failed: int = 0
    worst: str | None = None
    worst_value: float | None = None
    interval: tuple[float, float] | None = None
    lowest: float | None = None
    highest: float | None = None

    @property
    def value(self) -> float | None:
        """The pass rate where there is one, else the mean."""
        return self.mean if self.pass_rate is None else self.pass_rate

    @property
    def kind(self) -> str:
        """Which of the two it is."""
        return "mean" if self.pass_rate is None else "pass rate"


class Survivors(Record, frozen=True, gc=False):
    """How many conversations are unbroken after a turn: the curve of Kaplan and Meier (1958).

    Attributes:
        turn: its number.
        at_risk: the conversations that were unbroken before it and have it, every trial counted.
        broke: how many of those broke at it.
        share: the estimated share of conversations that are unbroken after it.
    """

    turn: int
    at_risk: int
    broke: int
    share: float


class _Point(NamedTuple):
    """One number of one window in one trial."""

    conversation: str
    window: str
    outcome: Outcome
    where: Where


def summaries(
    items: Sequence[EvaluationResult], by: Iterable[str | Cohort] = (), *, dataset: str = ""
) -> list[Summary]:
    """The numbers of a run: of everything, then of each cohort.

    Args:
        items: the results of all conversations and trials.
        by: the cohorts: ``turn``, ``tag:returns``.
        dataset: what was played, for the cohort ``dataset``.

    Raises:
        UsageError: a cohort is none.
    """
    groups = cohorts(by)
    points = _points(items, dataset)
    found = [_summary(what, ALL, of) for what, of in points.items()]
    for group in groups:
        found += _by(group, {what: of for what, of in points.items() if what != CONVERSATIONS})
    return [each for each in found if each.n or each.failed or each.what not in (TURNS, CONVERSATIONS)]


def _by(group: Cohort, points: Mapping[str, Sequence[_Point]]) -> Iterator[Summary]:
    members: dict[str, dict[str, list[_Point]]] = {}
    for what, of in points.items():
        for point in of:
            for label in group.labels(point.where):
                members.setdefault(label, {}).setdefault(what, []).append(point)
    for label in sorted(members, key=natural):
        yield from (_summary(what, label, of) for what, of in members[label].items())


def _points(items: Sequence[EvaluationResult], dataset: str) -> dict[str, list[_Point]]:
    """Every number by what it is of: conversations, turns, then each metric in the order of its key."""
    found: dict[str, list[_Point]] = {}
    whole: dict[str, list[_Point]] = {CONVERSATIONS: [], TURNS: []}
    checks = {m.metric for item in items for m in item.measurements if m.score.metadata.get("check")}
    for item in items:
        passed: dict[Place, list[Outcome]] = {}
        for what, place, tags, each, decides in _outcomes(item, checks):
            where = Where(item.name, place, tags, dataset, metadata_of(item, place))
            found.setdefault(what, []).append(_Point(item.name, slice_name(item.name, place), each, where))
            if each.passed is not None or (each.is_open and decides):
                passed.setdefault(place, []).append(each)
        for turn in () if item.conversation is None else item.conversation.turns:
            if turn.error is not None:
                passed.setdefault((turn.number,), []).append(Outcome(passed=False, value=0.0, is_open=False))
        for what, place, each in _passing(item, passed):
            where = Where(item.name, place, tags_of(item, place), dataset, metadata_of(item, place))
            whole[what].append(_Point(item.name, slice_name(item.name, place), each, where))
    return whole | {key: found[key] for key in sorted(found)}


def _outcomes(
    item: EvaluationResult, checks: Collection[str]
) -> Iterator[tuple[str, Place, tuple[str, ...], Outcome, bool]]:
    """What each measurement comes to: its metric, where, its tags, and whether a number would pass or not."""
    required = Required(item.claims, item.measurements)
    for m in item.measurements:
        ranges = required.of(m)
        decides = bool(ranges) or m.metric in checks
        yield m.metric, place_of(m), m.tags, outcome(m, ranges, decides=decides), decides


def _passing(
    item: EvaluationResult, passed: Mapping[Place, Sequence[Outcome]]
) -> Iterator[tuple[str, Place, Outcome]]:
    """Whether each turn passes, and the conversation; of one that could not be evaluated it is not known."""
    joined = {place: _joined(outcomes) for place, outcomes in passed.items()}
    yield from ((TURNS, place, each) for place, each in sorted(joined.items()) if len(place) == 1)
    is_lost = item.conversation is None and not item.measurements
    if joined or is_lost:
        lost = [Outcome(None, None, is_open=True)] if is_lost else []
        yield CONVERSATIONS, (), _joined([*joined.values(), *lost])


def _joined(outcomes: Sequence[Outcome]) -> Outcome:
    """Several outcomes as one of passing or not."""
    passed = together(each.passed for each in outcomes)
    return Outcome(passed, None if passed is None else float(passed), is_open=passed is None)


def _summary(what: str, cohort: str, points: Sequence[_Point]) -> Summary:
    known = [(p, p.outcome.value) for p in points if p.outcome.value is not None]
    passed = [(p.conversation, float(p.outcome.passed)) for p in points if p.outcome.passed is not None]
    failed = sum(point.outcome.is_open for point in points)
    groups = _grouped((point.conversation, number) for point, number in known)
    passing = _grouped(passed)
    worst = min(known, key=lambda each: (each[1], natural(each[0].window)), default=None)
    return Summary(
        what=what,
        cohort=cohort,
        name=what.partition("(")[0],
        mean=_mean_of(groups),
        pass_rate=_mean_of(passing),
        n=len(known),
        n_conversations=len(groups),
        skipped=len(points) - len(known) - failed,
        failed=failed,
        worst=None if worst is None else worst[0].window,
        worst_value=None if worst is None else worst[1],
        interval=_interval(list(passing.values()), is_rate=True) if passing else _interval(list(groups.values())),
        lowest=_mean_with(points, 0.0),
        highest=_mean_with(points, 1.0),
    )


def _mean_of(groups: Mapping[str, Sequence[float]]) -> float | None:
    """The mean over conversations of the means within each."""
    return mean(mean(numbers) for numbers in groups.values())


def _mean_with(points: Iterable[_Point], otherwise: float) -> float | None:
    """The mean with ``otherwise`` for what failed to be measured."""
    numbers = [(p.conversation, otherwise if p.outcome.is_open else p.outcome.value) for p in points]
    return _mean_of(_grouped((name, number) for name, number in numbers if number is not None))


def _grouped(numbers: Iterable[tuple[str, float]]) -> dict[str, list[float]]:
    found: dict[str, list[float]] = {}
    for name, number in numbers:
        found.setdefault(name, []).append(number)
    return found


def _interval(groups: Sequence[Sequence[float]], *, is_rate: bool = False) -> tuple[float, float] | None:
    """The exact one of a rate with one yes or no a conversation; else by the means of conversations."""
    if len(groups) < FEWEST or not statistics.is_installed():
        return None
    if is_rate and all(len(group) == 1 for group in groups):
        found = statistics.clopper_pearson(sum(group[0] == 1 for group in groups), len(groups))
    else:
        found = statistics.cluster_bootstrap(groups)
    return found.low, found.high


def survival(items: Iterable[EvaluationResult]) -> list[Survivors]:
    """After each turn, the share of conversations in which every turn so far passes; empty where nothing says so.

    A conversation that ends, or of whose next turn it is not known whether it passes, leaves the count there.
    """
    lives = [_life(item) for item in items]
    found: list[Survivors] = []
    share = 1.0
    for turn in range(1, max((length for length, _ in lives), default=0) + 1):
        at_risk = sum(length >= turn for length, _ in lives)
        broke = sum(length == turn and died for length, died in lives)
        share *= 1 - broke / at_risk
        found.append(Survivors(turn=turn, at_risk=at_risk, broke=broke, share=share))
    return found


def _life(item: EvaluationResult) -> tuple[int, bool]:
    """How many turns a conversation is followed, and whether it breaks at the last of them."""
    length = 0
    for place, number in enumerate(sorted(item.turns_passed), 1):
        passed = item.turns_passed[number]
        if passed is None:
            break
        length = place
        if not passed:
            return length, True
    return length, False
