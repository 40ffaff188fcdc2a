"""Multi-Turn: what can only be said of a conversation. The dimension holds exactly these fifteen."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from uaef.metrics.base import metric
from uaef.metrics.judged import judged
from uaef.metrics.scopes import whole
from uaef.models.conversation import Conversation
from uaef.models.scores import MetricScore, ScoreStatus
from uaef.text.numbers import shown

DIMENSION = "Multi-Turn"

context_retention = judged("context_retention")
coherence = judged("coherence")
conversation_completeness = judged("conversation_completeness")


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


role_adherence = judged("role_adherence")
holistic_llm_judge = judged("holistic_llm_judge")
user_satisfaction = judged("user_satisfaction")
instruction_compliance = judged("instruction_compliance")
optimum_turns = judged("optimum_turns")


sentiment = judged("sentiment")
agent_tone = judged("agent_tone")
naturalness = judged("naturalness")
per_turn_sentiment = sentiment.on_each_exchange()
per_turn_agent_tone = agent_tone.on_each_exchange()
per_turn_naturalness = naturalness.on_each_exchange()

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
