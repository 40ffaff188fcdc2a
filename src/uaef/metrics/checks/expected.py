"""Checks against the window's own ground truth: the text and the numbers that were expected."""

from __future__ import annotations

from collections.abc import Awaitable, Mapping
from decimal import Decimal
from itertools import chain

from uaef.metrics.base import Found
from uaef.metrics.checks.base import Test, factory
from uaef.metrics.checks.said import SILENT, Where, said, shortened, silent, told
from uaef.metrics.checks.text import find
from uaef.models.conversation import Conversation
from uaef.models.reading import shown
from uaef.models.scores import MetricScore, score_of
from uaef.text.by_turn import is_joined
from uaef.text.folding import folded
from uaef.text.words import numbers_in

_NO_TEXT = None, "no expected output is given"


@factory
def matches_expected(*, ignore_case: bool = True, where: Where = "all") -> Test:
    """Whether a message of the assistant is the expected output and nothing else.

    White space around it does not count. Where turns have an output of their own, each has to be that of its turn,
    and one that was given for the whole has to be said somewhere. Not applicable where none is expected.
    """

    def test(window: Conversation) -> Found:
        wanted = _expected(window, ignore_case=ignore_case)
        if not wanted:
            return _NO_TEXT
        replies = said(window, where)
        if not replies:
            return silent()
        if any(folded(reply, ignore_case=ignore_case).strip() == wanted for reply in replies):
            return True, f"says {shown(wanted)} as expected"
        return False, f"expected {shown(wanted)}; {told(replies)}"

    return _turn_by_turn(test)


@factory
def includes_expected(*, ignore_case: bool = True, where: Where = "all") -> Test:
    """Whether a message of the assistant contains the expected output; any white space is one blank.

    Where turns have an output of their own, each has to be contained in a message of its turn, and one that was given
    for the whole in any message. Not applicable where none is expected.
    """

    def test(window: Conversation) -> Found:
        wanted = _expected(window, ignore_case=ignore_case)
        if not wanted:
            return _NO_TEXT
        replies = said(window, where)
        if not replies:
            return silent()
        found = find(wanted, replies, ignore_case=ignore_case)
        return (True, f"says {found}") if found else (False, f"expected {shown(wanted)}; {told(replies)}")

    return _turn_by_turn(test)


@factory
def numbers_match(
    numbers: list[int | float] | int | float | None = None,  # noqa: PYI041 - a long number is no float
    *,
    tolerance: float = 0.0,
    where: Where = "all",
) -> Test:
    """Whether the assistant states each of ``numbers``; left out, each number of the expected output.

    A number is the same however it is written ("1,200.50", "1200.5", "two" for 2), and within ``tolerance`` of it.
    Where turns have an expected output of their own, the numbers of each have to be stated in its turn, and those of
    an output that was given for the whole anywhere. Not applicable where no number is expected.
    """
    several = [numbers] if isinstance(numbers, int | float) else numbers
    given = None if several is None else [Decimal(repr(number)) for number in several]
    if given == [] or not all(number.is_finite() for number in given or ()):
        raise ValueError("numbers: at least one is needed, and each must be finite")
    if not 0 <= tolerance < float("inf"):
        raise ValueError("tolerance: it must be finite and at least 0")
    margin = Decimal(repr(tolerance))

    def test(window: Conversation) -> Found:
        wanted = list(dict.fromkeys(numbers_in(_text(window)))) if given is None else given
        if not wanted:
            return None, "no number is expected"
        replies = said(window, where)
        if not replies:
            return silent()
        stated = list(dict.fromkeys(chain.from_iterable(map(numbers_in, replies))))
        missing = [number for number in wanted if not _near(number, stated, margin)]
        if not missing:
            return True, f"states {_listed(wanted)}"
        return False, f"does not state {_listed(missing)}; the numbers it states: {_listed(stated) or 'none'}"

    return _turn_by_turn(test) if given is None else test


def _near(number: Decimal, stated: list[Decimal], margin: Decimal) -> bool:
    return number in stated if not margin else any(abs(number - other) <= margin for other in stated)


def _listed(numbers: list[Decimal]) -> str:
    return shortened(", ".join(f"{number:f}" for number in numbers))


def _text(window: Conversation) -> str:
    return (window.expected and window.expected.expected_output) or ""


def _turn_by_turn(test: Test) -> Test:
    """The test, which asks each of several turns with expectations of their own by itself, and the whole for its own.

    What is expected of the whole only because it is expected of its turns is left to them.
    """

    def each(window: Conversation) -> Found | Awaitable[Found]:
        own = window.expected.turns if window.expected is not None and len(window) > 1 else {}
        if not any(entry.expected_output for entry in own.values()):
            return test(window)
        turns = [turn for turn in window if turn.numbers[0] in own]
        found = {f"turn {turn.numbers[0]}": score_of("turn", test(turn)) for turn in turns}
        if not is_joined(_text(window), {number: entry.expected_output for number, entry in own.items()}):
            found["the whole conversation"] = score_of("whole", test(window))
        return _of_all(found)

    return each


def _of_all(found: Mapping[str, MetricScore]) -> Found:
    """Whether all that apply hold, and where the first does not; one of silence, if silence is all that is wrong."""
    broken = {where: score for where, score in found.items() if score.score == 0}
    for where, score in broken.items():
        reason = f"{where}: {score.reasoning}"
        return silent(reason) if all(SILENT in other.metadata for other in broken.values()) else (False, reason)
    if any(score.score for score in found.values()):
        return True, "every turn that has an expected output does"
    return next((score for score in found.values() if score.reasoning), None) or _NO_TEXT


def _expected(window: Conversation, *, ignore_case: bool) -> str:
    return folded(_text(window), ignore_case=ignore_case).strip()
