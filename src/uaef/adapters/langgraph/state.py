"""Where the messages are in a graph's state, and in what a node returned."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from uaef.adapters.langgraph.messages import Fields, UnknownShapeError, fields_of, is_message, listed_fields
from uaef.adapters.langgraph.printed import refuse_printed
from uaef.models.reading import shown

_COMMAND_KEYS = frozenset({"graph", "update", "resume", "goto"})
_OVERWRITE = "__overwrite__"
_PAIR = 2


def messages_in_state(state: object) -> list[Fields]:
    """The messages of a state: those under ``messages``, else those under whichever keys hold lists of messages.

    Raises:
        UnknownShapeError: what stands under ``messages`` is none, or a message is only there as a printed text.
    """
    if not isinstance(state, Mapping):
        refuse_printed(state)
        return _listed(getattr(state, "messages", None))
    if "messages" in state:
        return _listed(state["messages"])
    found = [_unwrapped(value) for value in state.values()]
    refuse_printed(*(part for value in found for part in (value if isinstance(value, list | tuple) else [value])))
    return [fields for value in found if _is_list_of_messages(value) for fields in _listed(value)]


def messages_in_update(update: object) -> list[Fields]:
    """The messages in what a node returned: a state, a message, a command, or a list of these.

    Raises:
        UnknownShapeError: what stands under ``messages`` is none, or a message is only there as a printed text.
    """
    update = _command_update(update)
    message = None if isinstance(update, Mapping) and "messages" in update else fields_of(update)
    if message is not None:
        return [message]
    if isinstance(update, tuple | list):
        if len(update) == _PAIR and isinstance(update[0], str):
            return messages_in_state({update[0]: update[1]})
        return [fields for part in update for fields in messages_in_update(part)]
    return messages_in_state(update)


def _command_update(update: object) -> object:
    if isinstance(update, Mapping):
        is_command = {"update", "goto"} <= update.keys() <= _COMMAND_KEYS
        return update["update"] if is_command else update
    return update.update if hasattr(update, "update") and hasattr(update, "goto") else update


def _listed(value: object) -> list[Fields]:
    value = _unwrapped(value)
    if value is None:
        return []
    refuse_printed(value)
    message = listed_fields(value)
    if message is not None:
        return [message]
    if isinstance(value, Iterable) and not isinstance(value, Mapping):
        return [fields for part in value for fields in _listed(part)]
    raise UnknownShapeError(f"holds messages that are none: {shown(value)}")


def _unwrapped(value: object) -> object:
    """What stands in a channel, without the wrappers that say how it is to be written."""
    if isinstance(value, Mapping):
        if value.keys() == {_OVERWRITE}:
            return value[_OVERWRITE]
        if value.get("type") == _OVERWRITE:
            return value.get("value")
        return value.get("$writes", value)  # several writes of one task, in its debug event
    return getattr(value, "value", value) if getattr(value, "type", None) == _OVERWRITE else value


def _is_list_of_messages(value: object) -> bool:
    return isinstance(value, list | tuple) and bool(value) and all(map(is_message, value))
