"""What no value of a dataset shows by itself: ids that are given twice, turns that nothing measures."""

from __future__ import annotations

from collections.abc import Iterable

from uaef.data.conversations.building import claims_of, conversations_of, says_what_to_measure, tags_of, turns_of
from uaef.data.conversations.claims import TAGGED
from uaef.data.conversations.nodes import Place, Problems
from uaef.data.conversations.objects import Read
from uaef.errors import closest


def check(dataset: Read, problems: Problems) -> None:
    """Note in ``problems`` where the parts of a dataset do not go together."""
    found = conversations_of(dataset)
    _check_ids(found, problems)
    for conversation in found:
        if not says_what_to_measure(dataset):
            _check_measured(conversation, problems)
        _check_tools(conversation, problems)
        _check_tags(conversation, [conversation], problems)
    _check_tags(dataset, found, problems)


def _check_ids(conversations: Iterable[Read], problems: Problems) -> None:
    first: dict[object, Place] = {}
    for each in conversations:
        name = each.values.get("id")
        if name is None:
            continue
        at = each.places["id"]
        if name in first:
            other = problems.place(first[name])
            problems.add(at, f"its id is that of another conversation, {other}; give it one of its own", each.trail)
        first.setdefault(name, at)


def _check_measured(conversation: Read, problems: Problems) -> None:
    """A turn may do without an expectation only if something else measures it or its conversation."""
    turns = turns_of(conversation)
    if says_what_to_measure(conversation) or "tools" in conversation.places or any(map(says_what_to_measure, turns)):
        return
    for turn in turns:
        if not {"expect", "tools"} & turn.places.keys():
            sentence = "a turn has no expect, and nothing else says how to score it"
            problems.add(turn.node.at, sentence, turn.trail)


def _check_tools(conversation: Read, problems: Problems) -> None:
    for turn in turns_of(conversation):
        if "tools" in conversation.places and "tools" in turn.places:
            sentence = "tools are expected of the conversation too; say it for the whole or turn by turn"
            problems.add(turn.places["tools"], sentence, turn.trail)


def _check_tags(level: Read, conversations: Iterable[Read], problems: Problems) -> None:
    """A claim about turns of a tag that no turn has would be about nothing."""
    wanted = [(at, claim) for claim, at in claims_of(level) if claim.scope and claim.scope.startswith(TAGGED)]
    if not wanted:
        return
    tags = dict.fromkeys(tag for each in conversations for tag in tags_of(each))
    for at, claim in wanted:
        tag = str(claim.scope).removeprefix(TAGGED)
        if tag not in tags:
            near = closest(tag, tags)
            hint = f"did you mean {near}?" if near else f"there are {', '.join(tags) or 'no tags'}"
            problems.add(at, f"{claim.name}: no turn here is tagged {tag!r}; {hint}", level.trail)
