"""Multi-Turn: what can only be said of a conversation. The dimension holds exactly these fifteen."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from uaef.llm_judge.rubric import Scale
from uaef.metrics.base import metric
from uaef.metrics.judged import JudgeMetric
from uaef.metrics.scopes import each_turn, whole
from uaef.models.conversation import Conversation
from uaef.models.scores import MetricScore, ScoreStatus
from uaef.text.numbers import shown

DIMENSION = "Multi-Turn"
PER_TURN_SCORES = "per_turn_scores"

context_retention = JudgeMetric(
    "context_retention",
    "Does the assistant keep and use what was said in earlier turns?",
    DIMENSION,
    scope=whole,
    needs=("several_turns", "answer"),
)
coherence = JudgeMetric(
    "coherence",
    "Does the conversation hang together: logical, on topic, free of contradictions?",
    DIMENSION,
    scope=whole,
    needs=("several_turns", "answer"),
)
conversation_completeness = JudgeMetric(
    "conversation_completeness",
    "Was what the user came for achieved by the end? The expected output, where given, says what that is.",
    DIMENSION,
    scope=whole,
    needs=("question",),
)


@metric(dimension=DIMENSION, scope=whole, needs=("question",), depends_on=("completeness_score",))
def turn_efficiency(window: Conversation, *, expected_turns: Annotated[int, Meta(ge=1)] = 5) -> MetricScore:
    """Whether the goal was reached in as few turns as expected.

    completeness x min(1, expected turns / turns), where turns are counted by user messages and completeness is
    the score of conversation_completeness: 1 if that was not asked for.
    """
    asked = window.given.get("conversation_completeness")
    if asked is not None and asked.status is ScoreStatus.FAILED:
        return turn_efficiency.not_applicable(
            f"conversation_completeness failed: {asked.reasoning}", warning="missing_data"
        )
    known = window.metadata.get("completeness_score")
    completeness = float(known) if isinstance(known, int | float) and 0 <= known <= 1 else 1.0
    turns = len(window.user_messages)
    score = completeness * min(1.0, expected_turns / turns)
    return turn_efficiency.scored(
        score,
        f"{turns} turns, {expected_turns} expected, at completeness {shown(completeness)}"
        + ("" if known is not None else " (assumed: it was not measured)"),
        turn_count=turns,
        expected_turns=expected_turns,
        completeness=completeness,
        turn_efficiency=score,
        within_expected=turns <= expected_turns,
    )


role_adherence = JudgeMetric(
    "role_adherence",
    "In how many of its turns does the assistant stay in the role it was given?",
    DIMENSION,
    scale=Scale.ITEMS,
    scope=whole,
    needs=("chatbot_role", "answer"),
)
holistic_llm_judge = JudgeMetric(
    "holistic_llm_judge",
    "All in all, how well was the user served? Above all: was it solved without handing over to a person?",
    DIMENSION,
    scope=whole,
    needs=("question", "answer"),
)
user_satisfaction = JudgeMetric(
    "user_satisfaction",
    "How satisfied is the user at the end? Later turns weigh more.",
    DIMENSION,
    scale=Scale.FIVE,
    scope=whole,
    needs=("question",),
)
instruction_compliance = JudgeMetric(
    "instruction_compliance",
    "Which of its instructions did the assistant follow throughout?",
    DIMENSION,
    scale=Scale.ITEMS,
    scope=whole,
    needs=("system_instructions", "answer"),
)
optimum_turns = JudgeMetric(
    "optimum_turns",
    "In how few turns could this have been settled?",
    DIMENSION,
    scale=Scale.COUNT,
    scope=whole,
    needs=("question", "answer"),
)


def _in_both_scopes(name: str, text: str, needs: tuple[str, ...]) -> tuple[JudgeMetric, JudgeMetric]:
    """A rubric on the whole, and the same rubric on each exchange."""
    return (
        JudgeMetric(name, f"{text} Later turns weigh more.", DIMENSION, scale=Scale.FIVE, scope=whole, needs=needs),
        JudgeMetric(
            f"per_turn_{name}",
            text,
            DIMENSION,
            scale=Scale.FIVE,
            scope=each_turn,
            needs=needs,
            turns_key=PER_TURN_SCORES,
        ),
    )


sentiment, per_turn_sentiment = _in_both_scopes("sentiment", "How does the user feel?", ("question",))
agent_tone, per_turn_agent_tone = _in_both_scopes(
    "agent_tone", "How professional is the assistant's tone?", ("answer",)
)
naturalness, per_turn_naturalness = _in_both_scopes(
    "naturalness", "How natural does the assistant sound, from robotic to human?", ("answer",)
)

METRICS = (
    context_retention,
    coherence,
    conversation_completeness,
    turn_efficiency,
    role_adherence,
    holistic_llm_judge,
    user_satisfaction,
    sentiment,
    agent_tone,
    naturalness,
    per_turn_sentiment,
    per_turn_agent_tone,
    per_turn_naturalness,
    instruction_compliance,
    optimum_turns,
)
