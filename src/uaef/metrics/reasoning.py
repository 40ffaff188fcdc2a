"""Reasoning: what a judge says of how the assistant argues, by what can be read of it."""

from __future__ import annotations

from uaef.metrics.judged import judged

chain_of_thought_coherence = judged("chain_of_thought_coherence")
logical_consistency = judged("logical_consistency")
reasoning_step_correctness = judged("reasoning_step_correctness")
fallacy_detection = judged("fallacy_detection")

METRICS = (chain_of_thought_coherence, logical_consistency, reasoning_step_correctness, fallacy_detection)
