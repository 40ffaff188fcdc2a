"""What the turns that failed have in common."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from uaef.models.results import EvaluationResult

_FEWEST = 3
"""Of fewer failures nothing is said: two of a kind are no pattern."""
_SHARE = 0.6


class _Decided(NamedTuple):
    """A turn of which it is known whether it passes, and the cohorts that it belongs to."""

    passed: bool
    tags: tuple[str, ...]


def standing_out(results: Iterable[EvaluationResult]) -> str | None:
    """The tag that most failures share, in a sentence: ``4 of 5 failures are tagged context-retention``.

    A tag stands out if at least three turns failed, at least 60% of them carry it, and more of them do than of the
    turns that passed.
    """
    decided = [turn for result in results for turn in _turns(result)]
    failed = Counter(tag for turn in decided if not turn.passed for tag in turn.tags)
    n_failed = sum(not turn.passed for turn in decided)
    if n_failed < _FEWEST or not failed:
        return None
    tag, times = failed.most_common(1)[0]
    passed = [tag in turn.tags for turn in decided if turn.passed]
    if times < _SHARE * n_failed or (passed and times / n_failed <= sum(passed) / len(passed)):
        return None
    others = f" ({sum(passed)} of {len(passed)} turns that passed are)" if passed else ""
    return f"{times} of {n_failed} failures are tagged {tag}{others}"


def _turns(result: EvaluationResult) -> Iterator[_Decided]:
    if result.conversation is None:
        return
    for turn in result.conversation:
        passed = result.turns_passed.get(turn.numbers[0])
        if passed is not None:
            yield _Decided(passed, turn.tags)
