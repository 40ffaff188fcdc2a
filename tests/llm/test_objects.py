"""Models that come as objects: LangChain's, pydantic-ai's, functions; and what is none of them."""

from __future__ import annotations

import asyncio
import sys
import threading
import types
from functools import partial

import pytest
from langchain_core.language_models import FakeListChatModel, GenericFakeChatModel
from langchain_core.messages import AIMessage
from langchain_core.runnables import RunnableLambda
from setup_of_judges import a_prompt

from uaef.errors import DataError, ProviderError
from uaef.llm.chat import ChatClient, Finish
from uaef.llm.objects import ObjectClient

PROMPT = a_prompt(messages=(("user", "first"), ("assistant", "wrong"), ("user", "again")))
AS_TEXT = "be brief\n\nfirst\n\nwrong\n\nagain"


def _ask(model: object, **how):
    client = ObjectClient(model, **how)
    assert isinstance(client, ChatClient)

    async def run():
        async with client:
            return await client.complete(PROMPT)

    return asyncio.run(run())


def _error(model: object, **how) -> str:
    with pytest.raises(ProviderError) as raised:
        _ask(model, **how)
    assert 1 == raised.value.lost  # how far it came, nobody knows
    return str(raised.value)


# --- LangChain --------------------------------------------------------------------------------


def test_a_langchain_model_is_asked_with_roles():
    """System, human and AI messages; its answer is plain text, and its tokens are counted."""
    seen = []
    usage = {"input_tokens": 3, "output_tokens": 4, "total_tokens": 7}

    def answer(messages):
        seen.extend((message.type, message.content) for message in messages)
        return AIMessage("yes", usage_metadata=usage)

    reply = _ask(RunnableLambda(lambda value: answer(_as_messages(value))))
    assert [("system", "be brief"), ("human", "first"), ("ai", "wrong"), ("human", "again")] == seen
    assert ("yes", str, 3, 4) == (reply.text, type(reply.text), reply.input_tokens, reply.output_tokens)


def _as_messages(value):
    from langchain_core.messages import convert_to_messages  # noqa: PLC0415 - one use

    return convert_to_messages(value)


def test_a_chat_model_answers():
    """Any that LangChain has; blocks of text are joined."""
    assert "yes" == _ask(FakeListChatModel(responses=["yes"])).text
    blocks = AIMessage([{"type": "text", "text": "y"}, {"type": "text", "text": "es"}])
    assert "yes" == _ask(GenericFakeChatModel(messages=iter([blocks]))).text
    assert type(_ask(FakeListChatModel(responses=["yes"])).text) is str


def test_a_chat_model_that_fails_is_an_error_of_the_provider():
    """Whatever it raises."""
    assert _error(GenericFakeChatModel(messages=iter([]))).startswith("RuntimeError")
    assert "answered with dict, not text" == _error(RunnableLambda(lambda _: {"score": 1}))
    assert "answered with int, not text" == _error(RunnableLambda(lambda _: 1))


@pytest.mark.parametrize("key", ["finish_reason", "stop_reason", "stopReason", "done_reason", "status"])
@pytest.mark.parametrize(
    ("word", "finish"),
    [
        (None, Finish.DONE),
        ("STOP", Finish.DONE),
        ("completed", Finish.DONE),
        ("max_tokens", Finish.LENGTH),
        ("incomplete", Finish.LENGTH),
        ("model_context_window_exceeded", Finish.LENGTH),
        ("content_filtered", Finish.REFUSAL),
        ("guardrail_intervened", Finish.REFUSAL),
        ("PROHIBITED_CONTENT", Finish.REFUSAL),
        ("pause_turn", Finish.OTHER),
        ("failed", Finish.OTHER),
    ],
)
def test_why_a_chat_model_stopped_is_read_wherever_it_stands(key, word, finish):
    """In whatever provider's word; one that says done does not hide another that does not."""
    others = {} if key == "finish_reason" else {"finish_reason": "stop"}
    answer = AIMessage("yes", response_metadata={**others, key: word})
    assert finish is _ask(GenericFakeChatModel(messages=iter([answer]))).finish


# --- pydantic-ai ------------------------------------------------------------------------------


class _Run:
    def __init__(self, output):
        self.output = output


class _PydanticAgent:
    """The shape of ``pydantic_ai.Agent``: the part that is used."""

    def __init__(self, model):
        self.model = model

    async def run(self, text):
        return _Run(f"{self.model.model_name} heard {text}")

    def run_sync(self, text):
        raise AssertionError(text)


class _PydanticModel:
    """The shape of ``pydantic_ai.models.Model``."""

    model_name = "gpt-x"

    async def request(self, *args):
        raise AssertionError(args)


def test_a_pydantic_ai_agent_and_model_are_asked_with_the_whole_text(monkeypatch):
    """A model gets an agent around it; the package is not needed unless somebody hands over one of its models."""
    assert f"gpt-x heard {AS_TEXT}" == _ask(_PydanticAgent(_PydanticModel())).text
    package = types.ModuleType("pydantic_ai")
    package.Agent = _PydanticAgent
    monkeypatch.setitem(sys.modules, "pydantic_ai", package)
    assert f"gpt-x heard {AS_TEXT}" == _ask(_PydanticModel()).text
    assert "_PydanticModel:gpt-x" == ObjectClient(_PydanticModel()).label


# --- functions --------------------------------------------------------------------------------


def _plain(text: str) -> str:
    return f"{threading.current_thread() is threading.main_thread()} {text}"


async def _async(text: str) -> str:
    return f"{threading.current_thread() is threading.main_thread()} {text}"


class _Callable:
    def __call__(self, text: str) -> str:
        return _plain(text)


class _AsyncCallable:
    async def __call__(self, text: str) -> str:
        return await _async(text)


@pytest.mark.parametrize(
    ("function", "in_loop"),
    [
        (_plain, False),
        (_Callable(), False),
        (_Callable().__call__, False),
        (partial(_plain), False),
        (lambda text: _plain(text), False),  # noqa: PLW0108 - a lambda is the case
        (_async, True),
        (_AsyncCallable(), True),
        (_AsyncCallable().__call__, True),
        (partial(_async), True),
        (lambda text: _async(text), True),  # noqa: PLW0108 - likewise
    ],
)
def test_functions_are_asked_with_the_whole_text(function, in_loop):
    """A plain one in a thread, so that it holds nobody up; an async one in the loop."""
    assert f"{in_loop} {AS_TEXT}" == _ask(function).text


def test_plain_functions_run_side_by_side():
    """Two calls that wait for each other both end."""
    both = threading.Barrier(2, timeout=10)
    client = ObjectClient(lambda _: str(both.wait() >= 0))

    async def run():
        return await asyncio.gather(client.complete(PROMPT), client.complete(PROMPT))

    assert ["True", "True"] == [reply.text for reply in asyncio.run(run())]


@pytest.mark.parametrize(
    ("raised", "message"),
    [
        (ValueError("no"), "ValueError: no"),
        (StopIteration("over"), "StopIteration: over"),
        (TimeoutError("mine"), "TimeoutError: mine"),
        (KeyError("k"), "KeyError: 'k'"),
    ],
)
def test_a_function_that_raises_is_an_error_of_the_provider(raised, message):
    """Whatever it raises, in a thread or in the loop, and nobody waits for ever."""

    def plain(_):
        raise raised

    assert message == _error(plain)
    if not isinstance(raised, StopIteration):  # which no coroutine can raise

        async def in_loop(_):
            raise raised

        assert message == _error(in_loop)


@pytest.mark.parametrize("answer", [None, 1, {"score": 1}, b"text", ["text"]])
def test_an_answer_that_is_no_text_is_an_error(answer):
    """A verdict is read out of text, and guessed out of nothing else."""
    assert f"answered with {type(answer).__name__}, not text" == _error(lambda _: answer)


def test_an_object_that_never_answers_is_given_up():
    """After the timeout, as over HTTP."""

    async def never(_):
        await asyncio.sleep(3600)

    assert "no answer within 0.1 s" == _error(never, timeout_s=0.1)


@pytest.mark.parametrize("garbage", [None, 5, 1.5, object(), [], {}, b"openai:m", {"model": "m"}])
def test_what_is_no_model_is_refused(garbage):
    """The message says what a judge may be."""
    with pytest.raises(DataError) as raised:
        ObjectClient(garbage)
    assert (
        "A judge is 'provider:model', an object with a label and judge(rubric, window), a chat model or a function; "
        f"got {garbage!r}." == str(raised.value)
    )


def test_labels_say_what_was_asked():
    """Kind and name, where there is one."""
    assert "function:_plain" == ObjectClient(_plain).label
    assert "_Callable" == ObjectClient(_Callable()).label
    assert "FakeListChatModel" == ObjectClient(FakeListChatModel(responses=[""])).label
