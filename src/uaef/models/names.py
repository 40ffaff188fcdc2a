"""What turns and stretches of turns are called, everywhere: ``refund#3``, ``refund#3-5``."""

from __future__ import annotations

from collections.abc import Sequence


def slice_name(conversation: str, numbers: Sequence[int] = ()) -> str:
    """A window of a conversation by the numbers of its turns; without any, the conversation itself."""
    return f"{conversation}#{stretch(numbers)}" if numbers else conversation


def stretch(numbers: Sequence[int]) -> str:
    """``3``, ``3-5``: the turns of a window, at least one, from the first to the last."""
    first, last = numbers[0], numbers[-1]
    return f"{first}" if first == last else f"{first}-{last}"
