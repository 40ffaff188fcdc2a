"""Playing: what turns hold, their order, and what failures, time and cancellation do to them."""

from __future__ import annotations

import asyncio
import contextlib
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from playing import TRIP, answers, aplay, case, errors, play, roles

from uaef.agents import History, Playing, as_agent, played
from uaef.errors import UsageError
from uaef.models import AgentTrace, Conversation, GroundTruth
from uaef.models.case import Ask, Case
from uaef.testing import ScriptedAgent

REPLIES = ["It is 20 degrees.", "It is 21 degrees.", "They are alike."]


# --- what a turn holds --------------------------------------------------------------------


def test_a_turn_holds_what_was_asked_what_came_and_what_was_expected():
    """Number, user's message, session, thread, latency and tags; what the case expects of all turns is merged in."""
    overall = GroundTruth(
        expected_output="A trip is booked.",
        expected_arguments={"chatbot_role": "guide"},
        context_documents=["map"],
    )
    asks = [
        Ask(user="a", expected=GroundTruth(expected_output="x", context_documents=["list"]), tags=["first"]),
        Ask(user="b"),
    ]
    one, two = play(ScriptedAgent(["r", "s"]), Case(case_id="c", asks=asks, expected=overall, tags=["all"]))
    assert [(1, ("all", "first")), (2, ("all",))] == [(t.number, t.tags) for t in (one, two)]
    assert (
        GroundTruth(
            expected_output="x", expected_arguments={"chatbot_role": "guide"}, context_documents=["map", "list"]
        )
        == one.expected
    )
    assert GroundTruth(expected_arguments={"chatbot_role": "guide"}, context_documents=["map"]) == two.expected
    assert ("c", [("user", "a"), ("assistant", "r")]) == (one.trace.session_id, roles(one.trace))
    assert one.trace.latency >= 0
    assert one.trace.timestamp is not None
    assert one.trace.trace_id != two.trace.trace_id


def test_what_is_expected_of_the_whole_is_expected_of_an_only_turn():
    """A case of one turn has one place less to say it; what the ask says itself comes first."""
    overall = GroundTruth(expected_output="goal", expected_tool_calls=["book"], criteria=["is polite"])
    (turn,) = play(ScriptedAgent(["r"]), case("a", expected=overall))
    assert overall == turn.expected
    (turn,) = play(ScriptedAgent(["r"]), case("a", golden=["x"], expected=overall))
    assert ("x", ["book"], []) == (
        turn.expected.expected_output,
        [c.name for c in turn.expected.expected_tool_calls],
        turn.expected.criteria,
    )
    (turn,) = play(ScriptedAgent(["r"]), case("a"))
    assert turn.expected is None


def test_what_the_agent_reports_itself_is_kept():
    """An agent's own latency, cost, tokens, ids and metadata stay; only the session is the case's."""
    own = AgentTrace(trace_id="mine", session_id="theirs", latency=9.0, cost=0.1, input_tokens=3, metadata={"k": 1})
    (turn,) = play(ScriptedAgent([own]), case("a"))
    assert ("mine", "trip", 9.0, 0.1, 3) == (
        turn.trace.trace_id,
        turn.trace.session_id,
        turn.trace.latency,
        turn.trace.cost,
        turn.trace.input_tokens,
    )
    assert turn.trace.metadata["k"] == 1
    assert own.session_id == "theirs"


def test_an_error_that_a_trace_reports_is_the_turns():
    """A trace whose metadata says that something went wrong is a failed turn, which ends its conversation."""
    turns = play(ScriptedAgent([AgentTrace(metadata={"error": "node failed"}), "x"]), case("a", "b"))
    assert ["node failed", "not played: the agent failed at turn 1"] == errors(turns)


def test_latency_is_the_agents_time_alone():
    """Waiting for a place under the limit is not the agent's."""

    async def slow(text):
        await asyncio.sleep(0.2)
        return text

    turns = play(slow, TRIP, history=History.EXPECTED, limit=asyncio.Semaphore(1))
    assert all(0.15 < turn.trace.latency < 0.38 for turn in turns)


@pytest.mark.parametrize("history", list(History))
def test_played_turns_are_a_conversation(history):
    """The traces make a session that reads back with the same numbers, texts and errors."""
    agent = ScriptedAgent({"Weather?": "Sun.", "Compare.": "Alike."})
    turns = play(agent, TRIP, history=history)
    again = Conversation.of([turn.trace for turn in turns]).turns
    assert [t.error for t in turns] == [t.error for t in again]
    assert [t.number for t in turns] == [t.number for t in again]
    assert Conversation.of([t.trace for t in turns]).name == "trip"


@given(st.sampled_from(list(History)), st.lists(st.text(min_size=1).filter(str.strip), min_size=1, max_size=5))
def test_turns_come_in_order_with_their_questions(history, questions):
    """Under every policy there is one turn a question, in order, numbered from 1."""
    asked = case(*questions, golden=["golden"] * len(questions))
    turns = play(lambda q: f"re: {q}", asked, history=history)
    assert list(range(1, len(questions) + 1)) == [turn.number for turn in turns]
    assert [[("user", q), ("assistant", f"re: {q}")] for q in questions] == [roles(turn.trace) for turn in turns]


# --- failures -----------------------------------------------------------------------------

STOPPED = [None, "ValueError: boom", "not played: the agent failed at turn 2"]
CONTINUED = [None, "ValueError: boom", None]


@pytest.mark.parametrize(
    ("history", "on_failure", "expected"),
    [
        (History.THREAD, None, STOPPED),
        (History.ACTUAL, None, STOPPED),
        (History.EXPECTED, None, CONTINUED),
        (History.NONE, None, CONTINUED),
        (History.THREAD, "continue", CONTINUED),
        (History.ACTUAL, "continue", CONTINUED),
        (History.EXPECTED, "stop", STOPPED),
        (History.NONE, "stop", STOPPED),
    ],
)
def test_a_failed_turn_stops_its_conversation_where_later_turns_rest_on_it(history, on_failure, expected):
    """Later turns are unplayed, with the user's message, or played, by policy or as the caller says."""
    agent = ScriptedAgent(["x", ValueError("boom"), "z"])
    turns = play(agent, TRIP, history=history, on_turn_failure=on_failure)
    assert expected == errors(turns)
    assert ["Weather?", "Tomorrow?", "Compare."] == [roles(turn.trace)[0][1] for turn in turns]
    assert [e for e in expected if e] == [t.trace.metadata["error"] for t in turns if t.error]
    assert (2 if expected is STOPPED else 3) == len(agent.asked)
    assert [GroundTruth(expected_output=g) for g in ("Sun.", "Rain.", "Today is better.")] == [
        turn.expected for turn in turns
    ]


class BusyError(Exception):
    """A failure that says that it will pass."""

    transient = True


def test_only_a_transient_failure_is_tried_again():
    """What says that it is transient is tried as often as allowed; anything else is not."""
    agent = ScriptedAgent(lambda _: "late" if len(agent.asked) > 1 else BusyError("later"))
    (turn,) = play(agent, case("a"))
    assert (None, 2) == (turn.error, len(agent.asked))
    assert turn.trace.latency < 0.4  # of the attempt that answered, without the wait before it
    for failure, attempts, calls in ((BusyError("b"), 1, 1), (BusyError("b"), 2, 2), (ValueError("v"), 3, 1)):
        agent = ScriptedAgent([failure])
        (turn,) = play(agent, case("a"), attempts=attempts)
        assert (f"{type(failure).__name__}: {failure}", calls) == (turn.error, len(agent.asked))


def test_what_a_server_asks_to_wait_is_waited():
    """``retry_after`` on the exception is the least that passes before the next attempt."""
    busy = BusyError("b")
    busy.retry_after = 1.3
    times = []

    async def agent(_):
        times.append(time.perf_counter())
        if len(times) == 1:
            raise busy
        return "x"

    play(agent, case("a"))
    assert times[1] - times[0] >= 1.3


def test_a_turn_takes_no_longer_than_allowed():
    """All attempts count, the error says the time, and an agent's own TimeoutError is not mistaken for it."""

    async def hangs(text):
        if text == "b":
            await asyncio.sleep(60)
        return text

    started = time.perf_counter()
    turns = play(hangs, case("a", "b", "c"), turn_timeout_s=0.1, on_turn_failure="continue")
    assert [None, "no answer within 0.1 s", None] == errors(turns)
    assert time.perf_counter() - started < 5
    assert ["no answer within 0.1 s"] == errors(play(ScriptedAgent([BusyError("b")]), case("a"), turn_timeout_s=0.1))
    assert ["TimeoutError: mine"] == errors(play(ScriptedAgent([TimeoutError("mine")]), case("a")))


@pytest.mark.parametrize("history", list(History))
def test_cancellation_comes_through_and_leaves_nothing_behind(history):
    """The player ends at once, whatever is under way, and no task of its own is left."""
    begun, ended = [], []

    async def hangs(text):
        begun.append(text)
        try:
            await asyncio.sleep(60)
        finally:
            ended.append(text)

    async def cancelled():
        task = asyncio.create_task(aplay(hangs, TRIP, history=history))
        await asyncio.sleep(0.05)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        return asyncio.all_tasks() - {asyncio.current_task()}

    assert set() == asyncio.run(cancelled())
    assert sorted(begun) == sorted(ended) != []


@pytest.mark.parametrize("history", list(History))
def test_whoever_has_seen_enough_closes_the_player(history):
    """After the first turn the player can be closed; what is under way is given up."""

    async def slow(text):
        await asyncio.sleep(0 if text == "Weather?" else 60)
        return text

    async def first():
        async with contextlib.aclosing(played(TRIP, Playing(agent=as_agent(slow), history=history))) as turns:
            async for turn in turns:
                return turn.number, asyncio.all_tasks()
        return None

    async def main():
        found = await first()
        return found[0], asyncio.all_tasks() - {asyncio.current_task()}

    assert (1, set()) == asyncio.run(main())


# --- order and limits ---------------------------------------------------------------------


def test_expected_turns_are_played_at_once_and_come_in_order():
    """The last to be asked may be the first to answer; the turns come in order all the same."""
    ended = []

    async def backwards(text, turn):
        await asyncio.sleep((3 - turn) / 5)
        ended.append(turn)
        return text

    turns = play(backwards, TRIP, history=History.EXPECTED)
    assert ["Weather?", "Tomorrow?", "Compare."] == answers(turns)
    assert [3, 2, 1] == ended


def test_a_turn_is_there_as_soon_as_it_was_played():
    """The first turn comes while the second has not been asked yet."""
    asked = []

    async def agent(text):
        asked.append(text)
        return text

    async def main():
        return [(turn.number, len(asked)) async for turn in played(TRIP, Playing(agent=as_agent(agent)))]

    assert [(1, 1), (2, 2), (3, 3)] == asyncio.run(main())


@pytest.mark.parametrize("history", list(History))
def test_calls_under_way_keep_to_the_limit_of_the_run(history):
    """Conversations that share a limit never have more calls under way, however many turns are played at once."""
    under_way, most = 0, 0

    async def agent(text):
        nonlocal under_way, most
        under_way += 1
        most = max(most, under_way)
        await asyncio.sleep(0.01)
        under_way -= 1
        return text

    async def run():
        limit = asyncio.Semaphore(3)
        return await asyncio.gather(*(aplay(agent, TRIP, history=history, limit=limit) for _ in range(6)))

    asyncio.run(run())
    assert most == 3


# --- where questions come from ------------------------------------------------------------


def test_questions_may_come_from_a_function():
    """A function of the case and the turns so far says what is asked next, until it says None."""

    async def curious(asked, turns):
        return Ask(user=f"Why {turns[-1].trace.messages[-1].content}") if 0 < len(turns) < 3 else first(asked, turns)

    def first(asked, turns):
        return None if turns else asked.asks[0]

    turns = play(lambda q: q.upper(), case("is it?"), next_turn=curious)
    assert ["IS IT?", "WHY IS IT?", "WHY WHY IS IT?"] == answers(turns)
    assert ["A"] == answers(play(lambda q: q.upper(), case("a", "b"), next_turn=first))


@pytest.mark.parametrize(
    ("next_turn", "expected"),
    [
        (
            lambda *_: Ask(user="more"),
            [*[None] * 100, "a conversation has at most 100 turns; next_turn never returned None"],
        ),
        (lambda *_: 1 / 0, ["ZeroDivisionError: division by zero"]),
        (lambda *_: "more", ["next_turn must return an Ask or None, got 'more'"]),
        (lambda *_: None, ["next_turn asked nothing at all"]),
    ],
    ids=["endless", "raises", "text", "nothing"],
)
def test_a_function_of_questions_that_goes_wrong_is_an_error_of_its_conversation(next_turn, expected):
    """It fails a turn, the last one, and nobody else's."""
    assert expected == errors(play(lambda q: q, TRIP, next_turn=next_turn))


def test_a_failed_agent_is_asked_nothing_more():
    """Where turns stop at a failure, the function that asks is not asked either."""
    assert ["ValueError: boom"] == errors(
        play(ScriptedAgent(lambda _: ValueError("boom")), TRIP, next_turn=lambda *_: Ask(user="more"))
    )


@pytest.mark.parametrize(
    ("how", "words"),
    [
        ({"next_turn": lambda *_: None, "history": History.EXPECTED}, "there is no expected one"),
        ({"on_turn_failure": "go on"}, "on_turn_failure is 'stop' or 'continue', got 'go on'"),
        ({"attempts": 0}, "attempts must be at least 1"),
        ({"turn_timeout_s": 0}, "turn_timeout_s more than 0"),
    ],
)
def test_what_does_not_go_together_is_refused(how, words):
    """Before anything is played."""
    with pytest.raises(UsageError, match=words):
        Playing(agent=as_agent("control:echo"), **how)


def test_control_agents():
    """One says nothing, one repeats the question; neither needs anything."""
    assert ["", "", ""] == answers(play("control:silent", TRIP))
    assert ["Weather?", "Tomorrow?", "Compare."] == answers(play("control:echo", TRIP))


def test_a_scripted_agent_without_an_answer_fails_its_turn():
    """The double says which call it has no answer to; a default answers everything else."""
    error = "LookupError: the script has no answer to turn 2 of trip: 'Tomorrow?'"
    assert [None, error, None] == errors(
        play(ScriptedAgent({"Weather?": "a", "Compare.": "c"}), TRIP, history=History.NONE)
    )
    assert ["a", "?", "?"] == answers(play(ScriptedAgent(["a"], default="?"), TRIP))
