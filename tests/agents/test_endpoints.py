"""Agents behind HTTP, against a real server: what is sent, what is read, what goes wrong."""

from __future__ import annotations

import asyncio
import json

import pytest
from aiohttp import web
from playing import answers, aplay, call, case, errors, roles

from uaef.agents import ChatAgent, History, HttpAgent, as_agent, opened
from uaef.errors import UsageError
from uaef.llm.prices import Price
from uaef.models import MultiAgentTrace

PAIR = [{"role": "user", "content": "a"}, {"role": "assistant", "content": "A"}]


class Server:
    """Answers by a function of the request's JSON, and keeps what it was asked."""

    def __init__(self, answer):
        self.answer = answer
        self.asked = []
        self.headers = []
        self.peers = set()

    async def handle(self, request):
        """Answer."""
        self.asked.append(await request.json())
        self.headers.append(dict(request.headers))
        self.peers.add(request.transport.get_extra_info("peername"))
        found = self.answer(self.asked[-1])
        if asyncio.iscoroutine(found):
            found = await found
        return found if isinstance(found, web.Response) else web.json_response(found)

    def run(self, use):
        """What ``use`` makes of the server's address."""

        async def main():
            app = web.Application()
            app.router.add_post("/{path:.*}", self.handle)
            runner = web.AppRunner(app, shutdown_timeout=0.1)
            await runner.setup()
            site = web.TCPSite(runner, "127.0.0.1", 0)
            await site.start()
            try:
                return await use(f"http://127.0.0.1:{runner.addresses[0][1]}")
            finally:
                await runner.cleanup()

        return asyncio.run(main())


def completion(text, **more):
    """A chat completion."""
    usage = {"prompt_tokens": 1000, "completion_tokens": 100}
    return {"choices": [{"message": {"role": "assistant", "content": text, **more}}], "usage": usage}


@pytest.fixture(autouse=True)
def _no_key(monkeypatch):
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy"):
        monkeypatch.delenv(name, raising=False)


def test_a_chat_endpoint_is_asked_as_the_api_says(monkeypatch):
    """``openai:MODEL`` sends the conversation and the options, with the key, and reads text, tokens and cost."""
    server = Server(lambda asked: completion(asked["messages"][-1]["content"].upper()))

    async def use(address):
        monkeypatch.setenv("OPENAI_BASE_URL", f"{address}/v1")
        monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
        agent = as_agent("openai:gpt-4.1-mini")
        monkeypatch.setattr(
            "uaef.agents.endpoints.price_of", lambda label: Price(2.0, 10.0) if "mini" in label else None
        )
        async with opened(agent):
            return agent, await aplay(agent, case("a", "b"), options={"temperature": 0})

    agent, turns = server.run(use)
    assert ("openai:gpt-4.1-mini", True) == (agent.name, agent.remembers)
    assert [None, None] == errors(turns)
    assert ["A", "B"] == answers(turns)
    assert [(1000, 100, 0.003)] * 2 == [(t.trace.input_tokens, t.trace.output_tokens, t.trace.cost) for t in turns]
    assert {
        "model": "gpt-4.1-mini",
        "messages": [*PAIR, {"role": "user", "content": "b"}],
        "temperature": 0,
    } == server.asked[1]
    assert "Bearer sk-secret" == server.headers[0]["Authorization"]
    assert len(server.peers) == 1


def test_a_chat_endpoint_may_be_told_what_it_is_and_may_call_tools():
    """A system prompt goes first, calls of tools arrive as calls, and a model without a price has none."""
    made = [{"id": "c1", "type": "function", "function": {"name": "find", "arguments": '{"day": 1}'}}]
    server = Server(lambda _: completion(None, tool_calls=made))

    async def use(address):
        return await ChatAgent("own-model", system="Be brief.", base_url=address).answer(call("x"))

    trace = server.run(use)
    assert {"role": "system", "content": "Be brief."} == server.asked[0]["messages"][0]
    assert [("find", {"day": 1})] == [(c.name, c.arguments) for c in trace.tool_calls]
    assert trace.cost is None


def test_no_key_and_no_address_are_said_at_once(monkeypatch):
    """Before anything is played, in the agent's name."""
    with pytest.raises(UsageError, match=r"The agent 'openai:m' needs a key: set OPENAI_API_KEY\."):
        as_agent("openai:m")
    monkeypatch.setenv("OPENAI_BASE_URL", "localhost:1234")
    with pytest.raises(UsageError, match="The agent 'openai:m' has the address 'localhost:1234'"):
        as_agent("openai:m")
    with pytest.raises(UsageError, match="HttpAgent: 'localhost' is no address"):
        HttpAgent("localhost")


def test_a_key_never_gets_into_an_error(monkeypatch):
    """A server that repeats the key in its refusal is not quoted with it."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    server = Server(lambda _: web.Response(status=401, text="bad key sk-secret"))
    turns = server.run(lambda address: aplay(ChatAgent("m", base_url=address), case("a")))
    assert ["HTTP 401: bad key [secret]"] == errors(turns)


def test_an_endpoint_is_spoken_to_through_a_map_of_its_fields():
    """Each field is put where the endpoint wants it, and the answer is found where the endpoint puts it."""
    server = Server(
        lambda asked: {
            "reply": [{"text": f"re: {asked['in']['message']}"}],
            "usage": {"in": 7, "out": 2},
            "price": 0.25,
        }
    )

    async def use(address):
        agent = HttpAgent(
            f"{address}/chat?v=1",
            input="in.message",
            output="reply.0.text",
            thread_id="session.id",
            resource="session.user",
            history="in.before",
            headers={"X-Key": "k"},
            body={"in": {"lang": "en"}, "mode": "test"},
            tokens=("usage.in", "usage.out"),
            cost="price",
            name="shop",
        )
        turns = await aplay(agent, case("a", "b"), history=History.ACTUAL, options={"mode": "live"}, resource="u-1")
        return agent, turns

    agent, turns = server.run(use)
    assert ["re: a", "re: b"] == answers(turns)
    assert [(7, 2, 0.25)] * 2 == [(t.trace.input_tokens, t.trace.output_tokens, t.trace.cost) for t in turns]
    second = {
        "in": {"lang": "en", "message": "b", "before": [PAIR[0], {"role": "assistant", "content": "re: a"}]},
        "mode": "live",
        "session": {"id": turns[1].trace.metadata["thread_id"], "user": "u-1"},
    }
    assert second == server.asked[1]
    assert "k" == server.headers[0]["X-Key"]
    assert "shop" == agent.name
    assert {"in": {"lang": "en"}, "mode": "test"} == agent._body  # noqa: SLF001 - requests must not pile up in it


def test_what_an_endpoint_remembers():
    """With a thread it keeps it, with a history alone it is given it, with neither it cannot know."""

    def memory(**fields):
        agent = HttpAgent("http://localhost/", **fields)
        return agent.remembers, agent.reads_history, agent.wants_history

    assert memory() == (False, False, False)
    assert memory(thread_id="t") == (True, False, False)
    assert memory(history="h") == (True, True, True)
    assert memory(history="h", thread_id="t") == (True, True, False)


def test_an_endpoint_may_answer_with_messages():
    """What stands in the field may be a transcript with the calls of several agents."""
    calls = [{"id": "c", "function": {"name": "find", "arguments": "{}"}}]
    told = [
        {"role": "user", "content": "a"},
        {"role": "assistant", "name": "desk", "content": None, "tool_calls": calls},
        {"role": "tool", "tool_call_id": "c", "content": "ok"},
        {"role": "assistant", "name": "boss", "content": "Done."},
    ]
    server = Server(lambda _: {"messages": told})
    (turn,) = server.run(lambda address: aplay(HttpAgent(address, output="messages"), case("a")))
    assert isinstance(turn.trace, MultiAgentTrace)
    assert [("find", "ok")] == [(c.name, c.result) for c in turn.trace.tool_calls]
    assert ("user", "a") == roles(turn.trace)[0]


def _busy(times, then):
    answers_ = iter([web.Response(status=503, headers={"Retry-After": "0"}, text="busy")] * times)
    return lambda asked: next(answers_, None) or then(asked)


@pytest.mark.parametrize(
    ("answer", "expected", "asked"),
    [
        (_busy(1, lambda _: {"reply": "x"}), [None], 2),
        (lambda _: web.Response(status=400, text="no"), ["HTTP 400: no"], 1),
        (lambda _: {"answer": "x"}, ["the endpoint's answer has nothing at 'reply': {'answer': 'x'}"], 1),
        (
            lambda _: {"reply": 7},
            ["it returned 7, of type int, where text, messages, LangGraph events or a trace was due."],
            1,
        ),
        (lambda _: web.Response(text="<html>", content_type="text/html"), ["answered with text/html"], 1),
        (lambda _: asyncio.sleep(5, {"reply": "x"}), ["no answer within 0.3 s"], 1),
    ],
    ids=["busy", "refuses", "elsewhere", "number", "html", "hangs"],
)
def test_what_goes_wrong_behind_an_endpoint(answer, expected, asked):
    """Only what will pass is tried again; everything else says what came."""
    server = Server(answer)
    limit = {"turn_timeout_s": 0.3} if expected == ["no answer within 0.3 s"] else {}
    turns = server.run(lambda address: aplay(HttpAgent(address), case("a"), **limit))
    for found, wanted in zip(errors(turns), expected, strict=True):
        assert found == wanted if wanted is None else found.startswith(wanted)
    assert asked == len(server.asked)


def test_nobody_listens():
    """A server that is not there fails the turn with what happened."""
    (error,) = errors(asyncio.run(aplay(HttpAgent("http://127.0.0.1:9/"), case("a"), attempts=1)))
    assert "ClientConnectorError" in error


def test_a_field_inside_a_text_is_refused():
    """A map that does not fit the body says which field."""
    agent = HttpAgent("http://127.0.0.1:9/", input="a.b", body={"a": "text"})
    (error,) = errors(asyncio.run(aplay(agent, case("x"))))
    assert "the field 'a.b' lies inside something that is no object." == error


def test_a_run_keeps_connections_open():
    """Calls of an agent that was opened share a connection; without it, each has its own."""

    async def use(address):
        agent = HttpAgent(address)
        await aplay(agent, case("a", "b", "c"))
        alone = len(server.peers)
        server.peers.clear()
        async with opened(agent), opened(as_agent("control:echo")):
            await aplay(agent, case("a", "b", "c"))
        return alone, len(server.peers)

    server = Server(lambda _: {"reply": "x"})
    assert (3, 1) == server.run(use)
    assert json.dumps(server.asked[0]) == '{"message": "a"}'
