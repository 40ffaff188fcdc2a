"""Foreign code in metrics and judges: whatever it does to the task in which it runs costs its own cell alone."""

from __future__ import annotations

import asyncio

import pytest

from uaef import foreign
from uaef.api import aevaluate, batch_evaluate, evaluate
from uaef.metrics import metric
from uaef.models import Conversation, ScoreStatus
from uaef.testing import ScriptedJudge, turn


class OutError(BaseException):
    """What no ``except Exception`` catches."""


@metric(dimension="Custom")
async def cancels_itself(window):
    """A metric that ends the task that it runs in."""
    asyncio.current_task().cancel()
    await asyncio.sleep(0)
    return len(window) / 10


@metric(dimension="Custom")
def cancels_at_once(window):
    """A metric that is not awaited, and does the same."""
    asyncio.current_task().cancel()
    return len(window) / 10


@metric(dimension="Custom")
def cancels_by_a_coroutine(window):
    """A plain metric that returns something to await."""

    async def found():
        asyncio.current_task().cancel()
        await asyncio.sleep(0)
        return len(window) / 10

    return found()


@metric(dimension="Custom")
def raises(window):
    """A metric that raises what is no Exception."""
    raise OutError(len(window))


@metric(dimension="Custom")
async def raises_later(window):
    """Likewise, awaited."""
    await asyncio.sleep(0)
    raise OutError(len(window))


@metric(dimension="Custom")
def fine(window):
    """A metric that measures."""
    return len(window) / 10


TALK = Conversation.of([turn("a", "x"), turn("b", "y")], name="talk")
BAD = [cancels_itself, cancels_at_once, cancels_by_a_coroutine, raises, raises_later]


@pytest.mark.parametrize("bad", BAD, ids=lambda bad: bad.name)
def test_a_metric_that_ends_its_task_loses_nothing(bad):
    """Its cells failed, all others are there, and so are all results of the batch."""
    results = batch_evaluate([TALK, TALK], metrics=[bad, fine, "latency_score"], progress=False)
    assert [2, 2] == [len([m for m in r.measurements if m.metric == "fine" and m.score.score]) for r in results]
    for result in results:
        found = [m.score for m in result.measurements if m.metric == bad.name]
        assert [ScoreStatus.FAILED] * 2 == [score.status for score in found]
        assert all("raised" in score.reasoning for score in found)


class _Cancels(ScriptedJudge):
    async def judge(self, rubric, window):
        asyncio.current_task().cancel()
        await asyncio.sleep(0)
        return await super().judge(rubric, window)


class _Raises(ScriptedJudge):
    async def judge(self, rubric, window):
        raise OutError(f"{rubric.name} {len(window)}")


@pytest.mark.parametrize("judge", [_Cancels, _Raises])
def test_a_judge_that_ends_its_task_loses_nothing(judge):
    """As a metric."""
    result = evaluate(TALK, metrics=["coherence", fine], judge=judge({}))
    assert {"coherence": {ScoreStatus.FAILED}, "fine": {ScoreStatus.SCORED}} == {
        name: {m.score.status for m in result.measurements if m.metric == name} for name in ("coherence", "fine")
    }


@pytest.mark.parametrize("bad", [cancels_itself, cancels_by_a_coroutine], ids=lambda bad: bad.name)
def test_the_runs_own_cancellation_is_still_its_own(bad):
    """Cancelling an evaluation ends it, whatever its metrics do to themselves."""

    @metric(dimension="Custom")
    async def waits(window):
        await asyncio.sleep(60)
        return len(window) / 10

    async def main():
        task = asyncio.ensure_future(aevaluate(TALK, metrics=[bad, waits]))
        await asyncio.sleep(0.05)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(main())


def test_work_that_is_given_up_before_it_began_is_closed(recwarn):
    """Nobody is told of a coroutine that was never awaited."""

    async def work():
        """Nothing."""

    async def main():
        task = asyncio.ensure_future(foreign.apart(work()))
        await asyncio.sleep(0)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)

    asyncio.run(main())
    assert [] == [str(warning.message) for warning in recwarn]


def test_what_ends_a_run_and_what_does_not():
    """A person's interrupt does, and a task that is cancelled; a CancelledError alone does not."""

    async def main():
        found = [foreign.is_ours(asyncio.CancelledError())]
        asyncio.current_task().cancel()
        try:
            await asyncio.sleep(0)
        except asyncio.CancelledError as error:
            found.append(foreign.is_ours(error))
        asyncio.current_task().uncancel()
        return found

    assert [False, True] == asyncio.run(main())
    assert foreign.is_ours(KeyboardInterrupt())
    assert not foreign.is_ours(asyncio.CancelledError())
    assert not foreign.is_ours(OutError())


def test_an_error_that_cannot_say_what_it_is():
    """Its type is what is told of it."""

    class MuteError(Exception):
        def __str__(self):
            raise OutError

    assert "MuteError" == foreign.told(MuteError())
