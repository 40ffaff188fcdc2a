"""Retention: what the user said earlier and the assistant uses later; what it asks again; what it says twice."""

from __future__ import annotations

import re

from uaef.llm_judge.local.finding import Finding, as_text
from uaef.llm_judge.local.slots import slots_asked_for, slots_given
from uaef.models.conversation import Conversation
from uaef.models.message import MessageRole
from uaef.models.tool_call import ToolStatus
from uaef.models.turns import Turn
from uaef.text.facts import Date, Fact, KnownFacts, facts_in
from uaef.text.words import words_in

_LEAST_FACT = 3
"""Shorter numbers turn up again by chance."""
_LEAST_REPLY = 6
"""So many words are repeated on purpose or not at all."""
_ASKS_TO_REPEAT = re.compile(r"\b(?:repeat|again|once more|say that|pardon)\b", re.IGNORECASE)


def retention(window: Conversation) -> Finding:
    """The facts of earlier turns that were used, as a share of those and of the lapses.

    A lapse is a request for what the user already gave, or a reply word for word like that of an earlier turn. Where
    there is neither a use nor a lapse, nothing can be told.
    """
    reader = _Reader()
    for turn in window.turns:
        reader.read(turn)
    uses, lapses = len(reader.used), len(reader.asked_again) + len(reader.repeated)
    details: dict[str, object] = {
        "used": sorted(map(str, reader.used)),
        "asked_again": reader.asked_again,
        "repeated_in_turns": reader.repeated,
    }
    if not uses + lapses:
        return Finding(None, "no reply visibly depends on an earlier turn", details)
    reasons = [f"{uses} earlier facts used"]
    reasons += [f"asks again for the {lapse['asked_for']} in turn {lapse['turn']}" for lapse in reader.asked_again]
    reasons += [f"repeats an earlier reply in turn {turn}" for turn in reader.repeated]
    return Finding(uses / (uses + lapses), "; ".join(reasons), details)


class _Reader:
    """What was gathered, turn by turn."""

    def __init__(self) -> None:
        self.used: set[Fact] = set()
        self.asked_again: list[dict[str, object]] = []
        self.repeated: list[int] = []
        self._facts: set[Fact] = set()
        self._given: set[str] = set()
        self._pending: set[str] = set()
        self._replies: dict[tuple[str, ...], str] = {}

    def read(self, turn: Turn) -> None:
        messages = turn.trace.messages
        user = "\n".join(m.content for m in messages if m.role is MessageRole.USER)
        replies = [m.content for m in messages if m.role is MessageRole.ASSISTANT and m.content.strip()]
        self._hear(user)
        self._note_requests(turn, replies)
        self._note_repetition(turn.number, user, replies)
        self._note_uses(turn, user, replies)

    def _hear(self, user: str) -> None:
        self._given |= slots_given(user, self._pending)
        self._pending.clear()

    def _note_requests(self, turn: Turn, replies: list[str]) -> None:
        asked = dict.fromkeys(slot.name for reply in replies for slot in slots_asked_for(reply))
        failed = any(call.status is ToolStatus.FAILED for call in turn.trace.tool_calls)
        if not failed:
            self.asked_again += [{"turn": turn.number, "asked_for": name} for name in asked if name in self._given]
        self._pending.update(asked)

    def _note_repetition(self, number: int, user: str, replies: list[str]) -> None:
        said = {words for reply in replies if len(words := tuple(words_in(reply))) >= _LEAST_REPLY}
        before = {self._replies[words] for words in said if words in self._replies}
        if before and user not in before and not _ASKS_TO_REPEAT.search(user):
            self.repeated.append(number)
        for words in said:
            self._replies.setdefault(words, user)

    def _note_uses(self, turn: Turn, user: str, replies: list[str]) -> None:
        arguments = [as_text(call.arguments) for call in turn.trace.tool_calls]
        known, fresh = KnownFacts("\n".join([*replies, *arguments])), set(facts_in(user))
        self.used |= {fact for fact in self._facts - fresh if known.has(fact)}
        self._facts |= {fact for fact in fresh if isinstance(fact, Date) or len(fact) >= _LEAST_FACT}
