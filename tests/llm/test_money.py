"""Prices from an offline list, and a budget that is never exceeded."""

from __future__ import annotations

import asyncio
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from uaef.errors import ProviderError
from uaef.llm.budget import Budget
from uaef.llm.prices import Price, price_of


@pytest.mark.parametrize(
    ("label", "price"),
    [
        ("openai:gpt-4o-mini", Price(0.15, 0.6)),
        ("openai:gpt-4.1-mini", Price(0.4, 1.6)),
        ("openai:gpt-4.1-mini-2025-04-14", Price(0.4, 1.6)),
        ("anthropic:claude-sonnet-4-5", Price(3, 15)),
        ("anthropic:claude-haiku-4-5", Price(1, 5)),
        ("bedrock:amazon.nova-lite-v1:0", Price(0.06, 0.24)),
        ("bedrock:us.anthropic.claude-3-5-sonnet-20241022-v2:0", Price(3, 15)),
    ],
)
def test_known_models_have_a_price(label, price):
    """Dollars for a million tokens, at the rate of a prompt of ordinary length."""
    assert pytest.approx(price) == price_of(label)


@pytest.mark.parametrize(
    "label", ["openai:nobody-knows", "openai:", "ollama:llama3", "function:judge", "gpt-4o-mini"]
)
def test_an_unknown_model_has_no_price(label):
    """None, never 0."""
    assert price_of(label) is None


def test_without_the_list_nothing_has_a_price(monkeypatch):
    """It is an extra."""
    monkeypatch.setitem(sys.modules, "genai_prices", None)
    assert price_of("openai:gpt-4o-mini") is None


def test_a_price_is_for_a_million_tokens():
    """Of each kind."""
    assert 0.5 == Price(1, 4).of(100_000, 100_000)


def test_a_call_that_would_exceed_the_budget_is_not_made():
    """However little is missing; the error is final."""

    async def run():
        budget = Budget(1.0)
        await budget.reserve(1.0)
        budget.settle(1.0, 0.6)
        await budget.reserve(0.5)

    with pytest.raises(ProviderError) as raised:
        asyncio.run(run())
    assert "not asked: $0.6000 are spent, and a call of up to $0.5000 would exceed max_cost_usd=$1" == str(
        raised.value
    )
    assert not raised.value.transient


def test_a_call_waits_for_what_others_give_back():
    """Only what is under way stands in its way: it may cost less than was set aside."""

    async def run():
        budget = Budget(1.0)
        await budget.reserve(0.9)
        waiting = [asyncio.create_task(budget.reserve(0.5)) for _ in range(3)]
        await asyncio.sleep(0.01)
        assert [False] * 3 == [task.done() for task in waiting]
        waiting[0].cancel()
        budget.settle(0.9, 0.1)
        await asyncio.sleep(0.01)
        assert [True, True, False] == [task.done() for task in waiting]
        budget.settle(0.5, 0.5)
        await asyncio.wait(waiting)
        assert "not asked: $0.6000 are spent" in str(waiting[2].exception())

    asyncio.run(run())


def test_no_limit_is_no_limit():
    """It only counts."""

    async def run():
        budget = Budget()
        await budget.reserve(1e9)
        await budget.reserve(1e9)
        budget.settle(1e9, 5.0)
        return budget.spent_usd

    assert 5.0 == asyncio.run(run())


@given(st.floats(0, 10), st.lists(st.tuples(st.floats(0, 3), st.floats(0, 1), st.integers(0, 3)), max_size=30))
def test_a_budget_is_never_exceeded(most, calls):
    """Whatever calls cost, as long as none costs more than was set aside for it, in whatever order they end."""
    budget = Budget(most)

    async def call(reserved, share, steps):
        try:
            await budget.reserve(reserved)
        except ProviderError:
            return
        for _ in range(steps):
            await asyncio.sleep(0)
        budget.settle(reserved, reserved * share)
        assert budget.spent_usd <= most

    async def run():
        await asyncio.wait_for(asyncio.gather(*(call(*each) for each in calls)), 10)

    asyncio.run(run())
    assert budget.spent_usd <= most
