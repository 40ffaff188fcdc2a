"""The job that every package does: three checks on each turn of recorded conversations of five turns.

It starts from plain dicts, so that what a package makes of them is part of the work, and ends with a score and a
reason for each check of each turn. Only the standard library is at hand here: it runs in the packages' own
environments.
"""

from __future__ import annotations

import gc
import json
import sys
import time
from collections.abc import Callable
from importlib.metadata import version
from typing import TypedDict, TypeVar

_Results = TypeVar("_Results")

CHECKS = ("tool_called", "says", "in_time")
SECONDS_ALLOWED = 2.0
TURNS = 5
_WARM_UP = 10
_TOOLS = ("search_flights", "book_flight", "cancel_flight")
_CITIES = ("Lisbon", "Porto", "Faro", "Madrid")


class TurnData(TypedDict):
    """One recorded turn and what was expected of it."""

    user: str
    answer: str
    tools: list[str]
    seconds: float
    expected_tool: str
    expected_text: str


def conversations(count: int) -> list[list[TurnData]]:
    """That many conversations, with right and wrong turns among them."""
    return [[_turn(c, number) for number in range(TURNS)] for c in range(count)]


def _turn(conversation: int, number: int) -> TurnData:
    at = conversation + number
    return {
        "user": f"Please look for flight {conversation} to {_CITIES[at % 4]} for the two of us, turn {number}.",
        "answer": f"Flight {conversation} to {_CITIES[at % 4]} leaves at nine and has {number} seats left.",
        "tools": [_TOOLS[at % 3], _TOOLS[(at + 1) % 3]],
        "seconds": 0.5 * (1 + at % 5),
        "expected_tool": _TOOLS[0],
        "expected_text": _CITIES[conversation % 4],
    }


def measure(
    package: str,
    evaluate: Callable[[list[list[TurnData]]], _Results],
    means: Callable[[_Results], dict[str, float]],
) -> None:
    """Print, as a line of JSON, what the job cost and what it found.

    ``argv[1]`` says how many conversations; a second argument, that each of their turns is to be a case of its own.
    """
    given = conversations(int(sys.argv[1]))
    if len(sys.argv) > 2:  # noqa: PLR2004 - the second argument
        given = [[turn] for turns in given for turn in turns]
    evaluate(given[:_WARM_UP])
    gc.collect()
    started = time.process_time()
    results = evaluate(given)
    seconds = time.process_time() - started
    found = {name: round(mean, 9) for name, mean in means(results).items()}
    print(json.dumps({"package": f"{package} {version(package)}", "seconds": seconds, "means": found}))
