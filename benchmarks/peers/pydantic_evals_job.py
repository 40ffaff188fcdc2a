"""The job by pydantic-evals: a case a conversation, three evaluators that return an assertion for each turn.

It knows no turns: this is its cheapest form, a case a turn its other one. The task hands out what was recorded.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from pydantic_evals import Case, Dataset
from pydantic_evals.evaluators import EvaluationReason, Evaluator, EvaluatorContext
from pydantic_evals.reporting import EvaluationReport

from benchmarks.peers.job import CHECKS, SECONDS_ALLOWED, TurnData, measure

Found = dict[str, EvaluationReason]


@dataclass
class ToolCalled(Evaluator):
    """Whether the expected tool was called."""

    def evaluate(self, ctx: EvaluatorContext) -> Found:
        """An assertion for each turn."""
        return {
            f"tool_called_{number}": EvaluationReason(
                turn["expected_tool"] in turn["tools"],
                f"called {', '.join(turn['tools'])}, expected {turn['expected_tool']}",
            )
            for number, turn in enumerate(ctx.output, 1)
        }


@dataclass
class Says(Evaluator):
    """Whether the answer contains the expected text."""

    def evaluate(self, ctx: EvaluatorContext) -> Found:
        """An assertion for each turn."""
        return {
            f"says_{number}": EvaluationReason(
                turn["expected_text"] in turn["answer"], f"looked for {turn['expected_text']!r}"
            )
            for number, turn in enumerate(ctx.output, 1)
        }


@dataclass
class InTime(Evaluator):
    """Whether the answer came in time."""

    def evaluate(self, ctx: EvaluatorContext) -> Found:
        """An assertion for each turn."""
        return {
            f"in_time_{number}": EvaluationReason(
                turn["seconds"] <= SECONDS_ALLOWED, f"took {turn['seconds']:g} s of {SECONDS_ALLOWED:g} s"
            )
            for number, turn in enumerate(ctx.output, 1)
        }


async def _recorded(turns: list[TurnData]) -> list[TurnData]:
    return turns


def evaluate(conversations: list[list[TurnData]]) -> EvaluationReport:
    """The report of pydantic-evals."""
    cases = [Case(name=f"conversation-{place}", inputs=turns) for place, turns in enumerate(conversations)]
    dataset = Dataset(name="flights", cases=cases, evaluators=[ToolCalled(), Says(), InTime()])
    return dataset.evaluate_sync(_recorded, progress=False)


def means(report: EvaluationReport) -> dict[str, float]:
    """The share of turns that passed each check."""
    return {name: _share(list(_passed(report, name))) for name in CHECKS}


def _passed(report: EvaluationReport, check: str) -> Iterator[bool]:
    for case in report.cases:
        yield from (found.value for name, found in case.assertions.items() if name.startswith(check))


def _share(passed: list[bool]) -> float:
    return sum(passed) / len(passed)


if __name__ == "__main__":
    measure("pydantic-evals", evaluate, means)
