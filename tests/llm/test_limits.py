"""Limits that are none are refused where they are given, by name, and not call by call."""

from __future__ import annotations

import math

import pytest
from asking import client_of

from uaef.errors import UsageError
from uaef.llm.objects import ObjectClient
from uaef.llm.pace import Pace
from uaef.llm.prices import Price
from uaef.llm.retries import Patience

NO_NUMBERS = [-1, -0.5, math.nan, math.inf, True, "5"]


@pytest.mark.parametrize("value", [0, *NO_NUMBERS])
@pytest.mark.usefixtures("providers")
def test_a_limit_is_a_number_above_0(value):
    """A pace of 0 would never start, and a timeout of 0 would never end well."""
    makers = {
        "requests_per_minute": lambda: Pace(requests_per_minute=value),
        "tokens_per_minute": lambda: Pace(tokens_per_minute=value),
        "timeout_s": lambda: client_of(timeout_s=value),
    }
    makers_too = [*makers.items(), ("timeout_s", lambda: ObjectClient(str, timeout_s=value))]
    for name, make in makers_too:
        with pytest.raises(UsageError) as raised:
            make()
        assert f"{name} must be a finite number above 0, got {value!r}." == str(raised.value)


@pytest.mark.parametrize("value", NO_NUMBERS)
def test_a_price_and_a_patience_may_be_0_and_no_less(value):
    """A model of one's own is free, and a run may wait for nothing."""
    assert 0.0 == Price(0, 0).of(10, 10)
    assert 0 == Patience(waiting_s=0).waiting_s
    makers = {
        "input_usd": lambda: Price(value, 1),
        "output_usd": lambda: Price(1, value),
        "waiting_s": lambda: Patience(waiting_s=value),
    }
    for name, make in makers.items():
        with pytest.raises(UsageError) as raised:
            make()
        assert f"{name} must be a finite number of at least 0, got {value!r}." == str(raised.value)


@pytest.mark.parametrize("value", [0, -1, 1.5, True, "3"])
def test_attempts_are_counted(value):
    """One at least, and no halves."""
    with pytest.raises(UsageError) as raised:
        Patience(attempts=value)
    assert f"attempts must be a whole number of at least 1, got {value!r}." == str(raised.value)
