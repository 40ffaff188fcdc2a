"""How the cases of a run are played."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from uaef.agents.asking import NextTurn
from uaef.agents.base import Agent
from uaef.agents.history import History
from uaef.errors import UsageError

CONCURRENCY = 8
"""How many calls of an agent are under way at once, unless the caller says otherwise."""
TURN_TIMEOUT_S = 300.0
ATTEMPTS = 3

OnFailure = Literal["stop", "continue"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Playing:
    """How the cases of a run are played.

    Attributes:
        agent: who answers.
        history: what it is shown of the conversation so far.
        limit: how many of its calls may be under way at once, shared by all cases of a run.
        turn_timeout_s: how long a turn may take, with all attempts; ``None``: as long as it takes.
        attempts: how often a turn is tried where the agent's error says of itself that it is ``transient``.
        on_turn_failure: whether the turns after one that failed are played; left out, only where they do not
            depend on it: under ``expected`` and ``none``.
        options: what is passed on to the agent.
        resource: whose conversations these are; left out, each is its own thread's.
        next_turn: where the next question comes from; left out, the case's list.

    Raises:
        UsageError: what is given does not go together.
    """

    agent: Agent
    history: History = History.THREAD
    limit: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(CONCURRENCY))
    turn_timeout_s: float | None = TURN_TIMEOUT_S
    attempts: int = ATTEMPTS
    on_turn_failure: OnFailure | None = None
    options: Mapping[str, object] = field(default_factory=dict)
    resource: str | None = None
    next_turn: NextTurn | None = None

    def __post_init__(self) -> None:
        if self.next_turn is not None and self.history is History.EXPECTED:
            raise UsageError("next_turn makes a conversation up, so there is no expected one: history='actual'.")
        if self.on_turn_failure not in (None, "stop", "continue"):
            raise UsageError(f"on_turn_failure is 'stop' or 'continue', got {self.on_turn_failure!r}.")
        if self.attempts < 1 or (self.turn_timeout_s is not None and not self.turn_timeout_s > 0):
            raise UsageError(
                "attempts must be at least 1 and turn_timeout_s more than 0; got "
                f"{self.attempts} and {self.turn_timeout_s}."
            )

    @property
    def is_spliced(self) -> bool:
        """Whether a turn does not depend on what was answered in those before it."""
        return self.history in (History.EXPECTED, History.NONE)

    @property
    def stops(self) -> bool:
        """Whether a failed turn ends its conversation."""
        return self.on_turn_failure == "stop" or (self.on_turn_failure is None and not self.is_spliced)


def memory_apart(target_options: Mapping[str, object] | None) -> tuple[dict[str, object], str | None]:
    """The options to pass on, and the resource to play for, which the caller may give among them.

    Raises:
        UsageError: the caller names a thread, or a resource that is no text.
    """
    options = dict(target_options or {})
    given = options.pop("memory", None)
    if given is None:
        return options, None
    if not isinstance(given, Mapping):
        raise UsageError(f"target_options['memory'] must be a dict such as {{'resource': 'user-42'}}, got {given!r}.")
    memory = dict(given)
    named = next((key for key in ("thread", "thread_id") if memory.get(key) is not None), None)
    if named:
        raise UsageError(
            f"target_options['memory'][{named!r}]: a thread cannot be given. Every conversation and trial gets a new "
            "one, or the agent would remember the others; give a 'resource' to play for one user."
        )
    resource = memory.pop("resource", None)
    if not (resource is None or (isinstance(resource, str) and resource.strip())):
        raise UsageError(f"target_options['memory']['resource'] must be a text that is not blank, got {resource!r}.")
    return {**options, **({"memory": memory} if memory else {})}, resource
