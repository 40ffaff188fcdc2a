"""Checks: metrics that code decides, from text and tool calls to latency. No judge is asked."""

from uaef.metrics.checks.combined import ALIASES as ALIASES
from uaef.metrics.checks.combined import CHECKS as CHECKS
