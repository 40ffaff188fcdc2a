"""The job by deepeval: conversational test cases, three conversational metrics of our own, no model anywhere.

Such a metric has one score for a conversation, here the mean over turns; the turns stand in breakdown and reason.
"""

from __future__ import annotations

from abc import abstractmethod
from itertools import pairwise

from deepeval import evaluate as deepeval_evaluate
from deepeval.evaluate import AsyncConfig, CacheConfig, DisplayConfig
from deepeval.evaluate.types import EvaluationResult
from deepeval.metrics import BaseConversationalMetric
from deepeval.test_case import ConversationalTestCase, ToolCall, Turn

from benchmarks.peers.job import CHECKS, SECONDS_ALLOWED, TurnData, measure


class _TurnCheck(BaseConversationalMetric):
    """A yes or no for each of the assistant's turns; the score is the share that passed."""

    name: str
    threshold = 0.5
    async_mode = False

    @abstractmethod
    def check(self, turn: Turn) -> tuple[bool, str]:
        """Whether the turn passes, and why."""

    def measure(self, test_case: ConversationalTestCase, *_: object, **__: object) -> float:
        found = [self.check(turn) for asked, turn in pairwise(test_case.turns) if asked.role == "user"]
        self.score_breakdown = {f"turn {number}": float(passed) for number, (passed, _) in enumerate(found, 1)}
        self.reason = "\n".join(f"turn {number}: {reason}" for number, (_, reason) in enumerate(found, 1))
        self.score = sum(passed for passed, _ in found) / len(found)
        self.success = self.score >= self.threshold
        return self.score

    async def a_measure(self, test_case: ConversationalTestCase, *_: object, **__: object) -> float:
        return self.measure(test_case)

    def is_successful(self) -> bool:
        return bool(self.success)

    @property
    def __name__(self) -> str:
        return self.name


class ToolCalled(_TurnCheck):
    """Whether the expected tool was called."""

    name = "tool_called"

    def check(self, turn: Turn) -> tuple[bool, str]:
        """Whether the turn passes, and why."""
        called = [call.name for call in turn.tools_called]
        wanted = turn.metadata["expected_tool"]
        return wanted in called, f"called {', '.join(called)}, expected {wanted}"


class Says(_TurnCheck):
    """Whether the answer contains the expected text."""

    name = "says"

    def check(self, turn: Turn) -> tuple[bool, str]:
        """Whether the turn passes, and why."""
        text = turn.metadata["expected_text"]
        return text in turn.content, f"looked for {text!r}"


class InTime(_TurnCheck):
    """Whether the answer came in time."""

    name = "in_time"

    def check(self, turn: Turn) -> tuple[bool, str]:
        """Whether the turn passes, and why."""
        seconds = turn.latency_ms / 1000
        return seconds <= SECONDS_ALLOWED, f"took {seconds:g} s of {SECONDS_ALLOWED:g} s"


def evaluate(conversations: list[list[TurnData]]) -> EvaluationResult:
    """The result of deepeval, with everything switched off that would cost it time beside the job."""
    return deepeval_evaluate(
        [_test_case(turns) for turns in conversations],
        [ToolCalled(), Says(), InTime()],
        async_config=AsyncConfig(run_async=False),
        cache_config=CacheConfig(write_cache=False),
        display_config=DisplayConfig(show_indicator=False, print_results=False, inspect_after_run=False),
    )


def _test_case(turns: list[TurnData]) -> ConversationalTestCase:
    return ConversationalTestCase(turns=[said for turn in turns for said in _exchange(turn)])


def _exchange(turn: TurnData) -> list[Turn]:
    return [
        Turn(role="user", content=turn["user"]),
        Turn(
            role="assistant",
            content=turn["answer"],
            tools_called=[ToolCall(name=name) for name in turn["tools"]],
            latency_ms=turn["seconds"] * 1000,
            metadata={"expected_tool": turn["expected_tool"], "expected_text": turn["expected_text"]},
        ),
    ]


def means(result: EvaluationResult) -> dict[str, float]:
    """The share of turns that passed each check."""
    return {
        name: sum(m.score for test in result.test_results for m in test.metrics_data if m.name == name)
        / len(result.test_results)
        for name in CHECKS
    }


if __name__ == "__main__":
    measure("deepeval", evaluate, means)
