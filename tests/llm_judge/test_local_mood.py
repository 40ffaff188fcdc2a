"""Mood: a lexicon over the user's words, later ones weighing more."""

from __future__ import annotations

import builtins

import pytest

from uaef.llm_judge.local import mood
from uaef.llm_judge.local.mood import sentiment, user_satisfaction
from uaef.models.conversation import Conversation
from uaef.models.message import Message

SIGNALS = pytest.mark.parametrize("signal", [sentiment, user_satisfaction])


@pytest.fixture(autouse=True)
def _fresh():
    """No lexicon, and no lack of one, is carried from test to test."""
    mood.lexicon.cache_clear()
    yield
    mood.lexicon.cache_clear()


@pytest.fixture
def lexicon():
    """The lexicon, if it is installed."""
    return pytest.importorskip("vaderSentiment", reason="the lexicon of sentiment is not installed")


def user(*texts, reply="You idiot, this is terrible."):
    """A conversation in which the user says these texts."""
    messages = [
        m for text in texts for m in (Message(role="user", content=text), Message(role="assistant", content=reply))
    ]
    return Conversation.from_messages(messages)


@SIGNALS
@pytest.mark.usefixtures("lexicon")
def test_only_the_users_words_count(signal):
    """Joy is above the middle, anger below, and a matter of fact in it, whatever the assistant says."""
    happy, neutral, angry = (
        signal(user(text)).score
        for text in ("Great, thank you so much!", "My order is A1234.", "This is terrible, I hate it!")
    )
    assert 0.5 == neutral
    assert happy > 0.7
    assert angry < 0.3


@SIGNALS
@pytest.mark.usefixtures("lexicon")
def test_later_messages_weigh_more(signal):
    """The same two messages the other way round end on the other side of the middle."""
    good, bad = "Great, thank you so much!", "This is terrible, I hate it!"
    assert signal(user(good, bad)).score < 0.5 < signal(user(bad, good)).score


@pytest.mark.usefixtures("lexicon")
def test_weights():
    """Sentiment counts the n-th message n times; satisfaction counts each half of the next."""
    texts = ("Great, thanks!", "My order is A1234.", "This is bad.")
    one, two, three = sentiment(user(*texts)).details["per_message"]
    assert pytest.approx((one + 2 * two + 3 * three) / 6) == sentiment(user(*texts)).details["raw_score"]
    assert pytest.approx((one + 2 * two + 4 * three) / 7) == user_satisfaction(user(*texts)).details["raw_score"]


@SIGNALS
@pytest.mark.usefixtures("lexicon")
def test_the_score_is_the_raw_score_on_another_scale(signal):
    """From [-1, 1] to [0, 1]; the reasoning says both what and how."""
    found = signal(user("This is bad."))
    raw = found.details["raw_score"]
    assert (raw + 1) / 2 == found.score
    assert f"sentiment {raw:+.2f} in [-1, 1] by a lexicon; the last message {raw:+.2f}" == found.reasoning


@SIGNALS
@pytest.mark.usefixtures("lexicon")
def test_many_messages_do_not_overflow(signal):
    """A thousand and more messages still have a mean."""
    assert 0.5 == signal(user(*["My order is A1234."] * 1_500)).score


@pytest.mark.usefixtures("lexicon")
def test_a_long_message_does_not_saturate():
    """Of a long message the mean over its sentences counts, not their sum."""
    short = sentiment(user("This is good.")).score
    assert pytest.approx(short) == sentiment(user("This is good. " * 500)).score


@SIGNALS
@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("  ", "the user said nothing"),
        ("Das ist nicht gut, und ich bin sauer", "the user does not speak English, and the lexicon is English"),
    ],
)
@pytest.mark.usefixtures("lexicon")
def test_what_cannot_be_told(signal, text, reason):
    """Silence and other languages have no score."""
    assert (None, reason, {}) == signal(user(text))


@SIGNALS
def test_without_the_lexicon_it_says_how_to_get_it(signal, monkeypatch):
    """The lexicon is an extra: without it there is no score, and no error."""
    there = builtins.__import__

    def absent(name, *args, **kwargs):
        if name.startswith("vaderSentiment"):
            raise ImportError(name)
        return there(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", absent)
    assert (None, "the lexicon is not installed: pip install 'uaef[local]'", {}) == signal(user("Great!"))
