"""Messages that arrive token by token: text and tool-call arguments put together again."""

from __future__ import annotations

from collections.abc import Mapping

from uaef.adapters.langgraph.messages import Fields, Kind, Said, Usage, call_of, mappings, usage_of
from uaef.models.reading import text_of

_RUN_IDS = ("run-", "lc_run-")


class Draft:
    """A message under way. ``add`` its chunks in order; ``said`` is what they amount to so far."""

    def __init__(self) -> None:
        self._ids: list[str] = []
        self._finished = False
        self._texts: list[str] = []
        self._calls: dict[object, dict[str, object]] = {}
        self._current: dict[object, object] = {}
        self._usage: Usage = (None, None)
        self._name: str | None = None

    def takes(self, message_id: str | None) -> bool:
        """Whether a chunk of the same task that has this id, unknown so far, goes on with this message.

        Some providers give one chunk an id of their own while LangChain numbers the others by their run.
        """
        if self._finished:
            return False
        is_blank = not self._calls and not "".join(self._texts)
        return is_blank or message_id is None or _is_run(message_id) is not any(map(_is_run, self._ids))

    def add(self, chunk: Fields) -> None:
        """Take the next chunk."""
        message_id, usage = chunk.get("id"), usage_of(chunk)
        if message_id and str(message_id) not in self._ids:
            self._ids.append(str(message_id))
        self._texts.append(text_of(chunk.get("content")))
        for piece in mappings(chunk.get("tool_call_chunks")):
            self._add_piece(piece)
        self._usage = (_plus(self._usage[0], usage[0]), _plus(self._usage[1], usage[1]))
        self._name = self._name or (str(chunk["name"]) if chunk.get("name") else None)
        self._finished = chunk.get("chunk_position") == "last" or bool(usage[1])

    def said(self) -> Said:
        """The message as far as it has come."""
        own = [name for name in self._ids if not _is_run(name)]
        return Said(
            kind=Kind.AI,
            text="".join(self._texts),
            message_id=next(iter((*own, *self._ids)), None),
            name=self._name,
            calls=tuple(call_of({**call, "name": call["name"] or "unnamed"}) for call in self._calls.values()),
            usage=self._usage,
        )

    def _add_piece(self, piece: Mapping[str, object]) -> None:
        index, call_id = piece.get("index"), piece.get("id")
        key = self._current.get(index)
        # Some providers number every call 0, so a new id always means a new call.
        if key is None or (call_id and self._calls[key]["id"] not in (None, call_id)):
            key = (index, call_id, len(self._calls))
            self._calls[key] = {"id": None, "name": None, "args": ""}
        self._current[index] = key
        call = self._calls[key]
        call["id"] = call["id"] or call_id
        call["name"] = call["name"] or piece.get("name")
        call["args"] = f"{call['args']}{piece.get('args') or ''}"


def _is_run(message_id: str) -> bool:
    return message_id.startswith(_RUN_IDS)


def _plus(total: int | None, more: int | None) -> int | None:
    return total if more is None else (total or 0) + more
