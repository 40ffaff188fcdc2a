"""What an endpoint is sent and nobody else may read: it is taken out of every error text and out of names."""

from __future__ import annotations

import base64
import itertools
import re
from collections.abc import Iterable, Iterator, Mapping
from urllib.parse import SplitResult, parse_qsl, unquote, urlsplit, urlunsplit

_MARK = "[secret]"
_SENSITIVE = re.compile(r"auth|key|token|secret|passw|pwd|credential|cookie|session|signature|bearer", re.IGNORECASE)
_PUBLIC = re.compile(r"accept|content-|user-agent$|host$|connection$", re.IGNORECASE)
_LONG = 8
"""A text so long is found anywhere, also its beginning, where a message was cut; a shorter one only as a word."""


def public(url: str) -> str:
    """The address without what only its owner may know: user, password and query."""
    try:
        parts = urlsplit(url)
        host = parts.netloc.rpartition("@")[2]
    except ValueError:
        return _MARK
    return urlunsplit(SplitResult(parts.scheme, host, parts.path, "", ""))


class Secrets:
    """Texts that must not be repeated.

    Args:
        texts: keys, passwords, whatever is secret as it is.
    """

    def __init__(self, texts: Iterable[str]) -> None:
        known = {part for text in texts for part in (text, unquote(text)) if part.strip()}
        self._texts = sorted(known, key=len, reverse=True)

    def scrubbed(self, text: str) -> str:
        """The text with a mark in place of each secret."""
        for secret in self._texts:
            if len(secret) < _LONG:
                text = re.sub(rf"(?<![A-Za-z0-9]){re.escape(secret)}(?![A-Za-z0-9])", _MARK, text)
            else:
                text = _without(text, secret)
        return text

    def scrub(self, error: BaseException) -> None:
        """Take them out of what an error says, and of the errors behind it."""
        seen: list[BaseException] = []
        waiting: list[BaseException | None] = [error]
        while waiting:
            found = waiting.pop()
            if found is None or any(found is known for known in seen):
                continue
            seen.append(found)
            found.args = tuple(self.scrubbed(part) if isinstance(part, str) else part for part in found.args)
            waiting += [found.__cause__, found.__context__]


def _without(text: str, secret: str) -> str:
    """The text without the secret, and without as much of its beginning as shows which one it is."""
    start = secret[:_LONG]
    first, *others = text.split(start)
    return _MARK.join([first, *(_behind(other, secret[len(start) :]) for other in others)])


def _behind(text: str, rest: str) -> str:
    """What comes behind as much of ``rest`` as ``text`` begins with."""
    alike = itertools.takewhile(lambda signs: signs[0] == signs[1], zip(text, rest, strict=False))
    return text[sum(1 for _ in alike) :]


def of_headers(headers: Mapping[str, str]) -> Iterator[str]:
    """What is secret in the headers: all that says nothing of the form of the request, and its parts."""
    for name, value in headers.items():
        if not _PUBLIC.match(name) and (_SENSITIVE.search(name) or len(value) >= _LONG):
            yield value
            scheme, *others = value.split() or [""]
            for part in others if others and "=" not in scheme else (scheme, *others):  # "Bearer" is no secret
                yield from (part, part.partition("=")[2].rstrip(";"))


def of_url(url: str) -> Iterator[str]:
    """What is secret in an address: user and password, as they stand and as they are sent, and the query's values."""
    parts = urlsplit(url)
    user, _, password = parts.netloc.rpartition("@")[0].partition(":")
    if user or password:
        yield from (password or user, f"{user}:{password}")
        yield base64.b64encode(f"{unquote(user)}:{unquote(password)}".encode()).decode()
    for name, value in parse_qsl(parts.query):
        if _SENSITIVE.search(name) or len(value) >= _LONG:
            yield value


def of_data(data: object, *, is_sensitive: bool = False) -> Iterator[str]:
    """The texts in nested data that stand under a name such as ``api_key``."""
    if isinstance(data, str) and is_sensitive:
        yield data
    elif isinstance(data, Mapping):
        for name, value in data.items():
            yield from of_data(value, is_sensitive=bool(_SENSITIVE.search(str(name))))
    elif isinstance(data, list | tuple):
        for value in data:
            yield from of_data(value, is_sensitive=is_sensitive)
