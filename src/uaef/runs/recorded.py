"""Recordings held to the cases of a dataset: measured by what the dataset asserts, without playing anything."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence

from uaef.data.conversations import first_number
from uaef.errors import UaefError
from uaef.evaluation.offline import OnResult, failed_result, one_by_one
from uaef.evaluation.scoring import measure
from uaef.evaluation.settings import Settings
from uaef.evaluation.summary import Ruler, summarise
from uaef.models.case import Case
from uaef.models.conversation import Conversation
from uaef.models.ground_truth import GroundTruth
from uaef.models.results import EvaluationResult
from uaef.runs.jobs import Assertions, assertions_of, ruled


async def score_recorded(
    conversations: Sequence[Conversation],
    expected: Sequence[GroundTruth | None],
    cases: Mapping[str, Case],
    settings: Settings,
    on_result: OnResult | None = None,
) -> list[EvaluationResult]:
    """The result of each conversation, measured by what its case asserts; nothing is measured where it has none.

    Args:
        conversations: what was recorded.
        expected: what is expected of each.
        cases: by the name of the conversation.
        settings: who judges.
        on_result: called with each result as it is there.

    Raises:
        UaefError: what a case asserts cannot be measured; naming where it was written.
    """
    pending = [
        functools.partial(_scored, _labelled(conversation, cases), truth, _ruler(conversation, cases, settings))
        for conversation, truth in zip(conversations, expected, strict=True)
    ]
    async with settings.judging():
        return await one_by_one(pending, settings, on_result)


def _labelled(conversation: Conversation, cases: Mapping[str, Case]) -> Conversation:
    """What was recorded, in the cohorts of its case and of its asks."""
    case = cases.get(conversation.conversation_id)
    if case is None:
        return conversation
    return conversation.labelled(case.tags, {n: a.tags for n, a in enumerate(case.asks, first_number(conversation))})


def _ruler(conversation: Conversation, cases: Mapping[str, Case], settings: Settings) -> Ruler:
    case = cases.get(conversation.conversation_id)
    asserted = Assertions() if case is None else assertions_of(case, first_number(conversation))
    return ruled(asserted, settings.judge)[0]


async def _scored(conversation: Conversation, truth: GroundTruth | None, ruler: Ruler) -> EvaluationResult:
    try:
        known = conversation if truth is None else conversation.expecting(truth)
        return summarise(known, ruler, await measure(known, ruler.plan))
    except UaefError as error:
        return failed_result(conversation, error)
