"""Listening to a turn: from the pieces of its stream to each message once, in order.

A message is known again by its id. Where one side has none it is known by what it says, and by how often:
a state that holds "yes" twice has one more than a turn that has heard it once.

An id of an earlier turn that comes with other words is a new message; only a state may show an old one in new words.
But where the ids start over with each turn, which shows in the user's message, what follows it is new in a state too.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial

from uaef.adapters.langgraph.drafts import Chunk, Draft
from uaef.adapters.langgraph.events import HUMAN_NODE, Namespace, Piece, Source
from uaef.adapters.langgraph.heard import Heard, Memory, Part, outlets_at
from uaef.adapters.langgraph.messages import Kind, Mark, Said
from uaef.adapters.langgraph.shelf import Search, Shelf

_Match = Heard | None
_PAST = Heard(Said(Kind.SYSTEM, ""), Part.SYSTEM, (), None, frozenset())
"""Stands for any message of an earlier turn."""
_TOKENS = frozenset({"messages"})


class Ear:
    """Hears the pieces of one turn. ``memory`` is what earlier turns have shown, and learns this one."""

    def __init__(self, memory: Memory) -> None:
        self.heard: list[Heard] = []
        self.errors: list[object] = []
        self.nodes: set[str] = set()
        self.memory = memory
        self._shelf = Shelf()
        self._by_id: dict[str | None, Heard] = {}
        self._begun: set[Namespace] = set()
        self._writing: dict[object, Heard] = {}
        self._unreturned: dict[Namespace, dict[str | None, list[Heard]]] = defaultdict(lambda: defaultdict(list))
        self._reuses_ids = memory.ids_restart
        self._asked: dict[str, object] = {}
        self._shown: set[tuple[str | None, Mark]] = set()

    @property
    def interrupts(self) -> list[object]:
        """What a person is asked at the end of the turn."""
        return list(self._asked.values())

    def hear(self, pieces: Iterable[Piece]) -> None:
        """Take all pieces of the turn, in order."""
        for piece in pieces:
            if piece.node:
                self.nodes.add(piece.node)
            if piece.chunk:
                self._hear_token(piece, piece.chunk)
            elif piece.asked is not None:
                self._wait(piece.asked)
            elif piece.source is Source.ERROR:
                self.errors.append(piece.detail)
            else:
                self._hear_messages(piece)
        self._finish()

    def _finish(self) -> None:
        self.heard = self._shelf.messages
        for heard in self.heard:
            if heard.draft:
                heard.said = heard.draft.said()
            self.memory.keep(heard.said)
        marks = {heard: heard.said.mark for heard in self.heard}
        self.memory.see(*self._shown, *((name, marks[heard]) for name, heard in self._by_id.items()))

    def _wait(self, asked: Mapping[str, object]) -> None:
        """Note what a person is asked; a breakpoint asks nothing, and is noted as ``None``."""
        for key, question in asked.items():
            self._asked.setdefault(key, question)
        self._asked = self._asked or {"": None}

    # --- tokens -------------------------------------------------------------------------

    def _hear_token(self, piece: Piece, chunk: Chunk) -> None:
        message_id, task = chunk.message_id, (piece.namespace, piece.node, piece.detail)
        heard = self._by_id.get(message_id) or self._continued(task, message_id)
        if heard is None:
            empty = Said(Kind.AI, "", message_id)
            heard = Heard(empty, Part.AGENT, piece.namespace, piece.node, _TOKENS, Draft())
            self._insert(heard, None)
        if message_id is not None:
            self._by_id[message_id] = heard
        if heard.draft:
            heard.draft.add(chunk)
            self._shelf.change(heard)
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
        self._note_restart(piece, said)
        others = (part for part in Part if part is not Part.USER)
        if piece.source is Source.INPUT and (piece.namespace or self._shelf.first(*others)):
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
                self._by_id.pop(said[at].message_id, None)
                matches[at] = _PAST
        self._take(piece, said, matches)

    def _take(self, piece: Piece, said: Sequence[Said], matches: list[_Match]) -> None:
        behind = _behind(matches)
        for at, message in enumerate(said):
            heard = matches[at] or self._by_id.get(message.message_id) or self._restated(piece, message)
            if heard is _PAST:
                continue
            if heard:
                self._merge(heard, piece, message)
                continue
            opens = self._shelf.first(Part.USER, Part.AGENT, before=behind[at]) is None
            part = self._part(piece, message, opens=opens, is_last=at == len(said) - 1)
            if part:
                heard = Heard(message, part, piece.namespace, piece.node, frozenset({piece.mode}))
                self._insert(heard, behind[at])

    def _insert(self, heard: Heard, before: Heard | None) -> None:
        """Put a message before another one that was heard already, or at the end."""
        self._shelf.insert(heard, before)
        if heard.said.message_id is not None:
            self._by_id[heard.said.message_id] = heard
        if heard.part in (Part.AGENT, Part.USER):
            self._asked = {}
        self._await_return(heard)

    def _merge(self, heard: Heard, piece: Piece, message: Said) -> None:
        """Take note that a message was shown again: the latest form counts, and the first place."""
        is_known = piece.mode in heard.modes and not heard.draft and (heard.node or not piece.node)
        if is_known and heard.said == message and not heard.was_kept_private:
            return
        if message.message_id is not None:
            self._by_id[message.message_id] = heard
            self._shown.add((message.message_id, message.mark))
        heard.was_kept_private = False
        heard.modes |= {piece.mode}
        message_id = heard.said.message_id if message.message_id is None else message.message_id
        if heard.node == HUMAN_NODE:
            heard.said = replace(heard.said, message_id=message_id)  # what the user said, not a prompt around it
        elif message.kind is heard.said.kind:  # else a worker's message, handed on as a human's
            before = heard.draft.said() if heard.draft else heard.said
            usage = before.usage if message.usage == (None, None) else message.usage
            is_models = before.is_models or message.is_models
            heard.said = replace(message, usage=usage, message_id=message_id, is_models=is_models)
            heard.draft = None
            heard.node = heard.node or piece.node
        self._shelf.change(heard)
        self._await_return(heard)

    def _await_return(self, heard: Heard) -> None:
        """Keep in mind what a model wrote and its node may yet return."""
        if heard.part is Part.AGENT and heard.modes == _TOKENS:
            self._unreturned[heard.namespace][heard.node].append(heard)

    def _notice_private(self, piece: Piece) -> None:
        """A node that has returned keeps to itself what it streamed and did not return."""
        by_node = self._unreturned[piece.namespace]
        for node in list(by_node) if piece.node is None else [piece.node]:
            for heard in by_node.pop(node, ()):
                heard.was_kept_private = heard.was_kept_private or heard.modes == _TOKENS

    # --- knowing again ------------------------------------------------------------------

    def _note_restart(self, piece: Piece, said: Sequence[Said]) -> None:
        """Take note where the user's message has an id of an earlier turn: what nodes return then is new too.

        If it has other words as well, the ids of the session start over with each turn.
        """
        if piece.namespace or (piece.source is Source.UPDATE and piece.node != HUMAN_NODE):
            return
        asked = next((message for message in reversed(said) if message.is_unsigned_human), None)
        if asked is None or asked.message_id not in self.memory.ids:
            return
        is_other = (asked.message_id, asked.mark) not in self.memory.seen
        self.memory.ids_restart |= is_other
        self._reuses_ids |= is_other or piece.node == HUMAN_NODE

    def _matches(self, piece: Piece, said: Sequence[Said], *, is_whole: bool) -> list[_Match]:
        """For each message the one that it is, ``_PAST`` for one of an earlier turn, ``None`` for a new one."""
        search = Search(self._shelf)
        past: Counter[Mark] = Counter()
        found: list[_Match] = []
        may_be_past = is_whole or not self._reuses_ids
        for message in said:
            match = self._known(message, is_whole=is_whole, may_be_past=may_be_past)
            if match is None and is_whole and past[message.mark] < self.memory.loose[message.mark]:
                past[message.mark] += 1
                match = _PAST
            suits = partial(self._is_same, piece, message, is_whole=is_whole)
            match = match or search.first(message.mark, suits)
            if match:
                search.take(match)
            if match is not _PAST and self.memory.ids_restart:
                may_be_past = False
            found.append(match)
        return found

    def _known(self, message: Said, *, is_whole: bool, may_be_past: bool) -> _Match:
        """The message of this id, ``_PAST`` for one of an earlier turn."""
        own = self._by_id.get(message.message_id)
        if may_be_past and message.message_id in self.memory.ids:
            if (message.message_id, message.mark) in self.memory.seen and not (own and own.mark == message.mark):
                return _PAST
            if is_whole and not own and not self.memory.ids_restart:
                return _PAST
        return own

    def _is_same(self, piece: Piece, message: Said, heard: Heard, *, is_whole: bool) -> bool:
        """Whether a message of the same words, whose ids do not tell, is the one that is shown."""
        have_ids = heard.said.message_id is not None and message.message_id is not None
        if not have_ids and (is_whole or piece.mode not in heard.modes):
            return True
        return self._is_users_again(heard, piece, message)

    def _is_users_again(self, heard: Heard, piece: Piece, message: Said) -> bool:
        if heard.part is not Part.USER or not message.is_unsigned_human:
            return False
        return heard.node == HUMAN_NODE or bool(piece.namespace) or piece.source is Source.INPUT

    def _repeats(self, said: Sequence[Said]) -> bool:
        """Whether a node's list begins with what was known already: it returns the state, not only its own."""
        first = said[0]
        if len(said) == 1:
            return False
        if self._known(first, is_whole=False, may_be_past=not self._reuses_ids):
            return True
        opens = first.kind in (Kind.HUMAN, Kind.SYSTEM) and not first.name
        return opens and (self.memory.loose[first.mark] > 0 or self._shelf.has(first.mark))

    def _restated(self, piece: Piece, message: Said) -> _Match:
        """The message under the same words that the graph around a subgraph, or the model's own node, hands on."""
        if message.calls or not message.text.strip() or message.kind not in (Kind.AI, Kind.HUMAN):
            return None
        return self._shelf.last_at(message.text.strip(), outlets_at(piece, message.name))

    # --- whose it is, and where the turn begins -----------------------------------------

    def _part(self, piece: Piece, message: Said, *, opens: bool, is_last: bool) -> Part | None:
        """Whose a new message is; ``None`` for what a subgraph is told, which nobody says in the conversation."""
        if message.kind is not Kind.HUMAN:
            return {Kind.AI: Part.AGENT, Kind.TOOL: Part.TOOL}.get(message.kind, Part.SYSTEM)
        if piece.node == HUMAN_NODE:
            return Part.USER
        opens = opens and not piece.namespace
        if message.name:
            in_front = opens and (piece.source is not Source.UPDATE or not is_last)
            return Part.USER if in_front and message.name != piece.node else Part.AGENT
        if piece.namespace:
            return Part.UNSIGNED if piece.node else None
        return Part.USER if opens or self._asked or piece.node is None else Part.UNSIGNED

    def _start(self, piece: Piece, said: Sequence[Said], matches: list[_Match]) -> int:
        """Where in the first state that a graph shows the turn begins; before it lies what nobody recorded."""
        is_state = piece.source is not Source.UPDATE or (len(said) > 1 and said[0].kind in (Kind.HUMAN, Kind.SYSTEM))
        if not is_state or piece.namespace in self._begun:
            return 0
        self._begun.add(piece.namespace)
        asked = [i for i, m in enumerate(said) if m.is_unsigned_human and matches[i] is not _PAST]
        if not asked:
            return 0
        given = self._shelf.first(Part.USER)
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
            is_loose = message.message_id is None and shown[message.mark] <= self.memory.loose[message.mark]
            if not (is_loose or self._known(message, is_whole=True, may_be_past=True)):
                self.memory.keep(message)


def _behind(matches: Sequence[_Match]) -> list[_Match]:
    """For each place in a list the next message behind it that the turn has heard already."""
    found: list[_Match] = []
    known: _Match = None
    for match in reversed(matches):
        found.append(known)
        known = known if match is None or match is _PAST else match
    return found[::-1]
