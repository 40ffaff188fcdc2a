"""Pages: a turn is written once for all the questions of a run, and nobody can tell."""

from __future__ import annotations

from uaef.models import AgentTrace, Conversation, Message
from uaef.text.transcript import LONGEST_TEXT, MOST_PAGES, Pages, Writing, rendered


def _talk(turns: int, text: str = "Yes.") -> Conversation:
    said = Message(role="assistant", content=text)
    return Conversation.of(
        [AgentTrace(messages=[Message(role="user", content=f"Is it {n}?"), said]) for n in range(turns)]
    )


def test_same_lines():
    """What was written before reads as if it were written anew, for every window."""
    talk, pages = _talk(4), Pages()
    for window in (*talk, talk, talk[1:3]):
        assert rendered(window.turns, 10_000, Writing()) == rendered(window.turns, 10_000, Writing(pages=pages))


def test_shortened_texts_are_counted_each_time():
    """Whoever shows a shortened text says so, also when somebody else shortened it."""
    talk, pages = _talk(2, "a" * (LONGEST_TEXT + 1)), Pages()
    for _ in range(2):
        writing = Writing(pages=pages)
        rendered(talk.turns, 100_000, writing)
        assert 2 == writing.shortened


def test_cleared_pages_are_written_anew():
    """Between two runs a message may be added to a recording, and the second run shows it."""
    talk, pages = _talk(1), Pages()
    assert 2 == len(pages.of(talk.turns[0], Writing()))
    talk.turns[0].trace.messages.append(Message(role="assistant", content="No."))
    assert 2 == len(pages.of(talk.turns[0], Writing()))
    pages.clear()
    assert 3 == len(pages.of(talk.turns[0], Writing()))


def test_many_turns():
    """More turns than are kept are all written."""
    talk, pages = _talk(MOST_PAGES + 2), Pages()
    for turn in talk.turns:
        assert f"Is it {turn.number - 1}?" in pages.of(turn, Writing())[0]
