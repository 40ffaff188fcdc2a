"""Keys of endpoints: in no error, whatever a server repeats, and in no name."""

from __future__ import annotations

import pytest
from aiohttp import web
from playing import aplay, case, errors
from test_endpoints import Server

from uaef.agents import ChatAgent, HttpAgent, as_agent
from uaef.agents.secrets import Secrets, of_data, of_headers, of_url, public
from uaef.errors import DataError, UsageError

KEY = "sk-live-0123456789abcdef"


@pytest.fixture(autouse=True)
def _no_proxy(monkeypatch):
    for name in ("OPENAI_BASE_URL", "HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy"):
        monkeypatch.delenv(name, raising=False)


ANSWERS = {
    "an error in a good answer": lambda _: {"error": f"invalid key Bearer {KEY}"},
    "a refusal": lambda _: web.Response(status=400, text=f"you sent {KEY}"),
    "cut": lambda _: web.Response(status=400, text=f"{'x' * 490}{KEY}"),
    "no json": lambda _: web.Response(text=f"<b>{KEY}</b>", content_type="text/html"),
    "no field": lambda _: {"answer": [KEY]},
    "no answer": lambda _: {"reply": {"sent": KEY}, "choices": [{"message": KEY}]},
}


@pytest.mark.parametrize("answer", ANSWERS)
@pytest.mark.parametrize(
    "made",
    [
        lambda address: ChatAgent("m", base_url=address),
        lambda address: HttpAgent(address, headers={"Authorization": f"Bearer {KEY}"}),
        lambda address: HttpAgent(address, headers={"X-Whatever": KEY}),
        lambda address: HttpAgent(f"{address}/x?api_key={KEY}"),
        lambda address: HttpAgent(address, body={"auth": {"api_key": KEY}}),
        lambda address: HttpAgent(address.replace("://", f"://user:{KEY}@")),
    ],
    ids=["chat", "authorization", "header", "query", "body", "password"],
)
def test_no_key_gets_into_an_error(answer, made, monkeypatch):
    """However it was sent, and wherever it comes back, also where the message cuts it short."""
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    turns = Server(ANSWERS[answer]).run(lambda address: aplay(made(address), case("a"), attempts=1))
    (error,) = errors(turns)
    assert "[secret]" in error or answer == "cut"
    assert KEY[8:12] not in error
    assert KEY not in repr(turns[0].trace.to_dict())


def test_options_may_hold_a_key():
    """What the caller passes on is sent, and may come back."""
    server = Server(ANSWERS["a refusal"])
    turns = server.run(lambda address: aplay(HttpAgent(address), case("a"), options={"api_key": KEY}))
    assert ["HTTP 400: you sent [secret]"] == errors(turns)


@pytest.mark.parametrize(
    ("url", "name"),
    [
        ("http://user:pw@host/x?api_key=K", "http://host/x"),
        ("https://host:8080/a/b?x=1#part", "https://host:8080/a/b"),
        ("http://token@[::1]:80/", "http://[::1]:80/"),
        ("http://host", "http://host"),
    ],
)
def test_the_name_of_an_endpoint_is_its_address_alone(url, name):
    """Scheme, host and path: what stands in every report holds no user, no password and no query."""
    assert name == HttpAgent(url).name == public(url)


def test_addresses_in_refusals_hold_no_password():
    """Neither one that is no address nor one that is no agent yet."""
    for refuse in (
        lambda: HttpAgent("ftp://user:hunter22@host/x"),
        lambda: as_agent("http://user:hunter22@host/?k=v"),
    ):
        with pytest.raises(UsageError) as raised:
            refuse()
        assert "hunter22" not in str(raised.value)
        assert "host" in str(raised.value)
    assert "[secret]" == public("http://[no")


def test_what_is_secret_in_a_request():
    """Values that name or length make a secret, also as they are sent; never what says only its form."""
    assert {"Bearer abc", "abc"} <= set(
        of_headers({"Authorization": "Bearer abc", "Content-Type": "application/json"})
    )
    assert "application/json" not in set(
        of_headers({"Content-Type": "application/json", "Accept": "application/json"})
    )
    assert "x=12345" in set(of_headers({"Cookie": "a=1; x=12345"}))
    assert {"p%40w", "dXNlcjpwQHc=", "K"} <= set(of_url("http://user:p%40w@host/?api_key=K"))
    assert ["a", "b"] == list(of_data({"token": "a", "keys": ["b"], "text": "c", "n": {"m": 1}}))


def test_scrubbing_takes_no_other_words():
    """A short key is a word of its own, a long one also its beginning; errors behind an error are scrubbed too."""
    secrets = Secrets(["K", "longer-than-eight", "p%40ss"])
    assert "OK [secret]. [secret], [secret]... p@" == secrets.scrubbed("OK K. longer-than-eight, longer-than... p@")
    assert "[secret]" == secrets.scrubbed("p@ss")
    inner, outer = ValueError("K"), DataError("K is wrong")
    outer.__cause__, inner.__context__ = inner, outer
    secrets.scrub(outer)
    assert ("[secret] is wrong", "[secret]") == (str(outer), str(inner))
