"""A weather desk that remembers by thread, and what it is asked: what the tests of runs are about."""

from __future__ import annotations

from collections import defaultdict

from uaef.models import AgentTrace, ToolCall
from uaef.testing import turn

FORECASTS = {"today": "sunny, 21 degrees", "tomorrow": "rain, 14 degrees"}


class WeatherDesk:
    """An agent that looks up one forecast a question, and knows of a thread which town it is about.

    ``seen`` holds every call's thread, resource and question, in the order in which they came.
    """

    name = "weather desk"

    def __init__(self) -> None:
        self.seen: list[tuple[str, str, str]] = []
        self._towns: defaultdict[str, str] = defaultdict(lambda: "nowhere")

    async def __call__(self, text: str, *, thread_id: str, resource: str) -> AgentTrace:
        """Look up the weather of the town that the thread is about."""
        self.seen.append((thread_id, resource, text))
        for town in ("Oslo", "Bergen"):
            if town in text:
                self._towns[thread_id] = town
        day = "tomorrow" if "tomorrow" in text else "today"
        where = self._towns[thread_id]
        if "thank" in text.lower():
            return turn(text, "You are welcome.")
        call = ToolCall(name="get_weather", arguments={"town": where, "day": day}, result=FORECASTS[day])
        return turn(text, f"The weather forecast for {where} {day}: {FORECASTS[day]}.", [call])


def says(*answers: str):
    """An agent that says these things, turn by turn of each conversation."""

    async def agent(_: str, *, turn: int) -> str:
        return answers[turn - 1]

    return agent
