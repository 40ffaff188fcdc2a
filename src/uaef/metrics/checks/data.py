"""Checks of replies that a program reads: JSON, and JSON of a certain shape."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from uaef.metrics.base import Found
from uaef.metrics.checks.base import Test, factory
from uaef.metrics.checks.said import Where, by_replies
from uaef.models.reading import shown
from uaef.text.strict_json import read_json

_FENCED = re.compile(r"```[A-Za-z]*\n(.*)\n?```", re.DOTALL)


@factory
def json_valid(*, where: Where = "all") -> Test:
    """Whether a message of the assistant is JSON and nothing else, as it is or in one code fence.

    Read strictly: a key that stands twice and NaN are no JSON.
    """
    return _read(where, lambda _: None)


@factory
def json_schema(schema: Mapping[str, object], *, where: Where = "all") -> Test:
    """Whether a message of the assistant is JSON that satisfies the JSON Schema ``schema``.

    Read as by ``json_valid``. Nothing that the schema points at outside of itself is fetched.
    """
    from uaef.metrics.checks.schema import violations_of  # noqa: PLC0415 - 100 ms, where a schema is given

    return _read(where, violations_of(schema))


def _read(where: Where, violation: Callable[[object], str | None]) -> Test:
    def decide(replies: list[str]) -> Found:
        wrong = ""
        for reply in replies:
            try:
                detail = violation(read_json(_bare(reply)))
            except ValueError as error:
                detail = f"no JSON ({error})"
            if detail is None:
                return True, f"{shown(reply)} is as wanted"
            wrong = f"{detail}: {shown(reply)}"
        return False, wrong

    return by_replies(where, decide)


def _bare(reply: str) -> str:
    """The reply without the code fence that it stands in."""
    reply = reply.strip()
    fenced = _FENCED.fullmatch(reply)
    return fenced[1].strip() if fenced else reply
