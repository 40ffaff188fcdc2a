"""``on_result``: each result as soon as it is there, so that an interruption costs only what was under way."""

from __future__ import annotations

import asyncio

import pytest

from uaef.api import abatch_evaluate, batch_evaluate
from uaef.metrics import metric
from uaef.models import Conversation
from uaef.testing import turn


def talk(name):
    """A conversation of one turn."""
    return Conversation.of([turn("Is it free?", "Yes.")], name=name)


@metric()
async def waits(window):
    """Ends at once, but for the conversation called ``slow``."""
    await asyncio.sleep(60 if window.name.startswith("slow") else 0)
    return 1.0


def test_every_result_is_told_once():
    """What is told is what is returned, in whatever order it came; what cannot be read is told as well."""
    told = []
    results = batch_evaluate([talk("a"), {"per_turn_traces": []}, talk("b")], metrics=[waits], on_result=told.append)
    assert sorted(map(id, results)) == sorted(map(id, told))


def test_an_interruption_keeps_what_was_told():
    """A run that is cancelled while one conversation waits has told of the other."""
    told = []
    arrived = asyncio.Event()

    def note(result):
        told.append(result)
        arrived.set()

    async def interrupted():
        run = asyncio.ensure_future(abatch_evaluate([talk("slow"), talk("quick")], metrics=[waits], on_result=note))
        await arrived.wait()
        run.cancel()
        with pytest.raises(asyncio.CancelledError):
            await run

    asyncio.run(interrupted())
    assert ["quick"] == [result.conversation.name for result in told]
