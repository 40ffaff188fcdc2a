"""What one event of ``graph.stream`` says, whatever its stream mode: a few pieces of one shape.

An event may be bare, ``(mode, payload)``, ``(namespace, payload)``, ``(namespace, mode, payload)`` or the dict
``{"type": mode, "ns": namespace, "data": payload}``; JSON turns the tuples into lists.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum

from uaef.adapters.langgraph.drafts import Chunk, chunk_of
from uaef.adapters.langgraph.messages import (
    Fields,
    Said,
    UnknownShapeError,
    fields_of,
    is_chunk,
    is_message,
    listed_fields,
    said,
)
from uaef.adapters.langgraph.printed import refuse_printed
from uaef.adapters.langgraph.state import messages_in_state, messages_in_update
from uaef.models.base import plain
from uaef.models.reading import identity, shown

Namespace = tuple[str, ...]

HUMAN_NODE = "__human__"
"""The synthetic node whose messages are the user's."""

_MODES = frozenset({"values", "updates", "messages", "custom", "debug", "tasks", "checkpoints"})
_DEBUG_TYPES = frozenset({"task", "task_result", "checkpoint"})
_WRAPPED = 3
_CALL = 4


class Source(Enum):
    """What kind of news a piece is."""

    UPDATE = "a node returned these messages"
    STATE = "a graph's state holds these messages"
    INPUT = "a node is given these messages"
    BEFORE = "a graph's state held these messages before the run"
    TOKEN = "a model wrote the next piece of a message"  # noqa: S105 - not that kind of token
    INTERRUPT = "the graph waits for a person"
    ERROR = "a node failed"


@dataclass(frozen=True, slots=True)
class Piece:
    """One piece of news from a stream.

    Attributes:
        source: what kind of news.
        mode: the stream mode it came through.
        namespace: of the subgraph it came from; empty for the graph itself.
        node: the node it is about, where it says.
        messages: the messages it carries, in order.
        chunk: for a token, what it adds to its message.
        asked: for an interrupt each thing that is asked, as plain data, by its text.
        detail: for a token its task, for an error its text.
    """

    source: Source
    mode: str
    namespace: Namespace = ()
    node: str | None = None
    messages: tuple[Said, ...] = ()
    chunk: Chunk | None = None
    asked: Mapping[str, object] | None = None
    detail: object = None


def read_event(event: object) -> list[Piece]:
    """The news in one event; none where it is known and says nothing about the conversation.

    Raises:
        UnknownShapeError: it has the shape of no stream mode.
    """
    if _is_callback(event):
        raise UnknownShapeError(
            "comes from astream_events(), which tells of callbacks and not of messages; "
            'record graph.stream(..., stream_mode="updates") or graph.astream(...) instead'
        )
    namespace, mode, payload = _unwrapped(event)
    reader = _READERS.get(mode or _mode_of(payload))
    if reader is None:
        refuse_printed(payload, *_parts(payload))
        raise UnknownShapeError(_complaint(event))
    pieces = list(reader(payload, namespace))
    if isinstance(event, Mapping) and payload is not event and event.get("interrupts"):
        pieces.append(_interrupt(mode or "", namespace, event["interrupts"]))
    return pieces


def _is_callback(event: object) -> bool:
    """Whether it is an event of ``astream_events()``: ``{"event": "on_chat_model_end", "run_id", "data", ...}``."""
    name = event.get("event") if isinstance(event, Mapping) and {"run_id", "data"} <= event.keys() else None
    return isinstance(name, str) and name.startswith("on_")


def _parts(payload: object) -> Sequence[object]:
    return payload if isinstance(payload, tuple | list) else ()


def _complaint(event: object) -> str:
    if is_message(event):
        return f"is a message and not a stream event ({shown(event)}); write {{node: {{'messages': [message]}}}}"
    return f"has the shape of no LangGraph stream mode: {shown(event)}"


def _unwrapped(event: object) -> tuple[Namespace, str | None, object]:
    if isinstance(event, Mapping) and {"type", "ns", "data"} <= event.keys():
        return _unwrapped_part(event)
    if isinstance(event, tuple | list):
        if len(event) == _WRAPPED and _is_namespace(event[0]) and _is_mode(event[1]):
            return tuple(event[0]), event[1], event[2]
        if len(event) == _WRAPPED - 1 and _is_mode(event[0]):
            return (), event[0], event[1]
        if len(event) == _WRAPPED - 1 and _is_namespace(event[0]):
            return tuple(event[0]), None, event[1]
    return (), None, event


def _unwrapped_part(part: Mapping[str, object]) -> tuple[Namespace, str, object]:
    mode, namespace = part["type"], part["ns"]
    if not isinstance(mode, str) or mode not in _MODES:
        raise UnknownShapeError(f"has a type that is no LangGraph stream mode: {shown(mode)}")
    if not isinstance(namespace, tuple | list) or not _is_namespace(namespace):
        raise UnknownShapeError(f"has an ns (namespace) that is no list of texts: {shown(namespace)}")
    return tuple(namespace), mode, part["data"]


def _is_mode(value: object) -> bool:
    return isinstance(value, str) and value in _MODES


def _is_namespace(value: object) -> bool:
    return isinstance(value, tuple | list) and all(isinstance(part, str) for part in value)


def _mode_of(payload: object) -> str:
    """The mode that a bare payload has by its shape; empty for none."""
    if isinstance(payload, tuple | list):
        return "messages" if _is_token(payload) else ""
    if not isinstance(payload, Mapping) or is_message(payload) or not all(isinstance(k, str) for k in payload):
        return ""
    keys = payload.keys()
    if "payload" in keys and isinstance(payload.get("type"), str) and payload["type"] in _DEBUG_TYPES:
        return "debug"
    if {"config", "values", "next"} <= keys:
        return "checkpoints"
    if {"id", "name"} <= keys and ("triggers" in keys or {"result", "interrupts"} <= keys):
        return "tasks"
    messages = payload.get("messages")
    is_state = isinstance(messages, list | tuple) and (not messages or listed_fields(messages[0]) is not None)
    return "values" if is_state else "updates"


def _is_token(payload: Sequence[object]) -> bool:
    return len(payload) == _WRAPPED - 1 and isinstance(payload[1], Mapping) and fields_of(payload[0]) is not None


def _updates(payload: object, namespace: Namespace, mode: str = "updates") -> Iterator[Piece]:
    if not isinstance(payload, Mapping):
        raise UnknownShapeError(f"is an update that names no node: {shown(payload)}")
    for node, update in payload.items():
        if node == "__interrupt__":
            yield _interrupt(mode, namespace, update)
        elif node != "__metadata__":
            yield Piece(Source.UPDATE, mode, namespace, identity(node), _all_said(messages_in_update(update)))


def _values(payload: object, namespace: Namespace, mode: str = "values") -> Iterator[Piece]:
    yield Piece(Source.STATE, mode, namespace, messages=_all_said(messages_in_state(payload)))
    interrupts = payload.get("__interrupt__") if isinstance(payload, Mapping) else None
    if interrupts is not None:
        yield _interrupt(mode, namespace, interrupts)


def _messages(payload: object, namespace: Namespace) -> Iterator[Piece]:
    if not isinstance(payload, tuple | list) or not _is_token(payload):
        refuse_printed(payload, *_parts(payload))
        raise UnknownShapeError(f"is no (message, metadata) pair: {shown(payload)}")
    fields, about = fields_of(payload[0]) or {}, payload[1]
    path = str(about.get("langgraph_checkpoint_ns") or about.get("checkpoint_ns") or "").split("|")
    is_token = is_chunk(fields)
    own = 1 + _calls_around(about.get("langgraph_path"))
    yield Piece(
        Source.TOKEN if is_token else Source.UPDATE,
        "messages",
        namespace or tuple(path[:-own]),
        identity(about.get("langgraph_node")),
        () if is_token else (said(fields),),
        chunk_of(fields) if is_token else None,
        detail=path[-1],
    )


def _calls_around(path: object) -> int:
    """How many tasks of the functional API a task was called from: they lengthen its path, and are no subgraphs."""
    is_call = (
        isinstance(path, tuple | list) and len(path) == _CALL and path[0] == "__pregel_push" and path[-1] is True
    )
    return 1 + _calls_around(path[1]) if is_call else 0  # type: ignore[index]


def _tasks(payload: object, namespace: Namespace) -> Iterator[Piece]:
    task = payload if isinstance(payload, Mapping) else {}
    if "input" in task:
        yield Piece(Source.INPUT, "tasks", namespace, messages=_all_said(messages_in_state(task["input"])))
        return
    if task.get("error"):
        yield Piece(Source.ERROR, "tasks", namespace, detail=f"{task.get('name')}: {task['error']}")
    result = task.get("result")
    if isinstance(result, Mapping):
        result = result.get("__return__", result)  # what a task of the functional API returned
    yield from _updates({identity(task.get("name")): result}, namespace, "tasks")
    if task.get("interrupts"):
        yield _interrupt("tasks", namespace, task["interrupts"])


def _checkpoints(payload: object, namespace: Namespace) -> Iterator[Piece]:
    checkpoint = payload if isinstance(payload, Mapping) else {}
    about = checkpoint.get("metadata")
    before = isinstance(about, Mapping) and about.get("source") == "input"
    said_so_far = _all_said(messages_in_state(checkpoint.get("values")))
    yield Piece(Source.BEFORE if before else Source.STATE, "checkpoints", namespace, messages=said_so_far)


def _debug(payload: object, namespace: Namespace) -> Iterator[Piece]:
    event = payload if isinstance(payload, Mapping) else {}
    reader = _checkpoints if event.get("type") == "checkpoint" else _tasks
    return reader(event.get("payload"), namespace)


def _custom(payload: object, namespace: Namespace) -> Iterator[Piece]:  # noqa: ARG001 - one signature for all readers
    return iter(())


def _interrupt(mode: str, namespace: Namespace, interrupts: object) -> Piece:
    several = interrupts if isinstance(interrupts, list | tuple) else [interrupts]
    questions = map(_question, several)
    return Piece(Source.INTERRUPT, mode, namespace, asked={repr(question): question for question in questions})


def _question(interrupt: object) -> object:
    """What an interrupt asks, as plain data."""
    if isinstance(interrupt, Mapping):
        return plain(interrupt.get("value", interrupt.get("repr", interrupt)))
    return plain(getattr(interrupt, "value", interrupt))


def _all_said(messages: Iterable[Fields]) -> tuple[Said, ...]:
    return tuple(said(fields) for fields in messages)


_READERS = {
    "updates": _updates,
    "values": _values,
    "messages": _messages,
    "tasks": _tasks,
    "checkpoints": _checkpoints,
    "debug": _debug,
    "custom": _custom,
}
