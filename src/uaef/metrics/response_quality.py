"""Response Quality: what a judge says of an answer."""

from __future__ import annotations

from uaef.metrics.judged import JudgeMetric

DIMENSION = "Response Quality"

answer_relevance = JudgeMetric(
    "answer_relevance",
    "How far does the answer address what the user asked in this turn?",
    DIMENSION,
    needs=("question", "assistant_message"),
    silence=0.0,
)
completeness = JudgeMetric(
    "completeness",
    "How much of the expected answer is present and correct in the answer?",
    DIMENSION,
    needs=("expected_output", "assistant_message"),
    silence=0.0,
)
hallucination_score = JudgeMetric(
    "hallucination_score",
    "How far is the answer supported by the evidence? 1 means that nothing in it is made up.",
    DIMENSION,
    needs=("context_documents", "assistant_message"),
    silence=0.0,
)
accuracy = JudgeMetric(
    "accuracy",
    "How far does the answer agree in substance with the expected answer?",
    DIMENSION,
    needs=("question", "expected_output", "assistant_message"),
    silence=0.0,
)

METRICS = (answer_relevance, completeness, hallucination_score, accuracy)
