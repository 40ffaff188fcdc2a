"""Which turns fail on their own, and which because of an earlier one: two plays of a conversation, side by side."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from uaef.models.results import EvaluationResult
from uaef.runs.results import Cascade


def cascades(expected: Sequence[EvaluationResult], actual: Sequence[EvaluationResult]) -> list[Cascade]:
    """Every turn that does not pass in one of the two plays, in the order of the conversations.

    Args:
        expected: the results on the expected history.
        actual: those on what was really said, of as many of them as were played so.
    """
    played = {(result.name, result.trial): result for result in actual}
    pairs = ((result, played.get((result.name, result.trial))) for result in expected)
    return [found for alone, together in pairs if together is not None for found in _turns(alone, together)]


def _turns(expected: EvaluationResult, actual: EvaluationResult) -> Iterator[Cascade]:
    for number in dict.fromkeys([*expected.turns_passed, *actual.turns_passed]):
        found = Cascade(
            slice_name=f"{expected.name}#{number}",
            alone=expected.turns_passed.get(number),
            in_conversation=actual.turns_passed.get(number),
        )
        if found.cause is not None:
            yield found
