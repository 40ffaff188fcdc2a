"""Models that come as objects: a LangChain chat model, a pydantic-ai model or agent, a plain or async function."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Protocol, Self

from uaef.errors import DataError, ProviderError
from uaef.llm.chat import Finish, Prompt, Reply, finish_of
from uaef.llm.limits import above_zero
from uaef.llm.providers.base import count_at, dig

_Ask = Callable[[Prompt], Awaitable[Reply]]
_ENDS = ("finish_reason", "stop_reason", "stopReason", "done_reason", "status")
"""Where LangChain's integrations leave the provider's word for why the model stopped."""


class ObjectClient:
    """Answers prompts through an object's own method. Anything it raises is a ``ProviderError``.

    Args:
        model: a LangChain runnable (``ainvoke``), a pydantic-ai ``Agent`` or ``Model``, or a function from the
            prompt's text to the answer's text.
        timeout_s: how long it may take to answer.

    Raises:
        DataError: it is none of them.
        UsageError: the timeout is no number of seconds above 0.
    """

    origin = ""
    """Where it asks, and with what parameters, an object does not say."""

    def __init__(self, model: object, *, timeout_s: float = 60.0) -> None:
        self._ask = _way_to_ask(model)
        self._timeout_s = above_zero("timeout_s", timeout_s)
        self.label = _label(model)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *exception: object) -> None:
        """Nothing is shared: the object manages its own connections."""

    async def complete(self, prompt: Prompt) -> Reply:
        """The answer.

        Raises:
            ProviderError: the object raised, returned something that is no text, or nothing in time.
        """
        try:
            async with asyncio.timeout(self._timeout_s) as limit:
                return await self._ask(prompt)
        except ProviderError:
            raise
        except Exception as error:  # foreign code
            if limit.expired():
                raise ProviderError(f"no answer within {self._timeout_s:g} s", may_be_billed=True) from None
            # how far it came with its call before it raised, nobody knows
            raise ProviderError(f"{type(error).__name__}: {error}", may_be_billed=True) from error


class _Runnable(Protocol):
    def ainvoke(self, messages: list[tuple[str, str]], /) -> Awaitable[object]: ...


class _Agent(Protocol):
    def run(self, text: str, /) -> Awaitable[object]: ...


def _way_to_ask(model: object) -> _Ask:
    if hasattr(model, "ainvoke"):
        return partial(_langchain, model)
    if hasattr(model, "run") and hasattr(model, "run_sync"):
        return partial(_pydantic_agent, model)
    if hasattr(model, "request") and hasattr(model, "model_name"):
        return partial(_pydantic_model, model)
    if callable(model):
        return partial(_function, model)
    raise DataError(
        "A judge is 'provider:model', an object with a label and judge(rubric, window), a chat model or a function; "
        f"got {model!r}."
    )


def _label(model: object) -> str:
    name = next((n for a in ("model_name", "model", "__name__") if isinstance(n := getattr(model, a, None), str)), "")
    return f"{type(model).__name__}:{name}" if name else type(model).__name__


async def _langchain(model: _Runnable, prompt: Prompt) -> Reply:
    roles = {"user": "human", "assistant": "ai"}
    answer = await model.ainvoke(
        [("system", prompt.system), *((roles[role], text) for role, text in prompt.messages)]
    )
    text = getattr(answer, "text", answer)
    details = getattr(answer, "response_metadata", None)
    ends = (finish_of(dig(details, name)) for name in _ENDS)
    return Reply(
        text=_text(text() if callable(text) and not isinstance(text, str) else text),
        finish=next((end for end in ends if end is not Finish.DONE), Finish.DONE),
        input_tokens=count_at(getattr(answer, "usage_metadata", None), "input_tokens"),
        output_tokens=count_at(getattr(answer, "usage_metadata", None), "output_tokens"),
    )


async def _pydantic_agent(agent: _Agent, prompt: Prompt) -> Reply:
    return Reply(text=_text(getattr(await agent.run(as_text(prompt)), "output", None)))


async def _pydantic_model(model: object, prompt: Prompt) -> Reply:
    from pydantic_ai import Agent  # noqa: PLC0415 - whoever hands over its model has it

    return await _pydantic_agent(Agent(model), prompt)


async def _function(function: Callable[[str], object], prompt: Prompt) -> Reply:
    call = getattr(function, "__call__", None)  # noqa: B004 - an object may be called, and its call be async
    if inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(call):
        answer = function(as_text(prompt))
    else:
        answer = await asyncio.to_thread(_called, function, as_text(prompt))
    return Reply(text=_text(await answer if inspect.isawaitable(answer) else answer))


def _called(function: Callable[[str], object], text: str) -> object:
    try:
        return function(text)
    except StopIteration as error:  # no future can hold one: whoever waits would wait for ever
        raise ProviderError(f"StopIteration: {error}", may_be_billed=True) from error


def as_text(prompt: Prompt) -> str:
    """The whole prompt as one text, for those who take nothing else."""
    return "\n\n".join([prompt.system, *(text for _, text in prompt.messages)])


def _text(answer: object) -> str:
    if not isinstance(answer, str):
        raise ProviderError(f"answered with {type(answer).__name__}, not text", may_be_billed=True)
    return str(answer)  # LangChain's is a kind of text of its own
