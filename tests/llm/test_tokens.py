"""How many tokens a prompt has, before anybody counts them."""

from __future__ import annotations

from setup_of_judges import a_prompt

from uaef.llm.tokens import most_tokens_in, tokens_in


def test_a_long_prompt_is_counted():
    """About four characters a token; at most one a byte."""
    prompt = a_prompt("ä" * 1000)
    assert 253 == tokens_in(prompt)
    assert most_tokens_in(prompt) > 2000
