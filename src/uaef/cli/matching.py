"""Which ground truth belongs to which conversation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from uaef.cli.exits import complain, names
from uaef.data.ground_truth import (
    build_ground_truth,
    build_multi_turn_ground_truth,
    group_by_session,
    load_ground_truth_file,
)
from uaef.errors import DataError
from uaef.models import Conversation, GroundTruth

_Row = Mapping[str, object]


def matched(conversations: Sequence[Conversation], path: Path) -> list[GroundTruth | None]:
    """The ground truth for each conversation, from the rows of a file; ``None`` where there is none.

    Rows belong to the conversation of their ``session_id``. If no row has one, each row belongs to the conversation
    of a single turn in the same place. What is left over on either side is said on standard error.

    Raises:
        DataError: the file cannot be read, or nothing in it belongs to any conversation.
    """
    rows = load_ground_truth_file(path)
    if any("session_id" in row for row in rows):
        try:
            sessions = group_by_session(rows)
        except DataError as error:
            raise DataError(*(f"{path.name}: {problem}" for problem in error.problems)) from None
        return _by_session(conversations, sessions, path.name)
    return _by_place(conversations, rows, path.name)


def _by_session(
    conversations: Sequence[Conversation], sessions: Mapping[str, Sequence[_Row]], name: str
) -> list[GroundTruth | None]:
    known = dict.fromkeys(c.conversation_id for c in conversations)
    strangers = [session for session in sessions if session not in known]
    bare = [conversation for conversation in known if conversation not in sessions]
    if len(strangers) == len(sessions):
        raise DataError(
            f"{name}: no session_id in it is that of a conversation: it has {names(strangers)}, "
            f"the conversations are {names(known)}."
        )
    if strangers:
        complain(f"warning: {name}: there is no conversation for {names(strangers)}.")
    if bare:
        complain(f"warning: {name}: there is no ground truth for {names(bare)}.")
    return [
        build_multi_turn_ground_truth(sessions[c.conversation_id], events=c.messages)
        if c.conversation_id in sessions
        else None
        for c in conversations
    ]


def _by_place(conversations: Sequence[Conversation], rows: Sequence[_Row], name: str) -> list[GroundTruth | None]:
    several = [c.conversation_id for c in conversations if len(c) > 1]
    if several or len(rows) != len(conversations):
        why = (
            f"{names(several)} has several turns"
            if several
            else f"there are {len(rows)} rows and {len(conversations)} conversations"
        )
        raise DataError(f"{name}: has no column session_id, and rows cannot be paired in order, since {why}.")
    pairs = list(zip(conversations, rows, strict=True))
    read = [(c, *build_ground_truth(row, events=c.messages)) for c, row in pairs]
    strays = [c.conversation_id for c, query, _ in read if query.split() != c.question.split()]
    if strays:
        complain(f"warning: {name}: rows are paired in order, but {names(strays)} asked something else than its row.")
    return [expected for _, _, expected in read]
