"""Expectation: how much of what was expected stands in the answer."""

from __future__ import annotations

import re

from uaef.llm_judge.local.finding import Finding
from uaef.llm_judge.local.quoted import demand_of
from uaef.llm_judge.scales import CANNOT_TELL, Item, scale_of
from uaef.models.conversation import Conversation
from uaef.text.facts import KnownFacts, facts_in
from uaef.text.negation import contradicted, polarity_of
from uaef.text.words import FUNCTION_WORDS, reads_as_english, stem, stems_in, words_in

_PENALTY = 0.7
"""What is left of accuracy for each expected number or date that is missing, and for a statement turned round."""
_SHOWN, _MOST_LISTED = 10, 50
_DESCRIBES = re.compile(
    r"\b(?:agent|assistant|chatbot|bot|answer|reply|response|model|system)\b.{0,40}?"
    r"\b(?:should|must|shall|has to|needs to|is expected to|ought to)\b",
    re.IGNORECASE,
)


def completeness(window: Conversation) -> Finding:
    """The share of the expected answer's words that the answer has; numbers and dates are found however written."""
    return _compared(window, strict=False)


def accuracy(window: Conversation) -> Finding:
    """The same share, lowered for each number or date that is missing and for what is denied on one side only."""
    return _compared(window, strict=True)


def meets_expectation(window: Conversation) -> Finding:
    """The share of the criteria that the answer meets, among those that ask for nothing but quoted words."""
    expected = window.expected
    texts = (expected.criteria or [expected.expected_output or ""]) if expected else []
    items = tuple(Item(f"criterion_{number}", text) for number, text in enumerate(texts, 1))
    verdicts = {item.key: _verdict(item.text, window.answer) for item in items}
    reading = scale_of("items").read(verdicts, items, ())
    if reading.score is None:
        return Finding(None, "no criterion is only about words in quotation marks", reading.metadata)
    met = sum(verdict == "yes" for verdict in verdicts.values())
    reasoning = f"{met} of {reading.metadata['n_judged']} criteria about quoted words are met"
    return Finding(reading.score, reasoning, reading.metadata)


def _verdict(criterion: str, answer: str) -> str:
    demand = demand_of(criterion)
    if demand is None:
        return CANNOT_TELL
    return "yes" if demand.met_by(answer) else "no"


def _compared(window: Conversation, *, strict: bool) -> Finding:
    expected = (window.expected.expected_output if window.expected else None) or ""
    reason = _undecidable(expected, window.answer)
    if reason:
        return Finding(None, reason)
    wanted = {stem(word): word for word in words_in(expected) if word not in FUNCTION_WORDS}
    there, known = set(stems_in(window.answer)), KnownFacts(window.answer)
    missing = [word for stemmed, word in wanted.items() if stemmed not in there and not known.has(stemmed)]
    facts = [str(fact) for fact in facts_in(expected) if not known.has(fact)]
    turned = contradicted(polarity_of(window.answer), polarity_of(expected))
    share = 1 - len(missing) / len(wanted)
    score = share * _PENALTY ** (len(facts) + bool(turned)) if strict else share
    reasoning = f"{share:.0%} of the expected words occur in the answer"
    reasoning += f"; missing: {', '.join(missing[:_SHOWN])}" if missing else ""
    reasoning += f"; denied on one side only: {', '.join(turned[:_SHOWN])}" if turned and strict else ""
    return Finding(
        score,
        reasoning,
        {"word_share": share, "missing_words": missing[:_MOST_LISTED], "missing_facts": facts[:_MOST_LISTED]},
    )


def _undecidable(expected: str, answer: str) -> str | None:
    """Why words cannot tell, if they cannot."""
    if not any(word not in FUNCTION_WORDS for word in words_in(expected)):
        return "the expected output names no facts"
    if _DESCRIBES.search(expected):
        return "the expected output describes the answer instead of giving it"
    if not (reads_as_english(expected) and reads_as_english(answer)):
        return "the expected output or the answer is not in English"
    return None
