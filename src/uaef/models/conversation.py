"""A conversation: ordered turns. A turn is a conversation of length one that remembers what came before.

A slice is a window over shared turns: ``c[i]`` and ``c[a:b]`` are conversations, made in constant time,
``c[0:len(c)] == c`` and ``c[a:b][i] == c[a + i]``. Whatever scores a conversation scores a turn.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TypeAlias

from uaef.errors import DataError
from uaef.models.base import converted
from uaef.models.chat_messages import parse_messages
from uaef.models.ground_truth import GroundTruth
from uaef.models.message import Message, MessageRole
from uaef.models.names import slice_name
from uaef.models.scores import MetricScore
from uaef.models.tool_call import ToolCall
from uaef.models.traces import AgentTrace, MultiAgentTrace, Trace, as_trace, joined, user_messages
from uaef.models.turns import Turn, check_same_story, numbered, numbered_trace, split
from uaef.models.whole import Whole

SessionDict: TypeAlias = dict[str, object]


class Conversation:
    """Ordered turns and what belongs to the whole; also any window of them.

    Build one with ``of`` (traces), ``from_session`` (the documented dict) or ``from_messages``.
    """

    __slots__ = ("_start", "_stop", "_trace", "_whole", "given")

    given: Mapping[str, MetricScore]
    """The scores that a metric asked to know, by metric name; empty unless the metric depends on some."""

    def __init__(self, whole: Whole, start: int, stop: int) -> None:
        self._whole = whole
        self._start = start
        self._stop = stop
        self._trace: Trace | None = None
        self.given = {}

    # --- building ---------------------------------------------------------------------

    @classmethod
    def of(
        cls,
        traces: Trace | Sequence[Trace],
        *,
        name: str | None = None,
        expected: GroundTruth | None = None,
        tags: Iterable[str] = (),
        trial: int = 0,
        full_trace: Trace | None = None,
    ) -> Conversation:
        """The conversation whose turns are ``traces``, in the order given.

        Args:
            traces: one trace a turn; a single trace is one turn however many user messages it holds.
            name: what to call it; left out, the session id, else the first trace's id.
            expected: for the whole and, by turn number, for its turns.
            tags: the cohorts it belongs to.
            trial: which repetition, from 0.
            full_trace: a recording of the whole, which whole-conversation metrics then read.

        Raises:
            DataError: there is no turn, one is no trace, two have one number, or ``full_trace`` tells another story.
        """
        given = (traces,) if isinstance(traces, AgentTrace | MultiAgentTrace) else traces
        several = tuple(as_trace(trace, f"per_turn_traces[{i}]") for i, trace in enumerate(given))
        if not several:
            raise DataError("A conversation needs at least one turn; got an empty list of traces.")
        session = several[0].session_id or (full_trace.session_id if full_trace else None)
        name = name or session or str(several[0].trace_id)
        turns = numbered(several, name)
        check_same_story(full_trace, turns, name)
        whole = Whole(name=name, turns=turns, tags=tuple(tags), trial=trial, recorded=full_trace)
        conversation = cls(whole, 0, len(turns))
        return conversation if expected is None else conversation.expecting(expected)

    @classmethod
    def from_session(cls, session: Mapping[str, object]) -> Conversation:
        """The conversation in a session dict: ``per_turn_traces``, and optionally ``session_id``, ``full_trace``.

        Raises:
            DataError: a key is missing or holds something else.
        """
        unknown = set(session) - {"session_id", "per_turn_traces", "full_trace"}
        if unknown or "per_turn_traces" not in session:
            raise DataError(
                "A session dict holds per_turn_traces (a list of traces) and, if known, session_id (text) and "
                f"full_trace; got the keys {sorted(map(str, session))}."
            )
        name, traces, full = (session.get(key) for key in ("session_id", "per_turn_traces", "full_trace"))
        if not (name is None or isinstance(name, str)):
            raise DataError(f"session_id must be text, got {name!r}.")
        if not isinstance(traces, Sequence) or isinstance(traces, str):
            raise DataError(f"per_turn_traces must be a list of traces, got {type(traces).__name__}.")
        return cls.of(traces, name=name, full_trace=None if full is None else as_trace(full, "full_trace"))

    @classmethod
    def from_messages(
        cls,
        messages: Sequence[Message | Mapping[str, object]],
        *,
        name: str | None = None,
        expected: GroundTruth | None = None,
        tags: Iterable[str] = (),
    ) -> Conversation:
        """The conversation in a list of messages, split into turns before each user message.

        A message is a ``Message`` or a dict as OpenAI's chat API has it: ``role``, ``content``, ``tool_calls``,
        ``tool_call_id``, ``name``. What stands before the first user message (a system prompt, a greeting)
        belongs to the first turn. Several agents among the speakers make its turns ``MultiAgentTrace``s.

        Args:
            messages: in order, at least one.
            name: what to call the conversation; left out, ``"conversation"``.
            expected: for the whole and, by turn number, for its turns.
            tags: the cohorts it belongs to.

        Raises:
            DataError: there are no messages, or some cannot be read; naming each by its place.
        """
        parsed = parse_messages(messages)
        several = len({m.agent for m in parsed if m.agent and m.role is MessageRole.ASSISTANT}) > 1
        kind = MultiAgentTrace if several else AgentTrace
        traces = [
            kind(trace_id=f"{name or 'conversation'}#{i}", session_id=name, messages=part)
            for i, part in enumerate(split(parsed), 1)
        ]
        return cls.of(traces, name=name or "conversation", expected=expected, tags=tags)

    @classmethod
    def from_dict(cls, data: object) -> Conversation:
        """The conversation, or the window of one, that ``to_dict`` described.

        Raises:
            ValueError: naming what does not fit.
        """
        fields = dict(converted(data, dict[str, object]))
        start, stop = converted(fields.pop("window", None), tuple[int, int])
        whole = Whole.from_dict(fields)
        if not 0 <= start < stop <= len(whole.turns):
            raise DataError(f"The window {start} to {stop} does not lie in {len(whole.turns)} turns.")
        return cls(whole, start, stop)

    def to_dict(self) -> dict[str, object]:
        """Everything there is to know of it, as plain data; of a window, the whole and where it lies in it."""
        return {**self._whole.to_dict(), "window": [self._start, self._stop]}

    def expecting(self, expected: GroundTruth | None) -> Conversation:
        """The same window with ``expected`` for all of it and, by turn number, for its turns."""
        about = None if self.is_whole else (self._start, self._stop)
        return Conversation(self._whole.expecting(expected, about, only=len(self) == 1), self._start, self._stop)

    def labelled(self, tags: Iterable[str], by_turn: Mapping[int, Iterable[str]]) -> Conversation:
        """The same window with more cohorts: of the whole, and of turns by their number."""
        return Conversation(self._whole.labelled(tags, by_turn), self._start, self._stop)

    def knowing(self, given: Mapping[str, MetricScore]) -> Conversation:
        """The same window for a metric that asked to know these scores."""
        window = Conversation(self._whole, self._start, self._stop)
        window._trace = self._trace
        window.given = given
        return window

    # --- slicing ----------------------------------------------------------------------

    def __len__(self) -> int:
        return self._stop - self._start

    def __getitem__(self, at: int | slice) -> Conversation:
        if isinstance(at, slice):
            start, stop, step = at.indices(len(self))
            if step != 1 or stop <= start:
                raise IndexError(f"a slice of {self.name!r} takes at least one turn and no step, got {at}")
        else:
            start = at + len(self) if at < 0 else at
            stop = start + 1
            if not 0 <= start < len(self):
                raise IndexError(f"{self.name!r} has {len(self)} turns, there is no [{at}]")
        return Conversation(self._whole, self._start + start, self._start + stop)

    def __iter__(self) -> Iterator[Conversation]:
        return (self[i] for i in range(len(self)))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Conversation):
            return NotImplemented
        here, there = (self._start, self._stop), (other._start, other._stop)
        return here == there and (self._whole is other._whole or self._whole == other._whole)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"<Conversation {self.name!r}: {len(self)} turns>"

    # --- what it is -------------------------------------------------------------------

    @property
    def conversation_id(self) -> str:
        """The name of the whole, whatever the window."""
        return self._whole.name

    @property
    def name(self) -> str:
        """``refund`` for the whole, ``refund#3`` for a turn, ``refund#3-5`` for a stretch."""
        if self.is_whole:
            return self._whole.name
        first, last = self._whole.turns[self._start], self._whole.turns[self._stop - 1]
        return slice_name(self._whole.name, (first.number, last.number))

    @property
    def is_whole(self) -> bool:
        """Whether nothing is cut off."""
        return self._stop - self._start == self._whole.length

    @property
    def turns(self) -> tuple[Turn, ...]:
        """The turns in the window."""
        return self._whole.turns[self._start : self._stop]

    @property
    def numbers(self) -> tuple[int, ...]:
        """The turns' numbers."""
        return tuple([turn.number for turn in self.turns])

    @property
    def tags(self) -> tuple[str, ...]:
        """The cohorts of the whole and of the turns in the window."""
        tags = self._whole.tags
        for turn in self.turns:
            if turn.tags:
                tags += turn.tags
        return tuple(dict.fromkeys(tags)) if tags else ()

    @property
    def trial(self) -> int:
        """Which repetition of the conversation this is, from 0."""
        return self._whole.trial

    @property
    def expected(self) -> GroundTruth | None:
        """What was expected: of the turn in a window of one; of the whole, or of the stretch it was said of."""
        if self._stop - self._start == 1:
            return self._whole.turns[self._start].expected
        return self._whole.expected if (self._start, self._stop) == self._whole.stretch else None

    @property
    def ground_truth(self) -> GroundTruth | None:
        """What was expected of the conversation and of its turns, as it was given, whatever the window."""
        return self._whole.expected

    @property
    def recorded(self) -> Trace | None:
        """The recording of the whole that was given beside the turns."""
        return self._whole.recorded

    @property
    def failure(self) -> str | None:
        """How the agent failed, at the first turn of the window where it did; ``None`` where it did not."""
        for turn in self.turns:
            if turn.error is not None:
                return f"the agent failed at turn {turn.number}: {turn.error}"
        return None

    @property
    def flows(self) -> bool:
        """Whether each turn was shown what was really said before it."""
        return all(turn.shown is None for turn in self.turns)

    # --- what was recorded in the window ----------------------------------------------

    @property
    def trace(self) -> Trace:
        """The window as one trace: a turn's own, the recording of several that are the whole, or the turns joined."""
        if self._trace is None:
            if self._whole.recorded is not None and self.is_whole and len(self) > 1:
                self._trace = self._whole.recorded
            else:
                self._trace = joined([turn.trace for turn in self.turns], self.name)
        return self._trace

    @property
    def messages(self) -> list[Message]:
        """Everything said in the window, in order; a list of its own, whatever becomes of it."""
        return list(self.trace.messages)

    @property
    def tool_calls(self) -> list[ToolCall]:
        """Every tool call in the window, in order; a list of its own, whatever becomes of it."""
        return list(self.trace.tool_calls)

    @property
    def agents(self) -> tuple[str, ...]:
        """The agents that acted, first seen first."""
        return self.trace.agents

    @property
    def is_multi_agent(self) -> bool:
        """Whether it was recorded as the work of several agents."""
        return isinstance(self._whole.turns[self._start].trace, MultiAgentTrace)

    @property
    def latency(self) -> float | None:
        """Seconds, if known."""
        return self.trace.latency

    @property
    def cost(self) -> float | None:
        """Dollars, if known."""
        return self.trace.cost

    @property
    def input_tokens(self) -> int | None:
        """Tokens read, if known."""
        return self.trace.input_tokens

    @property
    def output_tokens(self) -> int | None:
        """Tokens written, if known."""
        return self.trace.output_tokens

    @property
    def metadata(self) -> dict[str, object]:
        """The trace's metadata, laid over with the scores the metric asked to know; a copy."""
        known = {name: s.score for name, s in self.given.items() if s.score is not None}
        return {**self.trace.metadata, **known}

    @property
    def question(self) -> str:
        """Everything the user said in the window."""
        return "\n".join(self.user_messages)

    @property
    def user_messages(self) -> list[str]:
        """What the user said, message by message: their number is the number of turns."""
        return user_messages(self.trace.messages)

    @property
    def answer(self) -> str:
        """All the assistant's text in the window, in order; a message that only carries calls is no answer."""
        return "\n".join(self.replies)

    @property
    def replies(self) -> list[str]:
        """The assistant's texts, message by message, without the empty ones."""
        said = (m.content for m in self.trace.messages if m.role is MessageRole.ASSISTANT)
        return [text for text in said if text.strip()]

    @property
    def turns_before(self) -> tuple[Turn, ...]:
        """The turns before the window, as the agent saw them."""
        first = self._whole.turns[self._start]
        if first.shown is None:
            return self._whole.turns[: self._start]
        parts = split(first.shown) if first.shown else []
        return tuple(Turn(trace=AgentTrace(messages=part), number=i) for i, part in enumerate(parts, 1))

    @property
    def history(self) -> list[Message]:
        """What came before the window, as the agent saw it."""
        first = self._whole.turns[self._start]
        if first.shown is not None:
            return list(first.shown)
        return [m for turn in self._whole.turns[: self._start] for m in turn.trace.messages]

    def to_session(self) -> SessionDict:
        """The documented session dict: ``session_id``, ``per_turn_traces``, ``full_trace``.

        A turn whose number is not its place carries it in its trace's metadata.
        """
        return {
            "session_id": self._whole.name,
            "per_turn_traces": [numbered_trace(turn, place) for place, turn in enumerate(self.turns, 1)],
            "full_trace": self.trace,
        }


def as_conversation(item: object) -> Conversation:
    """The one door: a trace, a session dict or a conversation as a conversation.

    Raises:
        DataError: it is none of them.
    """
    if isinstance(item, Conversation):
        return item
    if isinstance(item, AgentTrace | MultiAgentTrace):
        return Conversation.of(item)
    if isinstance(item, Mapping):
        return Conversation.from_session(item)
    raise DataError(
        "Expected an AgentTrace, a MultiAgentTrace, a session dict (per_turn_traces, full_trace) or a "
        f"Conversation, got {type(item).__name__}."
    )
