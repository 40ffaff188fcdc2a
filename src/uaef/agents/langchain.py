"""LangChain's runnables and LangGraph's graphs as agents: what they are known by, given and waited for.

Nothing here imports either of them before somebody hands over an object of theirs.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Iterable, Iterator, Mapping
from typing import Protocol, TypeAlias

from uaef.agents.base import Call

Config: TypeAlias = dict[str, object]

_RUNNABLE = ("langchain_core.runnables.base", "Runnable")
_CHAT_MODEL = ("langchain_core.language_models.chat_models", "BaseChatModel")


class Runnable(Protocol):
    """What is used of a LangChain runnable."""

    def invoke(self, messages: object, config: Config, /, **options: object) -> object:
        """The answer, in the caller's thread."""

    async def ainvoke(self, messages: object, config: Config, /, **options: object) -> object:
        """The answer."""


def is_a(target: object, module: str, name: str) -> bool:
    """Whether ``target`` is of a class of a package that is loaded; nothing is of one that is not."""
    kind = getattr(sys.modules.get(module), name, None)
    return isinstance(kind, type) and isinstance(target, kind)


def is_runnable(target: object) -> bool:
    """Whether it is a runnable of LangChain's."""
    return is_a(target, *_RUNNABLE)


def messages_of(dicts: Iterable[Mapping[str, object]]) -> list[object]:
    """Messages of the chat API as LangChain's."""
    from langchain_core.messages import convert_to_messages  # noqa: PLC0415 - whoever hands over a runnable has it

    return list(convert_to_messages([dict(message) for message in dicts]))


def config_of(call: Call) -> tuple[Config, dict[str, object]]:
    """The runnable's config, with the thread in ``configurable``, and the options that are not config."""
    options = dict(call.options)
    given = options.pop("config", None)
    config: Config = dict(given) if isinstance(given, Mapping) else {}
    own = config.get("configurable")
    named = {"resource": call.resource, "session_id": call.thread_id}
    config["configurable"] = {**named, **(own if isinstance(own, Mapping) else {}), "thread_id": call.thread_id}
    return config, options


def blocks(runnable: object) -> bool:
    """Whether it is better called in a thread: a part of it blocks, and none can only be awaited."""
    parts = list(_parts(runnable))
    return any(map(_only_blocks, parts)) and not any(map(_only_awaits, parts))


def _parts(runnable: object) -> Iterator[object]:
    """The runnables that do the work, as far as they can be told."""
    bound, steps, nodes = (getattr(runnable, inner, None) for inner in ("bound", "steps", "nodes"))
    inner = [bound] if bound is not None else steps if isinstance(steps, list) else None
    if inner is None and isinstance(nodes, Mapping):
        inner = list(nodes.values())
    if inner is None:
        yield runnable
    for part in inner or ():
        yield from _parts(part)


def _only_blocks(runnable: object) -> bool:
    if hasattr(runnable, "func"):
        awaited = getattr(runnable, "afunc", None)
        if awaited is None:
            return getattr(runnable, "name", None) != "__start__"
        # LangGraph's way to await a plain function: in one of the few threads of the event loop
        return isinstance(awaited, functools.partial) and getattr(awaited.func, "__name__", "") == "run_in_executor"
    if is_a(runnable, *_CHAT_MODEL):
        return not (_overrides(runnable, _CHAT_MODEL, "_agenerate") or _overrides(runnable, _CHAT_MODEL, "_astream"))
    return is_a(runnable, *_RUNNABLE) and not _overrides(runnable, _RUNNABLE, "ainvoke")


def _only_awaits(runnable: object) -> bool:
    return getattr(runnable, "afunc", None) is not None and getattr(runnable, "func", None) is None


def _overrides(runnable: object, base: tuple[str, str], method: str) -> bool:
    """Whether its class has a method of its own in place of the one of LangChain's base class."""
    inherited = getattr(getattr(sys.modules.get(base[0]), base[1], None), method, None)
    return getattr(type(runnable), method, None) is not inherited
