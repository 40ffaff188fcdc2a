"""How much of a reference was said: near 1 where it was, near 0 where something else was, however long the reply."""

from __future__ import annotations

import pytest

from uaef import checks, evaluate
from uaef.errors import MetricError
from uaef.testing import turn

REFERENCES = ("Brooklyn weather forecast", "tomorrow forecast")
LONG = (
    "Thanks for asking! Here is the Brooklyn weather forecast you wanted, with some detail: a mild morning, clouds "
    "at noon, rain after four. And here is tomorrow forecast by forecast, hour by hour, as ordered."
)
OFF_TOPIC = (
    "I can refund your last order, but I need the order number and the card that you used to pay for it.",
    "The meeting room on the third floor is free from two to four; shall I book it for the whole team then?",
    "Our return policy gives you thirty days from delivery, as long as the shoes were not worn outside.",
    "To reset your password, open the settings, choose security, and follow the link that we send by mail.",
    "Preheat the oven, mix flour with butter and sugar, and bake the dough until the cookies turn golden.",
    "The train to Oslo leaves from platform nine at noon and arrives in the evening, with one change.",
    "Your subscription was cancelled. You keep access until the end of the month, and pay nothing more.",
    "A binary search halves the interval at every step, so that a million elements take twenty steps.",
    "Her new novel follows three sisters through a long war, and critics praised the dialogue for its wit.",
    "Please stay on the line while I connect you to a colleague from the claims department.",
)


@pytest.mark.parametrize("reference", REFERENCES)
def test_a_long_reply_with_the_words_has_all_of_them(found, saying, reference):
    """What else is said does not lower the score."""
    assert 200 <= len(LONG) <= 210
    assert 1.0 == found(checks.similarity(reference), saying(LONG)).score


@pytest.mark.parametrize("reference", REFERENCES)
@pytest.mark.parametrize("reply", [*OFF_TOPIC, "ok", ""])
def test_another_topic_has_next_to_none(found, saying, reference, reply):
    """A reply about something else scores below 0.3, and so do a nod and silence."""
    score = found(checks.similarity(reference), saying(reply)).score
    assert score is not None
    assert score < 0.3


@pytest.mark.parametrize(
    ("reference", "reply", "score"),
    [
        ("dog bites man", "Dog bites man!", 1.0),
        ("dog bites man", "man bites dog", (3 + 1) / 6),  # all found, one in order
        ("dog bites man", "a dog and a man", (2 + 2) / 6),
        ("tomorrow forecast", "The forecast for tomorrow: rain", (2 + 1) / 4),
        ("weather forecasts", "the wether forecast", 1.0),  # spelt alike
        ("the weather", "the end of the road", 0.0),  # "the" is no word that says what a text is about
        ("to be or not to be", "to be or not to be", 1.0),  # unless there are no others
        ("order 4471", "order 4472", (1 + 1) / 4),  # a number is that number or another
        ("order 4471", "Order number 4,471", 1.0),
        ("section", "section8", 0.0),
        ("two tickets", "2 tickets", 1.0),
        ("Bora Bora island", "the island Bora", (3 + 1) / 6),
        ("Bora Bora island", "Bora island", (3 + 2) / 6),
        ("내일 날씨", "서울의 내일 날씨는 맑습니다", 1.0),
    ],
)
def test_the_formula(found, saying, reference, reply, score):
    """(words found + words found in order) / (2 * words)."""
    assert score == pytest.approx(found(checks.similarity(reference), saying(reply)).score)


def test_words_of_two_messages_do_not_add_up(found, saying):
    """The best message counts, not all of them together."""
    assert 0.5 == found(checks.similarity("sunny Oslo"), saying("Oslo", "sunny")).score
    assert 1.0 == found(checks.similarity("sunny Oslo"), saying("ok", "sunny Oslo", "bye")).score
    assert 0.0 == found(checks.similarity("sunny Oslo", where="final"), saying("sunny Oslo", "bye")).score


@pytest.mark.parametrize(
    ("reference", "reply", "score"),
    [("abcd", "ABCD", 1.0), ("abcd", "abxx", 0.5), ("abcd", "xyz", 0.0), ("a", "", 0.0)],
)
def test_the_ratio_is_that_of_characters(found, saying, reference, reply, score):
    """2 * common characters / all characters."""
    assert score == found(checks.similarity(reference, mode="ratio"), saying(reply)).score


def test_the_reason_names_the_words(found, saying):
    """What was found, what was not, and in what."""
    score = found(checks.similarity("Brooklyn weather forecast"), saying("A forecast for Brooklyn"))
    assert "has brooklyn, forecast, not all in order; lacks weather: 'A forecast for Brooklyn'" == score.reasoning


@pytest.mark.parametrize("mode", ["words", "ratio"])
@pytest.mark.parametrize("reference", ["", " \u200b"])
def test_a_reference_without_words_is_refused(reference, mode):
    """It would be similar to nothing."""
    with pytest.raises(MetricError, match="reference: a text"):
        checks.similarity(reference, mode=mode)


@pytest.mark.parametrize(
    "reference", ["Brooklyn weather forecast", "weather forecast", "weather", "done", "three hens"]
)
@pytest.mark.parametrize(
    "reply",
    [
        "I don't know whether that is possible.",
        "I don\u2019t know whether that is possible.",
        "There is none; then they've had these.",
    ],
)
def test_function_words_are_no_misspelt_words_of_the_reference(found, saying, reference, reply):
    """A reply about nothing has nothing of the reference, however its little words are spelt."""
    assert found(checks.similarity(reference), saying(reply)).score == 0.0


def test_function_words_that_are_wanted_are_found():
    """A reference may consist of them, and its own words may still be misspelt."""
    assert _score("whether", "I wonder whether it will.") == 1.0
    assert _score("weather forecast", "The wether forcast, whether you like it or not.") == 1.0
    assert _score("dog's dinner", "the dogs dinner, and the dog's dinner") == 1.0


def _score(reference, reply):
    return evaluate(turn("q", reply), metrics=[checks.similarity(reference)]).measurements[0].score.score
