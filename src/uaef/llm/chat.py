"""What is asked of a language model and what it answers, whoever provides it."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Protocol, Self, runtime_checkable

from uaef.models.base import Record

JsonSchema = Mapping[str, object]


class Prompt(Record, frozen=True):
    """What a model is asked.

    Attributes:
        system: what it is told to do.
        messages: what was said so far, as pairs of role (``user``, ``assistant``) and text; the last is the user's.
        schema: the JSON schema of the answer.
        max_tokens: how long the answer may be.
    """

    system: str
    messages: tuple[tuple[str, str], ...]
    schema: dict[str, object]
    max_tokens: int = 2048


class Finish(StrEnum):
    """Why the model stopped."""

    DONE = "done"
    LENGTH = "length"
    """It was cut off; what there is must not be read as an answer."""
    REFUSAL = "refusal"
    OTHER = "other"
    """Anything else that is not the end of an answer."""


_FINISHES = {
    **dict.fromkeys(("", "stop", "end_turn", "stop_sequence", "tool_use", "tool_calls"), Finish.DONE),
    **dict.fromkeys(("complete", "completed", "eos", "eos_token"), Finish.DONE),
    **dict.fromkeys(("length", "max_tokens", "max_output_tokens", "incomplete"), Finish.LENGTH),
    "model_context_window_exceeded": Finish.LENGTH,
    **dict.fromkeys(("content_filter", "content_filtered", "guardrail_intervened", "refusal"), Finish.REFUSAL),
    **dict.fromkeys(("safety", "prohibited_content", "blocklist", "spii"), Finish.REFUSAL),
}
"""The words of all providers for the same few ends."""


def finish_of(word: object) -> Finish:
    """Why the model stopped, in the provider's word; a word that nobody knows is no end of an answer."""
    return Finish.DONE if word is None else _FINISHES.get(str(word).lower(), Finish.OTHER)


class Reply(Record, frozen=True):
    """What a model answered.

    Attributes:
        text: the answer; what came as structured data is JSON here.
        finish: why it stopped.
        input_tokens: read, where the provider says.
        output_tokens: written, where the provider says.
        model: the model that answered, in the provider's words.
        lost: how many attempts before it may have been billed, although no answer came of them.
    """

    text: str
    finish: Finish = Finish.DONE
    input_tokens: int | None = None
    output_tokens: int | None = None
    model: str | None = None
    lost: int = 0


@runtime_checkable
class ChatClient(Protocol):
    """Whoever answers prompts.

    Entered (``async with``) for the length of a run, so that one pool of connections serves all its calls.
    """

    @property
    def label(self) -> str:
        """Provider and model: ``"openai:gpt-4.1-mini"``."""

    @property
    def origin(self) -> str:
        """What else an answer depends on: the server and the parameters, as far as they are known."""

    async def complete(self, prompt: Prompt) -> Reply:
        """The answer.

        Raises:
            ProviderError: there is none, after everything that could be tried again was.
        """

    async def __aenter__(self) -> Self:
        """Open what the calls of a run share."""

    async def __aexit__(self, *exception: object) -> None:
        """Close it again."""
