"""Mood: how the user feels, by a lexicon of sentiment over the user's words."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Sequence

from uaef.llm_judge.local.finding import Finding
from uaef.models.conversation import Conversation
from uaef.text.sentences import sentences_in
from uaef.text.words import reads_as_english

_LONGEST = 300
"""Characters that are looked up at once: the lexicon is made for short texts, and slow on long ones."""
_FADING = 0.5
"""What a message counts beside the one after it, for satisfaction, which is about the end."""


def sentiment(window: Conversation) -> Finding:
    """The mean sentiment of the user's messages, the n-th counted n times, brought from [-1, 1] to [0, 1]."""
    return _mood(window, lambda number, _: float(number))


def user_satisfaction(window: Conversation) -> Finding:
    """The mean sentiment of the user's messages, each counted half of the next, brought from [-1, 1] to [0, 1]."""
    return _mood(window, lambda number, most: _FADING ** (most - number))


def _mood(window: Conversation, weight: Callable[[int, int], float]) -> Finding:
    find = lexicon()
    if find is None:
        return Finding(None, "the lexicon is not installed: pip install 'uaef[local]'")
    messages = [message for message in window.user_messages if message.strip()]
    if not messages:
        return Finding(None, "the user said nothing")
    if not reads_as_english("\n".join(messages)):
        return Finding(None, "the user does not speak English, and the lexicon is English")
    compounds = [_compound(message, find) for message in messages]
    weights = [weight(number, len(messages)) for number in range(1, len(messages) + 1)]
    mean = sum(c * w for c, w in zip(compounds, weights, strict=True)) / sum(weights)
    reasoning = f"sentiment {mean:+.2f} in [-1, 1] by a lexicon; the last message {compounds[-1]:+.2f}"
    return Finding((mean + 1) / 2, reasoning, {"raw_score": mean, "per_message": compounds})


def _compound(message: str, find: Callable[[str], float]) -> float:
    """The sentiment of one message in [-1, 1]; of a long one, the mean over its sentences."""
    pieces = [message] if len(message) <= _LONGEST else list(_pieces(sentences_in(message)))
    return sum(map(find, pieces)) / len(pieces)


def _pieces(sentences: Sequence[str]) -> Iterator[str]:
    for sentence in sentences:
        for start in range(0, len(sentence), _LONGEST):
            yield sentence[start : start + _LONGEST]


@functools.cache
def lexicon() -> Callable[[str], float] | None:
    """The sentiment of a short English text in [-1, 1]; ``None`` where the lexicon is not installed."""
    try:
        from vaderSentiment.vaderSentiment import SentimentIntensityAnalyzer  # noqa: PLC0415 - an extra
    except ImportError:
        return None
    analyzer = SentimentIntensityAnalyzer()
    return lambda text: float(analyzer.polarity_scores(text)["compound"])
