"""A stream in pieces."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TypeVar

_Item = TypeVar("_Item")


def batches(items: Iterable[_Item], size: int) -> Iterator[list[_Item]]:
    """The items in lists of ``size``, the last of what is left; each when it is asked for."""
    rest = iter(items)
    while batch := list(islice(rest, size)):
        yield batch
