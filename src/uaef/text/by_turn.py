"""Texts of several turns as one: what is said of a whole where it was only said of its turns."""

from __future__ import annotations

from collections.abc import Mapping


def joined(texts: Mapping[int, str | None]) -> str:
    """The texts by the turns' numbers, each on a line behind its number; empty where there is none."""
    return "\n".join(_marked(texts))


def is_joined(text: str, texts: Mapping[int, str | None]) -> bool:
    """Whether ``text`` is nothing but some of ``texts``, joined; what somebody wrote of the whole is not."""
    rest = text
    for part in _marked(texts):
        if rest == part:
            return True
        rest = rest.removeprefix(f"{part}\n")
    return False


def _marked(texts: Mapping[int, str | None]) -> list[str]:
    return [f"[Turn {number}] {text}" for number, text in texts.items() if text]
