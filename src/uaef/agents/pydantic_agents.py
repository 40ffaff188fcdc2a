"""A pydantic-ai agent as an agent: it is given the history and asked for its new messages."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Protocol

from uaef.agents.answers import said, trace_of
from uaef.agents.base import Call
from uaef.agents.history import as_json
from uaef.agents.langchain import is_a
from uaef.models.base import replaced
from uaef.models.traces import AgentTrace, Trace

_MODULE = "pydantic_ai"


class PydanticAgent(Protocol):
    """What is used of a pydantic-ai agent."""

    async def run(self, text: str, /, *, message_history: list[object] | None, **options: object) -> object:
        """A result with ``output``, ``new_messages()`` and ``usage()``."""


class PydanticAIAgent:
    """A pydantic-ai agent. It keeps nothing between turns, so it is given the conversation so far.

    ``target_options`` is passed to ``run``.

    Args:
        agent: the agent.
        name: what reports call it; left out, its own name.
    """

    remembers = True
    reads_history = True
    wants_history = True

    def __init__(self, agent: PydanticAgent, *, name: str | None = None) -> None:
        self.name = name or str(getattr(agent, "name", None) or type(agent).__name__)
        self._agent = agent

    async def answer(self, call: Call) -> Trace:
        """Its new messages, as a trace, with what they took."""
        history = list(_model_messages(call.history)) or None
        result = await self._agent.run(call.input, message_history=history, **call.options)
        return _trace(result, call)


def is_pydantic_agent(target: object) -> bool:
    """Whether it is an agent of pydantic-ai's."""
    return is_a(target, _MODULE, "Agent") or is_a(target, f"{_MODULE}.agent", "AbstractAgent")


def _trace(result: object, call: Call) -> Trace:
    new, output = getattr(result, "new_messages", None), getattr(result, "output", None)
    messages = [said for message in new() for said in _chat(message)] if callable(new) else []
    text = _text(output)
    if not any(message["role"] == "assistant" and message["content"] for message in messages):
        messages.append({"role": "assistant", "content": text})  # an output of another type is a tool call to it
    trace = trace_of(messages, call) if messages else said(call, text)
    usage = getattr(result, "usage", None)
    usage = usage() if callable(usage) else usage
    read, written = (_count(usage, *names) for names in _TOKENS)
    return replaced(trace, input_tokens=read, output_tokens=written) if isinstance(trace, AgentTrace) else trace


_OUTPUT = "final_result"
"""Calls by which a model gives a structured output; no tool of anybody's."""
_TOKENS = (("input_tokens", "request_tokens"), ("output_tokens", "response_tokens"))
"""Newer names and older ones."""


def _count(usage: object, *names: str) -> int | None:
    found = (getattr(usage, name, None) for name in names)
    return next((count for count in found if isinstance(count, int)), None)


def _chat(message: object) -> Iterator[dict[str, object]]:
    """A message of pydantic-ai's as the chat API has it; a request holds several."""
    text, calls = [], []
    for part in getattr(message, "parts", ()):
        if str(getattr(part, "tool_name", "")).startswith(_OUTPUT):
            continue
        kind, content = getattr(part, "part_kind", None), getattr(part, "content", None)
        answers = getattr(part, "tool_call_id", None)
        if kind == "user-prompt":
            yield {"role": "user", "content": content if isinstance(content, str) else _texts(content)}
        elif kind == "tool-return" or (kind == "retry-prompt" and getattr(part, "tool_name", None)):
            failed = kind == "retry-prompt"
            yield {"role": "tool", "tool_call_id": answers, "content": _text(content), "is_error": failed}
        elif kind == "text":
            text.append(_text(content))
        elif kind == "tool-call":
            function = {"name": getattr(part, "tool_name", None), "arguments": getattr(part, "args", None)}
            calls.append({"id": answers, "function": function})
    if text or calls:
        yield {"role": "assistant", "content": "".join(text), "tool_calls": calls}


def _text(content: object) -> str:
    return content if isinstance(content, str) else as_json(content)


def _texts(content: object) -> str:
    parts = content if isinstance(content, list | tuple) else ()
    return "\n".join(part for part in parts if isinstance(part, str))


def _model_messages(history: Iterable[Mapping[str, object]]) -> Iterator[object]:
    """Messages of the chat API as pydantic-ai's."""
    from pydantic_ai import messages as to  # noqa: PLC0415 - whoever hands over an agent has it

    called: dict[object, object] = {}
    for message in history:
        content = message.get("content")
        if message["role"] == "user":
            yield to.ModelRequest(parts=[to.UserPromptPart(content=content)])
        elif message["role"] == "tool":
            name, answers = called.get(message.get("tool_call_id"), "tool"), message.get("tool_call_id")
            yield to.ModelRequest(parts=[to.ToolReturnPart(tool_name=name, content=content, tool_call_id=answers)])
        elif message["role"] == "assistant":
            calls = list(_calls(message))
            called |= {made["tool_call_id"]: made["tool_name"] for made in calls}
            parts = [to.TextPart(content=content)] if content or not calls else []
            yield to.ModelResponse(parts=[*parts, *(to.ToolCallPart(**made) for made in calls)])


def _calls(message: Mapping[str, object]) -> Iterator[dict[str, object]]:
    for made in message.get("tool_calls") or ():  # type: ignore[attr-defined] # a list of our own
        function = made["function"]
        yield {"tool_name": function["name"], "args": function["arguments"], "tool_call_id": made["id"]}
