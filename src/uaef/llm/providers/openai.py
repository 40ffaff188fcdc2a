"""OpenAI's chat completions, which every compatible server speaks: Azure, vLLM, Ollama, LM Studio, OpenRouter."""

from __future__ import annotations

import os
from collections.abc import Mapping
from urllib.parse import urlsplit

from uaef.errors import ProviderError
from uaef.llm.chat import Finish, Prompt, Reply, finish_of
from uaef.llm.providers.base import VERDICT, HttpRequest, count_at, dig, needed, server

_OWN = "https://api.openai.com/v1"


class OpenAIProvider:
    """``POST {base}/chat/completions`` with ``response_format`` json_schema.

    Args:
        model: the model's name.
        base_url: the server; left out, ``OPENAI_BASE_URL``, else OpenAI.
        temperature: ``None`` leaves it to the model.
    """

    optional = ("response_format", "temperature")
    other_names: Mapping[str, str] = {"max_tokens": "max_completion_tokens", "max_completion_tokens": "max_tokens"}

    def __init__(self, model: str, *, base_url: str | None = None, temperature: float | None = 0.0) -> None:
        self.label = f"openai:{model}"
        self._model = model
        self._base = server(base_url or os.environ.get("OPENAI_BASE_URL") or _OWN, self.label)
        self.origin = f"{self._base} at temperature {temperature}"
        self._temperature = temperature
        own = self._base == _OWN
        # A server of one's own seldom asks for a key; OpenAI calls the limit by a newer name than the others.
        self._key = needed("OPENAI_API_KEY", self.label) if own else os.environ.get("OPENAI_API_KEY", "").strip()
        self._limit = "max_completion_tokens" if own else "max_tokens"

    @property
    def secrets(self) -> list[str]:
        """The key."""
        return [self._key] if self._key else []

    def request(self, prompt: Prompt) -> HttpRequest:
        """The request for ``prompt``."""
        payload: dict[str, object] = {
            "model": self._model,
            "messages": [
                {"role": "system", "content": prompt.system},
                *({"role": role, "content": text} for role, text in prompt.messages),
            ],
            self._limit: prompt.max_tokens,
            "response_format": {
                "type": "json_schema",
                "json_schema": {"name": VERDICT, "strict": True, "schema": prompt.schema},
            },
        }
        if self._temperature is not None:
            payload["temperature"] = self._temperature
        return HttpRequest(url=f"{self._base}/chat/completions", headers=self._headers(), payload=payload)

    def reply(self, data: Mapping[str, object]) -> Reply:
        """What the response says; nothing at all is an empty text."""
        message, choices = dig(data, "choices", 0, "message"), dig(data, "choices")
        if not isinstance(message, Mapping) or not isinstance(choices, list) or len(choices) > 1 or data.get("error"):
            unread = f"the response has no single choice: {str(data)[:300]}"
            raise ProviderError(unread, status=200, may_be_billed=True)
        refusal, content = message.get("refusal"), message.get("content")
        finish = finish_of(dig(data, "choices", 0, "finish_reason"))
        return Reply(
            text=next((text for text in (refusal, content) if text and isinstance(text, str)), ""),
            finish=Finish.REFUSAL if refusal else finish,
            input_tokens=count_at(data, "usage", "prompt_tokens"),
            output_tokens=count_at(data, "usage", "completion_tokens"),
            model=str(dig(data, "model") or self._model),
        )

    async def signed(self, request: HttpRequest, body: bytes) -> Mapping[str, str]:  # noqa: ARG002 - a key signs any body
        """The headers, which hold the key."""
        return request.headers

    def _headers(self) -> dict[str, str]:
        headers = {"Content-Type": "application/json"}
        if self._key:
            headers["Authorization"] = f"Bearer {self._key}"
            if (urlsplit(self._base).hostname or "").endswith(".azure.com"):
                headers["api-key"] = self._key
        return headers
