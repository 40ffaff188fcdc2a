"""Every key of a conversation dataset: the one declaration that the reader, the JSON Schema and the docs follow."""

from __future__ import annotations

from uaef.data.columns import ALIASES
from uaef.data.conversations.claims import Claim
from uaef.data.conversations.kinds import Choice, Count, Data, ListOf, Name, Schema, Text
from uaef.data.conversations.nodes import Node, Problems, Trail
from uaef.data.conversations.objects import Field, Object, Read
from uaef.models.case import ClaimKind

HISTORIES = ("expected", "actual", "thread", "none", "both")
RESERVED = ("conversation_id", "turn", "tags")
"""The keys of a row's metadata that are not for datasets to set."""
CLAIMS = ("metrics", "checks", "gates", "thresholds")

_TEXTS = ListOf(Text(), lone=True)


def _also(column: str, name: str, *more: str) -> tuple[str, ...]:
    """The names that a ground truth column of the same meaning may have, and more."""
    return (*(alias for alias in ALIASES[column] if alias != name), *more)


def _claims(where: str, *, scoped: bool = True) -> tuple[Field, ...]:
    def of(kind: ClaimKind) -> ListOf:
        return ListOf(Claim(kind, scoped=scoped))

    return (
        Field("metrics", of(ClaimKind.SCORE), f"what is measured of {where} and shown"),
        Field("checks", of(ClaimKind.GATE), f"what must hold of {where}"),
        Field("gates", of(ClaimKind.GATE), f"the same as checks; at_least is 1 where it is left out, for {where}"),
        Field("thresholds", of(ClaimKind.THRESHOLD), f"what the mean of a measure must reach, over {where}"),
    )


def _of_conversation(_: Trail, node: Node, place: int) -> Trail:
    """A conversation by its id, or by its place where it has none that could be one."""
    pairs = node.value if isinstance(node.value, dict) else {}
    found = next((pairs[key].value for key in (_ID.name, *_ID.aliases) if key in pairs), None)
    return Trail(repr(found) if isinstance(found, str) and found.strip() else str(place))


def _of_turn(trail: Trail, _: Node, place: int) -> Trail:
    return Trail(trail.conversation, place)


_ID = Field("id", Name(), "its name; turns are id#1, id#2, ...", _also("session_id", "id"), required=True)


class _Call(Object):
    """A call by its name alone, or with arguments."""

    def read(self, node: Node, name: str, trail: Trail, problems: Problems) -> Read | None:
        """See ``Kind``."""
        if isinstance(node.value, str):
            node = Node({"name": node}, node.at)
        return super().read(node, name, trail, problems)

    def schema(self) -> Schema:
        """See ``Kind``."""
        return {"anyOf": [Text(), super().schema()]}


_TOOLS = ListOf(
    _Call(
        "an expected call",
        (
            Field("name", Text(), "the tool", ("tool_name",), required=True),
            Field("arguments", Data(), "what it is to be called with; left out, any will do", ("parameters",)),
        ),
    ),
    can_be_empty=True,
)

_SHARED = (
    Field("context", _TEXTS, "what answers may rest on, a document or a list of them", _also("context", "context")),
    Field("role", Text(), "who the agent is meant to be", _also("chatbot_role", "role")),
    Field("instructions", Text(), "what the agent was told to do", _also("system_instructions", "instructions")),
    Field("repeat", Count(), "how many times it is played", ("repetitions", "trials")),
)


def _elsewhere(key: str) -> str | None:
    return next((level.noun for level in (DATASET, CONVERSATION, TURN) if key in level.keys), None)


TURN = Object(
    "a turn",
    (
        Field("user", Text(), "what the user says", _also("query", "user"), required=True),
        Field(
            "expect",
            _TEXTS,
            "what should come back: a criterion, a list of criteria, or the answer itself",
            _also("expected_output", "expect", "criteria"),
        ),
        Field("reply", Text(), "what the assistant says, for later turns to be shown", ("assistant",)),
        Field("tools", _TOOLS, "the calls that should be made; [] is none", _also("expected_tool_calls", "tools")),
        Field("context", _TEXTS, "what this answer and later ones may rest on", _also("context", "context")),
        Field("tags", ListOf(Text()), "the cohorts it belongs to, after those of its conversation"),
        Field("metadata", Data(RESERVED), "anything else, which wins over that of its conversation"),
        *_claims("this turn", scoped=False),
    ),
    elsewhere=_elsewhere,
)

CONVERSATION = Object(
    "a conversation",
    (
        _ID,
        Field(
            "turns",
            ListOf(TURN, hint="there is nothing to ask", follow=_of_turn),
            "what the user says, turn by turn, and what should come back",
            required=True,
        ),
        Field("tags", ListOf(Text()), "the cohorts it belongs to"),
        Field("metadata", Data(RESERVED), "anything else that is known of it"),
        Field("goal", Text(), "what the user wants to have achieved at the end", ("expected_outcome",)),
        Field("tools", _TOOLS, "the calls that should be made, in any turn", _also("expected_tool_calls", "tools")),
        *_SHARED,
        *_claims("the whole conversation"),
    ),
    elsewhere=_elsewhere,
)

DATASET = Object(
    "a dataset",
    (
        Field("name", Text(), "what reports call it; left out, the file's name"),
        Field(
            "conversations",
            ListOf(CONVERSATION, hint="there is nothing to evaluate", follow=_of_conversation),
            "the conversations, each with an id and turns",
            required=True,
        ),
        Field("history", Choice(HISTORIES), "what the agent is shown of earlier turns; left out, expected"),
        *_SHARED,
        *_claims("every conversation"),
    ),
    own="x-",
    elsewhere=_elsewhere,
)
