"""What was read of a dataset as cases: what is expected, and what is to be measured of each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeVar

from uaef.data.conversations.claims import Placed
from uaef.data.conversations.fields import CLAIMS
from uaef.data.conversations.objects import Read
from uaef.data.conversations.problems import Problems
from uaef.models.case import Ask, Case, ClaimKind, NamedClaim
from uaef.models.ground_truth import GroundTruth
from uaef.models.tool_call import ToolCall

_Value = TypeVar("_Value")
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


def says_what_to_measure(read: Read) -> bool:
    """Whether metrics, checks, gates or thresholds stand on this level, well written or not."""
    return any(key in read.places for key in CLAIMS)


def cases(dataset: Read, problems: Problems) -> list[Case]:
    """The cases of a dataset in which there is no mistake."""
    found = conversations_of(dataset)
    levels = [dataset, *found, *(turn for each in found for turn in turns_of(each))]
    by_default = not any(map(says_what_to_measure, levels))
    return [_case(dataset, each, problems if by_default else None) for each in found]


def _case(dataset: Read, conversation: Read, by_default: Problems | None) -> Case:
    """A case.

    Args:
        dataset: what stands on the level of the dataset holds for it too.
        conversation: what was read.
        by_default: what knows places, if what is expected is to be measured because nothing else is asked for.
    """
    known = dict.fromkeys([*_list(dataset, "context", str), *_list(conversation, "context", str)])
    asks = [_ask(turn, known, by_default) for turn in turns_of(conversation)]
    extras = {
        name: text
        for key, name in _EXTRAS.items()
        if (text := _one(conversation, key, str) or _one(dataset, key, str)) is not None
    }
    tools = _tools(conversation)
    written = [placed.claim for level in (dataset, conversation) for placed in claims_of(level)]
    expected = GroundTruth(
        expected_output=_one(conversation, "goal", str),
        expected_tool_calls=tools,
        expected_arguments=dict(extras),
        context_documents=list(known),
    )
    return Case(
        case_id=_one(conversation, "id", str) or "",
        asks=asks,
        expected=_if_anything(expected),
        tags=list(dict.fromkeys(_list(conversation, "tags", str))),
        metadata=_one(conversation, "metadata", dict) or {},
        claims=[*written, *_of_tools(conversation, tools, by_default)],
        repeat=_one(conversation, "repeat", int) or _one(dataset, "repeat", int),
    )


def _ask(turn: Read, known: dict[str, None], by_default: Problems | None) -> Ask:
    known |= dict.fromkeys(_list(turn, "context", str))
    criteria, tools = _list(turn, "expect", str), _tools(turn)
    expected = GroundTruth(
        expected_output="\n".join(criteria) or None,
        expected_tool_calls=tools,
        criteria=list(criteria) if len(criteria) > 1 else [],
        context_documents=list(known),
    )
    claims = [placed.claim for placed in claims_of(turn)]
    if by_default and criteria:
        claims.append(_gate("meets_expectation", by_default.place(turn.places["expect"])))
    return Ask(
        user=_one(turn, "user", str) or "",
        expected=_if_anything(expected),
        reply=_one(turn, "reply", str),
        tags=list(dict.fromkeys(_list(turn, "tags", str))),
        metadata=_one(turn, "metadata", dict) or {},
        claims=[*claims, *_of_tools(turn, tools, by_default)],
    )


def _of_tools(read: Read, tools: Sequence[ToolCall] | None, by_default: Problems | None) -> Iterator[NamedClaim]:
    """What is measured of expected calls where nothing else is asked for: the tools, and the arguments if given."""
    if by_default is None or tools is None:
        return
    place = by_default.place(read.places["tools"])
    yield _gate("tool_selection_accuracy", place)
    if any(not call.any_arguments for call in tools):
        yield _gate("parameter_quality", place)


def _gate(name: str, place: str) -> NamedClaim:
    return NamedClaim(name=name, kind=ClaimKind.GATE, place=place)


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
