"""A chat model that follows a script, so that the example needs no key, no network and no luck."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from booking.script import SESSIONS, Reply
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.utils.function_calling import convert_to_openai_tool

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from langchain_core.runnables import Runnable
    from langchain_core.tools import BaseTool


class ScriptedChatModel(BaseChatModel):
    """Says what the script says at this point of the conversation.

    The questions so far choose the session and the turn; the model's messages since the last of them choose the
    reply. Tokens are counted in words, and the identifiers of messages and calls name the place in the script.
    """

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def bind_tools(
        self,
        tools: Sequence[dict[str, Any] | type | Callable[..., Any] | BaseTool],
        **kwargs: Any,  # noqa: ANN401 - the signature is langchain's
    ) -> Runnable[Any, AIMessage]:
        """The model with ``tools`` declared, as a provider's model would have them."""
        return self.bind(tools=[convert_to_openai_tool(tool) for tool in tools], **kwargs)

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,  # noqa: ARG002 - the signature is langchain's
        run_manager: object = None,  # noqa: ARG002 - likewise
        **_: object,
    ) -> ChatResult:
        place, reply = _scripted(messages)
        message = _as_message(place, reply, read=sum(_words(m) for m in messages))
        return ChatResult(generations=[ChatGeneration(message=message)])


def _scripted(messages: list[BaseMessage]) -> tuple[str, Reply]:
    """The reply that is due after ``messages``, and its place: session, turn and step."""
    asked = [message.content for message in messages if isinstance(message, HumanMessage)]
    step = 0
    for message in messages:
        step = 0 if isinstance(message, HumanMessage) else step + isinstance(message, AIMessage)
    for session, turns in SESSIONS.items():
        said = [turn.question for turn in turns[: len(asked)]]
        if said == asked and step < len(turns[len(asked) - 1].replies):
            return f"{session}.{len(asked)}.{step}", turns[len(asked) - 1].replies[step]
    raise LookupError(f"booking/script.py has no reply {step + 1} to the questions {asked}; add a turn for them.")


def _as_message(place: str, reply: Reply, read: int) -> AIMessage:
    calls = [] if isinstance(reply, str) else reply
    message = AIMessage(
        content=reply if isinstance(reply, str) else "",
        id=place,
        tool_calls=[
            {"name": call["name"], "args": call["arguments"], "id": f"{place}.{number}"}
            for number, call in enumerate(calls)
        ],
    )
    written = _words(message)
    message.usage_metadata = {"input_tokens": read, "output_tokens": written, "total_tokens": read + written}
    return message


def _words(message: BaseMessage) -> int:
    calls = message.tool_calls if isinstance(message, AIMessage) else []
    return len(message.text.split()) + sum(1 + 2 * len(call["args"]) for call in calls)
