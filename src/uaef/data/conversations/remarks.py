"""What is legal in a dataset and probably not meant: what nobody answers, what nobody measures, gates too high."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator, Sequence

from uaef.data.conversations.claims import reaches
from uaef.metrics.base import Metric
from uaef.metrics.checks.base import Factory
from uaef.metrics.judged import JudgeMetric
from uaef.metrics.named import metric_named
from uaef.models.case import Ask, Case, ClaimKind, NamedClaim
from uaef.models.ground_truth import GroundTruth
from uaef.text.numbers import listed

_some = functools.partial(listed, most=5)
_ANSWER = frozenset({"expected_output", "criteria"})
_CALLS = frozenset({"expected_tool_calls"})
_LOOKING = {
    "matches_expected": _ANSWER,
    "includes_expected": _ANSWER,
    "numbers_match": _ANSWER,
    "writes_match": _CALLS,
}
"""The checks that look at what is expected, and at which part of it."""
_GRADING = "similarity"
"""The check whose answer is a matter of degree."""
_GRADES = ("0-1", "1-5", "count")
"""The scales of a judge on which the best of all answers is rare."""


def unanswered(source: str, cases: Sequence[Case]) -> Iterator[str]:
    """What the expected conversation lacks; the last turn of a conversation is never shown to another."""
    shown = [named for case in cases for named in zip(case.turn_names[:-1], case.asks[:-1], strict=True)]
    replayed = [name for name, ask in shown if ask.reply is None and ask.golden is not None]
    silent = [name for name, ask in shown if ask.golden is None]
    if replayed:
        yield (
            f"{source}: {_some(replayed)} {_have(replayed)} no reply, so later turns are shown what stands under "
            "expect as if the assistant had said it; where that is a criterion, add a reply"
        )
    if silent:
        yield (
            f"{source}: {_some(silent)} {_have(silent)} neither reply nor expect, so later turns are shown no "
            "answer to them"
        )


def unmeasured(source: str, cases: Sequence[Case]) -> Iterator[str]:
    """Sentences on turns whose answer is expected and not measured, on those whose calls are, and on the rest."""
    kinds: tuple[tuple[str, frozenset[str], Callable[[GroundTruth], bool], str], ...] = (
        ("what to expect", _ANSWER, lambda gt: bool(gt.expected_output or gt.criteria), "meets_expectation"),
        ("which tools", _CALLS, lambda gt: gt.expected_tool_calls is not None, "tool_selection_accuracy"),
    )
    turns = [(name, ask, case) for case in cases for name, ask in zip(case.turn_names, case.asks, strict=True)]
    for said, needs, expects, metric in kinds:
        names = [
            name
            for name, ask, case in turns
            if ask.expected and expects(ask.expected) and not _is_measured(ask, case, needs)
        ]
        if names:
            yield (
                f"{source}: {_some(names)} {'says' if len(names) == 1 else 'say'} {said}, and nothing measures it; "
                f"add {metric} to the gates or metrics"
            )
    bare = [case.case_id for case in cases if not _asks_for_anything(case)]
    if bare:
        them = "it" if len(bare) == 1 else "them"
        yield f"{source}: {_some(bare)} {_have(bare)} no expect, and nothing that is measured is about {them}"


def strict_gates(cases: Iterable[Case]) -> Iterator[str]:
    """A sentence on each gate that only the full score passes, of a measure that is a matter of degree."""
    levels = [claims for case in cases for claims in (case.claims, *(ask.claims for ask in case.asks))]
    claims = [claim for level in levels for claim in level]
    # What stands on the level of the dataset is laid on every conversation, and said once.
    for place, claim in {claim.place: claim for claim in claims if claim.at_least is None}.items():
        metric = metric_named(claim.name, claim.arguments)
        if claim.kind is ClaimKind.GATE and _is_graded(metric):
            yield (
                f"{place}: {metric.key} is a number from 0 to 1, and this gate is only passed at 1; "
                "say with at_least how much will do"
            )


def _asks_for_anything(case: Case) -> bool:
    whole = case.expected is not None and case.expected.expected_tool_calls is not None
    return whole or bool(case.claims) or any(ask.claims or ask.expected for ask in case.asks)


def _is_measured(ask: Ask, case: Case, needs: frozenset[str]) -> bool:
    claims = [*ask.claims, *(claim for claim in case.claims if reaches(claim, ask.tags))]
    return any(not needs.isdisjoint(_needs(claim)) for claim in claims)


def _needs(claim: NamedClaim) -> Iterable[str]:
    """What a metric or a check, or one inside of it, looks at."""
    metric = metric_named(claim.name, claim.arguments)
    return (*metric.needs, *(need for name in _made_by(metric.definition) for need in _LOOKING.get(name, ())))


def _is_graded(metric: Metric) -> bool:
    if isinstance(metric, JudgeMetric):
        return metric.rubric.scale in _GRADES
    return _GRADING in _made_by(metric.definition)


def _made_by(definition: object) -> Iterator[str]:
    """The names of the checks in a definition: of the check, and of those that it is made of."""
    match definition:
        case (Factory() as made, dict() as arguments):
            yield made.name
            for argument in arguments.values():
                yield from _made_by(argument)
        case tuple():
            for part in definition:
                yield from _made_by(part)


def _have(names: Sequence[str]) -> str:
    return "has" if len(names) == 1 else "have"
