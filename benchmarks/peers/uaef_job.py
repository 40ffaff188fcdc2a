"""The job by uaef: three metrics, measured on each turn."""

from __future__ import annotations

from benchmarks.peers.job import CHECKS, SECONDS_ALLOWED, TurnData, measure
from uaef import AgentTrace, Conversation, EvaluationResult, GroundTruth, Message, ToolCall, batch_evaluate, metric


@metric(needs=("expected_tool_calls",))
def tool_called(turn: Conversation) -> tuple[bool, str]:
    """Whether the expected tool was called."""
    wanted = [call.name for call in turn.expected.expected_tool_calls]
    called = [call.name for call in turn.tool_calls]
    return all(name in called for name in wanted), f"called {', '.join(called)}, expected {', '.join(wanted)}"


@metric(needs=("expected_output",))
def says(turn: Conversation) -> tuple[bool, str]:
    """Whether the answer contains the expected text."""
    text = turn.expected.expected_output
    return text in turn.answer, f"looked for {text!r}"


@metric(needs=("latency",))
def in_time(turn: Conversation) -> tuple[bool, str]:
    """Whether the answer came in time."""
    return turn.latency <= SECONDS_ALLOWED, f"took {turn.latency:g} s of {SECONDS_ALLOWED:g} s"


def evaluate(conversations: list[list[TurnData]]) -> list[EvaluationResult]:
    """The results of uaef."""
    sessions = [{"per_turn_traces": [trace(turn) for turn in turns]} for turns in conversations]
    expected = [
        GroundTruth(turns={number: _expected(turn) for number, turn in enumerate(turns, 1)})
        for turns in conversations
    ]
    return batch_evaluate(sessions, expected, metrics=[tool_called, says, in_time])


def trace(turn: TurnData) -> AgentTrace:
    """The turn as uaef has it."""
    return AgentTrace(
        messages=[
            Message(role="user", content=turn["user"]),
            Message(role="assistant", content=turn["answer"], tool_calls=[ToolCall(name=t) for t in turn["tools"]]),
        ],
        latency=turn["seconds"],
    )


def _expected(turn: TurnData) -> GroundTruth:
    return GroundTruth(
        expected_output=turn["expected_text"], expected_tool_calls=[ToolCall(name=turn["expected_tool"])]
    )


def means(results: list[EvaluationResult]) -> dict[str, float]:
    """The share of turns that passed each check."""
    return {
        name: sum(result.metadata["per_turn_averages"][name] for result in results) / len(results) for name in CHECKS
    }


if __name__ == "__main__":
    measure("uaef", evaluate, means)
