"""A part of what was planned: some conversations, or some of their turns."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from typing import NamedTuple

from uaef.errors import UnknownNameError, UsageError
from uaef.evaluation.claims import MetricClaim
from uaef.evaluation.plan import Plan
from uaef.metrics.base import Metric
from uaef.metrics.scopes import Outline, Span
from uaef.models.case import Case
from uaef.models.names import slice_name
from uaef.runs.jobs import Job
from uaef.runs.run import outline_of


class Narrowed(NamedTuple):
    """What is left of what was planned, and what is not measured because of that."""

    jobs: Sequence[Job]
    left_out: Sequence[str]
    """The claims on whole conversations of which only some turns are left: ``excludes('x') of refund``."""


def narrowed(jobs: Sequence[Job], *, only: Sequence[str] = (), tags: Collection[str] = ()) -> Narrowed:
    """The jobs, or the turns of them, that are named and carry one of the tags.

    Args:
        jobs: all there are.
        only: names of conversations (``refund``) and of turns (``refund#3``); empty are all.
        tags: of conversations or of turns; empty is whatever they carry.

    Raises:
        UnknownNameError: a conversation, a turn or a tag that does not exist.
        UsageError: nothing is left.
    """
    _check(jobs, only, tags)
    chosen = [(job, turns) for job in jobs if (turns := _turns(job.case, only, tags))]
    if not chosen:
        raise UsageError(f"Nothing is both named {' or '.join(only)} and tagged {' or '.join(tags)}.")
    kept = [job if len(turns) == len(job.case.asks) else _cut(job, turns) for job, turns in chosen]
    left_out = [
        f"{claim.metric.key} of {before.case.case_id}"
        for (before, _), after in zip(chosen, kept, strict=True)
        for claim in before.ruler.claims
        if claim.turn is None and len(after.ruler.claims) < len(before.ruler.claims) and _is_gone(claim, after)
    ]
    return Narrowed(kept, left_out)


def _is_gone(claim: MetricClaim, after: Job) -> bool:
    return all(left.metric.key != claim.metric.key or left.turn is not None for left in after.ruler.claims)


def _turns(case: Case, only: Sequence[str], tags: Collection[str]) -> frozenset[int]:
    """The numbers of the turns that are wanted."""
    numbers = range(1, len(case.asks) + 1)
    named = [n for n in numbers if not only or case.case_id in only or slice_name(case.case_id, [n]) in only]
    if not tags or not set(tags).isdisjoint(case.tags):
        return frozenset(named)
    return frozenset(n for n in named if not set(tags).isdisjoint(case.asks[n - 1].tags))


def _check(jobs: Sequence[Job], only: Iterable[str], tags: Iterable[str]) -> None:
    cases = [job.case for job in jobs]
    names = {name for case in cases for name in (case.case_id, *case.turn_names)}
    known = {tag for c in cases for tag in (*c.tags, *(tag for ask in c.asks for tag in ask.tags))}
    for kind, given, there in (("conversation or turn", only, names), ("tag", tags, known)):
        for name in given:
            if name not in there:
                raise UnknownNameError(kind, name, there)


def _cut(job: Job, turns: frozenset[int]) -> Job:
    """The job with nothing measured but these turns."""
    spans = frozenset((number - 1, number) for number in turns)
    outline = outline_of(job.case)
    claims = [claim._replace(metric=_within(claim.metric, spans)) for claim in job.ruler.claims]
    metrics = [_within(metric, spans) for metric in job.ruler.plan.metrics]
    ruler = job.ruler._replace(
        plan=Plan([metric for metric in metrics if list(metric.scope(outline))]),
        claims=tuple(claim for claim in claims if list(claim.metric.scope(outline))),
    )
    wanted = tuple((key, turn) for key, turn in job.wanted if turn is None or turn in turns)
    return replace(job, ruler=ruler, wanted=wanted, only=turns)


def _within(metric: Metric, spans: frozenset[Span]) -> Metric:
    whole_scope = metric.scope

    def scope(outline: Outline) -> Iterable[Span]:
        return [span for span in whole_scope(outline) if span in spans]

    return metric.on(scope)
