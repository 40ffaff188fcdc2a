"""Checks: what code can decide of a turn or a conversation, without a judge: ``checks.includes("Brooklyn")``."""

from uaef.metrics.checks.asking import asked_again_for
from uaef.metrics.checks.combined import all_of, any_of, check, not_
from uaef.metrics.checks.data import json_schema, json_valid
from uaef.metrics.checks.expected import includes_expected, matches_expected, numbers_match
from uaef.metrics.checks.limits import max_cost, max_latency, max_words
from uaef.metrics.checks.similarity import similarity
from uaef.metrics.checks.text import equals, excludes, includes, matches, one_of
from uaef.metrics.checks.tools import (
    called_tool,
    did_not_call,
    max_tool_calls,
    no_tool_errors,
    required_approval_before,
    tool_order,
    used_no_tools,
    writes_match,
)

__all__ = [
    "all_of",
    "any_of",
    "asked_again_for",
    "called_tool",
    "check",
    "did_not_call",
    "equals",
    "excludes",
    "includes",
    "includes_expected",
    "json_schema",
    "json_valid",
    "matches",
    "matches_expected",
    "max_cost",
    "max_latency",
    "max_tool_calls",
    "max_words",
    "no_tool_errors",
    "not_",
    "numbers_match",
    "one_of",
    "required_approval_before",
    "similarity",
    "tool_order",
    "used_no_tools",
    "writes_match",
]
