"""What agents are shown of a conversation, by policy; threads, resources, and agents that cannot remember."""

from __future__ import annotations

import uuid

import pytest
from hypothesis import given
from hypothesis import strategies as st
from playing import TRIP, answers, case, play, roles

from uaef.agents import History, as_agent, check_playable, memory_apart, no_memory_warning
from uaef.errors import UsageError
from uaef.models import AgentTrace, GroundTruth, Message, ToolCall
from uaef.models.case import Ask, Case
from uaef.testing import ScriptedAgent

TALK = [
    {"role": "user", "content": "Weather?"},
    {"role": "assistant", "content": "It is 20 degrees."},
    {"role": "user", "content": "Tomorrow?"},
    {"role": "assistant", "content": "It is 21 degrees."},
]
REPLIES = ["It is 20 degrees.", "It is 21 degrees.", "They are alike."]


class Stateless(ScriptedAgent):
    """Keeps nothing between its turns."""

    wants_history = True


def histories(agent):
    """What an agent was shown, call by call."""
    return [list(call.history) for call in agent.asked]


def test_thread_keeps_one_thread_and_shows_nothing():
    """All turns are in one thread, which is also the resource; an agent with a memory gets no history."""
    agent = ScriptedAgent(REPLIES)
    turns = play(agent, TRIP)
    assert REPLIES == answers(turns)
    assert [[], [], []] == histories(agent)
    (thread,) = {call.thread_id for call in agent.asked}
    assert {thread} == {call.resource for call in agent.asked} == {t.trace.metadata["thread_id"] for t in turns}
    assert uuid.UUID(thread)
    assert [None] * 3 == [turn.shown for turn in turns]


def test_thread_shows_the_conversation_to_an_agent_that_keeps_nothing():
    """A function of history, which has no memory but what it is shown, is shown what was really said."""
    agent = Stateless(REPLIES)
    play(agent, TRIP)
    assert [[], TALK[:2], TALK] == histories(agent)

    async def count(text, history):
        return f"{text} {len(history)}"

    assert ["a 0", "b 2", "c 4"] == answers(play(count, case(*"abc")))


def test_actual_shows_what_was_said_in_a_new_thread_each_turn():
    """The transcript is passed, and a memory that would hold it a second time is not asked."""
    agent = ScriptedAgent(REPLIES)
    turns = play(agent, TRIP, history=History.ACTUAL)
    assert [[], TALK[:2], TALK] == histories(agent)
    assert len({call.thread_id for call in agent.asked}) == 3
    assert [None] * 3 == [turn.shown for turn in turns]


def test_expected_shows_what_should_have_been_said():
    """The golden answers stand in the history, whatever the agent said; the turn remembers what it was shown."""
    agent = ScriptedAgent(REPLIES)
    turns = play(agent, TRIP, history=History.EXPECTED)
    golden = [(0, "Weather?", "Sun."), (1, "Tomorrow?", "Rain.")]
    pairs = [[("user", user), ("assistant", said)] for _, user, said in golden]
    by_turn = {call.turn: [(m["role"], m["content"]) for m in call.history] for call in agent.asked}
    assert {1: [], 2: pairs[0], 3: [*pairs[0], *pairs[1]]} == by_turn
    assert [None, pairs[0], [*pairs[0], *pairs[1]]] == [
        None if turn.shown is None else [(m.role.value, m.content) for m in turn.shown] for turn in turns
    ]
    assert len({call.thread_id for call in agent.asked}) == 3
    assert REPLIES == answers(turns)


def test_a_reply_is_shown_in_place_of_what_is_expected():
    """``reply`` is the golden utterance where what is expected is no utterance."""
    asks = [Ask(user="a", reply="said", expected=GroundTruth(expected_output="asks for it")), Ask(user="b")]
    agent = ScriptedAgent(["x", "y"])
    play(agent, Case(case_id="c", asks=asks), history=History.EXPECTED)
    shown = {call.turn: list(call.history) for call in agent.asked}
    assert {"role": "assistant", "content": "said"} == shown[2][1]


def test_none_shows_nothing():
    """Every turn is a first one, and says so, but for the first, before which nothing was said."""
    agent = ScriptedAgent(REPLIES)
    turns = play(agent, TRIP, history=History.NONE)
    assert [[], [], []] == histories(agent)
    assert [None, (), ()] == [turn.shown for turn in turns]


def test_a_conversation_of_one_turn_flows_under_every_policy():
    """Nothing is replaced before a first turn, so what is measured on whole conversations applies to it."""
    for history in History:
        (turn,) = play(ScriptedAgent(["x"]), case("a"), history=history)
        assert turn.shown is None


def test_tools_stand_in_the_history_as_a_request_has_them():
    """A call is followed by its result, whether it was a message, hung on the call, or stood beside the messages."""
    done = ToolCall(name="find", arguments={"day": 1}, result={"degrees": 20})
    failed = ToolCall(name="book", arguments={}, call_id="b1", error="taken")
    first = AgentTrace(messages=[Message(role="assistant", content="So.", tool_calls=[done, failed])])
    beside = AgentTrace(messages=[Message(role="assistant", content="Done.")], tool_calls=[done])
    recorded = [
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [{"id": "c9", "function": {"name": "f", "arguments": "{}"}}],
        },
        {"role": "tool", "tool_call_id": "c9", "content": "ok"},
        {"role": "assistant", "content": "Fine."},
    ]
    agent = ScriptedAgent([first, beside, recorded, "end"])
    play(agent, case(*"abcd"), history=History.ACTUAL)
    find = {"name": "find", "arguments": '{"day": 1}'}
    assert [
        {"role": "user", "content": "a"},
        {
            "role": "assistant",
            "content": "So.",
            "tool_calls": [
                {"id": "call_1", "type": "function", "function": find},
                {"id": "b1", "type": "function", "function": {"name": "book", "arguments": "{}"}},
            ],
        },
        {"role": "tool", "tool_call_id": "call_1", "content": '{"degrees": 20}'},
        {"role": "tool", "tool_call_id": "b1", "content": "taken"},
        {"role": "user", "content": "b"},
        {
            "role": "assistant",
            "content": "",
            "tool_calls": [{"id": "call_2", "type": "function", "function": find}],
        },
        {"role": "tool", "tool_call_id": "call_2", "content": '{"degrees": 20}'},
        {"role": "assistant", "content": "Done."},
        {"role": "user", "content": "c"},
        {
            "role": "assistant",
            "content": "",
            "tool_calls": [{"id": "c9", "type": "function", "function": {"name": "f", "arguments": "{}"}}],
        },
        {"role": "tool", "tool_call_id": "c9", "content": "ok"},
        {"role": "assistant", "content": "Fine."},
    ] == histories(agent)[3]


@pytest.mark.parametrize("history", [History.ACTUAL, History.EXPECTED, History.THREAD])
def test_an_agent_that_changes_what_it_is_given_harms_nobody(history):
    """Lists, dicts and options are new at every call."""
    seen = []

    async def vandal(text, history, options):
        seen.append((len(history), dict(options)))
        for message in history:
            message["content"] = "spoilt"
        history.clear()
        options.clear()
        return text

    turns = play(vandal, TRIP, history=history, options={"a": 1})
    assert [(0, {"a": 1}), (2, {"a": 1}), (4, {"a": 1})] == sorted(seen, key=lambda pair: pair[0])
    assert ["Weather?", "Tomorrow?", "Compare."] == [roles(turn.trace)[0][1] for turn in turns]


@given(st.lists(st.text(), min_size=3, max_size=3), st.lists(st.text(), min_size=3, max_size=3))
def test_expected_history_does_not_depend_on_answers(some, others):
    """Whatever the agent says, each turn is shown the same."""
    seen = []
    for replies in (some, others):
        agent = ScriptedAgent(replies)
        play(agent, TRIP, history=History.EXPECTED)
        seen.append(sorted((call.turn, str(call.history)) for call in agent.asked))
    assert seen[0] == seen[1]


def test_every_trial_has_a_thread_of_its_own():
    """Two trials of a case, and two cases, never share a thread; a given resource is shared by all."""
    agent = ScriptedAgent(REPLIES)
    for trial in (0, 1):
        play(agent, TRIP, trial=trial, resource="user-42")
    assert len({call.thread_id for call in agent.asked}) == 2
    assert {"user-42"} == {call.resource for call in agent.asked}
    assert [0, 0, 0, 1, 1, 1] == [call.trial for call in agent.asked]


def test_memory_options():
    """A resource is taken out of the options, other memory options stay, and a thread is refused with the reason."""
    assert ({"k": 1}, "user-42") == memory_apart({"k": 1, "memory": {"resource": "user-42"}})
    assert ({"memory": {"last": 5}}, None) == memory_apart({"memory": {"last": 5}})
    assert ({}, None) == memory_apart(None)
    for key in ("thread", "thread_id"):
        with pytest.raises(
            UsageError, match=r"a thread cannot be given\. Every conversation and trial gets a new one"
        ):
            memory_apart({"memory": {key: "t-1"}})
    for wrong in ({"memory": "user-42"}, {"memory": {"resource": " "}}, {"memory": {"resource": 3}}):
        with pytest.raises(UsageError, match="must be"):
            memory_apart(wrong)


def _plain(text):
    return text


def _shown(text, history):
    return text + str(history)


def _threaded(text, thread_id):
    return text + thread_id


@pytest.mark.parametrize(
    ("target", "warned"),
    [
        (_plain, {"thread", "actual", "expected"}),
        (_shown, set()),
        (_threaded, {"actual", "expected"}),
        ("control:silent", set()),
        ("control:echo", set()),
    ],
)
def test_an_agent_that_cannot_remember_is_named(target, warned):
    """It is warned of where some case has several turns, under the policies that rest on what the agent lacks."""
    agent = as_agent(target)
    found = {h.value: no_memory_warning(agent, [case("a"), case("a", "b")], h) for h in History}
    assert warned == {name for name, warning in found.items() if warning}
    assert all(agent.name in warning for warning in found.values() if warning)
    assert [None] * 4 == [no_memory_warning(agent, [case("a")], history) for history in History]


def test_the_warning_says_what_to_do():
    """One sentence with the name, what is lacking and the ways out."""
    assert (
        "The agent '_plain' keeps no thread and takes no history, so it answers every turn as if it was the first; "
        "take thread_id or history, or give a graph a checkpointer."
    ) == no_memory_warning(as_agent(_plain), [TRIP], History.THREAD)
    assert (
        "The agent '_plain' takes no history, so it is not shown the expected conversation before a turn; "
        "take history, or play with history='thread'."
    ) == no_memory_warning(as_agent(_plain), [TRIP], History.EXPECTED)


def test_an_expected_conversation_without_answers_is_refused():
    """A turn before the last without a golden text cannot be shown; the last needs none, other policies neither."""
    check_playable(case("a", "b", golden=["x", None]), History.EXPECTED)
    unsaid = case("a", "b", "c", "d", golden=["x", None, " ", None])
    for history in (History.THREAD, History.ACTUAL, History.NONE):
        check_playable(unsaid, history)
    with pytest.raises(UsageError, match="Case 'trip', turns 2, 3: there is no expected answer to show"):
        check_playable(unsaid, History.EXPECTED)
    with pytest.raises(UsageError, match="Case 'trip', turn 1: "):
        check_playable(case("a", "b"), History.EXPECTED)
