"""Whatever can answer a turn, as an ``Agent``."""

from __future__ import annotations

import inspect
from typing import cast

from uaef.agents.base import Agent
from uaef.agents.controls import PREFIX, control
from uaef.agents.endpoints import ChatAgent
from uaef.agents.functions import FunctionAgent
from uaef.agents.graphs import Graph, GraphAgent, is_graph
from uaef.agents.langchain import Runnable, is_a, is_runnable
from uaef.agents.pydantic_agents import PydanticAgent, PydanticAIAgent, is_pydantic_agent
from uaef.agents.runnables import RunnableAgent
from uaef.agents.secrets import public
from uaef.errors import UnknownNameError, UsageError
from uaef.importing import imported
from uaef.models.reading import shown

_OPENAI = "openai:"
_KINDS = (
    "a function, a compiled LangGraph graph, a LangChain runnable, a pydantic-ai agent, an HttpAgent, or a name: "
    "MODULE:ATTRIBUTE, openai:MODEL, control:silent, control:echo"
)


def as_agent(target: object) -> Agent:
    """``target`` as an agent.

    Args:
        target: an agent; a function, plain or async, or an object that can be called; a compiled LangGraph graph; a
            LangChain runnable; a pydantic-ai agent; or the name of an agent.

    Raises:
        UsageError: it is none of these, or cannot be asked.
        UnknownNameError: nothing has that name.
    """
    if isinstance(target, str):
        return agent_named(target)
    if isinstance(target, type):
        raise UsageError(f"{target.__qualname__} is a class; an agent is made of one: {target.__qualname__}().")
    if inspect.iscoroutinefunction(getattr(target, "answer", None)):
        return _complete(target)
    if is_graph(target):
        return GraphAgent(cast("Graph", target))
    if is_a(target, "langgraph.graph.state", "StateGraph"):
        raise UsageError("The graph is not compiled yet: give graph.compile(checkpointer=...).")
    if is_runnable(target):
        return RunnableAgent(cast("Runnable", target))
    if is_pydantic_agent(target):
        return PydanticAIAgent(cast("PydanticAgent", target))
    if callable(target):
        return FunctionAgent(target)
    raise UsageError(f"An agent is {_KINDS}; got {shown(target)}.")


def _complete(target: object) -> Agent:
    lacking = [name for name in ("name", "remembers") if not hasattr(target, name)]
    if lacking:
        raise UsageError(f"{shown(target)} has answer(), as an agent has, but lacks {' and '.join(lacking)}.")
    return cast("Agent", target)


def agent_named(name: str) -> Agent:
    """The agent of that name, as it is given on the command line.

    Args:
        name: ``control:silent`` or ``control:echo``; ``openai:MODEL``; or where it is, ``MODULE:ATTRIBUTE``, looked
            for in the current directory first.

    Raises:
        UsageError: the name is none, the module cannot be imported, or what is there is no agent.
        UnknownNameError: there is no such control, or nothing of that name in the module.
    """
    if name.startswith(PREFIX):
        return control(name.removeprefix(PREFIX))
    if name.startswith(_OPENAI) and name != _OPENAI:
        return ChatAgent(name.removeprefix(_OPENAI))
    if name.startswith(("http://", "https://")):
        raise UsageError(
            f"{public(name)}: an endpoint needs a map of its fields. Write "
            f"`agent = HttpAgent({public(name)!r}, input=..., output=...)` in a module and name it as MODULE:agent."
        )
    module, colon, attribute = name.partition(":")
    if not colon or not module or not attribute:
        raise UsageError(
            f"An agent is named MODULE:ATTRIBUTE, openai:MODEL, control:silent or control:echo; got {name!r}."
        )
    found = _found(name, module, attribute)
    if isinstance(found, str):
        raise UsageError(f"{name}: {shown(found)} is a text; an agent is {_KINDS}.")
    try:
        return as_agent(found)
    except UsageError as error:
        raise UsageError(f"{name}: {error}") from None


def _found(path: str, module: str, attribute: str) -> object:
    at: object = imported(path, module)
    where = module
    for step in attribute.split("."):
        if not hasattr(at, step):
            names = getattr(at, "__dict__", {})
            known = [
                n for n, value in names.items() if callable(value) and not (n[0] == "_" or isinstance(value, type))
            ]
            raise UnknownNameError(f"agent in {where}:", step, known)
        at, where = getattr(at, step), f"{where}.{step}"
    return at
