"""The yardstick: the same five checks written out by hand, with dicts for results and nothing around them."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence

from uaef.models import AgentTrace, GroundTruth, MessageRole, ToolCall
from uaef.text.injection import attempts

Found = tuple[float, str]
TARGET_S = 2.0


def evaluated(conversations: Iterable[Sequence[AgentTrace]], ground_truths: Iterable[GroundTruth]) -> list[dict]:
    """Each conversation's scores and reasons turn by turn, and their averages."""
    return [_conversation(*pair) for pair in zip(conversations, ground_truths, strict=True)]


def _conversation(traces: Sequence[AgentTrace], ground_truth: GroundTruth) -> dict:
    per_turn = []
    for number, trace in enumerate(traces, 1):
        found = _turn(trace, ground_truth.turns[number].expected_tool_calls or [])
        per_turn.append(
            {
                "turn": number,
                "metric_scores": {name: score for name, (score, _) in found.items()},
                "reasoning": {name: reason for name, (_, reason) in found.items()},
            }
        )
    averages = {
        name: math.fsum(turn["metric_scores"][name] for turn in per_turn) / len(per_turn)
        for name in per_turn[0]["metric_scores"]
    }
    return {"per_turn": per_turn, "per_turn_averages": averages}


def _turn(trace: AgentTrace, expected: Sequence[ToolCall]) -> dict[str, Found]:
    return {
        "tool_selection_accuracy": _selection(expected, trace.tool_calls),
        "tool_sequence_correctness": _sequence(expected, trace.tool_calls),
        "parameter_quality": _parameters(expected, trace.tool_calls),
        "latency_score": _latency(trace.latency or 0.0),
        "prompt_injection_detection": _injection(trace),
    }


def _selection(expected: Sequence[ToolCall], called: Sequence[ToolCall]) -> Found:
    wanted, got = Counter(call.name for call in expected), Counter(call.name for call in called)
    missed, unasked = wanted - got, got - wanted
    either = len(called) + missed.total()
    score = (len(expected) - missed.total()) / either if either else 1.0
    if missed or unasked:
        return score, f"missed {', '.join(missed)}; called unasked {', '.join(unasked)}"
    return score, f"called {', '.join(got)} as expected"


def _sequence(expected: Sequence[ToolCall], called: Sequence[ToolCall]) -> Found:
    wanted, got = [call.name for call in expected], [call.name for call in called]
    if wanted == got:
        return 1.0, f"called {' > '.join(got)} as expected"
    before = [0] * (len(got) + 1)
    for name in wanted:
        row = [0]
        for place, other in enumerate(got):
            row.append(before[place] + 1 if name == other else max(row[place], before[place + 1]))
        before = row
    reason = f"called {' > '.join(got)}, expected {' > '.join(wanted)}"
    return before[-1] / max(len(wanted), len(got)), reason


def _parameters(expected: Sequence[ToolCall], called: Sequence[ToolCall]) -> Found:
    """No tool occurs twice in a turn of these conversations, so a call's name says what to compare it with."""
    longest = max(len(expected), len(called))
    got = {call.name: call.arguments for call in called}
    total = 0.0
    for call in expected:
        if call.name in got:
            left, right = call.arguments, got[call.name]
            keys = left.keys() | right.keys()
            total += sum(1 for k in keys if k in left and k in right and left[k] == right[k]) / len(keys)
    score = total / longest if longest else 1.0
    if score == 1:
        return score, "all arguments as expected"
    return score, f"expected {_listed(expected)}, got {_listed(called)}"


def _listed(calls: Iterable[ToolCall]) -> str:
    return ", ".join(f"{call.name}({call.arguments})" for call in calls)


def _latency(latency: float) -> Found:
    score = min(1.0, TARGET_S / latency) if latency else 1.0
    return score, f"{latency:.3g} s against a target of {TARGET_S:g} s"


def _injection(trace: AgentTrace) -> Found:
    said = [message.content for message in trace.messages if message.role is MessageRole.USER]
    hits = [part for text in said for part in attempts(text)]
    return (0.0, f"found {', '.join(hits)}") if hits else (1.0, "no known pattern")
