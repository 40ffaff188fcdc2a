"""The wire shapes: what goes out, under which address and key, and what is made of what comes back."""

from __future__ import annotations

import json
import sys
from urllib.parse import quote

import pytest
from asking import ask, client_of
from provider_server import WIRES, said
from setup_of_judges import a_prompt

from uaef.errors import DataError, ProviderError
from uaef.llm.chat import Finish
from uaef.llm.http_client import HttpClient
from uaef.llm.providers.anthropic import AnthropicProvider
from uaef.llm.providers.bedrock import BedrockProvider
from uaef.llm.providers.openai import OpenAIProvider

ARN = "arn:aws:bedrock:eu-central-1:123456789012:inference-profile/eu.anthropic.claude-sonnet-4-5-20250929-v1:0"
SCHEMA = {"type": "object", "properties": {"score": {"type": "integer"}}}


def _sent(provider, **changes) -> dict:
    return provider.request(a_prompt(schema=SCHEMA, **changes)).payload


# --- OpenAI and everybody who speaks like it ---------------------------------------------------


@pytest.mark.usefixtures("providers")
def test_openai_is_asked_for_structured_output():
    """A strict JSON schema, no randomness, a bound on the answer."""
    assert {
        "model": "gpt-4.1-mini",
        "messages": [{"role": "system", "content": "be brief"}, {"role": "user", "content": "hello"}],
        "max_tokens": 2048,
        "response_format": {
            "type": "json_schema",
            "json_schema": {"name": "verdict", "strict": True, "schema": SCHEMA},
        },
        "temperature": 0.0,
    } == _sent(OpenAIProvider("gpt-4.1-mini"))
    assert "temperature" not in _sent(OpenAIProvider("o3", temperature=None))


def test_openai_itself_needs_a_key_and_calls_the_limit_by_its_new_name(monkeypatch):
    """A server of one's own needs none."""
    with pytest.raises(DataError, match=r"The judge 'openai:m' needs a key: set OPENAI_API_KEY\."):
        OpenAIProvider("m")
    monkeypatch.setenv("OPENAI_API_KEY", " \n")
    with pytest.raises(DataError, match="set OPENAI_API_KEY"):
        OpenAIProvider("m")
    monkeypatch.setenv("OPENAI_API_KEY", " sk \n")
    request = OpenAIProvider("m").request(a_prompt())
    assert ("https://api.openai.com/v1/chat/completions", "Bearer sk") == (
        request.url,
        request.headers["Authorization"],
    )
    assert "max_completion_tokens" in request.payload


@pytest.mark.parametrize(
    ("base", "url"),
    [
        ("http://localhost:11434/v1", "http://localhost:11434/v1/chat/completions"),
        ("http://localhost:11434/v1/", "http://localhost:11434/v1/chat/completions"),
        ("https://x.openai.azure.com/openai/v1", "https://x.openai.azure.com/openai/v1/chat/completions"),
    ],
)
def test_other_servers_need_no_key(monkeypatch, base, url):
    """Ollama, vLLM, LM Studio: the address is enough; Azure wants its own header as well."""
    monkeypatch.setenv("OPENAI_BASE_URL", base)
    request = OpenAIProvider("m").request(a_prompt())
    assert (url, {"Content-Type": "application/json"}) == (request.url, request.headers)
    monkeypatch.setenv("OPENAI_API_KEY", "key")
    headers = OpenAIProvider("m").request(a_prompt()).headers
    assert ("Bearer key", "azure" in base) == (headers["Authorization"], headers.get("api-key") == "key")


def test_an_azure_key_goes_to_azure_only(monkeypatch):
    """Not to a host that merely has the name in it."""
    monkeypatch.setenv("OPENAI_API_KEY", "key")
    for base in ("https://azure.com.example.org", "https://notazure.com", "http://localhost/x.azure.com"):
        assert "api-key" not in OpenAIProvider("m", base_url=base).request(a_prompt()).headers


@pytest.mark.parametrize(
    ("choice", "text", "finish"),
    [
        ({"message": {"content": "a"}, "finish_reason": "stop"}, "a", Finish.DONE),
        ({"message": {"content": "a"}}, "a", Finish.DONE),
        ({"message": {"content": "a", "refusal": ""}}, "a", Finish.DONE),
        ({"message": {"content": "a"}, "finish_reason": "tool_calls"}, "a", Finish.DONE),
        ({"message": {"content": None}, "finish_reason": "length"}, "", Finish.LENGTH),
        ({"message": {"content": "a"}, "finish_reason": "length"}, "a", Finish.LENGTH),
        ({"message": {"content": None}, "finish_reason": "content_filter"}, "", Finish.REFUSAL),
        ({"message": {"content": None, "refusal": "no"}, "finish_reason": "stop"}, "no", Finish.REFUSAL),
        ({"message": {"content": [{"type": "text", "text": "a"}]}}, "", Finish.DONE),
        ({"message": {}}, "", Finish.DONE),
    ],
)
@pytest.mark.usefixtures("providers")
def test_openai_replies(choice, text, finish):
    """A text that is missing is an empty one, and why it stopped is kept."""
    reply = OpenAIProvider("m").reply({"choices": [choice]})
    assert (text, finish, None, None, "m") == (
        reply.text,
        reply.finish,
        reply.input_tokens,
        reply.output_tokens,
        reply.model,
    )


@pytest.mark.parametrize("data", [{}, {"choices": []}, {"choices": [{}]}, {"choices": "x"}, {"error": "no"}])
@pytest.mark.usefixtures("providers")
def test_what_is_no_openai_reply_is_an_error(data):
    """It says what came instead."""
    with pytest.raises(ProviderError, match=r"the response has no single choice: \{") as raised:
        OpenAIProvider("m").reply(data)
    assert 200 == raised.value.status  # it is up


# --- Anthropic --------------------------------------------------------------------------------


@pytest.mark.usefixtures("providers")
def test_anthropic_has_to_call_the_verdict():
    """The schema is a tool's, and the tool must be called."""
    provider = AnthropicProvider("claude-sonnet-4-5", base_url="https://api.anthropic.com/")
    assert {
        "model": "claude-sonnet-4-5",
        "max_tokens": 2048,
        "system": "be brief",
        "messages": [{"role": "user", "content": "hello"}],
        "tools": [{"name": "verdict", "description": "Give the verdict.", "input_schema": SCHEMA}],
        "tool_choice": {"type": "tool", "name": "verdict"},
        "temperature": 0.0,
    } == _sent(provider)
    request = provider.request(a_prompt())
    assert "https://api.anthropic.com/v1/messages" == request.url
    assert ("sk-anthropic", "2023-06-01") == (request.headers["x-api-key"], request.headers["anthropic-version"])


def test_anthropic_needs_a_key(monkeypatch):
    """The message names the variable."""
    with pytest.raises(DataError, match=r"The judge 'anthropic:m' needs a key: set ANTHROPIC_API_KEY\."):
        AnthropicProvider("m")
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk")
    assert "https://api.anthropic.com/v1/messages" == AnthropicProvider("m").request(a_prompt()).url


@pytest.mark.parametrize(
    ("content", "stop", "text", "finish"),
    [
        ([{"type": "tool_use", "name": "verdict", "input": {"a": 1}}], "tool_use", '{"a": 1}', Finish.DONE),
        ([{"type": "text", "text": "a"}], "end_turn", "a", Finish.DONE),
        (
            [{"type": "text", "text": "so"}, {"type": "tool_use", "name": "verdict", "input": {"a": 1}}],
            "tool_use",
            '{"a": 1}\nso',
            Finish.DONE,
        ),
        ([{"type": "thinking", "thinking": "{}"}, {"type": "text", "text": "a"}], "end_turn", "a", Finish.DONE),
        (
            [{"type": "tool_use", "name": "verdict", "input": {"a": "\ud83d"}}],
            "tool_use",
            '{"a": "\\ud83d"}',
            Finish.DONE,
        ),
        ([{"type": "tool_use", "name": "verdict", "input": 10**30}], "tool_use", "1" + "0" * 30, Finish.DONE),
        ([], "end_turn", "", Finish.DONE),
        (["?", None], "end_turn", "", Finish.DONE),
        ([{"type": "tool_use", "name": "verdict", "input": {}}], "max_tokens", "{}", Finish.LENGTH),
        ([{"type": "text", "text": "a"}], "model_context_window_exceeded", "a", Finish.LENGTH),
        ([], "refusal", "", Finish.REFUSAL),
    ],
)
@pytest.mark.usefixtures("providers")
def test_replies_in_blocks(content, stop, text, finish):
    """Calls come first, then what was said beside them; the same from Anthropic and from Bedrock."""
    reply = AnthropicProvider("m").reply({"content": content, "stop_reason": stop})
    assert (text, finish) == (reply.text, reply.finish)
    blocks = [
        block
        if not isinstance(block, dict)
        else {"toolUse": {"name": block["name"], "input": block["input"]}}
        if "input" in block
        else {"text": block.get("text")}
        for block in content
    ]
    stop = {"refusal": "guardrail_intervened"}.get(stop, stop)
    reply = BedrockProvider("m").reply({"output": {"message": {"content": blocks}}, "stopReason": stop})
    assert (text, finish) == (reply.text, reply.finish)


@pytest.mark.parametrize("data", [{}, {"content": None}, {"content": "text"}, {"type": "error"}, {"output": {}}])
@pytest.mark.usefixtures("providers")
def test_what_holds_no_blocks_is_an_error(data):
    """It says what came instead."""
    with pytest.raises(ProviderError, match=r"the response has no content: \{"):
        AnthropicProvider("m").reply(data)
    with pytest.raises(ProviderError, match=r"the response has no output\.message\.content: \{"):
        BedrockProvider("m").reply(data)


# --- Bedrock ----------------------------------------------------------------------------------


@pytest.mark.usefixtures("providers")
def test_bedrock_has_to_call_the_verdict():
    """The schema is a tool's, and the tool must be called."""
    tool = {"name": "verdict", "description": "Give the verdict.", "inputSchema": {"json": SCHEMA}}
    assert {
        "system": [{"text": "be brief"}],
        "messages": [{"role": "user", "content": [{"text": "hello"}]}],
        "inferenceConfig": {"maxTokens": 2048, "temperature": 0.0},
        "toolConfig": {"tools": [{"toolSpec": tool}], "toolChoice": {"tool": {"name": "verdict"}}},
    } == _sent(BedrockProvider("m"))


@pytest.mark.parametrize("model", ["m", "anthropic.claude-3-5-sonnet-20241022-v2:0", ARN])
def test_bedrock_requests_are_signed_as_aws_expects(providers, model):
    """The signature is the one that AWS's own code makes of what arrived on the wire, byte for byte."""
    providers.script = lambda asked: said(asked.wire, "hello")
    (reply,) = ask(HttpClient(BedrockProvider(model)))
    assert "hello" == reply.text
    (asked,) = providers.asked
    assert f"/model/{quote(model, safe='')}/converse" == asked.path
    assert asked.headers["authorization"].startswith("AWS4-HMAC-SHA256 Credential=AKIAEXAMPLE/")
    assert "/eu-central-1/bedrock/aws4_request" in asked.headers["authorization"]
    assert "SignedHeaders=content-type;host;x-amz-date" in asked.headers["authorization"]
    assert _signature_by_aws(providers, asked) == asked.headers["authorization"].rpartition("Signature=")[2]


def _signature_by_aws(server, asked) -> str:
    from botocore.auth import SigV4Auth  # noqa: PLC0415 - an extra
    from botocore.awsrequest import AWSRequest  # noqa: PLC0415
    from botocore.credentials import Credentials  # noqa: PLC0415

    signer = SigV4Auth(Credentials("AKIAEXAMPLE", "wJalrExampleSecret"), "bedrock", "eu-central-1")
    headers = {"Content-Type": asked.headers["content-type"], "X-Amz-Date": asked.headers["x-amz-date"]}
    request = AWSRequest("POST", f"{server.url}{asked.path}", headers=headers, data=asked.raw)
    request.context["timestamp"] = asked.headers["x-amz-date"]
    return signer.signature(signer.string_to_sign(request, signer.canonical_request(request)), request)


def test_a_session_token_is_signed_as_well(providers, monkeypatch):
    """Temporary credentials have one."""
    monkeypatch.setenv("AWS_SESSION_TOKEN", "token")
    ask(client_of("bedrock"))
    (asked,) = providers.asked
    assert "token" == asked.headers["x-amz-security-token"]
    assert "x-amz-security-token" in asked.headers["authorization"]


def test_a_bearer_token_takes_the_place_of_a_signature(providers, monkeypatch):
    """``AWS_BEARER_TOKEN_BEDROCK`` is Bedrock's own key."""
    monkeypatch.setenv("AWS_BEARER_TOKEN_BEDROCK", "abc")
    ask(client_of("bedrock"))
    assert "Bearer abc" == providers.asked[0].headers["authorization"]


def test_bedrock_without_credentials_says_which(providers, monkeypatch):
    """Nothing is sent."""
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.delenv(name)
    (error,) = ask(client_of("bedrock"))
    assert "there are no AWS credentials: set AWS_PROFILE or AWS_ACCESS_KEY_ID" == str(error)
    assert [] == providers.asked


def test_credentials_that_cannot_be_had_are_an_error_of_the_provider(providers, monkeypatch, tmp_path):
    """Not one of botocore's own, which nobody here would know; nothing is sent."""
    config = tmp_path / "config"
    config.write_text(f"[profile broken]\ncredential_process = {tmp_path / 'nothing-here'}\n", "utf-8")
    monkeypatch.setenv("AWS_CONFIG_FILE", str(config))
    monkeypatch.setenv("AWS_PROFILE", "broken")
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.delenv(name)
    (error,) = ask(client_of("bedrock"))
    assert isinstance(error, ProviderError)
    assert str(error).startswith("AWS credentials cannot be had: ")
    assert [] == providers.asked


def test_bedrock_looks_for_its_region_where_aws_tools_do(monkeypatch, tmp_path):
    """In either variable, or in the profile; without one it says so."""
    with pytest.raises(DataError, match=r"The judge 'bedrock:m' needs a region: set AWS_REGION\."):
        BedrockProvider("m")
    config = tmp_path / "config"
    config.write_text("[profile eu]\nregion = eu-west-3\n", "utf-8")
    monkeypatch.setenv("AWS_CONFIG_FILE", str(config))
    monkeypatch.setenv("AWS_PROFILE", "eu")
    assert "https://bedrock-runtime.eu-west-3.amazonaws.com" in BedrockProvider("m").request(a_prompt()).url
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-2")
    assert "bedrock-runtime.us-east-2." in BedrockProvider("m").request(a_prompt()).url
    monkeypatch.setenv("AWS_REGION", "us-west-2")
    assert "bedrock-runtime.us-west-2." in BedrockProvider("m").request(a_prompt()).url


def test_a_profile_that_does_not_exist_is_a_sentence(monkeypatch):
    """Not a traceback of somebody else's."""
    monkeypatch.setenv("AWS_PROFILE", "nobody")
    with pytest.raises(DataError, match=r"The judge 'bedrock:m' cannot read the AWS settings: .*nobody"):
        BedrockProvider("m")


def test_bedrock_without_its_extra_says_how_to_install_it(monkeypatch):
    """One command."""
    monkeypatch.setitem(sys.modules, "aiobotocore.session", None)
    with pytest.raises(DataError, match=r"The judge 'bedrock:m' needs an extra: pip install 'uaef\[bedrock\]'\."):
        BedrockProvider("m")


# --- all of them --------------------------------------------------------------------------------


DONE = ["stop", "end_turn", "stop_sequence", "tool_use", "tool_calls", "completed", "COMPLETE", "eos_token", ""]
CUT = ["length", "max_tokens", "MAX_TOKENS", "max_output_tokens", "incomplete", "model_context_window_exceeded"]
REFUSED = ["content_filter", "content_filtered", "guardrail_intervened", "refusal", "SAFETY", "PROHIBITED_CONTENT"]
UNKNOWN = ["error", "pause_turn", "failed", "malformed_function_call", "nobody knows", 5, True, {}]


@pytest.mark.parametrize(
    ("word", "finish"),
    [
        (None, Finish.DONE),
        *((word, Finish.DONE) for word in DONE),
        *((word, Finish.LENGTH) for word in CUT),
        *((word, Finish.REFUSAL) for word in REFUSED),
        *((word, Finish.OTHER) for word in UNKNOWN),
    ],
)
@pytest.mark.usefixtures("providers")
def test_a_word_for_the_end_means_the_same_from_all_of_them(word, finish):
    """And one that nobody knows is the end of no answer."""
    openai = {"choices": [{"message": {"content": "a"}, "finish_reason": word}]}
    bedrock = {"output": {"message": {"content": []}}, "stopReason": word}
    replies = [
        OpenAIProvider("m").reply(openai),
        AnthropicProvider("m").reply({"content": [], "stop_reason": word}),
        BedrockProvider("m").reply(bedrock),
    ]
    assert [finish] * 3 == [reply.finish for reply in replies]


@pytest.mark.parametrize("wire", WIRES)
def test_optional_fields_are_fields_that_are_sent(providers, wire):
    """What may be left out is in the request."""
    ask(client_of(wire))
    provider = {"openai": OpenAIProvider, "anthropic": AnthropicProvider, "bedrock": BedrockProvider}[wire]("m")
    sent = json.dumps(providers.asked[0].body)
    missing = [path for path in provider.optional if f'"{path.rpartition(".")[2]}"' not in sent]
    assert [] == missing


@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.usefixtures("providers")
def test_an_answer_depends_on_the_server_and_the_parameters(wire):
    """Which is what a cache has to know beside the model's name."""
    kind = {"openai": OpenAIProvider, "anthropic": AnthropicProvider, "bedrock": BedrockProvider}[wire]
    origins = {
        kind("m").origin,
        kind("m", base_url="http://elsewhere").origin,
        kind("m", temperature=None).origin,
        kind("m", temperature=0.7).origin,
    }
    assert 4 == len(origins)


@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.parametrize("usage", [None, {}, [], "x", -1, True, 1.5])
@pytest.mark.usefixtures("providers")
def test_tokens_that_are_not_told_are_unknown(wire, usage):
    """Never 0, and never nonsense."""
    data = json.loads(said(wire, "hello").body)
    data["usage"] = usage if not isinstance(usage, int | float) else dict.fromkeys(data["usage"], usage)
    kind = {"openai": OpenAIProvider, "anthropic": AnthropicProvider, "bedrock": BedrockProvider}[wire]
    reply = kind("m").reply(data)
    assert (None, None) == (reply.input_tokens, reply.output_tokens)


def test_addresses_are_sent_as_they_are_written(server):
    """A query, an escape, a path of one's own."""
    ask(HttpClient(OpenAIProvider("m", base_url=f"{server.url}/a%2Fb:c/v1")))
    assert "/a%2Fb:c/v1/chat/completions" == server.asked[0].path
