"""Runs made at random: conversations whose turns share their luck, as they would be kept and compared."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Sequence
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from uaef import Conversation
from uaef.models import Case, Measurement
from uaef.models.case import Ask
from uaef.models.identity import turn_keys
from uaef.models.results import EvaluationResult
from uaef.models.scores import scored
from uaef.runs.records import RunInfo, RunStatus, StoredRun
from uaef.testing import turn

METRIC = "correct"

Numbers = NDArray[np.float64]
Outcomes = NDArray[np.bool_]


def rates(chance: np.random.Generator, n: int, turns: int, mean: float, spread: float = 0.0) -> Numbers:
    """How often each turn passes: all alike or, with a ``spread``, from a beta distribution with that correlation."""
    if not spread:
        return np.full((n, turns), mean)
    size = 1 / spread - 1
    return chance.beta(mean * size, (1 - mean) * size, (n, turns))


def outcomes(chance: np.random.Generator, rates: Numbers, luck: float) -> Outcomes:
    """Whether each turn passes in one play of every conversation.

    A turn passes where a normal variable falls below the quantile of its rate. A part ``luck`` of its variance is
    common to the turns of a conversation, and new in every run: a bad start spoils what follows.
    """
    below = _quantiles(rates)
    common, own = chance.standard_normal((len(rates), 1)), chance.standard_normal(rates.shape)
    return luck**0.5 * common + (1 - luck) ** 0.5 * own < below


def _quantiles(rates: Numbers) -> Numbers:
    """The normal quantile of each rate."""
    quantile = NormalDist().inv_cdf
    return np.vectorize(quantile, otypes=[float])(rates.clip(1e-12, 1 - 1e-12))


class Dataset:
    """So many conversations of so many turns, of which any number of runs can be made."""

    def __init__(self, n: int, turns: int) -> None:
        asked = [Case(case_id=f"c{i}", asks=[Ask(user=f"{i}.{k}") for k in range(turns)]) for i in range(n)]
        self._keys = [turn_keys(case) for case in asked]
        self._played = [
            Conversation.of([turn(ask.user, "said") for ask in case.asks], name=case.case_id) for case in asked
        ]
        self._runs = 0

    def run(self, passed: Outcomes) -> StoredRun:
        """A run in which these turns passed."""
        self._runs += 1
        info = RunInfo(
            run_id=f"r{self._runs}",
            started_at=dt.datetime(2026, 1, 1, tzinfo=dt.UTC),
            dataset="made at random",
            status=RunStatus.COMPLETE,
        )
        return StoredRun(info, self.results(passed, range(len(passed))))

    def results(self, passed: Outcomes, which: Iterable[int], trial: int = 0) -> list[EvaluationResult]:
        """The results of some of the conversations, by number."""
        return [self._result(i, passed[i].tolist(), trial) for i in which]

    def _result(self, number: int, passed: Sequence[bool], trial: int) -> EvaluationResult:
        name = self._played[number].conversation_id
        measured = [
            Measurement(
                slice_name=f"{name}#{k}",
                turns=(k,),
                whole=len(passed) == 1,
                metric=METRIC,
                dimension="Quality",
                score=scored(METRIC, float(each), check=True),
                trial=trial,
            )
            for k, each in enumerate(passed, 1)
        ]
        return EvaluationResult(
            trace_id=name,
            measurements=measured,
            conversation=self._played[number],
            turn_keys=self._keys[number],
            trial=trial,
            turns_passed=dict(enumerate(passed, 1)),
        )
