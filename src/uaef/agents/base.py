"""What an agent is to those who play it: anything that answers a turn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol, TypeVar, cast

from uaef.models.traces import Trace

_Value = TypeVar("_Value")


@dataclass(frozen=True, slots=True)
class Call:
    """What an agent is asked for: the answer to one turn.

    Attributes:
        input: what the user says.
        history: what came before, as the history policy has it: dicts in the shape of OpenAI's chat API.
        thread_id: the conversation it belongs to, for an agent with a memory; a new one for every trial.
        resource: whose conversation it is, for an agent whose memory is wider than a thread.
        case_id: the name of the case.
        turn: the number of the turn, from 1.
        options: what the caller wants passed on (``target_options``).
        trial: which repetition of the case it is, from 0.
        so_far: the turns before it, as far as they were played: by them, what an agent returns of earlier turns is
            told from its answer; ``None``: nothing is known of them.
    """

    input: str
    history: Sequence[Mapping[str, object]]
    thread_id: str
    resource: str
    case_id: str
    turn: int
    options: Mapping[str, object] = field(default_factory=dict)
    trial: int = 0
    so_far: Sequence[Trace] | None = None

    @property
    def request(self) -> list[Mapping[str, object]]:
        """The history and the user's message after it: what a chat API is sent."""
        return [*self.history, {"role": "user", "content": self.input}]

    def anew(self) -> Call:
        """The same call with lists and dicts of its own, whatever an earlier attempt did to its own."""
        return replace(self, history=fresh(self.history), options=fresh(self.options))


def fresh(value: _Value) -> _Value:
    """A copy of lists and dicts, as deep as they go; whatever else is in them is the same."""
    return cast("_Value", _copied(value))


def _copied(value: object) -> object:
    if type(value) is dict:
        return {key: _copied(inner) for key, inner in value.items()}
    return [_copied(inner) for inner in value] if type(value) is list else value


class Agent(Protocol):
    """Anything that answers a turn.

    Two more attributes may be there. ``reads_history``, otherwise taken to be true, says whether it sees the
    history that it is given. ``wants_history``, otherwise false, says that it keeps nothing between its turns, so
    that it is given what was said so far even where an agent is left to its own memory (``History.THREAD``).

    Attributes:
        name: what reports call it.
        remembers: whether it knows what was said before in its thread: it keeps the thread, or wants the history.
    """

    name: str
    remembers: bool

    async def answer(self, call: Call) -> Trace:
        """What it did and said, without the messages that came before the turn.

        Raises:
            Exception: whatever went wrong; ``transient = True`` on it means that trying again may help, and
                ``retry_after`` is how many seconds to wait at least.
        """
        ...


def reads_history(agent: Agent) -> bool:
    """Whether it sees the history that it is given."""
    return bool(getattr(agent, "reads_history", True))


def wants_history(agent: Agent) -> bool:
    """Whether it is given what was said so far even where threads are kept."""
    return bool(getattr(agent, "wants_history", False))
