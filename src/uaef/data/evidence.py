"""Tool results in recorded events: the evidence an answer may rest on when no context was written down."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping


def tool_results(events: Iterable[object]) -> list[str]:
    """The texts that tools returned, in order, each once.

    Args:
        events: what a LangGraph stream gave, in any stream mode, as live objects or as JSON. A tool's message
            is known by its shape (type or role ``tool`` and a content), wherever in an event it stands.
    """
    texts = (_text(content) for event in events for content in _tool_contents(event))
    return list(dict.fromkeys(text for text in texts if text.strip()))


def _tool_contents(node: object) -> Iterator[object]:
    speaker = _field(node, "type") or _field(node, "role")
    content = _field(node, "content")
    if isinstance(speaker, str) and content is not None:
        if speaker == "tool":
            yield content
    elif isinstance(node, Mapping):
        yield from (found for value in node.values() for found in _tool_contents(value))
    elif isinstance(node, list | tuple):
        yield from (found for item in node for found in _tool_contents(item))


def _field(node: object, name: str) -> object:
    return node.get(name) if isinstance(node, Mapping) else getattr(node, name, None)


def _text(content: object) -> str:
    blocks = content if isinstance(content, list) else [content]
    texts = (block.get("text") if isinstance(block, Mapping) else block for block in blocks)
    return "\n".join(text for text in texts if isinstance(text, str))
