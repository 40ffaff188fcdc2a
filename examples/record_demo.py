"""Record the example's conversations into ``src/uaef/demo``, where ``uaef demo`` finds them without LangGraph.

Run it with ``python examples/record_demo.py`` after a change of the script or the spreadsheet.
"""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from booking.write_ground_truth import COLUMNS, rows
from booking_demo import play_all
from langchain_core.load import dumpd

if TYPE_CHECKING:
    from collections.abc import Iterator

SHIPPED = Path(__file__).parents[1] / "src" / "uaef" / "demo"
SECONDS_PER_STEP = 0.2  # instead of what was measured, so that a new recording is the old one


def payloads() -> Iterator[dict[str, object]]:
    """The payloads as JSON values, in which identifiers and latencies follow from the place."""
    for _, played in play_all():
        for payload in played:
            events = dumpd(payload["stream_events"])
            for number, message in enumerate(_messages(events)):
                message["id"] = f"{payload['session_id']}.{payload['turn_id']}.{number}"
            latency = round(SECONDS_PER_STEP * (len(events) - 1), 1)
            yield {**payload, "stream_events": events, "latency": latency}


def _messages(events: list[dict[str, Any]]) -> Iterator[dict[str, object]]:
    """The fields of every message, in order; each message is in one update only."""
    for event in events:
        for update in event.values():
            for message in update["messages"]:
                yield message["kwargs"]


def record(folder: Path) -> None:
    """Write ``payloads.jsonl`` and ``ground_truth.csv`` into ``folder``."""
    lines = [json.dumps(payload, separators=(",", ":")) + "\n" for payload in payloads()]
    (folder / "payloads.jsonl").write_text("".join(lines), encoding="utf-8")
    with (folder / "ground_truth.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows((COLUMNS, *rows()))


if __name__ == "__main__":
    record(SHIPPED)
