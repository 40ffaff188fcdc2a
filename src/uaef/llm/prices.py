"""What a call costs, from an offline price list. A model that is not on it has no price, not a price of 0."""

from __future__ import annotations

from typing import NamedTuple, Self

from uaef.llm.limits import not_below_zero


class _Rates(NamedTuple):
    input_usd: float
    output_usd: float


class Price(_Rates):
    """Dollars for a million tokens.

    Raises:
        UsageError: a rate is no finite number of at least 0.
    """

    __slots__ = ()

    def __new__(cls, input_usd: float, output_usd: float) -> Self:
        """A price that a budget can be kept by."""
        not_below_zero("input_usd", input_usd)
        not_below_zero("output_usd", output_usd)
        return super().__new__(cls, input_usd, output_usd)

    def of(self, input_tokens: int, output_tokens: int) -> float:
        """Dollars for so many tokens."""
        return (input_tokens * self.input_usd + output_tokens * self.output_usd) / 1e6


_SAMPLE = 1000
"""Tokens of an ordinary call; beyond some hundred thousand a higher rate may hold."""
_PROVIDERS = {"openai": "openai", "anthropic": "anthropic", "bedrock": "aws"}


def price_of(label: str) -> Price | None:
    """The price of ``"provider:model"``; ``None`` where the list does not know it or is not installed."""
    provider, _, model = label.partition(":")
    if provider not in _PROVIDERS:
        return None
    try:
        from genai_prices import Usage, calc_price  # noqa: PLC0415 - an extra
    except ImportError:
        return None
    try:
        read = calc_price(Usage(input_tokens=_SAMPLE), model_ref=model, provider_id=_PROVIDERS[provider])
        written = calc_price(Usage(output_tokens=_SAMPLE), model_ref=model, provider_id=_PROVIDERS[provider])
    except LookupError:
        return None
    return Price(*(float(cost.total_price * 1_000_000 / _SAMPLE) for cost in (read, written)))
