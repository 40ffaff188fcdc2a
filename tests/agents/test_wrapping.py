"""Agents by name and by kind: where they are looked for, and every way in which there is none."""

from __future__ import annotations

import sys

import pytest
from playing import answers, case, play

from uaef.agents import agent_named, as_agent
from uaef.errors import UaefError, UnknownNameError, UsageError
from uaef.testing import ScriptedAgent

BOTS = """
from uaef.agents import HttpAgent

def answer(text):
    return f"re: {text}"

class Bot:
    async def ask(self, text):
        return f"asked {text}"

bot = Bot()
shop = HttpAgent("http://localhost:1/")
LIMIT = 3
NAME = "control:echo"
_hidden = answer
"""


@pytest.fixture(autouse=True)
def _bots(tmp_path, monkeypatch):
    """A package of the user's own in the current directory; nothing is left of it after the test."""
    package = tmp_path / "own_bots"
    package.mkdir()
    for name, text in {"bots": BOTS, "needy": "import no_such_package", "bad": "1 / 0"}.items():
        (package / f"{name}.py").write_text(text)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", sys.path[:])
    yield
    for name in [name for name in sys.modules if name.partition(".")[0] == "own_bots"]:
        del sys.modules[name]


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("own_bots.bots:answer", "re: x"),
        ("own_bots.bots:bot.ask", "asked x"),
        ("control:silent", ""),
        ("control:echo", "x"),
    ],
)
def test_an_agent_is_named_by_where_it_is(name, said):
    """A module in the current directory and an attribute, dotted if need be, or a control; also for ``as_agent``."""
    assert [said] == answers(play(agent_named(name), case("x")))
    assert [said] == answers(play(name, case("x")))


def test_an_agent_is_taken_as_it_is():
    """What answers already is not wrapped."""
    agent = ScriptedAgent(["x"])
    assert as_agent(agent) is agent
    assert "http://localhost:1/" == agent_named("own_bots.bots:shop").name


NAMED = "An agent is named MODULE:ATTRIBUTE, openai:MODEL, control:silent or control:echo; got"
KINDS = (
    "a function, a compiled LangGraph graph, a LangChain runnable, a pydantic-ai agent, an HttpAgent, or a name: "
    "MODULE:ATTRIBUTE, openai:MODEL, control:silent, control:echo"
)
SEARCHED = "it is looked for in the current directory and among what is installed."


@pytest.mark.parametrize(
    ("name", "kind", "message"),
    [
        ("own_bots.bots", UsageError, f"{NAMED} 'own_bots.bots'."),
        ("own_bots.bots:", UsageError, f"{NAMED} 'own_bots.bots:'."),
        (":answer", UsageError, f"{NAMED} ':answer'."),
        ("openai:", UsageError, f"{NAMED} 'openai:'."),
        ("", UsageError, f"{NAMED} ''."),
        ("control:loud", UnknownNameError, "Unknown control agent 'loud'. Available: echo, silent."),
        ("own_bots.bots:answr", UnknownNameError, "Unknown agent in own_bots.bots: 'answr'. Did you mean 'answer'?"),
        ("own_bots.bots:bot.aks", UnknownNameError, "Unknown agent in own_bots.bots.bot: 'aks'. Available: none."),
        ("own_bots.bots:LIMIT", UsageError, f"own_bots.bots:LIMIT: An agent is {KINDS}; got 3."),
        ("own_bots.bots:NAME", UsageError, f"own_bots.bots:NAME: 'control:echo' is a text; an agent is {KINDS}."),
        (
            "own_bots.bots:Bot",
            UsageError,
            "own_bots.bots:Bot: Bot is a class; an agent is made of one: Bot().",
        ),
        ("own_bots.botz:a", UsageError, f"own_bots.botz:a: there is no module 'own_bots.botz'; {SEARCHED}"),
        (
            "own_bots/bots.py:answer",
            UsageError,
            "own_bots/bots.py:answer: there is no module 'own_bots/bots'; write its name with dots and without .py.",
        ),
        (
            "own_bots.needy:a",
            UsageError,
            "own_bots.needy:a: cannot be imported: it needs 'no_such_package', which is absent.",
        ),
        (
            "own_bots.bad:a",
            UsageError,
            "own_bots.bad:a: cannot be imported: ZeroDivisionError: division by zero",
        ),
        (
            "http://localhost:8000/chat",
            UsageError,
            (
                "http://localhost:8000/chat: an endpoint needs a map of its fields. Write "
                "`agent = HttpAgent('http://localhost:8000/chat', input=..., output=...)` in a module and name it as "
                "MODULE:agent."
            ),
        ),
    ],
)
def test_a_name_without_an_agent(name, kind, message):
    """Every way to miss is one sentence that says what was looked for and what to do."""
    with pytest.raises(UaefError) as raised:
        agent_named(name)
    assert (kind, message) == (type(raised.value), str(raised.value))


class Half:
    """Has the method of an agent, and not what else it takes."""

    async def answer(self, call):
        """As an agent's."""
        return call.input


def test_things_that_are_no_agents():
    """Neither a value nor half an agent is taken for one."""
    with pytest.raises(UsageError, match=r"An agent is a function, .*; got 3"):
        as_agent(3)
    with pytest.raises(UsageError, match=r"has answer\(\), as an agent has, but lacks name and remembers\."):
        as_agent(Half())
