"""What the tests of agents share: cases in a line, and a case played to its end."""

from __future__ import annotations

import asyncio

from uaef.agents import Call, Playing, as_agent, played
from uaef.models.case import Ask, Case
from uaef.models.ground_truth import GroundTruth


def case(*questions, golden=None, **fields):
    """A case that asks ``questions``; ``golden`` are the expected answers to them."""
    answers = golden or [None] * len(questions)
    asks = [
        Ask(user=text, expected=None if answer is None else GroundTruth(expected_output=answer))
        for text, answer in zip(questions, answers, strict=True)
    ]
    return Case(**{"case_id": "trip", "asks": asks, **fields})


TRIP = case("Weather?", "Tomorrow?", "Compare.", golden=["Sun.", "Rain.", "Today is better."])


async def aplay(target, asked, *, trial=0, **how):
    """The turns of a case, played."""
    playing = Playing(agent=as_agent(target), **how)
    return [turn async for turn in played(asked, playing, trial=trial)]


def play(target, asked, **how):
    """The turns of a case, played on a loop of their own."""
    return asyncio.run(aplay(target, asked, **how))


def call(text="And tomorrow?", *, history=(), turn=1, **fields):
    """A call of an agent."""
    known = {"thread_id": "t-1", "resource": "t-1", "case_id": "trip"}
    return Call(input=text, history=list(history), turn=turn, **{**known, **fields})


def roles(trace):
    """Who says what in a trace."""
    return [(message.role.value, message.content) for message in trace.messages]


def answers(turns):
    """The last message of each turn."""
    return [turn.trace.messages[-1].content for turn in turns]


def errors(turns):
    """The error of each turn."""
    return [turn.error for turn in turns]
