"""Role adherence as DeepEval measures it, for those who compare: opt-in, needs ``uaef[deepeval]`` and its judge."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from uaef.metrics.base import metric
from uaef.metrics.scopes import whole
from uaef.models.conversation import Conversation
from uaef.models.message import MessageRole
from uaef.models.scores import MetricScore

_SPEAKERS = (MessageRole.USER, MessageRole.ASSISTANT)
_OPT_OUT = "DEEPEVAL_TELEMETRY_OPT_OUT"
_under_way: list[str | None] = []
_lock = threading.Lock()


@metric(dimension="DeepEval", scope=whole, needs=("chatbot_role", "answer"), blocking=True)
def deepeval_role_adherence(window: Conversation, *, model: str | None = None) -> MetricScore:
    """The share of the assistant's messages that DeepEval finds in character.

    ``RoleAdherenceMetric`` over the conversation's texts, asked of the model that DeepEval is set up with, or of
    ``model``. A verdict on anything but an assistant's message is none, nor is one on the same message twice.
    """
    with _untold():
        return _adherence(window, model)


@contextmanager
def _untold() -> Iterator[None]:
    """A stretch in which DeepEval tells nobody of its use; afterwards the environment is as it was.

    It looks at the variable when it is imported and again whenever it measures, and several may measure at once: the
    first sets it, the last puts it back.
    """
    with _lock:
        _under_way.append(os.environ.get(_OPT_OUT) if not _under_way else _under_way[0])
        os.environ.setdefault(_OPT_OUT, "YES")
    try:
        yield
    finally:
        with _lock:
            before = _under_way.pop()
            if not _under_way and before is None:
                os.environ.pop(_OPT_OUT, None)


def _adherence(window: Conversation, model: str | None) -> MetricScore:
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
    ours = all(0 <= at < len(said) and said[at][1].role is MessageRole.ASSISTANT for at in broken)
    if not ours or len(set(broken)) < len(broken):
        problem = "one of them twice" if ours else "not all of them are the assistant's"
        return deepeval_role_adherence.failed(
            f"DeepEval's judge found messages {broken} out of character, {problem}", warning="invalid_verdict"
        )
    return deepeval_role_adherence.scored(
        judge.score,
        judge.reason,
        out_of_character_turns=sorted({said[at][0] for at in broken}),
        judge=f"deepeval:{judge.evaluation_model}",
        cost_usd=judge.evaluation_cost,
    )


METRICS = (deepeval_role_adherence.opt_in(),)
