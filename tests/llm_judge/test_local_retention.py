"""Retention: earlier facts used, facts asked for again, replies repeated."""

from __future__ import annotations

import pytest

from uaef.llm_judge.local.retention import retention
from uaef.llm_judge.local.slots import slots_asked_for, slots_given
from uaef.models.conversation import Conversation
from uaef.models.message import Message
from uaef.models.tool_call import ToolCall


def talk(*texts):
    """A conversation of alternating user and assistant texts."""
    roles = ("user", "assistant")
    return Conversation.from_messages(
        [Message(role=roles[place % 2], content=text) for place, text in enumerate(texts)]
    )


@pytest.mark.parametrize(
    ("reply", "names"),
    [
        ("Could you please provide your order number?", ["order number"]),
        ("May I have your email address and your phone number, please?", ["email address", "phone number"]),
        ("What's your full name?", ["name"]),
        ("I'll need your booking code to proceed.", ["booking number"]),
        (
            "Please provide me with the following:\n1. Your user ID\n2. Date of birth",
            ["user number", "date of birth"],
        ),
        ("Please provide your departure date.", ["departure date"]),
        ("Your order number is A1234.", []),
        ("Once you have your order number, let me know.", []),
        ("Could you confirm your order number?", []),
        ("Please provide another order number.", []),
        ("I couldn't find that order. Could you provide your order number?", []),
        ("Please provide your reason for cancelling using your user ID.", []),
        ("", []),
    ],
)
def test_requests(reply, names):
    """A reply asks for a fact of the user's, or mentions it in passing, or has a reason to ask again."""
    assert names == [slot.name for slot in slots_asked_for(reply)]


@pytest.mark.parametrize(
    ("text", "pending", "names"),
    [
        ("My order number is A1234.", (), {"order number"}),
        ("Order #77123 is late", (), {"order number"}),
        ("user ID, omar_davis_3817", (), {"user number"}),
        ("I don't have the order number.", (), set()),
        ("ann@example.com", (), {"email address"}),
        ("A1234", ("order number",), {"order number"}),
        ("A1234", ("order number", "user number"), set()),
        ("It's Ann Lee.", ("name",), {"name"}),
        ("My name is Ann.", (), {"name"}),
        ("Sorry, what?", ("name",), set()),
        ("Next Friday", ("departure date",), {"departure date"}),
    ],
)
def test_slots_given(text, pending, names):
    """A value goes to the slot that is named beside it, or to the one that was asked for alone."""
    assert names == slots_given(text, set(pending))


def test_asking_again_is_a_lapse():
    """What was given in turn 1 and asked for in turn 2 counts against the facts that were used."""
    found = retention(
        talk(
            "My order number is A1234.",
            "Thanks, noted.",
            "When does it come?",
            "A1234 comes soon. Please provide your order number.",
        )
    )
    assert 0.5 == found.score
    assert [{"turn": 2, "asked_for": "order number"}] == found.details["asked_again"]
    assert "1 earlier facts used; asks again for the order number in turn 2" == found.reasoning


def test_repetition_is_a_lapse():
    """A reply of an earlier turn, word for word, to another message."""
    reply = "I can transfer you to a human agent, would you like that?"
    found = retention(talk("Can I change it?", reply, "No, I want to change the seat.", reply.upper()))
    assert (0.0, [2]) == (found.score, found.details["repeated_in_turns"])


@pytest.mark.parametrize("again", ["Can I change it?", "Sorry, can you repeat that?"])
def test_repetition_on_request_is_none(again):
    """The same question, or a request to repeat, may get the same reply."""
    reply = "I can transfer you to a human agent, would you like that?"
    assert None is retention(talk("Can I change it?", reply, again, reply)).score


def test_facts_are_used_in_words_and_in_arguments():
    """A fact of an earlier turn counts once it is used without being said again."""
    call = ToolCall(name="find", arguments={"order": "A1234", "day": "2024-03-05"})
    window = Conversation.from_messages(
        [
            Message(role="user", content="Order A1234, placed on March 5."),
            Message(role="assistant", content="Thanks."),
            Message(role="user", content="Where is it?"),
            Message(role="assistant", content="", tool_calls=[call]),
        ]
    )
    found = retention(window)
    assert (1.0, ["??-03-05", "a1234"]) == (found.score, found.details["used"])


def test_a_failed_call_is_a_reason_to_ask_again():
    """After a tool could do nothing with what was given, asking is no lapse."""
    window = Conversation.from_messages(
        [
            Message(role="user", content="My order number is A1234."),
            Message(role="assistant", content="Hm.", tool_calls=[ToolCall(name="find", error="no such order")]),
            Message(role="assistant", content="Please provide your order number."),
            Message(role="user", content="Why?"),
            Message(role="assistant", content="Well."),
        ]
    )
    assert None is retention(window).score


@pytest.mark.parametrize(
    "texts", [("Hi", "Hello"), ("Hi", "Hello", "Bye", "Goodbye"), ("2 tickets", "Sure", "And?", "2.")]
)
def test_no_dependence_no_score(texts):
    """Where no reply visibly depends on an earlier turn, nothing can be told; small numbers recur by chance."""
    assert (None, "no reply visibly depends on an earlier turn") == retention(talk(*texts))[:2]
