"""A LangChain runnable as an agent: a chat model, or whatever else takes messages."""

from __future__ import annotations

from functools import partial

from uaef.agents.answers import trace_of
from uaef.agents.base import Call
from uaef.agents.langchain import Runnable, blocks, config_of, messages_of
from uaef.agents.workers import Workers
from uaef.models.traces import Trace


class RunnableAgent:
    """A runnable that is given LangChain messages: the history and what the user says.

    It keeps nothing between turns, so it is given the conversation so far; but for one with a history of its own
    (``RunnableWithMessageHistory``), which is asked by ``session_id``. One that only blocks is called in a thread of
    its own. ``target_options`` may hold a ``config``; everything else in it is passed to ``ainvoke``.

    Args:
        runnable: the runnable.
        name: what reports call it; left out, its own name.
    """

    remembers = True
    reads_history = True

    def __init__(self, runnable: Runnable, *, name: str | None = None) -> None:
        self.name = name or str(getattr(runnable, "name", None) or type(runnable).__name__)
        self.wants_history = not hasattr(runnable, "get_session_history")
        self._runnable = runnable
        self._workers = Workers() if blocks(runnable) else None

    async def answer(self, call: Call) -> Trace:
        """What it returns, as a trace."""
        config, options = config_of(call)
        messages = messages_of(call.request)
        if self._workers is None:
            answer = await self._runnable.ainvoke(messages, config, **options)
        else:
            answer = await self._workers.run(partial(self._runnable.invoke, messages, config, **options))
        return trace_of(answer, call)
