"""Checks of how much it took."""

from __future__ import annotations

import pytest

from uaef import checks
from uaef.errors import MetricError
from uaef.models import ScoreStatus


@pytest.mark.parametrize(
    ("check", "score"),
    [
        (checks.max_words(4), 1.0),
        (checks.max_words(3), 0.0),
        (checks.max_words(2, where="final"), 1.0),
        (checks.max_latency(1.5), 1.0),
        (checks.max_latency(1.49), 0.0),
        (checks.max_cost(0.02), 1.0),
        (checks.max_cost(0.019), 0.0),
        (checks.max_cost(0), 0.0),
    ],
)
def test_limits(found, saying, check, score):
    """A limit that is met exactly is met."""
    assert score == found(check, saying("One moment.", "It rains.", latency=1.5, cost=0.02)).score


def test_turns_add_up(found, saying):
    """Of a whole conversation, all turns count together; what one does not know, the whole does not."""
    turns = [saying("It rains.", latency=1.0) for _ in range(3)]
    assert 0.0 == found(checks.max_latency(2), *turns).score
    assert 0.0 == found(checks.max_words(5), *turns).score
    assert ScoreStatus.NOT_APPLICABLE is found(checks.max_latency(2), *turns, saying("x")).status


@pytest.mark.parametrize("check", [checks.max_latency(1), checks.max_cost(1), checks.max_words(1)])
def test_what_is_not_known_is_not_small(found, saying, check):
    """Nothing recorded and nothing said do not keep a limit."""
    assert ScoreStatus.NOT_APPLICABLE is found(check, saying()).status


def test_reasons_say_how_much(found, saying):
    """The figure and the limit."""
    assert "took 3 s, at most 2 s wanted" == found(checks.max_latency(2), saying("x", latency=3)).reasoning
    assert "cost $0.5, at most $0.1 wanted" == found(checks.max_cost(0.1), saying("x", cost=0.5)).reasoning
    assert "2 words in 1 messages, at most 1 wanted" == found(checks.max_words(1), saying("a b")).reasoning


@pytest.mark.parametrize(
    ("make", "problem"),
    [
        (lambda: checks.max_latency(float("nan")), "seconds: it must be finite"),
        (lambda: checks.max_latency(-1), "seconds: it must be finite and at least 0"),
        (lambda: checks.max_cost(float("inf")), "dollars: it must be finite"),
        (lambda: checks.max_words(0), r"max_words\(most=0\): Expected int >= 1"),
        (lambda: checks.max_words(most=True), r"max_words\(most=True\): Expected int, got bool"),
    ],
)
def test_limits_that_are_none_are_refused(make, problem):
    """Naming the parameter."""
    with pytest.raises(MetricError, match=problem):
        make()
