"""Control agents: what they pass shows what a set of gates does not ask."""

from __future__ import annotations

from collections.abc import Callable

from uaef.agents.answers import said
from uaef.agents.base import Call
from uaef.errors import UnknownNameError
from uaef.models.traces import Trace

PREFIX = "control:"


class ControlAgent:
    """An agent without a mind. Nobody expects it to remember, so nobody is warned that it does not.

    Args:
        name: what reports call it.
        words: what it says.
    """

    remembers = True
    reads_history = True

    def __init__(self, name: str, words: Callable[[Call], str]) -> None:
        self.name = name
        self._words = words

    async def answer(self, call: Call) -> Trace:
        """The trace of a turn with its words."""
        return said(call, self._words(call))


_CONTROLS: dict[str, Callable[[Call], str]] = {"silent": lambda _: "", "echo": lambda call: call.input}


def control(name: str) -> ControlAgent:
    """The control of that name: ``control:silent`` says nothing, ``control:echo`` what the user said.

    Raises:
        UnknownNameError: there is no such control.
    """
    if name not in _CONTROLS:
        raise UnknownNameError("control agent", name, _CONTROLS)
    return ControlAgent(f"{PREFIX}{name}", _CONTROLS[name])
