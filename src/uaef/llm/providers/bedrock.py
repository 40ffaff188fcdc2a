"""Amazon Bedrock's Converse API; requests are signed with the credentials that AWS tools find."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from urllib.parse import quote

from uaef.errors import DataError, ProviderError
from uaef.llm.chat import Prompt, Reply, finish_of
from uaef.llm.providers.base import VERDICT, HttpRequest, count_at, dig, server
from uaef.llm.providers.blocks import blocks_at, reply_text


class BedrockProvider:
    """``POST /model/{model}/converse``, signed with Signature Version 4 or sent with ``AWS_BEARER_TOKEN_BEDROCK``.

    Args:
        model: a model id, an inference profile or its ARN.
        base_url: the endpoint; left out, ``AWS_ENDPOINT_URL_BEDROCK_RUNTIME``, else that of the region.
        temperature: ``None`` leaves it to the model.

    Raises:
        DataError: ``uaef[bedrock]`` is not installed, or no region is set.
    """

    optional: Sequence[str] = ("toolConfig.toolChoice", "inferenceConfig.temperature")
    other_names: Mapping[str, str] = {}

    def __init__(self, model: str, *, base_url: str | None = None, temperature: float | None = 0.0) -> None:
        self.label = f"bedrock:{model}"
        self._model = model
        self._temperature = temperature
        try:
            from aiobotocore.session import get_session  # noqa: PLC0415 - an extra
        except ImportError:
            raise DataError(f"The judge {self.label!r} needs an extra: pip install 'uaef[bedrock]'.") from None
        self._session = get_session()
        self._region = os.environ.get("AWS_REGION") or self._configured("region")
        if not self._region:
            raise DataError(f"The judge {self.label!r} needs a region: set AWS_REGION.")
        own = f"https://bedrock-runtime.{self._region}.amazonaws.com"
        self._base = server(base_url or os.environ.get("AWS_ENDPOINT_URL_BEDROCK_RUNTIME") or own, self.label)
        self.origin = f"{self._base} at temperature {temperature}"

    @property
    def secrets(self) -> list[str]:
        """The token; a signature is none, for it signs one request only."""
        token = os.environ.get("AWS_BEARER_TOKEN_BEDROCK", "")
        return [token] if token else []

    def request(self, prompt: Prompt) -> HttpRequest:
        """The request for ``prompt``."""
        limits: dict[str, object] = {"maxTokens": prompt.max_tokens}
        if self._temperature is not None:
            limits["temperature"] = self._temperature
        tool = {"name": VERDICT, "description": "Give the verdict.", "inputSchema": {"json": prompt.schema}}
        return HttpRequest(
            url=f"{self._base}/model/{quote(self._model, safe='')}/converse",
            headers={"Content-Type": "application/json"},
            payload={
                "system": [{"text": prompt.system}],
                "messages": [{"role": role, "content": [{"text": text}]} for role, text in prompt.messages],
                "inferenceConfig": limits,
                "toolConfig": {"tools": [{"toolSpec": tool}], "toolChoice": {"tool": {"name": VERDICT}}},
            },
        )

    def reply(self, data: Mapping[str, object]) -> Reply:
        """What the response says; nothing at all is an empty text."""
        blocks = blocks_at(data, "output", "message", "content")
        return Reply(
            text=reply_text(("toolUse" in b, dig(b, "toolUse", "input"), b.get("text")) for b in blocks),
            finish=finish_of(dig(data, "stopReason")),
            input_tokens=count_at(data, "usage", "inputTokens"),
            output_tokens=count_at(data, "usage", "outputTokens"),
            model=self._model,
        )

    def _configured(self, name: str) -> str:
        """A setting of the profile that AWS tools would use."""
        try:
            return str(self._session.get_config_variable(name) or "")
        except Exception as error:  # botocore's own, which is loaded only here
            raise DataError(f"The judge {self.label!r} cannot read the AWS settings: {error}") from error

    async def signed(self, request: HttpRequest, body: bytes) -> Mapping[str, str]:
        """The headers with a signature over ``body``.

        Raises:
            ProviderError: there are no credentials, or they cannot be had.
        """
        token = os.environ.get("AWS_BEARER_TOKEN_BEDROCK")
        if token:
            return {**request.headers, "Authorization": f"Bearer {token}"}
        try:
            signed = await self._signature(request, body)
        except Exception as error:  # botocore's own, as above
            raise ProviderError(f"AWS credentials cannot be had: {error}") from error
        if signed is None:
            raise ProviderError("there are no AWS credentials: set AWS_PROFILE or AWS_ACCESS_KEY_ID")
        return signed

    async def _signature(self, request: HttpRequest, body: bytes) -> Mapping[str, str] | None:
        from botocore.auth import SigV4Auth  # noqa: PLC0415 - an extra
        from botocore.awsrequest import AWSRequest  # noqa: PLC0415

        credentials = await self._session.get_credentials()  # kept and refreshed by the session
        if credentials is None:
            return None
        frozen = await credentials.get_frozen_credentials()
        signed = AWSRequest("POST", request.url, headers=request.headers, data=body)
        SigV4Auth(frozen, "bedrock", self._region).add_auth(signed)
        return dict(signed.headers.items())
