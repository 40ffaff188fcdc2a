"""Which ground truth belongs to which conversation."""

from __future__ import annotations

import copy
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import chain, count
from pathlib import Path
from typing import NamedTuple

from uaef.cli.exits import complain, names
from uaef.data.conversations import ConversationDataset, first_number, ground_truth_of, is_dataset
from uaef.data.evidence import tool_results
from uaef.data.ground_truth import (
    build_ground_truth,
    build_multi_turn_ground_truth,
    group_by_session,
    load_ground_truth_file,
)
from uaef.errors import DataError
from uaef.models import Case, Conversation, GroundTruth

_Row = dict[str, object]


class Matched(NamedTuple):
    """One ground truth for each conversation, the names of those that nobody recorded, and a dataset's cases by name.

    Without a file of ground truth, there is neither.
    """

    expected: list[GroundTruth | None] | None = None
    not_recorded: Sequence[str] = ()
    cases: Mapping[str, Case] | None = None


def matched(conversations: Sequence[Conversation], path: Path) -> Matched:
    """The ground truth for each conversation, from a file of rows or a dataset; ``None`` where there is none.

    What a dataset expects belongs to the conversations that were recorded under its ids, rows to that of their
    ``session_id``. If no row has one, all belong to the only conversation there is; of several, each row to the
    conversation of a single turn in the same place. Rows without ``turn_id`` are the turns of their conversation in
    order. A conversation without ground truth is named on standard error.

    Raises:
        DataError: the file cannot be read, or nothing in it belongs to any conversation.
    """
    if is_dataset(path):
        return _by_case(conversations, ConversationDataset.from_file(path).cases, path.name)
    rows = load_ground_truth_file(path)
    if any("session_id" in row for row in rows):
        return _by_session(conversations, group_by_session(rows), path.name)
    if len(conversations) == 1:
        return Matched([_of_the_only(conversations[0], rows, path.name)])
    return Matched(_by_place(conversations, rows, path.name))


def _by_session(conversations: Sequence[Conversation], sessions: Mapping[str, Sequence[_Row]], name: str) -> Matched:
    strangers = _strangers(conversations, sessions, f"{name}: no session_id in it", name)
    found = [(c, sessions.get(c.conversation_id)) for c in conversations]
    return Matched([_of_turns(c, _numbered(rows, c)) if rows else None for c, rows in found], strangers)


def _by_case(conversations: Sequence[Conversation], cases: Iterable[Case], name: str) -> Matched:
    """What a dataset expects and asserts; where it brings no evidence, that is what the tools returned."""
    known = {case.case_id: case for case in cases}
    strangers = _strangers(conversations, known, f"{name}: no id in it", name)
    found = [(c, known.get(c.conversation_id)) for c in conversations]
    strays = [
        f"{c.conversation_id}#{turn.numbers[0]}"
        for c, case in found
        for turn in c
        if case is not None and _asks_something_else(turn, case, first_number(c))
    ]
    if strays:
        complain(f"warning: {name}: {names(strays)} asked something else than the turn of that number in it.")
    expected = [_of_case(case, c) if case else None for c, case in found]
    return Matched(expected, [*strangers, *strays], known)


def _of_case(case: Case, conversation: Conversation) -> GroundTruth:
    """What a case expects of a recording, turn by number."""
    first = first_number(conversation)
    numbers = range(first, first + len(case.asks))
    return ground_truth_of(case, numbers, tool_results(conversation.messages))


def _asks_something_else(turn: Conversation, case: Case, first: int) -> bool:
    place = turn.numbers[0] - first
    return not 0 <= place < len(case.asks) or turn.question.split() != case.asks[place].user.split()


def _strangers(
    conversations: Sequence[Conversation], expected: Collection[str], none: str, name: str
) -> Sequence[str]:
    """The names under which something is expected and nothing was recorded; what lacks ground truth is pointed out.

    Raises:
        DataError: nothing was recorded under any of them.
    """
    known = dict.fromkeys(c.conversation_id for c in conversations)
    strangers = [each for each in expected if each not in known]
    bare = [conversation for conversation in known if conversation not in expected]
    if len(strangers) == len(expected):
        raise DataError(
            f"{none} is that of a conversation: it has {names(strangers)}, the conversations are {names(known)}."
        )
    if bare:
        complain(f"warning: {name}: there is no ground truth for {names(bare)}.")
    return strangers


def _of_the_only(conversation: Conversation, rows: Sequence[_Row], name: str) -> GroundTruth:
    """What is expected of the only conversation there is by rows that name none."""
    numbered = _numbered(rows, conversation)
    expected = _of_turns(conversation, numbered)
    asked = {turn.numbers[0]: turn.question.split() for turn in conversation}
    queries = {row["turn_id"]: str(row["query"]).split() for row in numbered}
    strays = [number for number in asked if number in queries and queries[number] != asked[number]]
    if strays:
        turns = f"turn{'s' * (len(strays) > 1)} {', '.join(map(str, strays))}"
        complain(
            f"warning: {name}: has no column session_id, so its rows are taken for the turns of "
            f"{conversation.conversation_id!r}, but {turns} asked something else."
        )
    return expected


def _of_turns(conversation: Conversation, rows: Sequence[_Row]) -> GroundTruth:
    return build_multi_turn_ground_truth(rows, events=conversation.messages)


def _numbered(rows: Sequence[_Row], conversation: Conversation) -> list[_Row]:
    """The rows with the numbers of the turns that they are about; in order, if no row says which."""
    rows = [copy.copy(row) for row in rows]
    if not any("turn_id" in row for row in rows):
        for row, number in zip(rows, chain(conversation.numbers, count(max(conversation.numbers) + 1)), strict=False):
            row["turn_id"] = number
    return rows


def _by_place(conversations: Sequence[Conversation], rows: Sequence[_Row], name: str) -> list[GroundTruth | None]:
    several = [c.conversation_id for c in conversations if len(c) > 1]
    if several or len(rows) != len(conversations):
        why = (
            f"{names(several)} {'have' if len(several) > 1 else 'has'} several turns"
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
