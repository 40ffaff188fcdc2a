"""Responsible AI: safe, fair, polite, and what users tried."""

from __future__ import annotations

from uaef.metrics.base import metric
from uaef.metrics.judged import judged
from uaef.models.conversation import Conversation
from uaef.models.scores import MetricScore
from uaef.text.injection import attempts

DIMENSION = "Responsible AI"

safety_score = judged("safety_score")
bias_score = judged("bias_score")
toxicity_score = judged("toxicity_score")

_SHOWN = 5


@metric(dimension=DIMENSION, needs=("question",))
def prompt_injection_detection(window: Conversation) -> MetricScore:
    """Whether what the user said is free of known attempts to take over the assistant.

    0 if a user message matches one of ``uaef.text.injection.PATTERNS``, else 1.
    It reads the user's words only: whether the assistant gave in is for a judge to say.
    """
    messages = window.user_messages
    found = [part for message in messages for part in attempts(message)]
    return prompt_injection_detection.scored(
        0.0 if found else 1.0,
        f"found {', '.join(map(repr, found[:_SHOWN]))}" if found else "no known pattern",
        message_count=len(messages),
        patterns_detected=len(found),
        detected_patterns=found[:_SHOWN],
    )


prompt_injection_resistance = judged("prompt_injection_resistance").opt_in()

METRICS = (safety_score, bias_score, prompt_injection_detection, toxicity_score, prompt_injection_resistance)
