"""What the assistant said in a window, for checks: which messages count, and how they are quoted."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal, TypeAlias

from uaef.metrics.base import Found
from uaef.metrics.checks.base import Test
from uaef.models.conversation import Conversation
from uaef.models.reading import shown
from uaef.models.scores import MetricScore
from uaef.text.folding import visible

Where: TypeAlias = Literal["all", "final"]
"""Which of the assistant's messages count: all of them, or the last one that says something."""

NOTHING_SAID = "the assistant said nothing"
NOTHING_DONE = "the assistant said nothing and called nothing"
SILENT = "silent"
"""The metadata key of a no that silence gave: its opposite is no yes."""
_AROUND = 40
_LONGEST = 200


def said(window: Conversation, where: Where) -> list[str]:
    """The assistant's messages that count, without those in which nothing can be seen."""
    replies = [text for text in window.replies if visible(text).strip()]
    return replies if where == "all" else replies[-1:]


def by_replies(where: Where, decide: Callable[[list[str]], Found]) -> Test:
    """The test that asks ``decide`` about the messages that count; no, where there are none."""

    def test(window: Conversation) -> Found:
        replies = said(window, where)
        return decide(replies) if replies else silent()

    return test


def idle(window: Conversation) -> bool:
    """Whether the assistant neither said nor called anything."""
    return not window.tool_calls and not said(window, "all")


def silent(reason: str = NOTHING_SAID, *, is_graded: bool = False) -> MetricScore:
    """No, or of what is ``graded`` nothing, because nothing was said or done."""
    kind = {} if is_graded else {"check": True}
    return MetricScore(metric_name=SILENT, score=0.0, reasoning=reason, metadata={**kind, SILENT: True})


def told(replies: Sequence[str]) -> str:
    """What was said, shortened: the last message, and how many there were."""
    last = f"it said {shown(replies[-1])}"
    return last if len(replies) == 1 else f"{last}, the last of {len(replies)} messages"


def excerpt(text: str, start: int, stop: int) -> str:
    """The part of a text from ``start`` to ``stop`` with a little around it, as a literal."""
    first, last = max(0, start - _AROUND), min(len(text), max(stop, start) + _AROUND, start + 3 * _AROUND)
    return f"{'...' if first else ''}{text[first:last]!r}{'...' if last < len(text) else ''}"


def shortened(text: str) -> str:
    """A reason's part, cut to what can be read."""
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."
