"""Chat messages in the shape of OpenAI's API."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from uaef.adapters import AdapterTransformationError, OpenAIMessagesAdapter
from uaef.errors import DataError
from uaef.models import AgentTrace, Conversation, Message, MessageRole, MultiAgentTrace, ToolCall, ToolStatus
from uaef.models.chat_messages import parse_messages


def call(name="look_up", arguments='{"what": "herons"}', call_id="c1"):
    """A tool call as the API writes it."""
    return {"id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}}


NO_VALUE = "Expecting value: line 1 column 10 (char 9)"
CHAT = [
    {"role": "system", "content": "Be brief."},
    {"role": "user", "content": "Herons?"},
    {"role": "assistant", "content": None, "tool_calls": [call(), call("count", '{"n": 2}', "c2")]},
    {"role": "tool", "tool_call_id": "c2", "content": "two"},
    {"role": "tool", "tool_call_id": "c1", "content": "grey ones"},
    {"role": "assistant", "content": "Two grey ones."},
    {"role": "user", "content": [{"type": "text", "text": "Thank "}, {"type": "text", "text": "you!"}]},
    {"role": "assistant", "content": "You are welcome."},
]


def test_a_list_of_messages_is_a_session():
    """Split at user messages, what stands before the first belongs to it; results are joined by id."""
    session = OpenAIMessagesAdapter().transform_to_canonical(CHAT)
    first, second = session["per_turn_traces"]
    assert ["per_turn_traces", "full_trace"] == list(session)
    assert ["system", "user", "assistant", "tool", "tool", "assistant"] == [m.role.value for m in first.messages]
    assert ["Thank you!", "You are welcome."] == [m.content for m in second.messages]
    assert [
        ("look_up", {"what": "herons"}, "c1", ToolStatus.COMPLETED, "grey ones"),
        ("count", {"n": 2}, "c2", ToolStatus.COMPLETED, "two"),
    ] == [(c.name, c.arguments, c.call_id, c.status, c.result) for c in first.tool_calls]
    assert [{"turn_id": 1}, {"turn_id": 2}] == [t.metadata for t in (first, second)]
    assert {(AgentTrace, "openai")} == {(type(t), t.framework) for t in (first, second, session["full_trace"])}
    assert [*first.messages, *second.messages] == session["full_trace"].messages


def test_a_session_is_a_conversation():
    """What the adapter gives is what the rest takes."""
    session = OpenAIMessagesAdapter().transform_to_canonical({"messages": CHAT, "session_id": "zoo"})
    conversation = Conversation.from_session(session)
    assert ("zoo", 2, ["Herons?", "Thank you!"]) == (conversation.name, len(conversation), conversation.user_messages)
    assert ["zoo#1", "zoo#2"] == [turn.trace.trace_id for turn in conversation.turns]
    assert "zoo" == session["full_trace"].trace_id


@pytest.mark.parametrize("key", ["session_id", "thread_id", "conversation_id", "id"])
def test_a_dict_names_its_conversation(key):
    """Any of the field's words for it; other keys stand in the metadata of the turns."""
    raw = {"messages": CHAT[1:], key: 7, "model": "m-1", "metadata": {"shop": "Rye"}}
    session = OpenAIMessagesAdapter().transform_to_canonical(raw)
    assert "7" == session["session_id"]
    assert {"model": "m-1", "shop": "Rye", "turn_id": 1} == session["per_turn_traces"][0].metadata


def test_a_list_of_dicts_is_a_list_of_sessions():
    """Each has its name; one without gets its place for a name, so that they can be told apart."""
    sessions = OpenAIMessagesAdapter().transform_to_canonical(
        [{"messages": CHAT, "id": "a"}, {"messages": CHAT[1:3]}]
    )
    assert ["a", "conversation-2"] == [s["session_id"] for s in sessions]
    assert [2, 1] == [len(s["per_turn_traces"]) for s in sessions]
    assert sessions[1]["full_trace"] is sessions[1]["per_turn_traces"][0]
    assert [ToolStatus.PENDING] * 2 == [c.status for c in sessions[1]["full_trace"].tool_calls]


def test_names_of_assistants_are_agents():
    """Two named assistants make multi-agent traces; calls and results belong to their agents."""
    chat = [
        {"role": "user", "name": "alice", "content": "Herons?"},
        {"role": "assistant", "name": "desk", "content": "Let me ask."},
        {"role": "assistant", "name": "guide", "content": None, "tool_calls": [call()]},
        {"role": "tool", "tool_call_id": "c1", "content": "grey ones"},
    ]
    trace = OpenAIMessagesAdapter().transform_to_canonical(chat)["full_trace"]
    assert (MultiAgentTrace, ("desk", "guide")) == (type(trace), trace.agents)
    assert [None, "desk", "guide", "guide"] == [m.agent for m in trace.messages]
    assert ["guide"] == [c.agent for c in trace.tool_calls]
    assert [{"name": "alice"}, {}, {}, {}] == [m.metadata for m in trace.messages]


def test_legacy_function_calls_are_joined_by_name():
    """``function_call`` and role ``function`` know no ids: a result answers the first open call of its name."""
    chat = [
        {"role": "user", "content": "Add!"},
        {"role": "assistant", "content": None, "function_call": {"name": "add", "arguments": '{"a": 1}'}},
        {"role": "function", "name": "add", "content": "3"},
        {"role": "assistant", "content": None, "function_call": {"name": "add", "arguments": '{"a": 2}'}},
        {"role": "function", "name": "add", "content": "4"},
    ]
    calls = OpenAIMessagesAdapter().transform_to_canonical(chat)["full_trace"].tool_calls
    assert [({"a": 1}, "3"), ({"a": 2}, "4")] == [(c.arguments, c.result) for c in calls]


@pytest.mark.parametrize(
    ("arguments", "kept", "warning"),
    [
        ("", {}, None),
        (None, {}, None),
        ({"what": 1}, {"what": 1}, None),
        ("[1]", {"_raw": "[1]"}, "The arguments of a call of 'look_up' are no JSON object: '[1]'."),
        (
            '{"what": ',
            {"_raw": '{"what": '},
            f"The arguments of a call of 'look_up' are no valid JSON ({NO_VALUE}): '{{\"what\": '.",
        ),
    ],
)
def test_arguments_are_parsed_or_kept_with_a_warning(arguments, kept, warning):
    """Arguments that are no JSON object stay visible as text, and the turn says so."""
    chat = [CHAT[1], {"role": "assistant", "tool_calls": [call(arguments=arguments)]}]
    trace = OpenAIMessagesAdapter().transform_to_canonical(chat)["full_trace"]
    assert kept == trace.tool_calls[0].arguments
    assert ([warning] if warning else None) == trace.metadata.get("warnings")


def test_odd_conversations_are_kept_with_a_warning():
    """No user at all, or a result that answers nothing: it is what was recorded."""
    chat = [{"role": "assistant", "content": "Hello?"}, {"role": "tool", "tool_call_id": "c9", "content": "x"}]
    trace = OpenAIMessagesAdapter().transform_to_canonical(chat)["full_trace"]
    assert ["A tool's result answers no call: 'x'.", "The turn has no user message."] == trace.metadata["warnings"]


@pytest.mark.parametrize("marked", [{"is_error": True}, {"status": "error"}])
def test_a_failed_tool_where_it_is_marked(marked):
    """The API has no word for it; the common ones are understood."""
    chat = [*CHAT[:3], {"role": "tool", "tool_call_id": "c1", "content": "boom", **marked}]
    calls = OpenAIMessagesAdapter().transform_to_canonical(chat)["full_trace"].tool_calls
    assert [(ToolStatus.FAILED, "boom", None), (ToolStatus.PENDING, None, None)] == [
        (c.status, c.error, c.result) for c in calls
    ]


def test_other_fields_and_parts_are_kept():
    """A refusal is what the user read; further keys and the kinds of other parts stand in the metadata."""
    chat = [
        {"role": "developer", "content": "Be brief."},
        {
            "role": "user",
            "content": [{"type": "text", "text": "What is it?"}, {"type": "image_url", "image_url": {}}],
        },
        {"role": "assistant", "content": None, "refusal": "I can't say.", "id": "m1", "audio": None},
    ]
    messages = parse_messages(chat)
    assert [MessageRole.SYSTEM, MessageRole.USER, MessageRole.ASSISTANT] == [m.role for m in messages]
    assert ["Be brief.", "What is it?", "I can't say."] == [m.content for m in messages]
    assert [{}, {"blocks": ["image_url"]}, {"id": "m1"}] == [m.metadata for m in messages]


def test_our_own_messages_and_client_objects_pass():
    """A ``Message`` stays what it is; an object of OpenAI's client is read through its ``model_dump``."""
    ours = Message(role="user", content="Hi", metadata={"x": 1})
    asked = Message(role="assistant", content="", tool_calls=[ToolCall(name="add", call_id="c1", status="pending")])
    theirs = SimpleNamespace(model_dump=lambda: {"role": "tool", "tool_call_id": "c1", "content": "3", "name": None})
    parsed = parse_messages([ours, asked, theirs])
    assert parsed[0] is ours
    assert [(ToolStatus.COMPLETED, "3")] == [(c.status, c.result) for c in parsed[1].tool_calls]
    assert (MessageRole.TOOL, "c1", {}) == (parsed[2].role, parsed[2].tool_call_id, parsed[2].metadata)


LIST = "messages must be a list with at least one message"
ROLES = "system, developer, user, assistant, tool, function"


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("Hi", "a message is a dict with role and content, got 'Hi'."),
        ({"content": "Hi"}, f"role is missing; it is one of {ROLES}."),
        ({"role": "asistant", "content": "Hi"}, "unknown role 'asistant'; did you mean 'assistant'?"),
        ({"role": "xyz", "content": "Hi"}, f"unknown role 'xyz'; it is one of {ROLES}."),
        ({"role": "user"}, "content is missing."),
        ({"role": "user", "content": None}, "content is missing."),
        ({"role": "assistant"}, "content is missing."),
        ({"role": "user", "content": 5}, "content must be text, a list of parts or null, got 5."),
        ({"role": "assistant", "tool_calls": "x"}, "tool_calls must be a list, got 'x'."),
        ({"role": "assistant", "tool_calls": ["x"]}, "tool call 1 must be a dict, got 'x'."),
        (
            {"role": "assistant", "tool_calls": [call(), {"id": "c2", "function": {"arguments": "{}"}}]},
            "tool call 2: a tool call has no name.",
        ),
        ({"role": "tool", "content": "3"}, "a tool's message needs the tool_call_id of the call that it answers."),
        (
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c1"}]},
            "a content part of type 'tool_result' is not OpenAI's; use tool_calls and role 'tool'.",
        ),
    ],
    ids=str,
)
def test_a_fault_is_named_with_its_position(message, expected):
    """Which message, and what is wrong with it."""
    with pytest.raises(DataError) as raised:
        Conversation.from_messages([CHAT[1], message])
    assert f"message 2: {expected}" == str(raised.value)


def test_faults_of_all_conversations_stand_in_one_error():
    """Conversation and message, for each fault."""
    with pytest.raises(AdapterTransformationError) as raised:
        OpenAIMessagesAdapter().transform_to_canonical(
            [{"messages": CHAT}, {"messages": [{"role": "user"}, 3], "id": "b"}, {"messages": []}, {"messages": "Hi"}]
        )
    assert (
        "[openai] conversation 2 ('b'), message 1: content is missing.",
        "[openai] conversation 2 ('b'), message 2: a message is a dict with role and content, got 3.",
        f"[openai] conversation 3 ('conversation-3'), {LIST}, got an empty list.",
        f"[openai] conversation 4 ('conversation-4'), {LIST}, got str.",
    ) == raised.value.problems


@pytest.mark.parametrize(
    ("raw", "got"), [([], "an empty list"), ("Hi", "str"), ({"a": 1}, "dict"), (None, "NoneType")]
)
def test_anything_else_is_refused(raw, got):
    """An adapter says what it takes."""
    with pytest.raises(AdapterTransformationError) as raised:
        OpenAIMessagesAdapter().transform_to_canonical(raw)
    assert f"[openai] Expected a list of messages or a dict with messages, got {got}." == str(raised.value)
