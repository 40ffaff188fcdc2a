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
    failed = [turn for turn in decided if not turn.passed]
    passed = [turn for turn in decided if turn.passed]
    if len(failed) < _FEWEST:
        return None
    shares = {
        tag: (times / len(failed), sum(tag in turn.tags for turn in passed) / max(len(passed), 1))
        for tag, times in Counter(tag for turn in failed for tag in turn.tags).items()
    }
    telling = [tag for tag, (here, there) in shares.items() if here >= _SHARE and (not passed or here > there)]
    if not telling:
        return None
    tag = max(telling, key=lambda tag: (shares[tag][0] - shares[tag][1], shares[tag][0]))
    times, others = (sum(tag in turn.tags for turn in turns) for turns in (failed, passed))
    rest = f" ({others} of {len(passed)} turns that passed are)" if passed else ""
    return f"{times} of {len(failed)} failures are tagged {tag}{rest}"


def _turns(result: EvaluationResult) -> Iterator[_Decided]:
    if result.conversation is None:
        return
    for turn in result.conversation:
        passed = result.turns_passed.get(turn.numbers[0])
        if passed is not None:
            yield _Decided(passed, turn.tags)
