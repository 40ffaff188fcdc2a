"""The judging by pydantic-evals: each turn and each whole is a case with an ``LLMJudge`` of its own.

Its limit counts cases, not calls: with one judge a case the two are the same.
"""

from __future__ import annotations

from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider
from pydantic_evals import Case, Dataset
from pydantic_evals.evaluators import LLMJudge

from benchmarks.peers.job import TurnData
from benchmarks.peers.judging import ON_THE_WHOLE, PER_TURN, as_recorded, measure, questions, rubric


def judge(given: list[list[TurnData]], url: str, at_once: int) -> list[object]:
    """The scores of every turn and of every whole."""
    model = OpenAIChatModel("m", provider=OpenAIProvider(base_url=url, api_key="none"))
    judges = {
        metric: LLMJudge(rubric(metric), model=model, score={"include_reason": True}, assertion=False)
        for metric in (PER_TURN, ON_THE_WHOLE)
    }
    cases = [
        Case(name=f"case-{place}", inputs=text, evaluators=(judges[metric],))
        for place, (metric, text) in enumerate(questions(given))
    ]
    dataset = Dataset(name="flights", cases=cases)
    report = dataset.evaluate_sync(_recorded, max_concurrency=at_once, progress=False)
    return [score.value for case in report.cases for score in case.scores.values()]


async def _recorded(text: str) -> str:
    return text


if __name__ == "__main__":
    measure(["pydantic-evals", "openai"], judge, as_recorded)
