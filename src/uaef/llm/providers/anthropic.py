"""Anthropic's Messages API; the answer's schema goes as the input of a tool that must be called."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

from uaef.llm.chat import Prompt, Reply, finish_of
from uaef.llm.providers.base import VERDICT, HttpRequest, count_at, dig, needed, server
from uaef.llm.providers.blocks import blocks_at, reply_text

_OWN = "https://api.anthropic.com"


class AnthropicProvider:
    """``POST {base}/v1/messages``.

    Args:
        model: the model's name.
        base_url: the server; left out, ``ANTHROPIC_BASE_URL``, else Anthropic.
        temperature: ``None`` leaves it to the model.
    """

    optional: Sequence[str] = ("temperature", "tool_choice")
    other_names: Mapping[str, str] = {}

    def __init__(self, model: str, *, base_url: str | None = None, temperature: float | None = 0.0) -> None:
        self.label = f"anthropic:{model}"
        self._model = model
        self._base = server(base_url or os.environ.get("ANTHROPIC_BASE_URL") or _OWN, self.label)
        self.origin = f"{self._base} at temperature {temperature}"
        self._temperature = temperature
        self._key = needed("ANTHROPIC_API_KEY", self.label)

    @property
    def secrets(self) -> list[str]:
        """The key."""
        return [self._key]

    def request(self, prompt: Prompt) -> HttpRequest:
        """The request for ``prompt``."""
        payload: dict[str, object] = {
            "model": self._model,
            "max_tokens": prompt.max_tokens,
            "system": prompt.system,
            "messages": [{"role": role, "content": text} for role, text in prompt.messages],
            "tools": [{"name": VERDICT, "description": "Give the verdict.", "input_schema": prompt.schema}],
            "tool_choice": {"type": "tool", "name": VERDICT},
        }
        if self._temperature is not None:
            payload["temperature"] = self._temperature
        headers = {
            "Content-Type": "application/json",
            "x-api-key": self._key,
            "anthropic-version": "2023-06-01",
        }
        return HttpRequest(url=f"{self._base}/v1/messages", headers=headers, payload=payload)

    def reply(self, data: Mapping[str, object]) -> Reply:
        """What the response says; nothing at all is an empty text."""
        blocks = blocks_at(data, "content")
        return Reply(
            text=reply_text(
                (b.get("name") == VERDICT, b.get("input"), b.get("text"))
                for b in blocks
                if b.get("type") in ("tool_use", "text")
            ),
            finish=finish_of(dig(data, "stop_reason")),
            input_tokens=count_at(data, "usage", "input_tokens"),
            output_tokens=count_at(data, "usage", "output_tokens"),
            model=str(dig(data, "model") or self._model),
        )

    async def signed(self, request: HttpRequest, body: bytes) -> Mapping[str, str]:  # noqa: ARG002 - a key signs any body
        """The headers, which hold the key."""
        return request.headers
