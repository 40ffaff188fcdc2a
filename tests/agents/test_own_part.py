"""A turn's own part of what an agent hands back, told by what is known to have come before."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from playing import answers, case, play, roles

from uaef.agents import History
from uaef.models import AgentTrace, Message, MultiAgentTrace, ToolCall


def _user(text):
    return {"role": "user", "content": text}


def _assistant(text, **more):
    return {"role": "assistant", "content": text, **more}


DELETE = {"id": "d1", "function": {"name": "delete", "arguments": "{}"}}


def _handed_over(text, thread_id=""):  # noqa: ARG001 - it keeps its thread
    return [
        _user(text),
        _assistant("SECRET", tool_calls=[DELETE]),
        {"role": "tool", "tool_call_id": "d1", "content": "gone"},
        _user(text),
        _assistant("fine"),
    ]


def _wrapped(text, thread_id=""):
    return [
        {**said, "content": f"Prompt: {said['content']}"} if said["role"] == "user" else said
        for said in _handed_over(text, thread_id)
    ]


def _traced(text, thread_id=""):  # noqa: ARG001 - it keeps its thread
    messages = [Message(role="user", content=text), Message(role="assistant", content="SECRET")]
    messages += [Message(role="user", content=text), Message(role="assistant", content="fine")]
    return AgentTrace(messages=messages, tool_calls=[ToolCall(name="delete", arguments={"of": text})])


@pytest.mark.parametrize("agent", [_handed_over, _wrapped, _traced])
@pytest.mark.parametrize("history", [History.THREAD, History.ACTUAL, History.NONE])
@pytest.mark.parametrize("questions", [("q1", "q2", "q3"), ("yes", "yes", "no")])
def test_nothing_of_a_turn_is_lost_where_its_question_stands_in_it_twice(agent, history, questions):
    """What one agent said and called before it handed over is part of every turn, not of the first alone."""
    for turn in play(agent, case(*questions), history=history):
        assert "SECRET" in [text for _, text in roles(turn.trace)]
        assert ["delete"] == [made.name for made in turn.trace.tool_calls]


class Keeper:
    """Keeps everything it ever said and called, and hands all of it back each time."""

    def __init__(self, form, *, twice=False):
        self.messages, self.calls = [], []
        self._form = form
        self._rounds = 2 if twice else 1

    def answer(self, text, thread_id):
        """The next turn, with all before it."""
        del thread_id
        for part in range(self._rounds):
            self.messages.append(Message(role="user", content=text))
            self.messages.append(Message(role="assistant", content=f"{text} {len(self.messages)} {part}"))
            self.calls.append(ToolCall(name="look", arguments={}))
        return self._form(self.messages, self.calls)


FORMS = {
    "trace": lambda messages, calls: AgentTrace(messages=messages, tool_calls=calls),
    "copies": lambda messages, calls: AgentTrace(messages=list(messages), tool_calls=list(calls)),
    "several agents": lambda messages, calls: MultiAgentTrace(messages=messages, tool_calls=calls),
    "messages": lambda messages, _: messages,
    "the last ones": lambda messages, _: messages[-5:],
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("twice", [False, True])
@pytest.mark.parametrize("questions", [("a", "b", "c"), ("yes", "yes", "yes")])
def test_what_an_agent_keeps_is_neither_counted_twice_nor_changed_after_the_fact(form, twice, questions):
    """Each turn holds its own messages and calls, whatever the agent does to its lists later."""
    turns = play(Keeper(FORMS[form], twice=twice).answer, case(*questions))
    rounds = 2 if twice else 1
    assert [2 * rounds] * 3 == [len(turn.trace.messages) for turn in turns]
    said = [text for turn in turns for role, text in roles(turn.trace) if role == "assistant"]
    assert [f"{q} {2 * (n * rounds + r) + 1} {r}" for n, q in enumerate(questions) for r in range(rounds)] == said
    if "messages" not in form and "last" not in form:
        assert [rounds] * 3 == [len(turn.trace.tool_calls) for turn in turns]


def test_calls_that_have_ids_are_told_by_them_alone():
    """Where only the calls pile up, their ids say which are new; the same call made again is another one."""
    made = []

    def agent(text, thread_id):  # noqa: ARG001 - it keeps its thread
        made.append(ToolCall(name="look", arguments={}, call_id=f"c{len(made)}"))
        return AgentTrace(messages=[Message(role="assistant", content=text)], tool_calls=made)

    turns = play(agent, case("a", "b", "c"))
    assert [["c0"], ["c1"], ["c2"]] == [[call.call_id for call in turn.trace.tool_calls] for turn in turns]


def test_a_call_made_again_counts_again():
    """An agent that hands back its own turn alone may do in it what it did before."""
    look = ToolCall(name="look", arguments={})

    def agent(text, thread_id):  # noqa: ARG001 - it keeps its thread
        return AgentTrace(messages=[Message(role="assistant", content=text)], tool_calls=[look])

    assert [1, 1, 1] == [len(turn.trace.tool_calls) for turn in play(agent, case("a", "b", "c"))]


def test_a_conversation_that_is_told_in_other_words_is_cut_behind_what_was_last_said():
    """An agent that rewrites questions still repeats its answers."""
    kept = []

    def agent(text, thread_id):  # noqa: ARG001 - it keeps its thread
        kept.extend([_user("Rewritten."), _assistant(f"re: {text}")])
        return list(kept)

    turns = play(agent, case("a", "b", "c"))
    assert [[("user", q), ("assistant", f"re: {q}")] for q in "abc"] == [roles(turn.trace) for turn in turns]


def test_an_agent_that_says_nothing_new_has_said_nothing():
    """Handing back the conversation as it was is no answer."""
    kept = [_user("a"), _assistant("A")]
    turns = play(lambda text, thread_id: kept, case("a", "b"))  # noqa: ARG005 - it keeps its thread
    assert [[("user", "a"), ("assistant", "A")], [("user", "b")]] == [roles(turn.trace) for turn in turns]


@given(st.lists(st.tuples(st.sampled_from("ab"), st.sampled_from("xyz")), min_size=1, max_size=5), st.integers(0, 4))
def test_whole_conversations_are_cut_at_the_turn_whatever_was_said_in_them(said, forgotten):
    """Repeated questions and answers, a thread kept in full or from some point on: every turn is its own."""
    kept = []
    replies = iter([f"{reply}{place}" for place, (_, reply) in enumerate(said)])

    def agent(text, thread_id):  # noqa: ARG001 - it keeps its thread
        kept.extend([_user(text), _assistant(next(replies))])
        return kept[-2 - forgotten :] if forgotten else list(kept)

    turns = play(agent, case(*(question for question, _ in said)))
    assert [f"{reply}{place}" for place, (_, reply) in enumerate(said)] == answers(turns)
    assert [2] * len(said) == [len(turn.trace.messages) for turn in turns]
