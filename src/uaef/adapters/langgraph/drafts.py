"""Messages that arrive token by token: text and tool-call arguments put together again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from uaef.adapters.langgraph.messages import Fields, Kind, Said, Usage, call_of, is_run, mappings, usage_of
from uaef.models.reading import identity, text_of
from uaef.models.tool_call import ToolCall


@dataclass(frozen=True, slots=True)
class CallPiece:
    """A piece of a tool call.

    Attributes:
        index: which call of the message, as the provider numbers them.
        call_id: the id of the call, where the piece has it.
        name: of the tool, where the piece has it.
        arguments: the next part of the text of the arguments.
    """

    index: str
    call_id: str | None
    name: str | None
    arguments: str


@dataclass(frozen=True, slots=True)
class Chunk:
    """A piece of a message that is still being written.

    Attributes:
        message_id: of the message, where the chunk has one.
        text: the next part of the text.
        name: who signs it, where the chunk says.
        calls: pieces of its tool calls.
        usage: tokens read and written that this chunk adds, each where known.
        is_last: whether nothing follows.
    """

    message_id: str | None
    text: str
    name: str | None
    calls: tuple[CallPiece, ...]
    usage: Usage
    is_last: bool


def chunk_of(found: Fields) -> Chunk:
    """What the fields of a chunk say.

    Raises:
        UnknownShapeError: its usage is no number of tokens.
    """
    usage = usage_of(found)
    return Chunk(
        message_id=identity(found.get("id")),
        text=text_of(found.get("content")),
        name=identity(found.get("name")),
        calls=tuple(_call_piece(raw) for raw in mappings(found.get("tool_call_chunks"))),
        usage=usage,
        is_last=found.get("chunk_position") == "last" or bool(usage[1]),
    )


def _call_piece(raw: Mapping[str, object]) -> CallPiece:
    name = raw.get("name")
    named = name if isinstance(name, str) and name.strip() else None
    return CallPiece(str(raw.get("index")), identity(raw.get("id")), named, str(raw.get("args") or ""))


class Draft:
    """A message under way. ``add`` its chunks in order; ``said`` is what they amount to so far."""

    def __init__(self) -> None:
        self._ids: dict[str, None] = {}
        self._has_run_id = False
        self._is_finished = False
        self._text = _Text()
        self._calls: list[_Call] = []
        self._current: dict[str, _Call] = {}
        self._usage: Usage = (None, None)
        self._name: str | None = None

    def takes(self, message_id: str | None) -> bool:
        """Whether a chunk of the same task that has this id, unknown so far, goes on with this message.

        Some providers give one chunk an id of their own while LangChain numbers the others by their run.
        """
        if self._is_finished:
            return False
        is_blank = not self._calls and self._text.is_empty
        return is_blank or message_id is None or is_run(message_id) is not self._has_run_id

    def add(self, chunk: Chunk) -> None:
        """Take the next chunk."""
        if chunk.message_id is not None:
            self._ids.setdefault(chunk.message_id)
            self._has_run_id |= is_run(chunk.message_id)
        self._text.add(chunk.text)
        for piece in chunk.calls:
            self._add_piece(piece)
        self._usage = (_plus(self._usage[0], chunk.usage[0]), _plus(self._usage[1], chunk.usage[1]))
        self._name = self._name or chunk.name
        self._is_finished = chunk.is_last

    def said(self) -> Said:
        """The message as far as it has come."""
        own = (name for name in self._ids if not is_run(name))
        return Said(
            kind=Kind.AI,
            text=self._text.so_far(),
            message_id=next(own, next(iter(self._ids), None)),
            name=self._name,
            calls=tuple(call.said() for call in self._calls),
            usage=self._usage,
            is_models=True,
        )

    def _add_piece(self, piece: CallPiece) -> None:
        call = self._current.get(piece.index)
        # Some providers number every call 0, so a new id always means a new call.
        if call is None or (piece.call_id is not None and call.call_id not in (None, piece.call_id)):
            call = self._current[piece.index] = _Call()
            self._calls.append(call)
        call.add(piece)


class _Call:
    """A tool call under way."""

    def __init__(self) -> None:
        self.call_id: str | None = None
        self._name: str | None = None
        self._arguments = _Text()

    def add(self, piece: CallPiece) -> None:
        self.call_id = self.call_id if piece.call_id is None else piece.call_id
        self._name = self._name or piece.name
        self._arguments.add(piece.arguments)

    def said(self) -> ToolCall:
        return call_of({"id": self.call_id, "name": self._name or "unnamed", "args": self._arguments.so_far()})


class _Text:
    """A text under way, whose pieces are put together only when somebody asks."""

    def __init__(self) -> None:
        self._pieces: list[str] = []

    @property
    def is_empty(self) -> bool:
        return not self._pieces

    def add(self, piece: str) -> None:
        if piece:
            self._pieces.append(piece)

    def so_far(self) -> str:
        text = "".join(self._pieces)
        self._pieces = [text] if text else []
        return text


def _plus(total: int | None, more: int | None) -> int | None:
    return total if more is None else (total or 0) + more
