"""What was read of a dataset as cases: what is expected, and what is to be measured of each."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TypeVar

from uaef.data.conversations.claims import Placed, reaches
from uaef.data.conversations.fields import CLAIMS
from uaef.data.conversations.nodes import Problems
from uaef.data.conversations.objects import Read
from uaef.metrics.named import metric_named
from uaef.models.case import Ask, Case, ClaimKind, NamedClaim
from uaef.models.ground_truth import GroundTruth
from uaef.models.tool_call import ToolCall

_Value = TypeVar("_Value")
_INSTEAD = tuple(key for key in CLAIMS if key != "thresholds")
"""What is measured in place of what is expected; a threshold comes beside it."""
_EXTRAS = {"role": "chatbot_role", "instructions": "system_instructions"}


def conversations_of(dataset: Read) -> Sequence[Read]:
    """The conversations that could be read."""
    return _list(dataset, "conversations", Read)


def turns_of(conversation: Read) -> Sequence[Read]:
    """The turns that could be read."""
    return _list(conversation, "turns", Read)


def claims_of(read: Read) -> list[Placed]:
    """What is to be measured by what is written on this level."""
    return [placed for key in CLAIMS for placed in _list(read, key, Placed)]


def says_what_to_measure(read: Read, keys: Collection[str] = CLAIMS) -> bool:
    """Whether metrics, checks, gates or thresholds stand on this level, well written or not."""
    return any(key in read.places for key in keys)


def tags_of(conversation: Read) -> list[str]:
    """The tags that turns of the conversation carry: its own, which all carry, and theirs."""
    levels = (conversation, *turns_of(conversation))
    return list(dict.fromkeys(tag for level in levels for tag in _list(level, "tags", str)))


def cases(dataset: Read, problems: Problems) -> list[Case]:
    """The cases of a dataset in which there is no mistake."""
    found = conversations_of(dataset)
    levels = [dataset, *found, *(turn for each in found for turn in turns_of(each))]
    by_default = not any(says_what_to_measure(level, _INSTEAD) for level in levels)
    return [_case(dataset, each, problems if by_default else None) for each in found]


def _case(dataset: Read, conversation: Read, by_default: Problems | None) -> Case:
    """A case.

    Args:
        dataset: what stands on the level of the dataset holds for it too.
        conversation: what was read.
        by_default: what knows places, if what is expected is to be measured because nothing else is asked for.
    """
    known = dict.fromkeys([*_list(dataset, "context", str), *_list(conversation, "context", str)])
    tags, own = tags_of(conversation), _list(conversation, "tags", str)
    laid = [placed.claim for placed in claims_of(dataset) if reaches(placed.claim, tags)]
    claims = [*laid, *(placed.claim for placed in claims_of(conversation))]
    asks = [
        _ask(turn, known, _expectations(turn, claims, own, by_default) if by_default else ())
        for turn in turns_of(conversation)
    ]
    extras = {
        name: text
        for key, name in _EXTRAS.items()
        if (text := _one(conversation, key, str) or _one(dataset, key, str)) is not None
    }
    expected = GroundTruth(
        expected_output=_one(conversation, "goal", str),
        expected_tool_calls=_tools(conversation),
        expected_arguments=dict(extras),
        context_documents=list(known),
    )
    return Case(
        case_id=_one(conversation, "id", str) or "",
        asks=asks,
        expected=_if_anything(expected),
        tags=list(dict.fromkeys(own)),
        metadata=_one(conversation, "metadata", dict) or {},
        claims=[*claims, *(_expectations(conversation, claims, (), by_default) if by_default else ())],
        repeat=_one(conversation, "repeat", int) or _one(dataset, "repeat", int),
    )


def _ask(turn: Read, known: dict[str, None], expectations: Sequence[NamedClaim]) -> Ask:
    known |= dict.fromkeys(_list(turn, "context", str))
    criteria = _list(turn, "expect", str)
    expected = GroundTruth(
        expected_output="\n".join(criteria) or None,
        expected_tool_calls=_tools(turn),
        criteria=list(criteria) if len(criteria) > 1 else [],
        context_documents=list(known),
    )
    return Ask(
        user=_one(turn, "user", str) or "",
        expected=_if_anything(expected),
        reply=_one(turn, "reply", str),
        tags=list(dict.fromkeys(_list(turn, "tags", str))),
        metadata=_one(turn, "metadata", dict) or {},
        claims=[*(placed.claim for placed in claims_of(turn)), *expectations],
    )


def _expectations(
    read: Read, laid: Sequence[NamedClaim], tags: Sequence[str], by_default: Problems
) -> Sequence[NamedClaim]:
    """What is expected on this level as gates: the answer, the tools, the arguments if there are any.

    Where a threshold bounds the very measure, on this level or as one of the claims that are laid on it, that does.
    """
    tools = _tools(read)
    gates = {
        "meets_expectation": "expect" if _list(read, "expect", str) else "",
        "tool_selection_accuracy": "" if tools is None else "tools",
        "parameter_quality": "tools" if any(not call.any_arguments for call in tools or ()) else "",
    }
    carried = [*tags, *_list(read, "tags", str)]
    claims = [*(claim for claim in laid if reaches(claim, carried)), *(placed.claim for placed in claims_of(read))]
    bounded = {metric_named(claim.name, claim.arguments).name for claim in claims}
    return [
        NamedClaim(name=name, kind=ClaimKind.GATE, place=by_default.place(read.places[key]))
        for name, key in gates.items()
        if key and name not in bounded
    ]


def _if_anything(expected: GroundTruth) -> GroundTruth | None:
    return None if expected == GroundTruth() else expected


def _tools(read: Read) -> list[ToolCall] | None:
    if "tools" not in read.values:
        return None
    return [_call(call) for call in _list(read, "tools", Read)]


def _call(call: Read) -> ToolCall:
    arguments = _one(call, "arguments", dict)
    name = _one(call, "name", str) or ""
    return ToolCall(name=name) if arguments is None else ToolCall(name=name, arguments=arguments)


def _one(read: Read, key: str, kind: type[_Value]) -> _Value | None:
    value = read.values.get(key)
    return value if isinstance(value, kind) else None


def _list(read: Read, key: str, kind: type[_Value]) -> Sequence[_Value]:
    """The items of a list; none where there is no list. ``kind`` tells the type checker what its kind reads."""
    found = read.values.get(key)
    return [item for item in found if isinstance(item, kind)] if isinstance(found, list) else []
