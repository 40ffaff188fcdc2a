"""How a run goes: what overlaps, what each history means for what is measured, what survives."""

from __future__ import annotations

import asyncio
import os
import signal
import threading
import time

import pytest
from tests.runs.weather import says

from uaef import checks, metric, run_evals
from uaef.metrics import whole
from uaef.models import Ask, Case, GroundTruth, MetricScore
from uaef.testing import ScriptedJudge

HI = checks.includes("hi")
GREETING = Case(
    case_id="greeting",
    asks=[
        Ask(user="Hello?", reply="hi, how can I help?", tags=["opening"]),
        Ask(user="What did you say?", reply="I said hi."),
        Ask(user="Bye", expected=GroundTruth(expected_output="bye")),
    ],
)


async def parrot(_, *, history):
    """Repeats what the assistant is supposed to have said last; greets where it said nothing."""
    replies = [message["content"] for message in history if message["role"] == "assistant"]
    return replies[-1] if replies else "oh, hi"


# --- what overlaps --------------------------------------------------------------------


def test_a_turn_is_judged_while_the_next_is_played():
    """The judge of the first turn has begun before the agent answers the second."""
    events = []

    async def agent(_, *, turn):
        await asyncio.sleep(0.01)
        events.append(f"answer {turn}")
        return "hi"

    class Judge:
        label = "slow"
        blocking = False

        async def judge(self, rubric, window):
            events.append(f"judge {window.numbers[0]}")
            await asyncio.sleep(0.05)
            return MetricScore(metric_name=rubric.name, score=1.0)

    turns = [{"input": str(i), "gates": ["answer_relevance"]} for i in range(3)]
    result = run_evals([{"turns": turns}], agent, judge=Judge())
    assert "passed" == result.verdict
    assert events.index("judge 1") < events.index("answer 2")
    assert events.index("judge 2") < events.index("answer 3")


@pytest.mark.parametrize("concurrency", [1, 3])
def test_so_many_conversations_are_played_at_once(concurrency):
    """No more, and no fewer where there are enough of them; turns of one stay in order."""
    playing, most, order = 0, 0, {}

    async def agent(_, *, case_id, turn):
        nonlocal playing, most
        playing += 1
        most = max(most, playing)
        order.setdefault(case_id, []).append(turn)
        await asyncio.sleep(0.005)
        playing -= 1
        return "hi"

    run_evals([{"inputs": ["a", "b"]} for _ in range(6)], agent, gates=[HI], concurrency=concurrency)
    assert concurrency == most
    assert {(1, 2)} == {tuple(turns) for turns in order.values()}


def test_functions_that_block_are_played_at_once_too():
    """Eight at a time wait for each other, which only works if all eight run."""
    together = threading.Barrier(8, timeout=20)

    def agent(_):
        together.wait()
        return "hi"

    assert "passed" == run_evals([{"input": str(i)} for i in range(8)], agent, gates=[HI]).verdict


# --- histories ------------------------------------------------------------------------


def test_a_case_is_played_along_its_expected_conversation():
    """Each turn is shown what should have been said; what a turn says makes no difference to the next."""
    result = run_evals([GREETING], parrot, [HI])
    assert "expected" == result.history
    answers = [window.answer for window in result.items[0].conversation]
    assert ["oh, hi", "hi, how can I help?", "I said hi."] == answers


def test_what_is_said_in_the_expected_conversation_does_not_matter():
    """The law that makes two runs comparable: turn 3 measures turn 3."""

    async def forgetful(text, *, turn, history):
        return "oh dear" if turn == 1 else await parrot(text, history=history)

    def later_answers(agent):
        (item,) = run_evals([GREETING], agent, [HI]).items
        return [window.answer for window in item.conversation][1:]

    assert later_answers(parrot) == later_answers(forgetful) == ["hi, how can I help?", "I said hi."]


def test_whole_conversation_metrics_do_not_apply_to_a_spliced_conversation():
    """The reason names what to do; checks of what was said and done still count."""

    @metric(scope=whole)
    def arc(_):
        return 1.0

    result = run_evals([GREETING], parrot, [arc], [checks.max_words(100)])
    by_name = {m.metric: m.score for m in result.measurements}
    assert (None, "passed") == (by_name["arc"].score, result.verdict)
    assert "history='both'" in by_name["arc"].reasoning
    assert 1.0 == run_evals([GREETING], parrot, [arc], history="actual").scores["arc"]


def test_both_tells_whether_a_turn_fails_by_itself():
    """The verdict is that on the expected conversation; the other says what would have come of it."""

    async def agent(text, *, turn, history):
        return "oh dear" if turn == 1 else await parrot(text, history=history)

    turns = Case(
        case_id="greeting",
        asks=[*GREETING.asks[:2]],
        claims=[{"name": "includes", "arguments": {"": "hi"}, "kind": "gate", "scope": "each_turn"}],
    )
    result = run_evals([turns], agent, history="both")
    assert ("failed", 1, 1) == (result.verdict, len(result.items), len(result.actual))
    assert [("greeting#1", "its own"), ("greeting#2", "an earlier turn")] == [
        (cascade.slice_name, cascade.cause) for cascade in result.cascades
    ]


def test_none_shows_nothing():
    """Every turn as if it was the first."""
    result = run_evals([GREETING], parrot, [HI], history="none")
    assert {"oh, hi"} == {window.answer for window in result.items[0].conversation}


def test_tags_of_cases_and_turns_reach_the_measurements():
    """A cohort is a query on measurements."""
    tagged = Case(case_id="c", asks=GREETING.asks[:1], tags=["returns"])
    (measured,) = run_evals([tagged], parrot, [HI]).measurements
    assert ("returns", "opening") == measured.tags


def test_next_turn_makes_the_conversation_up():
    """It is asked after every turn, until it has nothing more to say."""

    def on_and_on(case, turns):
        said = len(turns)
        return Ask(user=f"{case.asks[0].user} {said}") if said < 3 else None

    result = run_evals([{"input": "again"}], says("a", "b", "c"), [HI], next_turn=on_and_on)
    assert ["again 0", "again 1", "again 2"] == [window.question for window in result.items[0].conversation]


def test_an_agent_that_takes_too_long_has_failed():
    """The turn says so, and the run goes on."""

    async def agent(text):
        await asyncio.sleep(30 * (text == "slow"))
        return "hi"

    result = run_evals([{"input": "slow"}, {"input": "a"}], agent, gates=[HI], turn_timeout_s=0.05)
    assert ["failed", "passed"] == [item.verdict for item in result.items]
    assert "no answer within 0.05 s" in result.items[0].errors[0]


# --- what it costs and how long it takes ----------------------------------------------


def test_each_result_says_how_long_it_took_and_what_it_cost():
    """The agent's time; its dollars and the judge's, unknown where one is."""
    from uaef.testing import turn  # noqa: PLC0415 - a turn, not the argument of an agent

    async def agent(text):
        return turn(text, "hi", cost=0.25)

    judge = ScriptedJudge({"answer_relevance": MetricScore(metric_name="x", score=1.0, metadata={"cost_usd": 0.5})})
    (item,) = run_evals([{"input": "a"}], agent, ["answer_relevance"], judge=judge).items
    assert 0.75 == item.cost
    assert 0 < item.seconds < 10
    (item,) = run_evals([{"input": "a"}], says("hi"), [HI]).items
    assert item.cost is None


def test_an_interruption_keeps_what_was_measured():
    """Ctrl-C ends the call; every result that was there has been handed over."""
    seen = []

    async def agent(text):
        if text == "stop":
            await asyncio.sleep(0.05)
            os.kill(os.getpid(), signal.SIGINT)
            await asyncio.sleep(30)
        return "hi"

    begun = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        run_evals([{"input": "a"}, {"input": "stop"}], agent, gates=[HI], on_item_complete=seen.append)
    assert ["item-0"] == [result.name for result in seen]
    assert time.monotonic() - begun < 25
