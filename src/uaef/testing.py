"""For the tests of those who build on uaef: a turn in a line, a judge that says what it is told to say."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TypeAlias

from uaef.llm_judge.rubric import Rubric
from uaef.models.conversation import Conversation
from uaef.models.message import Message, MessageRole
from uaef.models.scores import MetricScore
from uaef.models.tool_call import ToolCall
from uaef.models.traces import AgentTrace

Answer: TypeAlias = MetricScore | float | Exception
Script: TypeAlias = Answer | Sequence[Answer] | Callable[[Conversation], Answer]


def turn(user: str, answer: str, calls: Sequence[ToolCall | str] = (), **recorded: object) -> AgentTrace:
    """The trace of one exchange: the user's message, the calls the assistant made, its answer.

    Args:
        user: what the user says.
        answer: what the assistant says in the end.
        calls: tool calls, or just the names of the tools.
        **recorded: any other field of ``AgentTrace``: ``latency=1.5``.
    """
    made = [call if isinstance(call, ToolCall) else ToolCall(name=call) for call in calls]
    asked = [Message(role=MessageRole.ASSISTANT, content="", tool_calls=made)] if made else []
    messages = [
        Message(role=MessageRole.USER, content=user),
        *asked,
        Message(role=MessageRole.ASSISTANT, content=answer),
    ]
    return AgentTrace(messages=messages, **recorded)  # type: ignore[arg-type] # checked by the model


class ScriptedJudge:
    """A judge that answers by a script, and remembers what it was asked.

    Args:
        script: by metric name: a score, a list with one score a call, a function of the window, an exception to
            raise, or a ``MetricScore`` for everything else a judge may say.
        default: the answer for a metric that is not in the script; left out, that is an error.
    """

    label = "scripted"
    blocking = False

    def __init__(self, script: Mapping[str, Script], *, default: Script | None = None) -> None:
        self._script = {name: _reader(answers) for name, answers in script.items()}
        self._default = None if default is None else _reader(default)
        self.asked: list[tuple[str, str]] = []
        """The metric and the slice of each call, in order."""

    def judge(self, rubric: Rubric, window: Conversation) -> MetricScore:
        """What the script says of ``window``."""
        self.asked.append((rubric.name, window.name))
        read = self._script.get(rubric.name, self._default)
        if read is None:
            raise LookupError(f"the script has no answer for {rubric.name}")
        answer = read(window)
        if isinstance(answer, Exception):
            raise answer
        if isinstance(answer, MetricScore):
            return answer
        return MetricScore(metric_name=rubric.name, score=float(answer), reasoning=f"scripted: {answer}")


def _reader(script: Script) -> Callable[[Conversation], Answer]:
    if callable(script):
        return script
    if not isinstance(script, Sequence):
        return lambda _: script
    answers: Iterator[Answer] = iter(script)
    return lambda window: next(answers, LookupError(f"the script has no answer left for {window.name}"))
