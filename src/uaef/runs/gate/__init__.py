"""The gate of a run: rules on what it measured and on how it compares, read and checked before anything is spent."""

from __future__ import annotations

from uaef.runs.gate.confirming import Suspect, confirmed, next_round, suspects
from uaef.runs.gate.deciding import decide
from uaef.runs.gate.decisions import GateResult, RuleDecision
from uaef.runs.gate.rules import Gate, RuleError, check, gate
from uaef.runs.gate.settings import Project, laid_over, project

__all__ = [
    "Gate",
    "GateResult",
    "Project",
    "RuleDecision",
    "RuleError",
    "Suspect",
    "check",
    "confirmed",
    "decide",
    "gate",
    "laid_over",
    "next_round",
    "project",
    "suspects",
]
