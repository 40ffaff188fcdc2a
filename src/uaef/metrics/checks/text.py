"""Checks of what the assistant said: text that is there or is not, message by message."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from uaef.metrics.base import Found
from uaef.metrics.checks.base import Test, factory
from uaef.metrics.checks.said import NOTHING_SAID, Where, by_replies, excerpt, said, told
from uaef.models.conversation import Conversation
from uaef.models.reading import shown
from uaef.text.folding import folded, spaced


@factory
def includes(text: str, *, ignore_case: bool = True, where: Where = "all") -> Test:
    """Whether a message of the assistant contains ``text``; any white space is one blank."""
    wanted = needle(text, ignore_case=ignore_case)
    missing = f"does not say {shown(text)}; "

    def decide(replies: list[str]) -> Found:
        found = find(wanted, replies, ignore_case=ignore_case)
        return (True, f"says {found}") if found else (False, missing + told(replies))

    return by_replies(where, decide)


@factory
def excludes(text: str, *, ignore_case: bool = True, where: Where = "all") -> Test:
    """Whether no message of the assistant contains ``text``; any white space is one blank.

    Not applicable where nothing was said.
    """
    wanted = needle(text, ignore_case=ignore_case)
    missing = f"does not say {shown(text)}; "

    def test(window: Conversation) -> Found:
        replies = said(window, where)
        if not replies:
            return None, NOTHING_SAID
        found = find(wanted, replies, ignore_case=ignore_case)
        return (False, f"says {found}") if found else (True, missing + told(replies))

    return test


@factory
def equals(text: str, *, ignore_case: bool = True, where: Where = "all") -> Test:
    """Whether a message of the assistant is ``text`` and nothing else; white space around it does not count."""
    return _is_one_of([text], where, lambda given: needle(given, ignore_case=ignore_case).strip())


@factory
def one_of(options: list[str], *, ignore_case: bool = True, where: Where = "all") -> Test:
    """Whether a message of the assistant is one of ``options`` and nothing else, apart from white space around it.

    Any white space inside is one blank.
    """
    if not options:
        raise ValueError("options: at least one is needed, else nothing can be right")
    return _is_one_of(options, where, lambda given: spaced(needle(given, ignore_case=ignore_case)).strip())


@factory
def matches(
    pattern: str | re.Pattern[str], *, exact: bool = False, ignore_case: bool = False, where: Where = "all"
) -> Test:
    """Whether a regular expression is found in a message of the assistant; with ``exact``, whether it is all of it.

    The text is searched as it was written. White space around an exact match does not count.
    """
    compiled = _compiled(pattern, ignore_case=ignore_case)
    written = shown(compiled.pattern)

    def decide(replies: list[str]) -> Found:
        for reply in replies:
            found = compiled.fullmatch(reply.strip()) if exact else compiled.search(reply)
            if found:
                return True, f"{written} matches {excerpt(found.string, *found.span())}"
        return False, f"{written} does not match; {told(replies)}"

    return by_replies(where, decide)


def needle(text: str, *, ignore_case: bool) -> str:
    """The text as it is looked for.

    Raises:
        ValueError: nothing of it can be seen, so that it would be found everywhere.
    """
    wanted = folded(text, ignore_case=ignore_case)
    if not wanted.strip():
        raise ValueError("text: a text that can be seen is needed; a blank one is found everywhere")
    return wanted


def find(wanted: str, replies: Sequence[str], *, ignore_case: bool) -> str | None:
    """Where a folded text stands, with what is around it; ``None`` if it stands in no reply."""
    wanted = spaced(wanted)
    for reply in replies:
        text = spaced(folded(reply, ignore_case=ignore_case))
        at = text.find(wanted)
        if at >= 0:
            source = reply if len(reply) == len(text) else text  # else its places are not those of the reply
            return excerpt(source, at, at + len(wanted))
    return None


def _is_one_of(options: Sequence[str], where: Where, read: Callable[[str], str]) -> Test:
    """A test whether a whole message is one of ``options``, as ``read`` reads both."""
    wanted = {read(option) for option in options}
    missing = f"no message is {' or '.join(map(shown, options))}; "

    def decide(replies: list[str]) -> Found:
        for reply in replies:
            if read(reply) in wanted:
                return True, f"says {shown(reply)} and nothing else in that message"
        return False, missing + told(replies)

    return by_replies(where, decide)


def _compiled(pattern: str | re.Pattern[str], *, ignore_case: bool) -> re.Pattern[str]:
    written, flags = (pattern, 0) if isinstance(pattern, str) else (pattern.pattern, pattern.flags)
    if not isinstance(written, str):
        raise TypeError("pattern: it must be one of text, not of bytes")
    if not written:
        raise ValueError("pattern: an empty one is found everywhere")
    try:
        return re.compile(written, flags | re.IGNORECASE if ignore_case else flags)
    except (re.error, OverflowError) as error:
        raise ValueError(f"pattern: no regular expression ({error})") from None
    except RecursionError:
        raise ValueError("pattern: it is nested too deeply") from None
