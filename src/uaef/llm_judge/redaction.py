"""Redaction: what must not leave the process is taken out of what a judge is shown."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from uaef.errors import DataError
from uaef.text.transcript import Redact

Redaction = Redact | Literal["pii"]
"""A function from text to text, or ``"pii"``: e-mail addresses, phone and card numbers, IP addresses, SSNs."""

_ENTITIES = ["EMAIL", "PHONE", "CREDIT_CARD", "SSN", "IP_ADDRESS"]


def redactor(redaction: Redaction | None) -> Redact | None:
    """The function that ``redaction`` means.

    Raises:
        DataError: it is something else, or ``uaef[pii]`` is not installed.
    """
    if redaction is None or (callable(redaction) and not isinstance(redaction, str)):
        return redaction
    if redaction != "pii":
        raise DataError(f"redact is a function from text to text, or 'pii'; got {redaction!r}.")
    try:
        from datafog import redact  # noqa: PLC0415 - an extra
    except ImportError:
        raise DataError("redact='pii' needs an extra: pip install 'uaef[pii]'.") from None
    return _without_identities(redact)


def _without_identities(redact: Callable[..., object]) -> Redact:
    """Numbers and dates stay: order numbers and appointments are what conversations are judged by."""

    def redacted(text: str) -> str:
        return str(getattr(redact(text, engine="regex", entity_types=_ENTITIES), "redacted_text"))  # noqa: B009 - untyped

    return redacted
