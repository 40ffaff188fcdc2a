"""Role adherence as DeepEval measures it, for those who compare: opt-in, needs ``uaef[deepeval]`` and its judge."""

from __future__ import annotations

import os

from uaef.metrics.base import metric
from uaef.metrics.scopes import whole
from uaef.models.conversation import Conversation
from uaef.models.message import MessageRole
from uaef.models.scores import MetricScore

_SPEAKERS = (MessageRole.USER, MessageRole.ASSISTANT)


@metric(dimension="DeepEval", scope=whole, needs=("chatbot_role", "answer"), blocking=True)
def deepeval_role_adherence(window: Conversation, *, model: str | None = None) -> MetricScore:
    """The share of the assistant's messages that DeepEval finds in character.

    ``RoleAdherenceMetric`` over the conversation's texts, asked of the model that DeepEval is set up with, or of
    ``model``. A verdict on anything but an assistant's message is none.
    """
    os.environ.setdefault("DEEPEVAL_TELEMETRY_OPT_OUT", "YES")  # read when it is imported
    try:
        from deepeval.metrics import RoleAdherenceMetric  # noqa: PLC0415 - an extra
        from deepeval.test_case import ConversationalTestCase, Turn  # noqa: PLC0415
    except ImportError:
        return deepeval_role_adherence.failed("DeepEval is not installed: pip install 'uaef[deepeval]'")
    said = [
        (turn.number, message)
        for turn in window.turns
        for message in turn.trace.messages
        if message.role in _SPEAKERS and message.content.strip()
    ]
    role = window.expected and window.expected.expected_arguments["chatbot_role"]
    turns = [Turn(role=str(message.role), content=message.content) for _, message in said]
    judge = RoleAdherenceMetric(model=model, async_mode=False)
    judge.measure(ConversationalTestCase(turns=turns, chatbot_role=role), _show_indicator=False)
    broken = [verdict.index for verdict in judge.out_of_character_verdicts.verdicts]
    if any(not 0 <= at < len(said) or said[at][1].role is not MessageRole.ASSISTANT for at in broken):
        return deepeval_role_adherence.failed(
            f"DeepEval's judge found messages {broken} out of character, and not all of them are the assistant's",
            warning="invalid_verdict",
        )
    return deepeval_role_adherence.scored(
        judge.score,
        judge.reason,
        out_of_character_turns=sorted({said[at][0] for at in broken}),
        judge=f"deepeval:{judge.evaluation_model}",
        cost_usd=judge.evaluation_cost,
    )


METRICS = (deepeval_role_adherence.opt_in(),)
