"""What a provider is to the HTTP client: two pure functions and how to sign a request."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Protocol
from urllib.parse import urlsplit

from uaef.errors import DataError
from uaef.llm.chat import Prompt, Reply
from uaef.models.base import Record

_ABSURD = 10**12  # no count of tokens is longer, and no database holds what is longer by far
VERDICT = "verdict"
"""The name under which the answer's schema goes to the provider."""


class HttpRequest(Record, frozen=True):
    """A request as it goes over the wire."""

    url: str
    headers: dict[str, str]
    payload: dict[str, object]


class Provider(Protocol):
    """One wire shape.

    Attributes:
        label: provider and model.
        origin: the server and the parameters, on which an answer depends as well.
        optional: fields of the payload that a server may not know; they are left out once it refuses them.
    """

    label: str
    origin: str

    @property
    def secrets(self) -> Sequence[str]:
        """What must not be repeated in any message, the longest first."""

    @property
    def other_names(self) -> Mapping[str, str]:
        """Fields that some servers know by another name, which must not be left out."""

    @property
    def optional(self) -> Sequence[str]:
        """See above."""

    def request(self, prompt: Prompt) -> HttpRequest:
        """The request for ``prompt``, unsigned."""

    def reply(self, data: Mapping[str, object]) -> Reply:
        """What the response says.

        Raises:
            ProviderError: it is not of the shape that was agreed on.
        """

    async def signed(self, request: HttpRequest, body: bytes) -> Mapping[str, str]:
        """The headers for ``body``.

        Raises:
            ProviderError: there is nothing to sign with.
        """


def needed(variable: str, label: str) -> str:
    """The value of an environment variable that ``label`` cannot do without.

    Raises:
        DataError: it is not set.
    """
    value = os.environ.get(variable, "").strip()
    if not value:
        raise DataError(f"The judge {label!r} needs a key: set {variable}.")
    return value


def dig(data: object, *path: str | int) -> object:
    """What stands at ``path`` in nested data, or ``None``."""
    for step in path:
        try:
            data = data[step]  # type: ignore[index]
        except (KeyError, IndexError, TypeError):
            return None
    return data


def count_at(data: object, *path: str | int) -> int | None:
    """The count at ``path``, or ``None`` where the provider does not say."""
    found = dig(data, *path)
    return found if isinstance(found, int) and not isinstance(found, bool) and 0 <= found < _ABSURD else None


def server(address: str, label: str) -> str:
    """The address of a server, without a slash at its end.

    Raises:
        DataError: it is no http address.
    """
    parts = urlsplit(address)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise DataError(
            f"The judge {label!r} has the address {address!r}; an address begins with http:// or https:// "
            "and ends before the name of the call, like http://localhost:11434/v1."
        )
    return address.rstrip("/")
