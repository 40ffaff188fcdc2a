"""Messages of which only a printed text is left: ``json.dumps(payload, default=str)`` writes such."""

from __future__ import annotations

import json
import re

from uaef.adapters.langgraph.messages import UnknownShapeError, is_message

_TEXT = r"""(?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|\[.*\])"""
# str(message): the fields one after the other, the content first.
_STR = re.compile(rf"content={_TEXT}(?: \w+=.*)?", re.DOTALL)
# repr(message), alone or behind whatever opens the repr of a list, a state, a command or an event around it.
_REPR = re.compile(r"(?:[\[({\s]|[\w.]+\(|\w+=|'[\w:.-]*'[:,] )*(?<!\w)\w*Message(?:Chunk)?\(content=")
_LANGCHAIN = frozenset({"lc", "additional_kwargs"})
_CLOSING = (")", "]", "}")


def refuse_printed(*values: object) -> None:
    """Raise where one of ``values`` is a text that was made of a message object; other texts are what they say.

    Raises:
        UnknownShapeError: saying how to write messages.
    """
    if any(isinstance(value, str) and _is_printed(value.strip()) for value in values):
        raise UnknownShapeError(
            "holds the printed text of a message object and not the message; write it with model_dump(): "
            "json.dumps(payload, default=lambda m: m.model_dump()), or langchain_core.load.dumps(payload)"
        )


def _is_printed(text: str) -> bool:
    if _STR.fullmatch(text) or _is_json(text):
        return True
    return bool(_REPR.match(text)) and (text.endswith(_CLOSING) or "additional_kwargs={" in text)


def _is_json(text: str) -> bool:
    """Whether it is the JSON of a LangChain message: what ``model_dump_json`` and ``dumps`` make of one."""
    if not text.startswith("{"):
        return False
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return False
    return is_message(found) and not _LANGCHAIN.isdisjoint(found)
