"""Adapters by name, and which of them a recording is for."""

from __future__ import annotations

import pytest

from uaef import adapters
from uaef.adapters import (
    BaseAdapter,
    LangGraphAdapter,
    OpenAIMessagesAdapter,
    get_adapter,
    list_adapters,
    register_adapter,
)
from uaef.errors import UaefError, UnknownNameError
from uaef.models import AgentTrace, Message, MultiAgentTrace
from uaef.registry import Registry


class Lines(BaseAdapter):
    """An adapter of the user's own: a text with one message a line."""

    name = "lines"

    def transform_to_canonical(self, raw):
        """A trace of the lines."""
        return AgentTrace(messages=[Message(role="user", content=line) for line in raw.splitlines()])


class Anything(Lines):
    """An adapter with options of all kinds."""

    def __init__(self, **options):
        self.options = options


@pytest.fixture
def own_registry(monkeypatch):
    """A registry that this test may fill."""
    own = Registry("adapter", "uaef.adapters", adapters._unpack)  # noqa: SLF001 - nothing leaks into other tests
    monkeypatch.setattr(adapters, "_REGISTRY", own)


def test_built_ins_come_through_entry_points():
    """The two adapters are known by name."""
    assert ["langgraph", "openai"] == list_adapters()
    assert [LangGraphAdapter, OpenAIMessagesAdapter] == [type(get_adapter(name)) for name in list_adapters()]
    assert ["langgraph", "openai"] == [get_adapter(name).name for name in list_adapters()]


def test_options_reach_the_adapter():
    """``get_adapter`` builds with the options given."""
    event = {"a": {"messages": [("ai", "Hi")]}}
    adapter = get_adapter("langgraph", agent_nodes=["a", "b"])
    assert isinstance(adapter.transform_to_canonical({"stream_events": [event]}), MultiAgentTrace)


@pytest.mark.parametrize(
    ("name", "options", "expected"),
    [
        ("langraph", {}, "Unknown adapter 'langraph'. Did you mean 'langgraph'?"),
        ("xyz", {}, "Unknown adapter 'xyz'. Available: langgraph, openai."),
        (
            "langgraph",
            {"agent_node": "a"},
            "Unknown langgraph adapter option 'agent_node'. Did you mean 'agent_nodes'?",
        ),
        ("openai", {"x": 1}, "Unknown openai adapter option 'x'. Available: none."),
    ],
)
def test_unknown_names_are_refused_with_the_nearest(name, options, expected):
    """Of adapters and of their options."""
    with pytest.raises(UnknownNameError) as raised:
        get_adapter(name, **options)
    assert expected == str(raised.value)


@pytest.mark.usefixtures("own_registry")
def test_an_own_adapter():
    """It is registered once, or knowingly again, and then works by name."""
    register_adapter("lines", Lines)
    assert ["langgraph", "lines", "openai"] == list_adapters()
    assert ["a", "b"] == [m.content for m in get_adapter("lines").transform_to_canonical("a\nb").messages]
    with pytest.raises(UaefError) as raised:
        register_adapter("lines", Anything)
    assert "The adapter name 'lines' is taken; choose another or pass override=True." in str(raised.value)
    register_adapter("lines", Anything, override=True)
    assert {"depth": 3} == get_adapter("lines", depth=3).options


@pytest.mark.parametrize("thing", [Lines.transform_to_canonical, int, "Lines"])
def test_only_adapters_are_registered(thing):
    """A class that is no adapter is refused when it is registered, not when it is used."""
    with pytest.raises(UaefError) as raised:
        register_adapter("lines", thing)
    assert f"The adapter 'lines' must be a subclass of BaseAdapter, got {thing!r}." == str(raised.value)


EVENTS = {"stream_events": [{"agent": None}]}
USER = {"role": "user", "content": "Hi"}


@pytest.mark.parametrize(
    ("raw", "name"),
    [
        (EVENTS, "langgraph"),
        ([EVENTS, EVENTS], "langgraph"),
        ([USER, {"role": "assistant", "tool_calls": []}], "openai"),
        ([Message(role="user", content="Hi")], "openai"),
        ({"messages": [USER], "id": "a"}, "openai"),
        ([{"messages": [USER]}, {"messages": [USER]}], "openai"),
        ([], None),
        ({}, None),
        ("Hi", None),
        ([EVENTS, {"stream_event": []}], "langgraph"),
        ([EVENTS, "Hi"], None),
        ([USER, {"messages": [USER]}], None),
        ({"messages": []}, None),
        ({"messages": "Hi"}, None),
        ([{"role": "robot", "content": "Hi"}], None),
        ([{"role": "user"}], None),
        (AgentTrace(trace_id="t", messages=[Message(role="user", content="Hi")]).to_dict(), None),
        ({"session_id": "a", "per_turn_traces": [], "full_trace": {}}, None),
    ],
    ids=str,
)
def test_a_recording_is_recognised_by_its_shape(raw, name):
    """Payloads and chat messages; never our own traces and sessions, and nothing in doubt."""
    adapter = adapters.detect(raw)
    assert name == (adapter and adapter.name)
    assert Lines().recognises(raw) is False
