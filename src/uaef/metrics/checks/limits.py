"""Checks of how much it took: words, seconds, dollars."""

from __future__ import annotations

import math
from typing import Annotated

import msgspec

from uaef.metrics.base import Found
from uaef.metrics.checks.base import Test, factory
from uaef.metrics.checks.said import NOTHING_SAID, Where, said
from uaef.models.conversation import Conversation


@factory
def max_words(most: Annotated[int, msgspec.Meta(ge=1)], *, where: Where = "all") -> Test:
    """Whether the assistant said at most ``most`` words in the window; not applicable where it said nothing."""

    def test(window: Conversation) -> Found:
        replies = said(window, where)
        if not replies:
            return None, NOTHING_SAID
        words = sum(len(reply.split()) for reply in replies)
        return words <= most, f"{words} words in {len(replies)} messages, at most {most} wanted"

    return test


@factory
def max_latency(seconds: float) -> Test:
    """Whether the window took at most ``seconds``, all its turns together; not applicable where that is not known."""
    _bounded("seconds", seconds)

    def test(window: Conversation) -> Found:
        took = window.latency
        if took is None:
            return None, "the latency was not recorded"
        return took <= seconds, f"took {took:g} s, at most {seconds:g} s wanted"

    return test


@factory
def max_cost(dollars: float) -> Test:
    """Whether the window cost at most ``dollars``, all its turns together; not applicable where that is not known."""
    _bounded("dollars", dollars)

    def test(window: Conversation) -> Found:
        cost = window.cost
        if cost is None:
            return None, "the cost was not recorded"
        return cost <= dollars, f"cost ${cost:g}, at most ${dollars:g} wanted"

    return test


def _bounded(name: str, value: float) -> None:
    if not (math.isfinite(value) and value >= 0):
        raise ValueError(f"{name}: it must be finite and at least 0")
