"""Response Quality: what a judge says of an answer."""

from __future__ import annotations

from uaef.metrics.judged import judged

answer_relevance = judged("answer_relevance")
completeness = judged("completeness")
hallucination_score = judged("hallucination_score")
accuracy = judged("accuracy")
meets_expectation = judged("meets_expectation")

METRICS = (answer_relevance, completeness, hallucination_score, accuracy, meets_expectation)
