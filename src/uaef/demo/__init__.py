"""What ``uaef demo`` evaluates: conversations recorded from the graphs in ``examples``."""

from __future__ import annotations

from importlib.resources import as_file, files
from typing import TYPE_CHECKING

import msgspec

from uaef.data.ground_truth import build_multi_turn_ground_truth, group_by_session, load_ground_truth_file

if TYPE_CHECKING:
    from uaef.models import GroundTruth

METRICS = (
    "tool_selection_accuracy",
    "tool_sequence_correctness",
    "parameter_quality",
    "prompt_injection_detection",
    "latency_score",
    "turn_efficiency",
    "agent_utilization",
    "accuracy",
    "context_retention",
    "coherence",
)
"""Metrics that say something about them. The last three need a judge; of the last the local one says nothing."""


def load_demo() -> tuple[list[dict[str, object]], list[GroundTruth]]:
    """The turn payloads of all sessions, and one ground truth per session in the same order."""
    shipped = files("uaef.demo")
    payloads = msgspec.json.Decoder(dict[str, object]).decode_lines((shipped / "payloads.jsonl").read_bytes())
    with as_file(shipped / "ground_truth.csv") as path:
        sessions = group_by_session(load_ground_truth_file(path))
    return payloads, [
        build_multi_turn_ground_truth(turns, events=_events(payloads, session_id))
        for session_id, turns in sessions.items()
    ]


def _events(payloads: list[dict[str, object]], session_id: str) -> list[object]:
    return [
        event
        for payload in payloads
        if payload["session_id"] == session_id
        for event in msgspec.convert(payload["stream_events"], list[object])
    ]
