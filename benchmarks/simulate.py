"""``python -m benchmarks.simulate``: how often gates fire and intervals cover. It takes half an hour.

Every run has a seed of its own, made of its number and its scenario, so the tables are the same on any machine.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from typing import NamedTuple, Protocol, TypeVar

import numpy as np

from benchmarks.simulated import Dataset, Numbers, Outcomes, outcomes, rates
from benchmarks.table import table
from uaef import __version__
from uaef.models.results import Decision, EvaluationResult
from uaef.runs.comparison import Comparison, compare
from uaef.runs.gate import RuleDecision, decide, gate, next_round
from uaef.runs.statistics import (
    Interval,
    clopper_pearson,
    cluster_bootstrap,
    mcnemar_exact,
    sign_flip,
    smallest_detectable,
    wilson,
)

ALPHA = 0.05
REPLAYS = 3
RUNS = 2_000
FEWER = 500

T = TypeVar("T")


# --- gates ----------------------------------------------------------------------------


class Scenario(NamedTuple):
    """What two runs of one dataset have in common, and what changed between them.

    Attributes:
        n: how many conversations.
        turns: of each.
        rate: how often a turn passes, on average.
        spread: how much turns differ in that: the correlation of two plays of one turn.
        luck: how much of what decides a turn is common to its conversation, in one run.
        drop: how much lower the rate of every turn is in the later run.
        broken: how many turns, the first of as many conversations, never pass in the later run.
    """

    n: int
    turns: int
    rate: float
    spread: float = 0.0
    luck: float = 0.0
    drop: float = 0.0
    broken: int = 0


class Found(NamedTuple):
    """What was found in one run, compared with one before it."""

    turn_test: bool
    conversation_test: bool
    regression: bool
    confirmed: bool
    undecided: bool
    any: bool
    named: bool | None
    """Whether ``confirmed`` fires and names the turns that broke; ``None`` where they did not pass before."""


def compared(scenario: Scenario, seed: int, replays: int = REPLAYS) -> Found:
    """What the gates say of a run, by everything that is behind ``uaef run --compare``."""
    chance = _chance(scenario, seed)
    before = rates(chance, scenario.n, scenario.turns, scenario.rate, scenario.spread)
    now = np.maximum(before - scenario.drop, 0)
    now[: scenario.broken, 0] = 0.0
    dataset = Dataset(scenario.n, scenario.turns)
    old, new = outcomes(chance, before, scenario.luck), outcomes(chance, now, scenario.luck)
    comparison = compare(dataset.run(old), later := dataset.run(new))
    again = _replayed(comparison, dataset, lambda: outcomes(chance, now, scenario.luck), replays)
    rules = gate(fail_on=("regression", f"confirmed:{replays}", "any"))
    regression, confirmed, any_ = decide(rules, later.items, comparison, replays=again).decisions
    wanted = {f"c{i}#1" for i in range(scenario.broken) if old[i, 0]}
    return Found(
        turn_test=mcnemar_exact(int((old & ~new).sum()), int((new & ~old).sum())) <= ALPHA,
        conversation_test=any(d.p is not None and d.p <= ALPHA for d in comparison.differences if d.gated),
        regression=_fires(regression),
        confirmed=_fires(confirmed),
        undecided=confirmed.decision is Decision.UNMEASURED,
        any=_fires(any_),
        named=_fires(confirmed) and wanted <= {evidence.name for evidence in confirmed.evidence} if wanted else None,
    )


def _fires(decided: RuleDecision) -> bool:
    return decided.decision is Decision.MISSED


def _replayed(
    comparison: Comparison, dataset: Dataset, play: Callable[[], Outcomes], replays: int
) -> list[EvaluationResult]:
    results: list[EvaluationResult] = []
    while suspects := next_round(comparison, results, replays):
        which = sorted({int(suspect.conversation[1:]) for suspect in suspects})
        results += dataset.results(play(), which, trial=len(results))
    return results


def paired(seed: int, n: int, before: float, after: float, correlation: float) -> bool:
    """Whether ``regression`` fires on outcomes of so many conversations that are correlated between the runs."""
    chance = np.random.default_rng((n, seed))
    both = before * after + correlation * (before * (1 - before) * after * (1 - after)) ** 0.5
    old = chance.random(n) < before
    new = chance.random(n) < np.where(old, both / before, (after - both) / (1 - before))
    dataset = Dataset(n, 1)
    comparison = compare(dataset.run(old[:, None]), later := dataset.run(new[:, None]))
    (found,) = decide(gate(fail_on=("regression",)), later.items, comparison).decisions
    return _fires(found)


# --- intervals ------------------------------------------------------------------------


def share_of_turns(chance: np.random.Generator, n: int, rate: float, spread: float) -> Numbers:
    """The share of 6 turns that pass in each of n conversations, which differ in how often theirs do."""
    return chance.binomial(6, rates(chance, n, 1, rate, spread)[:, 0]) / 6


def covers(seed: int, n: int, rate: float, spread: float) -> tuple[bool, float]:
    """Whether the interval of a mean over conversations holds the truth, and how wide it is."""
    values = share_of_turns(np.random.default_rng((n, seed)), n, rate, spread)
    return _held(cluster_bootstrap([[value] for value in values.tolist()]), rate)


def covers_grades(seed: int, n: int) -> tuple[bool, float]:
    """The same of a judge's grades: 0, 1/4, ... 1, most of them 1."""
    odds = (0.02, 0.03, 0.05, 0.2, 0.7)
    grades = np.random.default_rng((n, seed)).choice([0, 0.25, 0.5, 0.75, 1], n, p=odds)
    return _held(cluster_bootstrap([[grade] for grade in grades.tolist()]), 0.8825)


def covers_change(seed: int, n: int, rate: float, spread: float, drop: float) -> tuple[bool, float]:
    """The same of the difference of two runs."""
    chance = np.random.default_rng((n, seed))
    changes = share_of_turns(chance, n, rate - drop, spread) - share_of_turns(chance, n, rate, spread)
    return _held(cluster_bootstrap([[change] for change in changes.tolist()], differences=True), -drop)


def covers_rate(seed: int, n: int, rate: float, interval: Callable[[int, int], Interval]) -> tuple[bool, float]:
    """The same of the rate of conversations that pass."""
    return _held(interval(int(np.random.default_rng((n, seed)).binomial(n, rate)), n), rate)


def _held(interval: Interval, truth: float) -> tuple[bool, float]:
    return interval.low - 1e-9 <= truth <= interval.high + 1e-9, interval.high - interval.low


# --- what can be detected -------------------------------------------------------------


def detected(seed: int, n: int, changed: float) -> tuple[bool, float]:
    """Whether a change of the size that a set promises to find is found in one, and that size."""
    worse = round(n * changed / 2)
    size = smallest_detectable([-1.0] * worse + [1.0] * worse + [0.0] * (n - 2 * worse)) or 1.0
    share = max(changed, size)
    odds = [(share + size) / 2, (share - size) / 2, 1 - share]
    changes = np.random.default_rng((n, seed)).choice([-1.0, 1.0, 0.0], n, p=odds)
    return sign_flip(changes.tolist()) <= ALPHA, size


# --- tables ---------------------------------------------------------------------------


def _chance(scenario: Scenario, seed: int) -> np.random.Generator:
    return np.random.default_rng([*(round(1000 * part) for part in scenario), seed])


class Each(Protocol):
    """Calls a function with every seed below a number."""

    def __call__(self, function: Callable[[int], T], runs: int, /) -> Sequence[T]:
        """What it returned, in order."""


def one_by_one(function: Callable[[int], T], runs: int) -> Sequence[T]:
    """In this process."""
    return [function(seed) for seed in range(runs)]


def null_table(each: Each, runs: int, scenarios: Sequence[Scenario]) -> str:
    """How often each gate fires although nothing changed."""
    rows = []
    for s in scenarios:
        columns = list(zip(*each(partial(compared, s), runs), strict=True))[:6]
        rows.append((f"{s.rate:g}", f"{s.spread:g}", f"{s.luck:g}", *map(_percent, columns)))
    columns = ("turn-level test", "conversation-level test", "`regression`", "`confirmed:3`", "its exit 3", "`any`")
    return table(("rate", "spread", "luck", *columns), rows)


def _percent(hits: Sequence[bool | None]) -> str:
    known = [hit for hit in hits if hit is not None]
    return f"{100 * sum(known) / len(known):.1f}%"


def drop_table(each: Each, runs: int) -> str:
    """How often what did change is found."""
    falls = each(partial(paired, n=200, before=0.8, after=0.65, correlation=0.3), runs)
    rows = [("200 conversations: 0.8 falls to 0.65, paired by 0.3", "`regression` fires", _percent(falls))]
    for luck in (0.4, 0.8):
        found = each(partial(compared, Scenario(40, 6, 0.9, luck=luck, drop=0.15)), runs)
        what = f"40 conversations of 6 turns: 0.9 falls to 0.75, luck {luck:g}"
        rows.append((what, "`regression` fires", _percent([one.regression for one in found])))
    for spread in (0.0, 0.3):
        found = each(partial(compared, Scenario(40, 6, 0.9, spread, 0.4, broken=1)), runs)
        what = f"1 turn of 240 breaks, the others pass at 0.9, spread {spread:g}"
        rows.append((what, "`confirmed:3` fires and names it", _percent([one.named for one in found])))
    return table(("what changed", "what is asked", "how often"), rows)


def coverage_table(each: Each, runs: int, sizes: Sequence[int] = (40, 100, 200)) -> str:
    """How often intervals of 95% hold the truth, and how wide they are."""
    asked: list[tuple[str, Callable[..., tuple[bool, float]]]] = [
        (f"conversations that pass, {rate:g}, {how}", partial(covers_rate, rate=rate, interval=interval))
        for rate in (0.8, 0.95)
        for how, interval in (("exact", clopper_pearson), ("Wilson's", wilson))
    ]
    asked += [
        (f"turns that pass, {rate:g}, spread {spread:g}", partial(covers, rate=rate, spread=spread))
        for rate in (0.5, 0.8, 0.9, 0.95, 0.98)
        for spread in (0.1, 0.5)
    ]
    asked.append(("a judge's grades, 0.88", covers_grades))
    asked += [
        (f"turns that pass, {rate:g} less {drop:g}", partial(covers_change, rate=rate, spread=0.5, drop=drop))
        for rate, drop in ((0.8, 0.0), (0.8, 0.15), (0.95, 0.0), (0.95, 0.05))
    ]
    rows = [(what, *(_covered(each(partial(function, n=n), runs)) for n in sizes)) for what, function in asked]
    return table(("interval of", *(f"{n} conversations" for n in sizes)), rows)


def _covered(found: Sequence[tuple[bool, float]]) -> str:
    hits, widths = zip(*found, strict=True)
    return f"{_percent(hits)}, {sum(widths) / len(widths):.2f} wide"


def detected_table(each: Each, runs: int) -> str:
    """How often a change of the size that a set promises to find is found."""
    rows = []
    for n in (40, 100, 200):
        for changed in (0.0, 0.2, 0.4):
            hits, sizes = zip(*each(partial(detected, n=n, changed=changed), runs), strict=True)
            rows.append((str(n), f"{changed:g}", f"{sizes[0]:.3f}", _percent(hits)))
    return table(("conversations", "share that changed", "detectable", "found"), rows)


def main() -> None:
    """Print the tables."""
    alike = [Scenario(40, 6, 0.9, luck=luck) for luck in (0.4, 0.6, 0.8)]
    others = [Scenario(40, 6, rate, spread, 0.4) for rate in (0.8, 0.95) for spread in (0.0, 0.3)]
    with ProcessPoolExecutor(mp_context=get_context("spawn")) as pool:

        def each(function: Callable[[int], T], runs: int) -> Sequence[T]:
            return list(pool.map(function, range(runs), chunksize=25))

        print(f"uaef {__version__}\n")
        print(f"Nothing changed ({RUNS:,} runs a row)\n\n{null_table(each, RUNS, alike)}\n")
        print(f"The same of other sets ({FEWER} runs a row)\n\n{null_table(each, FEWER, others)}\n")
        print(f"Something changed ({FEWER} runs a row)\n\n{drop_table(each, FEWER)}\n")
        print(f"Intervals of 95% ({RUNS:,} sets a cell)\n\n{coverage_table(each, RUNS)}\n")
        print(f"What could have been detected ({RUNS:,} sets a row)\n\n{detected_table(each, RUNS)}")


if __name__ == "__main__":
    main()
