"""What a case expects, as the ground truth of a conversation that was recorded or played."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from uaef.models.base import replaced
from uaef.models.case import Case
from uaef.models.conversation import Conversation
from uaef.models.ground_truth import GroundTruth
from uaef.text.by_turn import joined


def ground_truth_of(case: Case, numbers: Iterable[int] | None = None, evidence: Sequence[str] = ()) -> GroundTruth:
    """What is expected of the whole and, by its number, of each turn: answers, criteria, calls, evidence.

    Every turn has an entry, so that one of which nothing is expected is not judged by the goal of the whole.

    Args:
        case: what a dataset asks.
        numbers: the turns' numbers, in order; left out, 1, 2, 3, ...
        evidence: what answers may rest on where the case names nothing, like the results of tools.
    """
    whole, nothing = case.expected or GroundTruth(), GroundTruth()
    expected = [ask.expected or nothing for ask in case.asks]
    given = list(numbers or ())[: len(expected)]
    after = max(given, default=0)
    given += range(after + 1, after + 1 + len(expected) - len(given))
    turns = dict(zip(given, expected, strict=True))
    later = {given[-1] + n - len(given): truth for n, truth in whole.turns.items() if n > len(given)}
    calls = [turn.expected_tool_calls for turn in expected if turn.expected_tool_calls is not None]
    answers = joined({number: turn.expected_output for number, turn in turns.items()})
    return replaced(
        whole,
        expected_output=whole.expected_output or answers or None,
        expected_tool_calls=[call for turn in calls for call in turn] if calls else whole.expected_tool_calls,
        expected_arguments=whole.extras,  # the arrays among them say what turns are, before they had these numbers
        context_documents=_known_at_end(whole, expected) or list(evidence),
        turns=turns | later,
    )


def first_number(conversation: Conversation) -> int:
    """The number of the turn that a case asks first: 1, or 0 where a recording counts from 0."""
    return 0 if 0 in conversation.numbers else 1


def _known_at_end(whole: GroundTruth, turns: Sequence[GroundTruth]) -> list[str]:
    last = [turn.context_documents for turn in turns if turn.context_documents]
    return last[-1] if last else whole.context_documents
