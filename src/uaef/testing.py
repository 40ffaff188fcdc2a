"""For the tests of those who build on uaef: a turn in a line, an agent and a judge that say what they are told to."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TypeAlias

from uaef.agents.answers import trace_of
from uaef.agents.base import Call
from uaef.llm_judge.rubric import Rubric
from uaef.models.conversation import Conversation
from uaef.models.message import Message, MessageRole
from uaef.models.scores import MetricScore
from uaef.models.tool_call import ToolCall
from uaef.models.traces import AgentTrace, Trace

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


class ScriptedAgent:
    """An agent that answers by a script, and remembers what it was asked.

    Args:
        script: what is answered: a list with one answer a turn, in every conversation; a dict by what the user says;
            or a function of the ``Call``. An answer is whatever an agent may return, or an exception to raise.
        default: the answer where the script has none; left out, that is an error.
        name: what reports call it.
        remembers: whether it counts as an agent with a memory.
    """

    def __init__(
        self,
        script: Sequence[object] | Mapping[str, object] | Callable[[Call], object],
        *,
        default: object = None,
        name: str = "scripted",
        remembers: bool = True,
    ) -> None:
        self.name = name
        self.remembers = remembers
        self._script = script
        self._default = default
        self.asked: list[Call] = []
        """The calls, in order."""

    async def answer(self, call: Call) -> Trace:
        """What the script says, as the trace of a turn."""
        self.asked.append(call)
        answer = self._scripted(call)
        answer = self._default if answer is None else answer
        if answer is None:
            raise LookupError(f"the script has no answer to turn {call.turn} of {call.case_id}: {call.input!r}")
        if isinstance(answer, BaseException):
            raise answer
        return trace_of(answer, call)

    def _scripted(self, call: Call) -> object:
        if callable(self._script):
            return self._script(call)
        if isinstance(self._script, Mapping):
            return self._script.get(call.input)
        return self._script[call.turn - 1] if call.turn <= len(self._script) else None
