"""A pydantic-ai agent, by a stub of its shape: what it is given, and what is read of its result."""

from __future__ import annotations

import sys
import types
from dataclasses import dataclass, field

import pytest
from playing import answers, case, errors, play, roles

from uaef.agents import as_agent
from uaef.models import ToolStatus


@dataclass
class Part:
    """Any part of a message."""

    part_kind: str
    content: object = None
    tool_name: str | None = None
    args: object = None
    tool_call_id: str | None = None


@dataclass
class Said:
    """A request or a response."""

    kind: str
    parts: list


@dataclass
class Result:
    """What a run gives."""

    output: object
    new: list = field(default_factory=list)

    def new_messages(self):
        """Those of the run."""
        return self.new

    def usage(self):
        """Its tokens."""
        return types.SimpleNamespace(input_tokens=11, output_tokens=4)


class Agent:
    """The agent; ``reply`` is a function of what it was given."""

    def __init__(self, reply, name=None):
        self.name = name
        self.reply = reply
        self.given = []

    async def run(self, text, *, message_history=None, **options):
        """The result."""
        self.given.append((text, message_history, options))
        return self.reply(text)


def _part(kind):
    return lambda **fields: Part(kind, **fields)


@pytest.fixture(autouse=True)
def _pydantic_ai(monkeypatch):
    """The package, as far as it is used."""
    package, messages = types.ModuleType("pydantic_ai"), types.ModuleType("pydantic_ai.messages")
    kinds = {"UserPrompt": "user-prompt", "Text": "text", "ToolCall": "tool-call", "ToolReturn": "tool-return"}
    for name, kind in kinds.items():
        setattr(messages, f"{name}Part", _part(kind))
    messages.ModelRequest = lambda parts: Said("request", parts)
    messages.ModelResponse = lambda parts: Said("response", parts)
    package.Agent, package.messages = Agent, messages
    monkeypatch.setitem(sys.modules, "pydantic_ai", package)
    monkeypatch.setitem(sys.modules, "pydantic_ai.messages", messages)


def spoken(text):
    """A run that calls a tool and answers."""
    return Result(
        "Rain.",
        [
            Said("request", [Part("system-prompt", "Be brief."), Part("user-prompt", text)]),
            Said(
                "response",
                [
                    Part("thinking", "hm"),
                    Part("text", "Let me look."),
                    Part("tool-call", None, "find", {"day": 1}, "c"),
                ],
            ),
            Said("request", [Part("tool-return", {"sky": "grey"}, "find", None, "c")]),
            Said("response", [Part("text", "Rain.")]),
        ],
    )


def test_its_messages_become_the_turn():
    """Texts, calls with results and tokens arrive; the system prompt and what it thinks do not."""
    (turn,) = play(Agent(spoken, name="weather"), case("Tomorrow?"))
    assert [
        ("user", "Tomorrow?"),
        ("assistant", "Let me look."),
        ("tool", '{"sky": "grey"}'),
        ("assistant", "Rain."),
    ] == roles(turn.trace)
    (made,) = turn.trace.tool_calls
    assert ("find", {"day": 1}, ToolStatus.COMPLETED) == (made.name, made.arguments, made.status)
    assert (11, 4) == (turn.trace.input_tokens, turn.trace.output_tokens)
    assert "weather" == as_agent(Agent(spoken, name="weather")).name


def test_it_is_given_the_conversation_so_far():
    """It keeps nothing, so the earlier turns are passed as its own messages, with the options."""
    agent = Agent(spoken)
    play(agent, case("a", "b"), options={"model": "m"})
    (_, first, options), (text, second, _) = agent.given
    assert (None, {"model": "m"}, "b") == (first, options, text)
    assert [
        ("request", ["user-prompt"]),
        ("response", ["text", "tool-call"]),
        ("request", ["tool-return"]),
        ("response", ["text"]),
    ] == [(said.kind, [part.part_kind for part in said.parts]) for said in second]
    returned = second[2].parts[0]
    assert ("find", "c") == (returned.tool_name, returned.tool_call_id)


def test_an_output_of_another_type_is_its_json():
    """A structured output, which the model gives by calling a tool, is the answer."""
    new = [
        Said("response", [Part("tool-call", None, "final_result", {"sky": "grey"}, "f")]),
        Said("request", [Part("tool-return", "Final result processed.", "final_result", None, "f")]),
    ]
    (turn,) = play(Agent(lambda _: Result({"sky": "grey"}, new)), case("a"))
    assert [("user", "a"), ("assistant", '{"sky": "grey"}')] == roles(turn.trace)
    assert [] == turn.trace.tool_calls
    assert ["Rain."] == answers(play(Agent(lambda _: Result("Rain.")), case("a")))


def test_a_tool_that_asked_for_another_try_failed():
    """A retry prompt for a tool is a failed call with its words."""
    new = [
        Said("response", [Part("tool-call", None, "find", "{}", "c")]),
        Said("request", [Part("retry-prompt", "no such day", "find", None, "c")]),
        Said("response", [Part("text", "Sorry.")]),
    ]
    (turn,) = play(Agent(lambda _: Result("Sorry.", new)), case("a"))
    assert [("find", "no such day", ToolStatus.FAILED)] == [
        (c.name, c.error, c.status) for c in turn.trace.tool_calls
    ]


def test_its_failure_is_the_turns():
    """What it raises fails the turn."""

    def fail(_):
        raise ValueError("boom")

    assert ["ValueError: boom"] == errors(play(Agent(fail), case("a")))
