"""Functions as agents: plain or async, bound or partial, or objects that can be called."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Awaitable, Callable, Iterable, Mapping
from typing import TypeAlias

from uaef.agents.answers import trace_of
from uaef.agents.base import Call, fresh
from uaef.agents.workers import Workers, is_async
from uaef.errors import UsageError
from uaef.models.traces import Trace

_Function: TypeAlias = Callable[..., object]

_OFFERED: Mapping[str, Callable[[Call], object]] = {
    "input": lambda call: call.input,
    "history": lambda call: fresh(list(call.history)),
    "messages": lambda call: fresh(call.request),
    "thread_id": lambda call: call.thread_id,
    "resource": lambda call: call.resource,
    "options": lambda call: fresh(dict(call.options)),
    "case_id": lambda call: call.case_id,
    "turn": lambda call: call.turn,
    "trial": lambda call: call.trial,
}
"""What a function may ask for by name. ``messages`` is the history with the user's message after it."""
_ANYTHING = tuple(name for name in _OFFERED if name not in ("input", "messages"))
_POSITIONAL = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)


class FunctionAgent:
    """A function that answers a turn.

    It is given what it names among ``history``, ``messages``, ``thread_id``, ``resource``, ``options``, ``case_id``,
    ``turn`` and ``trial``, or all but ``messages`` if it takes ``**kwargs``. Its first positional parameter is what
    the user says, whatever it is called; one that is called ``messages`` is the request of a chat API.

    A plain function is called in a thread of its own; what it returns is awaited if it can be.

    Args:
        function: the function.
        name: what reports call it; left out, its own name.

    Raises:
        UsageError: it takes no input, or cannot do without something that nobody gives it.
    """

    def __init__(self, function: _Function, *, name: str | None = None) -> None:
        self.name = name or _name(function)
        self._function = function
        self._by_place, self._by_name = _wishes(function, self.name)
        asked = {self._by_place, *self._by_name}
        keeps = "thread_id" in asked
        self.reads_history = not asked.isdisjoint(("history", "messages"))
        self.wants_history = self.reads_history and not keeps
        self.remembers = self.reads_history or keeps
        self._workers = None if is_async(function) else Workers()

    async def answer(self, call: Call) -> Trace:
        """What the function returns, as a trace."""
        places = [] if self._by_place is None else [_OFFERED[self._by_place](call)]
        names = {name: _OFFERED[name](call) for name in self._by_name}
        if self._workers is None:
            answer = await self._function(*places, **names)  # type: ignore[misc] # it is async
        else:
            answer = await self._workers.run(functools.partial(self._function, *places, **names))
            if isinstance(answer, Awaitable):  # an async function in a plain wrapper
                answer = await answer
        return trace_of(answer, call)


def _wishes(function: _Function, name: str) -> tuple[str | None, tuple[str, ...]]:
    """What the function is given first, and what it is given by name."""
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):  # written in C, it says nothing of itself
        return "input", ()
    first = parameters[0] if parameters else None
    by_place = None
    if first is not None and first.kind in (*_POSITIONAL, inspect.Parameter.VAR_POSITIONAL):
        by_place = "messages" if first.name == "messages" else "input"
        parameters = parameters[1:] if first.kind in _POSITIONAL else parameters
    bound = _bound(function)
    named = [p.name for p in parameters if p.kind not in _UNNAMED and p.name in _OFFERED and p.name not in bound]
    if any(p.kind is inspect.Parameter.VAR_KEYWORD for p in parameters):
        named = list(dict.fromkeys([*named, *(n for n in _ANYTHING if n not in bound)]))
    _check(name, by_place, named, parameters)
    return by_place, tuple(named)


_UNNAMED = (
    inspect.Parameter.POSITIONAL_ONLY,
    inspect.Parameter.VAR_POSITIONAL,
    inspect.Parameter.VAR_KEYWORD,
)


def _check(name: str, by_place: str | None, named: Iterable[str], parameters: Iterable[inspect.Parameter]) -> None:
    if by_place is None and not {"input", "messages"}.intersection(named):
        raise UsageError(f"The agent {name!r} takes no input: its first parameter is what the user says.")
    missing = next((p for p in parameters if _is_needed(p) and p.name not in named), None)
    if missing is not None:
        offered = ", ".join(_OFFERED)
        raise UsageError(
            f"The agent {name!r} needs {missing.name!r}, which nobody gives it. Give it a default; what an agent may "
            f"ask for is {offered}."
        )


def _is_needed(parameter: inspect.Parameter) -> bool:
    several = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    return parameter.default is inspect.Parameter.empty and parameter.kind not in several


def _bound(function: _Function) -> set[str]:
    """The names that a partial function has a value for already."""
    names: set[str] = set()
    while isinstance(function, functools.partial):
        names |= function.keywords.keys()
        function = function.func
    return names


def _name(function: _Function) -> str:
    while isinstance(function, functools.partial):
        function = function.func
    name = getattr(function, "__qualname__", None) or type(function).__qualname__
    return str(name).rpartition("<locals>.")[2]
