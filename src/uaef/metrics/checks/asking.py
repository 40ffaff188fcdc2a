"""Whether the assistant asks for what it was told, or has asked before."""

from __future__ import annotations

import re
from typing import NamedTuple

from uaef.metrics.base import Found
from uaef.metrics.checks.base import Test, factory
from uaef.metrics.checks.said import said, silent
from uaef.metrics.checks.text import needle
from uaef.models.conversation import Conversation
from uaef.models.message import MessageRole
from uaef.models.reading import shown
from uaef.text.folding import folded, spaced
from uaef.text.sentences import sentences_in

_REQUEST = re.compile(
    r"\b(?:provide|share|give|tell|send|enter|specify|need|let me know"
    r"|(?:may|can|could) i (?:please )?(?:have|get))\b"
)
_WITH_REASON = re.compile(
    r"\b(?:confirm|verify|correct|right|another|other|new|different|next|change[sd]?|update[sd]?)\b"
)
"""In a request: it is for something else than what was given, or knows what that was."""
_QUESTION_MARKS = ("?", "\u061f")  # a full-width one is folded


@factory
def asked_again_for(what: str, *, value: str | None = None) -> Test:
    """Whether the assistant asks for ``what`` although it has asked before, or the user has told it.

    A question that names ``what``, or a sentence such as "please give me ..." that does, asks for it, unless it
    says the value itself or asks to confirm or change it. The user has told it by naming ``what`` and then something
    with a digit, or, given ``value``, by saying that. Both count from the start of the conversation, whatever the
    window. Its opposite, ``not_(asked_again_for(...))``, is what most conversations should hold.
    """
    asking = _Asking.of(what, value)

    def test(window: Conversation) -> Found:
        if not said(window, "all"):
            return silent()
        before = (asking.reason(message.role, message.content) for message in window.history)
        known = next(filter(None, before), None)
        for message in window.messages:
            if message.role is MessageRole.ASSISTANT and known and (request := asking.request(message.content)):
                return True, f"{known}, and it asks {shown(request)}"
            known = known or asking.reason(message.role, message.content)
        return False, f"it does not ask for {shown(what)} again" + (f"; {known}" if known else "")

    return test


class _Asking(NamedTuple):
    """What is asked for, and how to tell that somebody stated it."""

    what: str
    told: re.Pattern[str]

    @classmethod
    def of(cls, what: str, value: str | None) -> _Asking:
        wanted = spaced(needle(what, ignore_case=True))
        stated = rf"{re.escape(wanted)}\b[\s:=,]*(?:is|are|was|will be)?[\s:=#\"'(]*(?=[^\s.?!]*\d)[^\s.?!]+"
        if value is not None:
            stated += rf"|(?<!\w){re.escape(spaced(needle(value, ignore_case=True)))}(?!\w)"
        return cls(wanted, re.compile(stated))

    def request(self, text: str) -> str | None:
        """The sentence of a text that asks for it, folded."""
        for sentence in map(_read, sentences_in(text)):
            if self.what not in sentence or self.told.search(sentence) or _WITH_REASON.search(sentence):
                continue
            if sentence.endswith(_QUESTION_MARKS) or _REQUEST.search(sentence):
                return sentence
        return None

    def reason(self, who: MessageRole, text: str) -> str | None:
        """Why it need not be asked for after this message."""
        if who is MessageRole.USER and (stated := self.told.search(_read(text))):
            return f"the user said {shown(stated[0])}"
        if who is MessageRole.ASSISTANT and (asked := self.request(text)):
            return f"it asked {shown(asked)}"
        return None


def _read(text: str) -> str:
    return spaced(folded(text))
