"""Results to be kept: the same for the same numbers, whoever makes them."""

from __future__ import annotations

import datetime as dt

from uaef.models.base import replaced
from uaef.models.conversation import Conversation
from uaef.models.identity import TurnKey
from uaef.models.measurement import Measurement
from uaef.models.results import EvaluationResult
from uaef.models.scores import MetricScore, not_applicable
from uaef.runs.records import RunInfo

BEGAN = dt.datetime(2026, 12, 1, 6, 18, 52, 123456, tzinfo=dt.UTC)


def info(number=0, **known):
    """A run; of two, the one with the higher number began later."""
    return replaced(RunInfo(run_id=f"run-{number:03}", started_at=BEGAN, dataset="support", n_planned=3), **known)


def result(name="refund", trial=0, turns=2, score=0.5):
    """A result with a measurement on each turn, one on the whole, and one that does not apply."""
    conversation = Conversation.from_messages(
        [m for n in range(1, turns + 1) for m in ({"role": "user", "content": f"q{n}"}, _said(f"a{n} of {name}"))],
        name=name,
        tags=["returns"],
    )
    measured = [
        Measurement(
            slice_name=f"{name}#{n}",
            turns=(n,),
            whole=False,
            metric="relevance",
            dimension="Quality",
            score=MetricScore(
                metric_name="relevance",
                score=score,
                reasoning=f"because {n}",
                metadata={"judge": "openai:m", "rubric_version": "3"},
            ),
            trial=trial,
            tags=("returns",),
            seconds=0.25,
            cost=0.001,
        )
        for n in range(1, turns + 1)
    ]
    whole = {"slice_name": name, "turns": tuple(range(1, turns + 1)), "whole": True, "dimension": "Tools"}
    measured.append(
        Measurement(**whole, metric="called", score=not_applicable("called", "no tools expected"), trial=trial)
    )
    return EvaluationResult(
        trace_id=name,
        conversation=conversation,
        measurements=measured,
        worst=measured[0],
        turns_passed={n: n != turns for n in range(1, turns + 1)},
        turn_keys=[TurnKey(name=f"{name}#{n}", own=f"own{n}", context=f"before{n}") for n in range(1, turns + 1)],
        trial=trial,
        thread_id=f"thread-{name}-{trial}",
        evaluation_id=f"{name}-{trial}",
    )


def many(conversations=3, trials=1):
    """Several results, in the order of a run: all trials of the first conversation, and so on."""
    return [result(f"c{c}", t, score=(c + t) % 10 / 10) for c in range(conversations) for t in range(trials)]


def fill(store, run, results, *, finish=True):
    """A run that is kept from beginning to end."""
    store.begin(run)
    for position, each in enumerate(results):
        store.add(run.run_id, position, each)
    if finish:
        store.finish(run.run_id)
    return run


def _said(text):
    return {"role": "assistant", "content": text}
