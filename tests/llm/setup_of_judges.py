"""Fixtures that the tests of clients and of judges share."""

from __future__ import annotations

import os

import pytest
from provider_server import ProviderServer

from uaef.llm.chat import Prompt

_OURS = ("UAEF_", "OPENAI_", "ANTHROPIC_", "AWS_")


@pytest.fixture(autouse=True)
def nothing_set_up(monkeypatch, tmp_path):
    """No judge, no key, no cache and no project is found, whatever the machine has."""
    for name in list(os.environ):
        if name.startswith(_OURS) or name.lower().endswith("_proxy"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "no-config"))
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "no-credentials"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def server():
    """A server for one test."""
    running = ProviderServer()
    yield running
    running.close()


@pytest.fixture
def providers(server, monkeypatch, nothing_set_up):  # noqa: ARG001 - after it
    """The server, set up as the address of all three providers."""
    monkeypatch.setenv("OPENAI_BASE_URL", f"{server.url}/v1")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-openai")
    monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url)
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-anthropic")
    monkeypatch.setenv("AWS_ENDPOINT_URL_BEDROCK_RUNTIME", server.url)
    monkeypatch.setenv("AWS_REGION", "eu-central-1")
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "AKIAEXAMPLE")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "wJalrExampleSecret")
    return server


def a_prompt(text: str = "hello", **changes: object) -> Prompt:
    """Something to ask."""
    fields = {"system": "be brief", "messages": (("user", text),), "schema": {"type": "object"}, **changes}
    return Prompt(**fields)
