"""What a turn is known by, so that two runs can be laid side by side: its name, its content, and what came before."""

from __future__ import annotations

import hashlib
import json
import unicodedata

from uaef.models.base import Record, plain
from uaef.models.case import Ask, Case, NamedClaim
from uaef.models.ground_truth import GroundTruth

_DIGITS = 16


class TurnKey(Record, frozen=True, gc=False):
    """The three keys of a turn.

    Attributes:
        name: ``refund#3``.
        own: a hash of its own content: what the user says, what is expected, the reply, the calls, the evidence. Not
            its name, its tags, its metadata, or what is measured of it.
        context: a hash of the contents of all turns before it.
    """

    name: str
    own: str
    context: str


def turn_keys(case: Case) -> list[TurnKey]:
    """The keys of the turns of ``case``, in order."""
    keys: list[TurnKey] = []
    before: list[str] = []
    for name, ask in zip(case.turn_names, case.asks, strict=True):
        own = _hash(_content(ask))
        keys.append(TurnKey(name=name, own=own, context=_hash(before)))
        before.append(own)
    return keys


def content_hash(cases: list[Case]) -> str:
    """A hash of everything that is asked and expected in these cases, in order, with their names."""
    return _hash([[key.name, key.own] for case in cases for key in turn_keys(case)])


def ruler_hash(cases: list[Case]) -> str:
    """A hash of everything that must hold in these cases, wherever it was written."""
    return _hash([[c.case_id, _told(c.claims), [_told(ask.claims) for ask in c.asks]] for c in cases])


def _told(claims: list[NamedClaim]) -> object:
    return [[c.kind, c.name, c.arguments, c.at_least, c.at_most, c.scope] for c in claims]


def _content(ask: Ask) -> object:
    expected = ask.expected or GroundTruth()
    return {
        "user": ask.user,
        "reply": ask.reply,
        "expect": [expected.expected_output, expected.criteria],
        "tools": None
        if expected.expected_tool_calls is None
        else [[call.name, None if call.any_arguments else call.arguments] for call in expected.expected_tool_calls],
        "context": expected.context_documents,
    }


def _hash(content: object) -> str:
    """The same for the same content, however its keys are ordered and its characters are composed (NFC)."""
    text = json.dumps(plain(content), sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    composed = unicodedata.normalize("NFC", text).encode("utf-8", "surrogatepass")
    return hashlib.sha256(composed).hexdigest()[:_DIGITS]
