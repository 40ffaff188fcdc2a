"""The rows of one conversation: which belong together, in which order, and whether they agree."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from uaef.data.columns import Row

_ONE_PER_SESSION = ("session_id", "chatbot_role", "system_instructions")


def by_session(rows: Iterable[Row]) -> dict[str, list[Row]]:
    """The rows that name a session, by session, first seen first."""
    sessions: dict[str, list[Row]] = {}
    for row in rows:
        if "session_id" in row.known:
            sessions.setdefault(row.known["session_id"], []).append(row)
    return sessions


def in_order(session: Sequence[Row]) -> list[Row]:
    """The rows of one session by turn number where they have one, else as they are."""
    return sorted(session, key=lambda row: row.known.get("turn_id", 0))


def disagreements(session: Sequence[Row]) -> Iterator[str]:
    """A sentence for each row that cannot belong to the same conversation as the rows before it."""
    numbered = [row for row in session if "turn_id" in row.values]
    if numbered:
        yield from _unnumbered(session)
    yield from _repeated(numbered)
    for key in _ONE_PER_SESSION:
        yield from _differing([row for row in session if key in row.values], key)


def _unnumbered(session: Sequence[Row]) -> Iterator[str]:
    for row in session:
        if "turn_id" not in row.values and "turn_id" not in row.problems:
            yield f"{row.place('turn_id')}: blank, but other turns of the session have a number"


def _repeated(numbered: Sequence[Row]) -> Iterator[str]:
    first: dict[int, Row] = {}
    for row in numbered:
        number = row.known["turn_id"]
        if number in first:
            yield f"{row.place('turn_id')}: the session has turn {number} already, in {first[number].where}"
        first.setdefault(number, row)


def _differing(given: Sequence[Row], key: str) -> Iterator[str]:
    for row in given[1:]:
        if row.values[key] != given[0].values[key]:
            yield f"{row.place(key)}: differs from {given[0].where}; one conversation has one {key}"
