"""Which turns fail on their own, and which because of an earlier one: two plays of a conversation, side by side."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from uaef.models.names import slice_name
from uaef.models.results import EvaluationResult
from uaef.runs.results import Cascade

_CAUSES = {False: "its own", None: "unknown", True: ""}
"""Why a turn fails, by whether it passes on the expected history; if it does, what was really said is to blame."""


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
    for place, number in enumerate(dict.fromkeys([*expected.turns_passed, *actual.turns_passed])):
        alone, together = expected.turns_passed.get(number), actual.turns_passed.get(number)
        if False not in (alone, together):
            continue
        failing = expected if alone is False else actual
        yield Cascade(
            slice_name=slice_name(expected.name, [number]),
            alone=alone,
            in_conversation=together,
            cause=_CAUSES[alone] or ("an earlier turn" if place else "chance"),
            reason=_reason(failing, number),
        )


def _reason(result: EvaluationResult, number: int) -> str | None:
    """What is said of the turn: the reason of a claim that it broke, else of a measurement that is too low."""
    claims = [claim.reason for claim in result.claims if number in claim.broken_by and claim.reason]
    checks = [m for m in result.measurements if m.turns == (number,) and m.score.score == 0 and m.score.reasoning]
    return next(iter([*claims, *(f"{m.metric}: {m.score.reasoning}" for m in checks)]), None)
