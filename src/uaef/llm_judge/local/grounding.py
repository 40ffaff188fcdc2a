"""Grounding: how much of what the assistant states stands in the evidence."""

from __future__ import annotations

import re

from uaef.llm_judge.local.finding import Finding, tool_texts, user_texts
from uaef.models.conversation import Conversation
from uaef.text.facts import KnownFacts, facts_in
from uaef.text.negation import contradicted, polarity_of
from uaef.text.sentences import sentences_in
from uaef.text.words import FUNCTION_WORDS, reads_as_english, stem, stems_in, words_in

_FUNCTION_WEIGHT = 0.5
"""Words that only hold others together; they tell how close the wording is to the documents."""
_ECHO = 0.5
"""What a word counts that only the user said: to repeat a question is not to answer it from evidence."""
_MOST_LISTED = 50
_PENALTY = 0.7
"""What is left of the score for each fact that is not in the evidence, and for a statement turned round."""
_SHOWN = 5
_LONGEST_COURTESY = 25
_OPENING = (
    r"^\W*(?:hi|hello|hey|thanks|thank you|you're (?:very )?welcome|(?:i'm |i am )?(?:so |very )?sorry|i apologi[sz]e"
    r"|my apologies|sure|certainly|of course|absolutely|understood|got it|great|perfect|alright|okay|ok)\b"
    r"(?:\W+\w+){0,5}\W*$"
)
_SERVICE = (
    r"\b(?:would you (?:like|prefer|mind)|is there (?:anything|something)|anything else|how (?:can|may|could) i"
    r"|(?:can|may|shall|should) i (?:help|assist|have|ask|proceed|go ahead)|let me know|feel free"
    r"|please (?:provide|share|tell|confirm|let|give|specify|enter|reply|choose)"
    r"|(?:could|can) you (?:please|tell|provide|share|confirm|give|let)|do you (?:want me|need)"
    r"|(?:happy|glad|here) to (?:help|assist)|have a (?:great|nice|good|wonderful|lovely))\b"
)
_COURTESY = re.compile(f"{_OPENING}|{_SERVICE}")


def grounding(window: Conversation) -> Finding:
    """The share of the answer's words that occur in the evidence, lowered by facts that do not and by contradictions.

    The evidence is the context documents, the results of tools and what the user said, all as known by then.
    """
    statements = _statements(window.answer)
    if not statements:
        return Finding(None, "the answer states nothing that evidence could support")
    documents = "\n".join([*(window.expected.context_documents if window.expected else ()), *tool_texts(window)])
    if not words_in(documents):
        return Finding(None, "there is no evidence: no context documents, no results of tools")
    if not (reads_as_english(documents) and reads_as_english(statements)):
        return Finding(None, "the answer or the evidence is not in English")
    return _grounded(statements, documents, "\n".join(user_texts(window)))


def _grounded(statements: str, documents: str, user: str) -> Finding:
    share, missing = _coverage(statements, documents, user)
    known = KnownFacts(f"{documents}\n{user}")
    unsupported = [str(fact) for fact in facts_in(statements) if not known.has(fact)]
    reversed_words = contradicted(polarity_of(statements), polarity_of(documents))
    score = share * _PENALTY ** len(unsupported) * (_PENALTY if reversed_words else 1.0)
    reasoning = f"{share:.0%} of the answer's words occur in the evidence"
    if unsupported:
        reasoning += f"; not in it: {', '.join(unsupported[:_SHOWN])}"
    if reversed_words:
        reasoning += f"; denied on one side only: {', '.join(reversed_words[:_SHOWN])}"
    details = {
        "word_share": share,
        "missing_words": missing[:_MOST_LISTED],
        "unsupported_facts": unsupported[:_MOST_LISTED],
        "contradicted_words": reversed_words[:_MOST_LISTED],
    }
    return Finding(score, reasoning, details)


def _coverage(statements: str, documents: str, user: str) -> tuple[float, list[str]]:
    """The weighted share of words found; and the content words that were not."""
    in_documents, in_user = set(stems_in(documents)), set(stems_in(user))
    total = found = 0.0
    missing: dict[str, None] = {}
    for word in words_in(statements):
        is_function, stemmed = word in FUNCTION_WORDS, stem(word)
        weight = _FUNCTION_WEIGHT if is_function else 1.0
        total += weight
        if stemmed in in_documents:
            found += weight
        elif not is_function and stemmed in in_user:
            found += _ECHO
        elif not is_function:
            missing[word] = None
    return found / total, list(missing)


def _statements(answer: str) -> str:
    """The sentences that state something; empty if there are only courtesies, requests and questions."""
    sentences = [sentence for sentence in sentences_in(answer) if words_in(sentence) and not _is_courtesy(sentence)]
    return "" if all(sentence.endswith("?") for sentence in sentences) else "\n".join(sentences)


def _is_courtesy(sentence: str) -> bool:
    """Whether a sentence only keeps the conversation going; one with a fact in it never does."""
    return (
        len(sentence.split()) <= _LONGEST_COURTESY
        and _COURTESY.search(sentence.lower().replace("\u2019", "'")) is not None
        and not facts_in(sentence)
    )
