"""Tool Calling: the right tools, in the right order, with the right arguments."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence

from uaef.metrics.assignment import best_assignment
from uaef.metrics.base import metric
from uaef.metrics.scopes import each_turn_or_whole_for_tools
from uaef.models.conversation import Conversation
from uaef.models.scores import MetricScore
from uaef.models.tool_call import ToolCall

DIMENSION = "Tool Calling"


def _expected(window: Conversation) -> list[ToolCall]:
    return (window.expected and window.expected.expected_tool_calls) or []


@metric(dimension=DIMENSION, scope=each_turn_or_whole_for_tools, needs=("expected_tool_calls",))
def tool_selection_accuracy(window: Conversation) -> MetricScore:
    """Whether the tools that were expected were called, and no others; order and arguments do not count.

    Multiset Jaccard index of the names: matched / (expected + called - matched). Nothing expected and nothing
    called is 1; something called where nothing was expected is 0.
    """
    expected = sorted(call.name for call in _expected(window))
    called = sorted(call.name for call in window.tool_calls)
    missing, extra = _beyond(expected, called), _beyond(called, expected)
    matched = len(expected) - len(missing)
    either = len(called) + len(missing)
    score = matched / either if either else 1.0
    return tool_selection_accuracy.scored(
        score,
        _difference(missing, extra)
        or (f"called {', '.join(called)} as expected" if called else "no tool needed, none called"),
        expected_count=len(expected),
        actual_count=len(called),
        matched_count=matched,
        missing_count=len(missing),
        extra_count=len(extra),
        jaccard_score=score,
    )


def _beyond(names: Sequence[str], others: Sequence[str]) -> list[str]:
    """The names that ``others`` does not have, or not as often."""
    unmatched, beyond = list(others), []
    for name in names:
        if name in unmatched:
            unmatched.remove(name)
        else:
            beyond.append(name)
    return beyond


def _difference(missing: Sequence[str], extra: Sequence[str]) -> str:
    parts = [
        f"{word} {', '.join(names)}" for word, names in (("missed", missing), ("called unasked", extra)) if names
    ]
    return "; ".join(parts)


@metric(dimension=DIMENSION, scope=each_turn_or_whole_for_tools, needs=("expected_tool_calls",))
def tool_sequence_correctness(window: Conversation) -> MetricScore:
    """Whether the tools were called in the expected order.

    Length of the longest common subsequence of the names / max(expected, called); nothing expected and nothing
    called is 1.
    """
    expected = [call.name for call in _expected(window)]
    called = [call.name for call in window.tool_calls]
    common = _common_subsequence(expected, called)
    longest = max(len(expected), len(called))
    exact = expected == called
    order = f"{' > '.join(called) or 'nothing'}"
    return tool_sequence_correctness.scored(
        common / longest if longest else 1.0,
        f"called {order} as expected" if exact else f"called {order}, expected {' > '.join(expected) or 'nothing'}",
        expected_sequence=expected,
        called_sequence=called,
        lcs_length=common,
        exact_match=exact,
    )


def _common_subsequence(left: Sequence[str], right: Sequence[str]) -> int:
    if left == right:
        return len(left)
    before = [0] * (len(right) + 1)
    for item in left:
        row = [0]
        for j, other in enumerate(right):
            row.append(before[j] + 1 if item == other else max(row[j], before[j + 1]))
        before = row
    return before[-1]


@metric(dimension=DIMENSION, scope=each_turn_or_whole_for_tools, needs=("expected_tool_calls",))
def parameter_quality(window: Conversation) -> MetricScore:
    """Whether the calls carried the expected arguments.

    Calls of the same name are assigned to each other so that the sum of their similarities is greatest; the
    score is that sum / max(expected, called). The similarity of two calls is the share of equal key-value pairs
    among all their keys (1 if neither has arguments, or if any will do). Nothing expected and nothing called is 1.
    """
    expected, called = _expected(window), window.tool_calls
    if expected and all(call.any_arguments for call in expected):
        return parameter_quality.not_applicable("it is not said which arguments are expected", warning="missing_data")
    sums = []
    for name in dict.fromkeys(call.name for call in expected):
        ours = [call for call in expected if call.name == name]
        theirs = [call for call in called if call.name == name]
        sums.append(best_assignment([[_alike(a, b) for b in theirs] for a in ours]))
    longest = max(len(expected), len(called))
    score = math.fsum(sums) / longest if longest else 1.0
    return parameter_quality.scored(
        score,
        _arguments_told(expected, called, score),
        expected_count=len(expected),
        actual_count=len(called),
        extra_calls=max(0, len(called) - len(expected)),
        parameter_score=score,
    )


def _alike(expected: ToolCall, called: ToolCall) -> float:
    left, right = expected.arguments, called.arguments
    keys = left.keys() | right.keys()
    if expected.any_arguments or not keys:
        return 1.0
    return sum(1 for k in keys if k in left and k in right and same_value(left[k], right[k])) / len(keys)


def same_value(left: object, right: object) -> bool:
    """Whether two JSON values are equal; ``1`` and ``1.0`` are, ``1`` and ``True`` are not."""
    if isinstance(left, bool) is not isinstance(right, bool):
        return False
    if isinstance(left, Mapping) and isinstance(right, Mapping):
        return left.keys() == right.keys() and all(same_value(left[k], right[k]) for k in left)
    if isinstance(left, list | tuple) and isinstance(right, list | tuple):
        return len(left) == len(right) and all(map(same_value, left, right))
    return left == right


def _arguments_told(expected: Sequence[ToolCall], called: Sequence[ToolCall], score: float) -> str:
    if not expected and not called:
        return "no call expected, none made"
    return "all arguments as expected" if score == 1 else f"expected {_calls(expected)}, got {_calls(called)}"


def _calls(calls: Sequence[ToolCall]) -> str:
    return ", ".join(f"{call.name}({_arguments(call)})" for call in calls) or "no call"


def _arguments(call: ToolCall) -> str:
    return "..." if call.any_arguments else ", ".join(f"{name}={value!r}" for name, value in call.arguments.items())


_TOOL_NAME = re.compile(r"[A-Za-z0-9_.-]{1,128}", re.ASCII)


@metric(dimension=DIMENSION)
def mcp_compliance(window: Conversation) -> MetricScore:
    """Whether calls of tools on an MCP server keep to the Model Context Protocol.

    compliant calls / calls whose metadata names a server (``mcp_server``). A name has 1 to 128 of the characters
    A-Z a-z 0-9 _ - . (MCP specification 2025-11-25, "Tool Names"); where ``input_schema`` is recorded too, the
    arguments must satisfy it, apart from the regular expressions in it, which a recording could make run for ever.
    """
    calls = [call for call in window.tool_calls if call.metadata.get("mcp_server")]
    if not calls:
        return mcp_compliance.not_applicable("no call names an MCP server (metadata['mcp_server'])")
    violations = [violation for call in calls if (violation := _violation(call))]
    return mcp_compliance.scored(
        (len(calls) - len(violations)) / len(calls),
        "; ".join(violations) or "no violation",
        total_tools=len(calls),
        compliant_tools=len(calls) - len(violations),
        violations=violations,
    )


def _violation(call: ToolCall) -> str | None:
    if not _TOOL_NAME.fullmatch(call.name):
        return f"{call.name!r} is no MCP tool name"
    schema = call.metadata.get("input_schema")
    if not isinstance(schema, Mapping):
        return None
    from uaef.metrics.recorded_schema import first_violation  # noqa: PLC0415 - 100 ms, where a schema was recorded

    violation = first_violation(schema, call.arguments)
    return None if violation is None else f"{call.name}: {violation}"


METRICS = (tool_selection_accuracy, tool_sequence_correctness, parameter_quality, mcp_compliance)
