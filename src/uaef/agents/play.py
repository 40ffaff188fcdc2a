"""Playing a case: its turns are put to an agent, and each is there as soon as it was played."""

from __future__ import annotations

import asyncio
import datetime as dt
import logging
import traceback
import uuid
from collections.abc import AsyncGenerator, Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

from uaef.agents.answers import silent, trace_of
from uaef.agents.asking import Asking
from uaef.agents.base import Call, wants_history
from uaef.agents.history import History, chat_dicts, golden_exchange, transcript
from uaef.agents.playing import Playing
from uaef.agents.slots import slot, taken_part
from uaef.errors import UaefError
from uaef.foreign import RAISED, OverdueError, apart, is_ours, told
from uaef.llm.retries import Patience, patiently
from uaef.models.base import replaced
from uaef.models.case import Ask, Case
from uaef.models.message import Message
from uaef.models.traces import AgentTrace, Trace
from uaef.models.turns import Turn

_LOG = logging.getLogger("uaef")


async def played(
    case: Case, playing: Playing, *, trial: int = 0, only: Collection[int] | None = None
) -> AsyncGenerator[Turn, None]:
    """The turns of ``case`` in order, each as soon as it was played; close it (``aclosing``) to stop early.

    Whatever goes wrong with the agent is the ``error`` of a turn, which holds the user's message all the same.
    Turns that do not depend on each other are played at once, as far as the limit allows.

    Args:
        case: what is asked; ``check_playable`` says beforehand whether it can be.
        playing: how.
        trial: which repetition of the case it is, from 0.
        only: the numbers of the turns that are wanted; the others are put to the agent only where a wanted one
            builds on them, and hold what the user would have said.
    """
    game = _Game(case, playing, trial)
    at_once = playing.is_spliced and not playing.stops and playing.next_turn is None and len(case.asks) > 1
    turns = _at_once(game, case, only) if at_once else _in_order(game, playing, only)
    try:
        async for turn in turns:
            yield turn
    finally:
        await turns.aclose()


async def _at_once(game: _Game, case: Case, only: Collection[int] | None) -> AsyncGenerator[Turn, None]:
    asks = dict(enumerate(case.asks, 1))
    wanted = asks.keys() if only is None else asks.keys() & set(only)
    tasks = {number: asyncio.create_task(game.turn(number, asks[number], ())) for number in sorted(wanted)}
    try:
        for number, ask in asks.items():
            yield await tasks[number] if number in tasks else game.unplayed(number, ask)
    finally:
        under_way = [task for task in tasks.values() if not task.done()]
        for task in under_way:
            task.cancel()
        await asyncio.gather(*under_way, return_exceptions=True)


async def _in_order(game: _Game, playing: Playing, only: Collection[int] | None) -> AsyncGenerator[Turn, None]:
    turns: list[Turn] = []
    broken: Turn | None = None
    while True:
        try:
            ask = await game.asking.after(turns)
        except RAISED as error:
            if is_ours(error):
                raise
            yield game.lost(len(turns) + 1, _words(error))
            return
        if ask is None or (broken is not None and playing.next_turn is not None):
            return
        number = len(turns) + 1
        if only is not None and number > max(only):
            turn = game.unplayed(number, ask)
        elif broken is None:
            turn = await game.turn(number, ask, turns)
        else:
            turn = game.skipped(number, ask, f"not played: the agent failed at turn {broken.number}")
        turns.append(turn)
        if broken is None and turn.error is not None and playing.stops:
            broken = turn
        yield turn


class _Game:
    """One case being played, once."""

    def __init__(self, case: Case, playing: Playing, trial: int) -> None:
        self.asking = Asking(case, playing.next_turn, playing.turn_timeout_s)
        self._case = case
        self._playing = playing
        self._trial = trial
        self._thread = str(uuid.uuid4())
        self._patience = Patience(attempts=playing.attempts)
        golden = playing.history is History.EXPECTED
        self._golden = tuple(m for ask in case.asks[:-1] for m in golden_exchange(ask)) if golden else ()
        self._replays = playing.history is History.ACTUAL or (
            playing.history is History.THREAD and wants_history(playing.agent)
        )

    async def turn(self, number: int, ask: Ask, before: Sequence[Turn]) -> Turn:
        """The turn, played; its error says how the agent failed."""
        shown = self._shown(number)
        so_far = tuple(turn.trace for turn in before)
        try:
            history = transcript(so_far) if self._replays else chat_dicts(shown or ())
        except Exception as error:  # noqa: BLE001 - what the agent said before is foreign
            return self.skipped(number, ask, f"not played: what was said before it cannot be shown: {_words(error)}")
        call = self._call(number, ask, history, so_far)
        async with slot(self._playing.limit):
            trace = await self._asked(call)
        return self._turn(number, ask, trace, shown)

    async def _asked(self, call: Call) -> Trace:
        """The trace of the call, whatever came of it."""
        begun = dt.datetime.now(dt.UTC)
        clock = _Clock(perf_counter())
        failed: dict[str, object] = {}
        try:
            trace = await self._answer(call, clock)
        except RAISED as raised:
            if is_ours(raised):
                raise
            trace, failed = silent(call), {"error": _words(raised), "error_at": _place(raised)}
        seconds = (clock.ended or perf_counter()) - clock.started
        return _finished(trace, call, seconds, begun, failed)

    def unplayed(self, number: int, ask: Ask) -> Turn:
        """A turn that nobody wants: what the user would have said."""
        return self._turn(number, ask, silent(self._call(number, ask, [])), self._shown(number))

    def skipped(self, number: int, ask: Ask, why: str) -> Turn:
        """A turn that could not be played: what the user would have said."""
        turn = self.unplayed(number, ask)
        metadata = {"thread_id": self._thread, "error": why}
        return replaced(turn, trace=replaced(turn.trace, metadata=metadata), error=why)

    def lost(self, number: int, why: str) -> Turn:
        """A turn of which not even the question is known."""
        metadata: dict[str, object] = {"thread_id": self._thread, "error": why}
        trace = AgentTrace(trace_id=f"{self._thread}#{number}", session_id=self._case.case_id, metadata=metadata)
        return Turn(trace=trace, number=number, error=why)

    async def _answer(self, call: Call, clock: _Clock) -> Trace:
        limit = self._playing.turn_timeout_s

        async def attempt() -> Trace:
            clock.started, clock.ended = perf_counter(), 0.0
            answer = await self._playing.agent.answer(call.anew())
            clock.ended = perf_counter()
            return trace_of(answer, call)

        async def attempts() -> Trace:
            ended = taken_part()  # an agent that will not stop keeps its place
            try:
                return await patiently(attempt, self._patience)
            finally:
                ended()

        try:
            return await apart(attempts(), limit)
        except OverdueError:
            raise _NoAnswerError(f"no answer within {limit:g} s") from None

    def _call(
        self, number: int, ask: Ask, history: list[dict[str, object]], so_far: Sequence[Trace] | None = None
    ) -> Call:
        new = self._playing.history is not History.THREAD and number > 1
        thread = str(uuid.uuid4()) if new else self._thread
        return Call(
            input=ask.user,
            history=history,
            thread_id=thread,
            resource=self._playing.resource or thread,
            case_id=self._case.case_id,
            turn=number,
            options=self._playing.options,
            trial=self._trial,
            so_far=so_far,
        )

    def _shown(self, number: int) -> tuple[Message, ...] | None:
        """What the agent is shown in place of what was said; before the first turn nothing was."""
        if number == 1 or not self._playing.is_spliced:
            return None
        return self._golden[: 2 * (number - 1)]

    def _turn(self, number: int, ask: Ask, trace: Trace, shown: tuple[Message, ...] | None) -> Turn:
        error = trace.metadata.get("error")
        return Turn(
            trace=trace,
            number=number,
            expected=self.asking.expected(ask),
            tags=tuple(ask.tags),
            error=str(error) if error else None,
            shown=shown,
        )


@dataclass(slots=True)
class _Clock:
    """When the last attempt began and ended."""

    started: float
    ended: float = 0.0


class _NoAnswerError(UaefError):
    """The agent took too long."""


def _finished(trace: Trace, call: Call, seconds: float, begun: dt.datetime, failed: Mapping[str, object]) -> Trace:
    """The trace with what only the player knows."""
    metadata = {**trace.metadata, "thread_id": call.thread_id, **failed}
    known: dict[str, object] = {"session_id": call.case_id, "metadata": metadata}
    if trace.latency is None:
        known["latency" if isinstance(trace, AgentTrace) else "total_latency"] = seconds
    if trace.timestamp is None:
        known["timestamp"] = begun
    return replaced(trace, **known)


def _words(error: BaseException) -> str:
    """The error in words: a sentence of our own as it is, anything else with its type."""
    return str(error) if isinstance(error, UaefError) else told(error)


def _place(error: BaseException) -> str | None:
    """Where the agent raised what is no sentence of our own; the whole traceback is logged at the level DEBUG."""
    _LOG.debug("An agent failed.", exc_info=error)
    frames = [] if isinstance(error, UaefError) else traceback.extract_tb(error.__traceback__)
    return f"{Path(frames[-1].filename).name}:{frames[-1].lineno} in {frames[-1].name}" if frames else None
