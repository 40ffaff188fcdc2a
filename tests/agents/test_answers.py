"""What agents return becomes the trace of the turn: the user's message first, nothing from before it."""

from __future__ import annotations

import types
import warnings

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage, ToolMessage
from playing import call, case, errors, play, roles

from uaef.agents.answers import trace_of
from uaef.errors import DataError
from uaef.models import AgentTrace, Message, MultiAgentTrace, ToolCall, ToolStatus

ASKED = ("user", "And tomorrow?")
SAID = ("assistant", "Rain.")
BEFORE = [{"role": "user", "content": "Today?"}, {"role": "assistant", "content": "Sun."}]
QUESTION = {"role": "user", "content": "And tomorrow?"}
CALLING = {
    "role": "assistant",
    "content": "Let me look.",
    "tool_calls": [{"id": "c1", "function": {"name": "forecast", "arguments": '{"day": 2}'}}],
}
RESULT = {"role": "tool", "tool_call_id": "c1", "content": "rain"}
ANSWER = {"role": "assistant", "content": "Rain."}
AI_CALL = AIMessage("Let me look.", tool_calls=[{"id": "c1", "name": "forecast", "args": {"day": 2}}])
AI_RESULT = ToolMessage("rain", tool_call_id="c1")
SYSTEM = {"role": "system", "content": "Be brief."}


@pytest.mark.parametrize(
    "answer",
    [
        "Rain.",
        ANSWER,
        [ANSWER],
        Message(role="assistant", content="Rain."),
        [QUESTION, ANSWER],
        [SYSTEM, QUESTION, ANSWER],
        {"messages": [QUESTION, ANSWER]},
        {"choices": [{"index": 0, "message": ANSWER}]},
        AIMessage("Rain."),
        [AIMessage("Rain.")],
        {"messages": [HumanMessage("And tomorrow?"), AIMessage("Rain.")]},
        [{"agent": {"messages": [AIMessage("Rain.")]}}],
        {"stream_events": [{"agent": {"messages": [AIMessage("Rain.")]}}]},
        AgentTrace(messages=[Message(role="assistant", content="Rain.")]),
        AgentTrace(
            messages=[Message(role="user", content="And tomorrow?"), Message(role="assistant", content="Rain.")]
        ),
        ({"role": "assistant", "content": "Rain."},),
    ],
    ids=lambda answer: type(answer).__name__,
)
def test_an_answer_in_every_form_is_the_same_turn(answer):
    """Text, messages with or without the question, a state, events, a trace: one question and one answer."""
    assert [ASKED, SAID] == roles(trace_of(answer, call()))


@pytest.mark.parametrize(
    "messages",
    [[CALLING, RESULT, ANSWER], [AI_CALL, AI_RESULT, AIMessage("Rain.")]],
    ids=["openai", "langchain"],
)
@pytest.mark.parametrize("wrap", [lambda m: m, lambda m: {"messages": m}], ids=["list", "state"])
def test_tool_calls_arrive_with_their_results(messages, wrap):
    """A call and the message that answers it are one completed tool call with arguments and result."""
    trace = trace_of(wrap(messages), call())
    (made,) = trace.tool_calls
    assert ("forecast", {"day": 2}, "rain", ToolStatus.COMPLETED) == (
        made.name,
        made.arguments,
        made.result,
        made.status,
    )
    assert [ASKED, ("assistant", "Let me look."), ("tool", "rain"), SAID] == roles(trace)


@pytest.mark.parametrize("front", [[], [SYSTEM]], ids=["", "system"])
@pytest.mark.parametrize(
    ("history", "question"),
    [(BEFORE, [QUESTION]), (BEFORE, []), ([], [QUESTION])],
    ids=["both", "history", "question"],
)
def test_messages_from_before_the_turn_are_left_out(history, front, question):
    """A whole transcript is cut at the question, or behind the history where the question is not in it."""
    told = [*front, *BEFORE, *question, CALLING, RESULT, ANSWER]
    trace = trace_of(told, call(history=history, turn=2))
    assert [ASKED, ("assistant", "Let me look."), ("tool", "rain"), SAID] == roles(trace)


def test_a_question_asked_twice_is_the_last_one():
    """Where the user says the same again, the turn is the last time; with a history, the one behind it."""
    twice = [{"role": "user", "content": "Yes"}, {"role": "assistant", "content": "Which day?"}]
    last = [{"role": "user", "content": "Yes"}, ANSWER]
    for history in ([], twice):
        assert [("user", "Yes"), SAID] == roles(trace_of([*twice, *last], call("Yes", history=history, turn=2)))


def test_a_prompt_around_the_question_is_not_what_the_user_said():
    """Where an agent wraps the question, the turn holds the user's own words."""
    wrapped = {"role": "user", "content": "Context: ...\nQuestion: And tomorrow?"}
    assert [ASKED, SAID] == roles(trace_of([*BEFORE, wrapped, ANSWER], call(turn=2)))


def test_a_trace_of_the_whole_conversation_is_cut_with_its_calls():
    """Calls of earlier turns leave with their messages, whether they hang on messages or stand beside them."""

    def made(name):
        return ToolCall(name=name, arguments={}, call_id=name)

    messages = [
        Message(role="user", content="Today?"),
        Message(role="assistant", content="Sun.", tool_calls=[made("old")]),
        Message(role="user", content="And tomorrow?"),
        Message(role="assistant", content="Rain.", tool_calls=[made("new")], agent="a"),
    ]
    for trace in (
        AgentTrace(trace_id="own", messages=messages, cost=0.5),
        MultiAgentTrace(trace_id="own", messages=messages, total_cost=0.5),
        AgentTrace(trace_id="own", messages=messages, tool_calls=[made("old"), made("new"), made("loose")], cost=0.5),
    ):
        own = trace_of(trace, call(turn=2))
        assert [ASKED, SAID] == roles(own)
        assert "new" in {c.name for c in own.tool_calls}
        assert "old" not in {c.name for c in own.tool_calls}
        assert ("own", 0.5, type(trace)) == (own.trace_id, own.cost, type(own))


def test_several_speakers_make_a_trace_of_several_agents():
    """Chat messages with the names of two assistants are the work of two agents."""
    trace = trace_of([{**ANSWER, "name": "desk"}, {**ANSWER, "name": "boss"}], call())
    assert isinstance(trace, MultiAgentTrace)
    assert ("desk", "boss") == trace.agents


def test_a_completion_says_its_tokens():
    """Usage in a chat completion becomes the trace's tokens; what it does not say is unknown."""
    usage = {"prompt_tokens": 12, "completion_tokens": 3}
    trace = trace_of({"choices": [{"message": ANSWER}], "usage": usage}, call())
    assert (12, 3) == (trace.input_tokens, trace.output_tokens)
    assert trace_of({"choices": [{"message": ANSWER}]}, call()).input_tokens is None


def test_a_message_object_of_a_client_is_read():
    """What knows how to dump itself as a chat message or a completion is one."""

    class Dumps:
        role = "assistant"

        def __init__(self, data):
            self.data = data

        def model_dump(self):
            return self.data

    for answer in (Dumps(ANSWER), [Dumps(ANSWER)], Dumps({"choices": [{"message": ANSWER}]})):
        assert [ASKED, SAID] == roles(trace_of(answer, call()))


async def _coroutine():
    return "Rain."


NONSENSE = {
    "None": lambda: None,
    "int": lambda: 42,
    "bool": lambda: True,
    "bytes": lambda: b"Rain.",
    "generator": lambda: (word for word in ["Rain."]),
    "coroutine": _coroutine,
    "object": object,
    "set": lambda: {"Rain."},
    "empty list": list,
    "dict": lambda: {"answer": "Rain."},
    "SimpleNamespace": lambda: types.SimpleNamespace(text="Rain."),
    "list": lambda: ["Rain.", "Sun."],
    "AIMessage class": lambda: AIMessage,
}


@pytest.mark.parametrize("kind", NONSENSE)
def test_anything_else_is_a_failed_turn_that_names_the_type(kind):
    """No value that is no answer becomes an empty one: the turn fails, and its error says what came."""

    async def agent(_):
        return NONSENSE[kind]()

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        turns = play(agent, case("And tomorrow?"))
    (error,) = errors(turns)
    name = {"AIMessage class": "ModelMetaclass"}.get(kind, kind)
    assert error.startswith("it returned ")
    assert name in error
    assert [ASKED] == roles(turns[0].trace)
    assert error == turns[0].trace.metadata["error"]


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        ([{"role": "asistant", "content": "Rain."}], "did you mean 'assistant'?"),
        ({"choices": []}, "no single choice"),
        ([{"agent": 3}, 7], "stream event"),
        ({"stream_events": []}, "it returned {'stream_events': []}, of type dict"),
        ([SystemMessage("x"), {"odd": 1}], "stream event"),
    ],
)
def test_an_answer_with_a_fault_is_a_failed_turn_that_says_where(answer, words):
    """Messages and events that cannot be read fail the turn with the reader's own sentence."""
    with pytest.raises(DataError, match=r".*") as raised:
        trace_of(answer, call())
    assert words in str(raised.value)


@given(st.lists(st.text(max_size=5), max_size=4), st.text(min_size=1).filter(str.strip), st.text())
def test_whatever_comes_before_never_reaches_the_turn(earlier, question, answer):
    """However often the user repeats themselves, a transcript with its history is cut at the turn."""
    history = [
        m for text in earlier for m in ({"role": "user", "content": text}, {"role": "assistant", "content": "."})
    ]
    asked = call(question, history=history, turn=len(earlier) + 1)
    told = [*history, {"role": "user", "content": question}, {"role": "assistant", "content": answer}]
    assert [("user", question), ("assistant", answer)] == roles(trace_of(told, asked))
