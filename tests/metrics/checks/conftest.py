"""What a check finds, measured as users measure it."""

from __future__ import annotations

import pytest

from uaef import AgentTrace, Conversation, evaluate
from uaef.metrics import whole
from uaef.models import Message


@pytest.fixture(scope="session")
def found():
    """The score of a check on these turns together."""

    def score(check, *traces, expected=None):
        conversation = Conversation.of(list(traces), name="talk", expected=expected)
        return evaluate(conversation, metrics=[check.on(whole)]).measurements[0].score

    return score


@pytest.fixture(scope="session")
def saying():
    """The trace of a turn in which the assistant says these messages, one after the other."""

    def trace(*replies, calls=(), **recorded):
        said = [Message(role="assistant", content=reply) for reply in replies]
        return AgentTrace(
            messages=[Message(role="user", content="question"), *said], tool_calls=list(calls), **recorded
        )

    return trace
