"""Reasoning: what a judge says of how the assistant argues, by what can be read of it."""

from __future__ import annotations

from uaef.metrics.judged import JudgeMetric

DIMENSION = "Reasoning"

chain_of_thought_coherence = JudgeMetric(
    "chain_of_thought_coherence",
    "Does each step of the argument follow from the one before it?",
    DIMENSION,
    needs=("answer",),
)
logical_consistency = JudgeMetric(
    "logical_consistency",
    "Is the argument free of statements that contradict each other?",
    DIMENSION,
    needs=("answer",),
)
reasoning_step_correctness = JudgeMetric(
    "reasoning_step_correctness",
    "Is each step of the argument correct, given the evidence?",
    DIMENSION,
    needs=("answer",),
)
fallacy_detection = JudgeMetric(
    "fallacy_detection",
    "Is the argument free of fallacies? 1 means that there is none.",
    DIMENSION,
    needs=("answer",),
)

METRICS = (chain_of_thought_coherence, logical_consistency, reasoning_step_correctness, fallacy_detection)
