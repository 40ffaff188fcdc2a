"""How many tokens a prompt has, where that is needed before a provider counts them."""

from __future__ import annotations

import msgspec

from uaef.llm.chat import Prompt

CHARACTERS_PER_TOKEN = 4
"""A rule of thumb for English text."""


def tokens_in(prompt: Prompt) -> int:
    """About how many tokens a prompt has."""
    return (len(prompt.system) + sum(len(text) for _, text in prompt.messages)) // CHARACTERS_PER_TOKEN + 1


def most_tokens_in(prompt: Prompt) -> int:
    """How many tokens a prompt has at most: no token is shorter than a byte."""
    return len(msgspec.json.encode(prompt))
