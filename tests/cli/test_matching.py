"""Which ground truth goes with which conversation."""

from __future__ import annotations

import pytest

from uaef import AgentTrace, Conversation, Message
from uaef.cli.matching import matched
from uaef.errors import DataError


def conversation(name, *questions):
    """A conversation in which each question was answered after looking something up."""
    return Conversation.of(
        [
            AgentTrace(
                messages=[
                    Message(role="user", content=question),
                    Message(role="tool", content=f"Found {question}", tool_call_id="1"),
                    Message(role="assistant", content="Yes."),
                ]
            )
            for question in questions
        ],
        name=name,
    )


def outputs(found):
    """What is expected of each conversation, turn by turn."""
    return [
        None if gt is None else ({n: t.expected_output for n, t in gt.turns.items()} or gt.expected_output)
        for gt in found
    ]


def test_rows_go_to_the_conversation_of_their_session(write):
    """Rows are joined by session_id, whatever their order; what the tools returned is the evidence."""
    path = write("gt.csv", "session_id,turn_id,query,expected_output\nb,1,x,bx\na,2,y,ay\na,1,x,ax\n")
    found = matched([conversation("a", "x", "y"), conversation("b", "x"), conversation("b", "x")], path)
    assert [{1: "ax", 2: "ay"}, {1: "bx"}, {1: "bx"}] == outputs(found)
    assert ["Found x", "Found y"] == found[0].context_documents


def test_what_is_left_over_is_said(write, capsys):
    """A session without a conversation, and a conversation without ground truth, are named; of many, the first."""
    rows = "".join(f"s{i},x,y\n" for i in range(7))
    path = write("gt.csv", f"session_id,query,expected_output\n{rows}a,x,y\n")
    assert ["y", None] == [
        gt and gt.turns[1].expected_output for gt in matched([conversation(n, "x") for n in "ab"], path)
    ]
    assert (
        "uaef: warning: gt.csv: there is no conversation for 's0', 's1', 's2', 's3', 's4' and 2 more.\n"
        "uaef: warning: gt.csv: there is no ground truth for 'b'.\n"
    ) == capsys.readouterr().err


def test_rows_without_sessions_go_by_place(write, capsys):
    """Rows without session_id belong to the single turns in the same place; another question is pointed out."""
    path = write("gt.csv", "query,expected_output\nx,1\nz,2\n")
    found = matched([conversation("a", "x"), conversation("b", "y")], path)
    assert (["1", "2"], ["Found x"]) == (outputs(found), found[0].context_documents)
    assert (
        "uaef: warning: gt.csv: rows are paired in order, but 'b' asked something else than its row.\n"
        == capsys.readouterr().err
    )


UNPAIRED = "gt.csv: has no column session_id, and rows cannot be paired in order, since"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (
            "session_id,query\nc,x\nd,x\n",
            "gt.csv: no session_id in it is that of a conversation: it has 'c', 'd', the conversations are 'a', 'b'.",
        ),
        (
            "query\nx\n",
            f"{UNPAIRED} there are 1 rows and 2 conversations.",
        ),
        (
            "query\nx\ny\n",
            f"{UNPAIRED} 'b' has several turns.",
        ),
        ("session_id,query\na,x\n,y\n", "gt.csv: rows[1]: no session_id"),
        ("", "gt.csv: the file is empty"),
    ],
)
def test_what_cannot_be_joined_is_refused(write, content, message):
    """Ground truth that belongs to nothing, or to nobody knows what, is an error and not a quiet None."""
    turns = ("x", "y") if "several" in message else ("x",)
    with pytest.raises(DataError) as raised:
        matched([conversation("a", "x"), conversation("b", *turns)], write("gt.csv", content))
    assert str(raised.value).endswith(message)


def test_missing_file(folder):
    """A ground truth file that is not there is an error."""
    with pytest.raises(DataError, match=r"no such file: .*gt\.csv"):
        matched([conversation("a", "x")], folder / "gt.csv")
