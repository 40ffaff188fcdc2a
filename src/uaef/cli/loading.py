"""From files to conversations: what each value is, told by an adapter or by its keys."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from uaef.adapters import BaseAdapter, detect, get_adapter
from uaef.cli.exits import complain, names
from uaef.cli.files import Content, read_file
from uaef.errors import DataError, UaefError
from uaef.models import Conversation
from uaef.models.traces import Trace, as_trace
from uaef.reporting.json import RUN_SCHEMA, SCHEMA, results_from_json, run_from_json

AUTO = "auto"
_TURN_OF_A_SESSION = {"session_id", "turn_id"}
_KEYS = 8
_WORDS = {dict: "an empty object", list: "an empty list", str: "text", bool: "true or false", type(None): "null"}
_EXPECTED = (
    "turn payloads (stream_events, session_id, turn_id), a session (per_turn_traces), a trace (trace_id, messages), "
    "chat messages (role, content), or what --json wrote"
)


def load_conversations(paths: Iterable[str], adapter: str = AUTO) -> list[Conversation]:
    """The conversations in the files, in their order.

    Args:
        paths: files of JSON or of JSON lines; ``-`` is standard input.
        adapter: the adapter that reads them; ``auto``: the one that recognises them by their shape.

    Raises:
        DataError: naming everything in any of the files that cannot be read.
        UnknownNameError: there is no such adapter.
    """
    chosen = None if adapter == AUTO else get_adapter(adapter)
    conversations: list[Conversation] = []
    problems: list[str] = []
    for path in paths:
        try:
            conversations += _in_file(read_file(path), chosen)
        except DataError as error:
            problems += error.problems
    if problems:
        raise DataError(*problems)
    counts = Counter(conversation.conversation_id for conversation in conversations)
    twice = [name for name, count in counts.items() if count > 1]
    if twice:
        complain(
            f"warning: several conversations are called {names(twice)}; "
            "the turns of one belong in one session (per_turn_traces)."
        )
    return conversations


def _in_file(content: Content, chosen: BaseAdapter | None) -> list[Conversation]:
    """The conversations in one file: all of it is one recording, or each value in it is."""
    raw = content.raw
    reader = chosen or detect(raw)
    if reader is not None and not (isinstance(raw, list) and all(map(_stands_alone, raw))):
        try:
            return _checked(_adapted(reader, raw, content.stem))
        except DataError as error:
            raise DataError(*(f"{content.name}: {problem}" for problem in error.problems)) from None
    values = raw if isinstance(raw, list) else [raw]
    if not values:
        raise DataError(f"{content.name}: holds an empty list; expected {_EXPECTED}.")
    conversations: list[Conversation] = []
    problems: dict[str, list[str]] = {}
    for place, value in enumerate(values):
        name = content.stem if len(values) == 1 else f"{content.stem}-{place + 1}"
        try:
            conversations += _checked(_in_value(value, chosen, name))
        except DataError as error:
            for problem in error.problems:
                problems.setdefault(problem, []).append(content.where(place))
    if problems:
        raise DataError(*(f"{_places(where)}: {problem}" for problem, where in problems.items()))
    return conversations


def _places(where: Sequence[str]) -> str:
    return where[0] if len(where) == 1 else f"{where[0]} and {len(where) - 1} more like it"


def _checked(conversations: Iterator[Conversation]) -> list[Conversation]:
    """The conversations, all of them; whatever is wrong with one is a fault of the data."""
    try:
        return list(conversations)
    except DataError:
        raise
    except UaefError as error:
        raise DataError(str(error)) from None


def _stands_alone(value: object) -> bool:
    """Whether a value in a list is a conversation by itself: a list of messages, a turn that is of no session."""
    if isinstance(value, Mapping):
        return "stream_events" in value and not _TURN_OF_A_SESSION & set(value)
    return isinstance(value, list)


def _in_value(value: object, chosen: BaseAdapter | None, name: str) -> Iterator[Conversation]:
    reader = chosen or detect(value)
    if isinstance(value, Mapping) and "stream_events" in value and not _stands_alone(value) and reader:
        raise DataError("is the turn of a session among other things; keep turn payloads in a file of their own.")
    if reader is not None:
        yield from _adapted(reader, value, name)
    elif isinstance(value, Mapping) and "per_turn_traces" in value:
        yield _conversation(value, name)
    elif isinstance(value, Mapping) and {"trace_id", "agent_traces"} & set(value):
        yield Conversation.of(as_trace(value, "trace"))
    elif isinstance(value, Mapping) and value.get("schema") in (SCHEMA, RUN_SCHEMA):
        yield from _evaluated_before(value)
    else:
        raise DataError(f"found {_found(value)}; expected {_EXPECTED}.")


def _evaluated_before(value: Mapping[str, object]) -> Iterator[Conversation]:
    """The conversations in results that were written with ``--json``, by ``uaef evaluate`` or ``uaef run``."""
    text = json.dumps(value)
    results = results_from_json(text) if value["schema"] == SCHEMA else run_from_json(text).items
    yield from (result.conversation for result in results if result.conversation is not None)


def _adapted(reader: BaseAdapter, raw: object, name: str) -> Iterator[Conversation]:
    read = reader.transform_to_canonical(raw)
    if isinstance(raw, Mapping) and isinstance(raw.get("trace_id"), str):
        name = raw["trace_id"]
    for item in read if isinstance(read, list) else [read]:
        yield _conversation(item, name)


def _conversation(item: Trace | Mapping[str, object], name: str) -> Conversation:
    """What was read as a conversation; ``name`` is for one that has none."""
    if not isinstance(item, Mapping):
        return Conversation.of(item, name=item.session_id or name)
    conversation = Conversation.from_session(item)
    if item.get("session_id") or conversation.turns[0].trace.session_id:
        return conversation
    return Conversation.from_session({**item, "session_id": name})


def _found(value: object) -> str:
    if isinstance(value, Mapping) and value:
        keys = ", ".join(map(repr, list(value)[:_KEYS]))
        return f"an object with the keys {keys}{', ...' if len(value) > _KEYS else ''}"
    if isinstance(value, list) and value:
        return f"a list that begins with {_found(value[0])}"
    if isinstance(value, int | float) and not isinstance(value, bool):
        return f"the number {value}"
    return _WORDS[type(value)]
