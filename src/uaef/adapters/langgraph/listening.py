"""Listening to a turn: from the pieces of its stream to each message once, in order.

A message is known again by its id. Where one side has none it is known by what it says, and by how often:
a state that holds "yes" twice has one more than a turn that has heard it once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from uaef.adapters.langgraph.drafts import Draft
from uaef.adapters.langgraph.events import HUMAN_NODE, Namespace, Piece, Source
from uaef.adapters.langgraph.heard import Heard, Memory, Part, hands_on
from uaef.adapters.langgraph.messages import Kind, Said
from uaef.models.reading import plain

_Match = Heard | None
_PAST = Heard(Said(Kind.SYSTEM, ""), Part.SYSTEM, (), None, set())
"""Stands for any message of an earlier turn."""


class Ear:
    """Hears the pieces of one turn. ``memory`` is what earlier turns have shown, and learns this one."""

    def __init__(self, memory: Memory) -> None:
        self.heard: list[Heard] = []
        self.interrupts: list[object] = []
        self.errors: list[object] = []
        self.nodes: set[str] = set()
        self.memory = memory
        self._by_id: dict[str, Heard] = {}
        self._begun: set[Namespace] = set()
        self._writing: dict[object, Heard] = {}

    def hear(self, pieces: Iterable[Piece]) -> None:
        """Take all pieces of the turn, in order."""
        for piece in pieces:
            if piece.node:
                self.nodes.add(piece.node)
            if piece.source is Source.TOKEN:
                self._hear_token(piece)
            elif piece.source is Source.INTERRUPT:
                self._wait(piece.detail)
            elif piece.source is Source.ERROR:
                self.errors.append(piece.detail)
            else:
                self._hear_messages(piece)
        self._finish()

    def _finish(self) -> None:
        for heard in self.heard:
            if heard.draft:
                heard.said = heard.draft.said()
        for heard in self.heard:
            self.memory.keep(heard.said)
        self.memory.ids.update(self._by_id)

    def _wait(self, interrupts: object) -> None:
        """Note what a person is asked; a breakpoint asks nothing, and is noted as ``None``."""
        several = interrupts if isinstance(interrupts, list | tuple) else [interrupts]
        for question in map(_question, several):
            if question not in self.interrupts:
                self.interrupts.append(question)
        self.interrupts = self.interrupts or [None]

    # --- tokens -------------------------------------------------------------------------

    def _hear_token(self, piece: Piece) -> None:
        chunk = piece.chunk or {}
        message_id = str(chunk["id"]) if chunk.get("id") else None
        task = (piece.namespace, piece.node, piece.detail)
        heard = self._by_id.get(message_id or "") or self._continued(task, message_id)
        if heard is None:
            empty = Said(Kind.AI, "", message_id)
            heard = Heard(empty, Part.AGENT, piece.namespace, piece.node, {"messages"}, Draft())
            self._insert(heard, len(self.heard))
        if message_id:
            self._by_id[message_id] = heard
        if heard.draft:
            heard.draft.add(chunk)
            self._writing[task] = heard

    def _continued(self, task: object, message_id: str | None) -> Heard | None:
        last = self._writing.get(task)
        return last if last and last.draft and last.draft.takes(message_id) else None

    # --- whole messages -----------------------------------------------------------------

    def _hear_messages(self, piece: Piece) -> None:
        said = [message for message in piece.messages if message.kind is not Kind.REMOVE]
        if piece.source is Source.BEFORE:
            self._remember(said)
            return
        if piece.source is Source.INPUT and (piece.namespace or any(h.part is not Part.USER for h in self.heard)):
            return  # what a node is given is news only where it shows the user's message
        if piece.mode != "messages":
            self._notice_private(piece)
        if not said:
            return
        is_whole = piece.source is not Source.UPDATE or self._repeats(said)
        matches = self._matches(piece, said, is_whole=is_whole)
        for at in range(self._start(piece, said, matches)):
            if matches[at] is None:
                self.memory.keep(said[at])
                matches[at] = _PAST
        self._take(piece, said, matches)

    def _take(self, piece: Piece, said: Sequence[Said], matches: list[_Match]) -> None:
        for at, message in enumerate(said):
            heard = matches[at] or self._by_id.get(message.message_id or "") or self._restated(piece, message)
            if heard is _PAST:
                continue
            if heard:
                self._merge(heard, piece, message)
                continue
            place = self._place(matches[at + 1 :])
            part = self._part(piece, message, self.heard[:place], is_last=at == len(said) - 1)
            if part:
                self._insert(Heard(message, part, piece.namespace, piece.node, {piece.mode}), place)

    def _notice_private(self, piece: Piece) -> None:
        """A node that has returned keeps to itself what it streamed and did not return."""
        for heard in self.heard:
            same = heard.namespace == piece.namespace and piece.node in (None, heard.node)
            if same and heard.part is Part.AGENT and heard.modes == {"messages"}:
                heard.was_kept_private = True

    def _insert(self, heard: Heard, place: int) -> None:
        self.heard.insert(place, heard)
        if heard.said.message_id:
            self._by_id[heard.said.message_id] = heard
        if heard.part in (Part.AGENT, Part.USER):
            self.interrupts = []

    def _merge(self, heard: Heard, piece: Piece, message: Said) -> None:
        """Take note that a message was shown again: the latest form counts, and the first place."""
        if message.message_id:
            self._by_id[message.message_id] = heard
        heard.was_kept_private = False
        heard.modes.add(piece.mode)
        message_id = message.message_id or heard.said.message_id
        if heard.node == HUMAN_NODE:
            heard.said = replace(heard.said, message_id=message_id)  # what the user said, not a prompt around it
        elif message.kind is heard.said.kind:  # else a worker's message, handed on as a human's
            before = heard.draft.said() if heard.draft else heard.said
            usage = before.usage if message.usage == (None, None) else message.usage
            heard.said = replace(message, usage=usage, message_id=message_id)
            heard.draft = None
            heard.node = heard.node or piece.node

    def _place(self, later: Sequence[_Match]) -> int:
        """Before the first message of the turn that the list shows behind it, else at the end."""
        known = next((match for match in later if match and match is not _PAST), None)
        return len(self.heard) if known is None else next(i for i, h in enumerate(self.heard) if h is known)

    # --- knowing again ------------------------------------------------------------------

    def _matches(self, piece: Piece, said: Sequence[Said], *, is_whole: bool) -> list[_Match]:
        """For each message the one that it is, ``_PAST`` for one of an earlier turn, ``None`` for a new one."""
        claimed: list[Heard] = []
        past: Counter[object] = Counter()
        found: list[_Match] = []
        for message in said:
            match = self._known(message)
            if match is None and is_whole and past[message.mark] < self.memory.loose[message.mark]:
                past[message.mark] += 1
                match = _PAST
            match = match or self._alike(piece, message, claimed, is_whole=is_whole)
            claimed += [match] if match else []
            found.append(match)
        return found

    def _known(self, message: Said) -> _Match:
        if message.message_id in self.memory.ids:
            return _PAST
        return self._by_id.get(message.message_id or "")

    def _alike(self, piece: Piece, message: Said, claimed: Sequence[Heard], *, is_whole: bool) -> _Match:
        for heard in self.heard:
            if heard.mark != message.mark or any(heard is other for other in claimed):
                continue
            if not (heard.said.message_id and message.message_id) and (is_whole or piece.mode not in heard.modes):
                return heard
            if self._is_users_again(heard, piece, message):
                return heard
        return None

    def _is_users_again(self, heard: Heard, piece: Piece, message: Said) -> bool:
        if heard.part is not Part.USER or not message.is_unsigned_human:
            return False
        return heard.node == HUMAN_NODE or bool(piece.namespace) or piece.source is Source.INPUT

    def _repeats(self, said: Sequence[Said]) -> bool:
        """Whether a node's list begins with what was known already: it returns the state, not only its own."""
        first = said[0]
        if first.message_id in self._by_id or first.message_id in self.memory.ids:
            return True
        opens = first.kind in (Kind.HUMAN, Kind.SYSTEM) and not first.name and len(said) > 1
        return opens and (self.memory.loose[first.mark] > 0 or any(h.said.mark == first.mark for h in self.heard))

    def _restated(self, piece: Piece, message: Said) -> _Match:
        """The message under the same words that the graph around a subgraph, or the model's own node, hands on."""
        if message.calls or not message.text.strip() or message.kind not in (Kind.AI, Kind.HUMAN):
            return None
        text = message.text.strip()
        for heard in reversed(self.heard):
            if heard.part is Part.AGENT and heard.mark[1] == text and hands_on(heard, piece, message.name):
                return heard
        return None

    # --- whose it is, and where the turn begins -----------------------------------------

    def _part(self, piece: Piece, message: Said, before: Sequence[Heard], *, is_last: bool) -> Part | None:
        """Whose a new message is; ``None`` for what a subgraph is told, which nobody says in the conversation."""
        if message.kind is not Kind.HUMAN:
            return {Kind.AI: Part.AGENT, Kind.TOOL: Part.TOOL}.get(message.kind, Part.SYSTEM)
        if piece.node == HUMAN_NODE:
            return Part.USER
        opens = not piece.namespace and not any(heard.part in (Part.USER, Part.AGENT) for heard in before)
        if message.name:
            in_front = opens and (piece.source is not Source.UPDATE or not is_last)
            return Part.USER if in_front and message.name != piece.node else Part.AGENT
        if piece.namespace:
            return Part.UNSIGNED if piece.node else None
        return Part.USER if opens or self.interrupts or piece.node is None else Part.UNSIGNED

    def _start(self, piece: Piece, said: Sequence[Said], matches: list[_Match]) -> int:
        """Where in the first state that a graph shows the turn begins; before it lies what nobody recorded."""
        is_state = piece.source is not Source.UPDATE or (len(said) > 1 and said[0].kind in (Kind.HUMAN, Kind.SYSTEM))
        if not is_state or piece.namespace in self._begun:
            return 0
        self._begun.add(piece.namespace)
        asked = [i for i, m in enumerate(said) if m.is_unsigned_human and matches[i] is not _PAST]
        if not asked:
            return 0
        given = next((h for h in self.heard if h.part is Part.USER), None)
        same = [i for i in asked if given and said[i].text.strip() == given.said.text.strip()]
        start = (same or asked)[-1]
        in_prompt = start == len(said) - 1 and not piece.namespace  # the user's words were put into a prompt
        if given and (same or in_prompt):
            matches[:] = [None if match is given else match for match in matches]
            matches[start] = given
        while start and matches[start - 1] is None and said[start - 1].kind in (Kind.HUMAN, Kind.SYSTEM):
            start -= 1
        return start

    def _remember(self, said: Iterable[Said]) -> None:
        """Take note of what the state held before the run."""
        shown: Counter[object] = Counter()
        for message in said:
            shown[message.mark] += 1
            is_loose = not message.message_id and shown[message.mark] <= self.memory.loose[message.mark]
            if not (is_loose or self._known(message)):
                self.memory.keep(message)


def _question(interrupt: object) -> object:
    """What an interrupt asks, as plain data."""
    if isinstance(interrupt, Mapping):
        return plain(interrupt.get("value", interrupt.get("repr", interrupt)))
    return plain(getattr(interrupt, "value", interrupt))
