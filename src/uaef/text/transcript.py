"""A transcript as text for a judge: one JSON object a line, so that nothing said can look like anything else."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from typing import NamedTuple

from uaef.models.base import plain
from uaef.models.message import Message, MessageRole
from uaef.models.tool_call import ToolCall
from uaef.models.turns import Turn

LONGEST_TEXT = 8_000
"""A single text longer than this loses its middle, and says so."""

MOST_PAGES = 2_000
"""So many turns are kept as they were written."""

Redact = Callable[[str], str]

# What is printable to Python and yet cannot be seen: joiners, fillers, variation selectors.
_UNSEEN = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]"
)
_json = json.JSONEncoder(ensure_ascii=False).encode
_INVISIBLE = frozenset({"Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp"})


class Shown(NamedTuple):
    """What is shown of a transcript, and what is not."""

    lines: list[str]
    left_out_turns: list[int]
    left_out_messages: int


class _Page(NamedTuple):
    turn: Turn
    lines: list[str]
    shortened: int


class Pages:
    """Turns as they were written, so that a turn is written once for all the windows and rubrics that show it."""

    def __init__(self) -> None:
        self._kept: dict[int, _Page] = {}

    def of(self, turn: Turn, writing: Writing) -> list[str]:
        """The lines of ``turn``; what ``writing`` had to shorten for them is counted there each time."""
        page = self._kept.get(id(turn))  # it holds the turn, so that no other gets its id
        if page is None:
            before = writing.shortened
            lines = [as_data(entry) for entry in _entries(turn, writing)]
            self._keep(_Page(turn, lines, writing.shortened - before))
            return lines
        writing.shortened += page.shortened
        return page.lines

    def clear(self) -> None:
        """Forget them: by the next run, what a turn holds may be something else."""
        self._kept.clear()

    def _keep(self, page: _Page) -> None:
        if len(self._kept) >= MOST_PAGES:
            self._kept.clear()
        self._kept[id(page.turn)] = page


class Writing:
    """Turns what was recorded into data for a judge, and counts the texts that it had to shorten.

    Args:
        redact: applied to every recorded text, key and number before anything else is done to it.
        pages: what was already written with the same ``redact``.
    """

    def __init__(self, redact: Redact | None = None, pages: Pages | None = None) -> None:
        self._redact = redact
        self._pages = pages or Pages()
        self.shortened = 0

    def page(self, turn: Turn) -> list[str]:
        """What is shown of a turn, line by line."""
        return self._pages.of(turn, self)

    def text(self, text: str) -> str:
        """A recorded text, redacted; without its middle if it is very long."""
        return self._short(text if self._redact is None else self._redact(text))

    def value(self, value: object) -> object:
        """A recorded value as plain data, redacted; as shortened text if it is very long."""
        data = plain(value) if self._redact is None else self._redacted(plain(value))
        written = data if isinstance(data, str) else as_data(data)
        return data if len(written) <= LONGEST_TEXT else self._short(written)

    def _short(self, text: str) -> str:
        if len(text) <= LONGEST_TEXT:
            return text
        self.shortened += 1
        half = LONGEST_TEXT // 2
        return f"{text[:half]} [{len(text) - 2 * half} characters left out] {text[-half:]}"

    def _redacted(self, value: object) -> object:
        if self._redact is None or value is None or isinstance(value, bool):
            return value
        if isinstance(value, dict):
            return {self._redact(key): self._redacted(inner) for key, inner in value.items()}
        if isinstance(value, list | tuple):
            return [self._redacted(inner) for inner in value]
        said = str(value)
        redacted = self._redact(said)
        return value if redacted == said else redacted


def rendered(turns: Sequence[Turn], budget: int, writing: Writing) -> Shown:
    """The turns as lines of about ``budget`` characters together at most.

    The first turn stays, for it says what the conversation is about; then as many of the latest as fit. The rest
    is left out whole, and named. A turn that is too long by itself is treated alike: its first message and its
    latest stay.
    """
    pages = [writing.page(turn) for turn in turns]
    sizes = [sum(map(len, page)) for page in pages]
    if sum(sizes) <= budget:  # as most are
        return Shown([line for page in pages for line in page], [], 0)
    kept = _fitting(sizes, budget)
    total = sum(sizes[place] for place in kept)
    lines: list[str] = []
    messages = 0
    for place in kept:
        page, room = pages[place], max(budget // len(kept), budget - total + sizes[place])
        fitting = _fitting([len(line) for line in page], room)
        messages += len(page) - len(fitting)
        lines += _gapped([page[i] for i in fitting], len(page), "messages")
        if place == 0 and len(kept) < len(pages):
            lines.append(_gap(len(pages) - len(kept), "turns"))
    return Shown(lines, [turn.number for i, turn in enumerate(turns) if i not in kept], messages)


def _fitting(sizes: Sequence[int], room: int) -> list[int]:
    """The places of the first, the last, and as many before the last as there is room for; in order."""
    if not sizes:
        return []
    last = len(sizes) - 1
    room -= sizes[0] + sizes[last]
    start = last
    while start > 1 and sizes[start - 1] <= room:
        start -= 1
        room -= sizes[start]
    return list(range(start, last + 1)) if start == 0 else [0, *range(start, last + 1)]


def _gapped(lines: list[str], of: int, what: str) -> list[str]:
    return lines if len(lines) == of else [lines[0], _gap(of - len(lines), what), *lines[1:]]


def _gap(count: int, what: str) -> str:
    return as_data({"left_out": f"{count} {what}"})


def _entries(turn: Turn, writing: Writing) -> Iterator[dict[str, object]]:
    """What is shown of each message, and of the calls that no message carries: after the user's first words."""
    carried, loose = _calls(turn)
    answered = {m.tool_call_id for m in turn.trace.messages if m.role is MessageRole.TOOL}
    names = {call.call_id: call.name for call in turn.trace.tool_calls if call.call_id}
    for message in turn.trace.messages:
        calls = [next(carried) for _ in message.tool_calls]
        entry = _entry(turn.number, message, writing, names.get(message.tool_call_id or ""))
        if calls:
            entry["calls"] = [_call(call, writing, answered) for call in calls]
        yield entry
        if loose and message.role is MessageRole.USER:
            yield _unsaid(turn.number, loose, writing)
            loose = []
    if loose:
        yield _unsaid(turn.number, loose, writing)


def _calls(turn: Turn) -> tuple[Iterator[ToolCall], list[ToolCall]]:
    """The calls that messages carry, in their order, as the trace knows them; and those that none carries."""
    known: dict[str, list[ToolCall]] = {}
    for call in turn.trace.tool_calls:
        known.setdefault(_same(call), []).append(call)
    carried = []
    for message in turn.trace.messages:
        for call in message.tool_calls:
            alike = known.get(_same(call))
            carried.append(alike.pop(0) if alike else call)
    return iter(carried), [call for calls in known.values() for call in calls]


def _same(call: ToolCall) -> str:
    return as_data([call.name, plain(call.arguments)])


def _entry(number: int, message: Message, writing: Writing, tool: str | None) -> dict[str, object]:
    entry: dict[str, object] = {"turn": number, "role": str(message.role)}
    if message.agent:
        entry["agent"] = writing.text(message.agent)
    if tool:
        entry["tool"] = writing.text(tool)
    entry["text"] = writing.text(message.content)
    return entry


def _unsaid(number: int, calls: Iterable[ToolCall], writing: Writing) -> dict[str, object]:
    return {
        "turn": number,
        "role": str(MessageRole.ASSISTANT),
        "calls": [_call(call, writing, frozenset()) for call in calls],
    }


def _call(call: ToolCall, writing: Writing, answered: Container[str | None]) -> dict[str, object]:
    """A call, with what came of it unless a message of the tool's says so."""
    entry: dict[str, object] = {
        "tool": writing.text(call.name),
        "arguments": writing.value(call.arguments),
        "status": str(call.status),
    }
    if call.call_id is None or call.call_id not in answered:
        came_of_it = {"result": call.result, "error": call.error}
        entry |= {name: writing.value(value) for name, value in came_of_it.items() if value is not None}
    return entry


def as_data(value: object) -> str:
    r"""``value`` as JSON on one line, with everything invisible written out.

    Control characters, marks that turn the direction of text and other characters without a shape of their own
    become ``\uXXXX``: what a judge reads is what is there.
    """
    text = _json(value)
    if text.isprintable() and not _UNSEEN.search(text):
        return text
    for character in set(text):
        if unicodedata.category(character) in _INVISIBLE or _UNSEEN.match(character):
            escapes = character.encode("utf-16-be", "surrogatepass").hex()
            text = text.replace(character, "".join(rf"\u{escapes[i : i + 4]}" for i in range(0, len(escapes), 4)))
    return text
