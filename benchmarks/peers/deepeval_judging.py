"""The judging by deepeval: ``GEval`` for each turn, ``ConversationalGEval`` for each whole.

Both are given their rubric as the step of their evaluation, for else they ask the model for steps first. The two
kinds of test case cannot be in one run, so that the wholes come after the turns.
"""

from __future__ import annotations

import sys
from functools import partial

from deepeval import evaluate
from deepeval.evaluate import AsyncConfig, CacheConfig, DisplayConfig
from deepeval.metrics import ConversationalGEval, GEval
from deepeval.models import DeepEvalBaseLLM, LocalModel, OpenAIModel
from deepeval.test_case import ConversationalTestCase, LLMTestCase, MultiTurnParams, SingleTurnParams, Turn
from openai import DefaultAsyncHttpxClient

from benchmarks.peers.job import TurnData
from benchmarks.peers.judging import ON_THE_WHOLE, OTHER_CLIENT, PER_TURN, as_recorded, measure, rubric


def judge(given: list[list[TurnData]], url: str, at_once: int, *, shared_client: bool) -> list[object]:
    """The scores of every turn and of every whole."""
    model = _model(url, shared_client=shared_client)
    per_turn = GEval(
        name=PER_TURN,
        evaluation_params=[SingleTurnParams.INPUT, SingleTurnParams.ACTUAL_OUTPUT],
        evaluation_steps=[rubric(PER_TURN)],
        model=model,
    )
    on_the_whole = ConversationalGEval(
        name=ON_THE_WHOLE,
        evaluation_params=[MultiTurnParams.ROLE, MultiTurnParams.CONTENT],
        evaluation_steps=[rubric(ON_THE_WHOLE)],
        model=model,
    )
    turns = [LLMTestCase(input=turn["user"], actual_output=turn["answer"]) for talk in given for turn in talk]
    wholes = [ConversationalTestCase(turns=[said for turn in talk for said in _exchange(turn)]) for talk in given]
    return [*_scores(turns, per_turn, at_once), *_scores(wholes, on_the_whole, at_once)]


def _model(url: str, *, shared_client: bool) -> DeepEvalBaseLLM:
    """The model for servers of one's own, which makes a client and a connection a call; or OpenAI's with one for all.

    That one has a name for which deepeval asks by a schema, and not for the probabilities of tokens.
    """
    if shared_client:
        client = DefaultAsyncHttpxClient()
        return OpenAIModel("gpt-5-mini", base_url=url, api_key="none", async_http_client=client)
    return LocalModel("m", base_url=url, api_key="none")


def _exchange(turn: TurnData) -> list[Turn]:
    return [Turn(role="user", content=turn["user"]), Turn(role="assistant", content=turn["answer"])]


def _scores(cases: list, metric: GEval | ConversationalGEval, at_once: int) -> list[float | None]:
    result = evaluate(
        cases,
        [metric],
        async_config=AsyncConfig(max_concurrent=at_once),
        cache_config=CacheConfig(write_cache=False),
        display_config=DisplayConfig(show_indicator=False, print_results=False, inspect_after_run=False),
    )
    return [measured.score for test in result.test_results for measured in test.metrics_data]


if __name__ == "__main__":
    measure(["deepeval", "openai"], partial(judge, shared_client=OTHER_CLIENT in sys.argv), as_recorded)
