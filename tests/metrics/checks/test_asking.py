"""Whether the assistant asks for what it was told, or has asked before."""

from __future__ import annotations

import pytest

from uaef import Conversation, checks, evaluate
from uaef.metrics import whole
from uaef.testing import turn

NUMBER = checks.asked_again_for("order number")


@pytest.mark.parametrize(
    ("check", "turns", "score"),
    [
        (NUMBER, [("Refund me.", "What is your order number?")], 0.0),
        (NUMBER, [("My order number is A-17.", "What is your order number?")], 1.0),
        (NUMBER, [("My order number: 17", "Could you share your order number again.")], 1.0),
        (NUMBER, [("Refund me.", "Your order number?"), ("17", "And what is your order number?")], 1.0),
        (NUMBER, [("Refund me.", "Your order number?"), ("17", "Done, order number 17 is refunded.")], 0.0),
        (NUMBER, [("It is order number 17", "Shall I cancel order number 17?")], 0.0),
        (NUMBER, [("Order number 17", "Can you confirm your order number?")], 0.0),
        (NUMBER, [("Order number 17", "Do you have another order number?")], 0.0),
        (NUMBER, [("I do not know my order number.", "Then tell me your order number later.")], 0.0),
        (checks.asked_again_for("city", value="Oslo"), [("To Oslo, please.", "Which city?")], 1.0),
        (checks.asked_again_for("city", value="Oslo"), [("To Oslofjord.", "Which city?")], 0.0),
        (checks.asked_again_for("city", value="Oslo"), [("To OSLO.", "Oslo is the city, right?")], 0.0),
        (checks.asked_again_for("주문 번호"), [("주문 번호 17 입니다", "주문 번호가 무엇인가요?")], 1.0),
    ],
)
def test_asking_again(check, turns, score):
    """A request counts where it was asked or told before, and not where it knows the answer."""
    talk = Conversation.of([turn(*pair) for pair in turns])
    assert score == evaluate(talk, metrics=[check.on(whole)]).measurements[0].score.score


def test_a_turn_remembers_what_came_before():
    """On a turn, what was said in earlier turns counts, and only its own requests do."""
    talk = Conversation.of([turn("My order number is 17.", "Thanks."), turn("So?", "What is your order number?")])
    first, second = evaluate(talk, metrics=[NUMBER]).measurements
    assert (0.0, 1.0) == (first.score.score, second.score.score)
    assert "the user said 'order number is 17', and it asks 'what is your order number?'" == second.score.reasoning


def test_silence_asks_nothing():
    """It neither asks again, nor is it praised for not asking."""
    silent = evaluate(turn("My order number is 17", ""), metrics=[NUMBER, checks.not_(NUMBER)]).measurements
    assert [0.0, None] == [m.score.score for m in silent]
