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


def expected_of(path, *conversations):
    """The ground truth of each conversation."""
    return matched(conversations, path).expected


def test_rows_go_to_the_conversation_of_their_session(write):
    """Rows are joined by session_id, whatever their order; what the tools returned is the evidence."""
    path = write("gt.csv", "session_id,turn_id,query,expected_output\nb,1,x,bx\na,2,y,ay\na,1,x,ax\n")
    found = expected_of(path, conversation("a", "x", "y"), conversation("b", "x"), conversation("b", "x"))
    assert [{1: "ax", 2: "ay"}, {1: "bx"}, {1: "bx"}] == outputs(found)
    assert ["Found x", "Found y"] == found[0].context_documents


def test_what_is_left_over_is_known(write, capsys):
    """A session that nobody recorded is handed on; a conversation without ground truth is only pointed out."""
    path = write("gt.csv", "session_id,query,expected_output\ns,x,y\nt,x,y\na,x,y\n")
    expected, not_recorded, _ = matched([conversation(n, "x") for n in "abc"], path)
    assert (["y", None, None], ["s", "t"]) == ([gt and gt.turns[1].expected_output for gt in expected], not_recorded)
    assert "uaef: warning: gt.csv: there is no ground truth for 'b', 'c'.\n" == capsys.readouterr().err


def test_rows_without_sessions_go_by_place(write, capsys):
    """Rows without session_id belong to the single turns in the same place; another question is pointed out."""
    path = write("gt.csv", "query,expected_output\nx,1\nz,2\n")
    found = expected_of(path, conversation("a", "x"), conversation("b", "y"))
    assert (["1", "2"], ["Found x"]) == (outputs(found), found[0].context_documents)
    assert (
        "uaef: warning: gt.csv: rows are paired in order, but 'b' asked something else than its row.\n"
        == capsys.readouterr().err
    )


@pytest.mark.parametrize(
    "rows", ["turn_id,query,expected_output\n2,y,ay\n1,x,ax\n", "query,expected_output\nx,ax\ny,ay\n"]
)
def test_rows_without_sessions_belong_to_the_only_conversation(write, capsys, rows):
    """They are its turns, by number or in order, and what its tools returned is the evidence."""
    (found,) = expected_of(write("gt.csv", rows), conversation("a", "x", "y"))
    assert ([{1: "ax", 2: "ay"}], ["Found x", "Found y"]) == (outputs([found]), found.context_documents)
    assert "" == capsys.readouterr().err


@pytest.mark.parametrize("session", ["", "a"])
@pytest.mark.parametrize(
    ("numbers", "expected"), [((0, 1), {0: "1", 1: "2", 2: "3"}), ((3, 7), {3: "1", 7: "2", 8: "3"})]
)
def test_rows_without_numbers_go_by_the_numbers_of_the_recording(write, session, numbers, expected):
    """Rows in order are the recorded turns in order, whatever their numbers; a row more is an absent turn."""
    traces = [
        AgentTrace(messages=[Message(role="user", content="x")], metadata={"turn_id": number}) for number in numbers
    ]
    path = write("gt.csv", "session_id,query,expected_output\n" + "".join(f"{session},x,{n}\n" for n in (1, 2, 3)))
    recorded = Conversation.of(traces, name="a")
    assert [expected] == outputs(expected_of(path, recorded))
    assert [expected] * 2 == outputs(expected_of(path, recorded, recorded)) if session else True


def test_other_questions_are_pointed_out_where_rows_name_no_session(write, capsys):
    """Whoever gives the wrong file is told, turn by turn."""
    path = write("gt.csv", "query,expected_output\nx,1\nz,2\nw,3\nw,4\n")
    expected_of(path, conversation("a", "x", "y", "v"))
    assert (
        "uaef: warning: gt.csv: has no column session_id, so its rows are taken for the turns of 'a', "
        "but turns 2, 3 asked something else.\n"
    ) == capsys.readouterr().err


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
        (
            "query\nx\ny\nz\n",
            f"{UNPAIRED} 'b', 'c' have several turns.",
        ),
        ("session_id,query\na,x\n,y\n", "gt.csv, row 3: no session_id"),
        ("", "gt.csv: the file is empty"),
    ],
)
def test_what_cannot_be_joined_is_refused(write, content, message):
    """Ground truth that belongs to nothing, or to nobody knows what, is an error and not a quiet None."""
    turns = ("x", "y") if "several" in message else ("x",)
    conversations = [conversation("a", "x"), *(conversation(n, *turns) for n in ("bc" if "have" in message else "b"))]
    with pytest.raises(DataError) as raised:
        matched(conversations, write("gt.csv", content))
    assert message == str(raised.value)


def test_missing_file(folder):
    """A ground truth file that is not there is an error."""
    with pytest.raises(DataError, match=r"no such file: .*gt\.csv"):
        matched([conversation("a", "x")], folder / "gt.csv")


DATASET = """\
conversations:
  - id: a
    goal: both are known
    turns:
      - {user: x, expect: ax}
      - {user: y, expect: [ay, by], tools: [find]}
  - {id: s, turns: [{user: x, expect: sx}]}
"""
JSON = {
    "conversations": [
        {
            "id": "a",
            "goal": "both are known",
            "turns": [{"user": "x", "expect": "ax"}, {"user": "y", "expect": ["ay", "by"], "tools": ["find"]}],
        },
        {"id": "s", "turns": [{"user": "x", "expect": "sx"}]},
    ]
}


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("gt.yaml", DATASET),
        ("gt.yml", DATASET),
        ("gt.json", JSON),
        ("gt.jsonl", [{"name": "n"}, *JSON["conversations"]]),
    ],
)
def test_datasets_are_joined_by_id(write, capsys, name, content):
    """What a dataset expects goes to the recording of that name: by turn, for the whole, with criteria and calls."""
    recorded = [conversation("a", "x", "y"), conversation("b", "x"), conversation("a", "x", "y")]
    expected, not_recorded, _ = matched(recorded, write(name, content))
    assert ([{1: "ax", 2: "ay\nby"}, None, {1: "ax", 2: "ay\nby"}], ["s"]) == (outputs(expected), not_recorded)
    assert ("both are known", ["Found x", "Found y"]) == (expected[0].expected_output, expected[0].context_documents)
    assert (["ay", "by"], ["find"]) == (
        expected[0].turns[2].criteria,
        [call.name for call in expected[0].turns[2].expected_tool_calls],
    )
    assert f"uaef: warning: {name}: there is no ground truth for 'b'.\n" == capsys.readouterr().err


def test_turns_of_a_dataset_go_by_the_numbers_of_the_recording(write):
    """A recording that counts from 0 is held to the same turns; a turn more than was recorded is an absent one."""
    traces = [AgentTrace(messages=[Message(role="user", content="x")], metadata={"turn_id": 0})]
    assert [{0: "ax", 1: "ay\nby"}] == outputs(
        expected_of(write("gt.yaml", DATASET), Conversation.of(traces, name="a"))
    )


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        (
            "gt.yaml",
            DATASET,
            "gt.yaml: no id in it is that of a conversation: it has 'a', 's', the conversations are 'c'.",
        ),
        ("gt.yaml", "conversations: []", "gt.yaml:1:16: conversations is empty: there is nothing to evaluate"),
        ("gt.json", "{", "gt.json: not JSON: Expecting property name enclosed in double quotes at character 2"),
        ("gt.jsonl", b"\xff", "gt.jsonl, line 1: not UTF-8 text (byte 0xff); save the file as UTF-8"),
        ("gt.json", {"conversation": []}, "gt.json: must hold a list of objects, got an object"),
    ],
)
def test_datasets_that_cannot_be_joined(write, name, content, message):
    """A dataset of other conversations, and one that is none."""
    path = write(name, content)
    with pytest.raises(DataError) as raised:
        matched([conversation("c", "x")], path)
    assert message == str(raised.value).replace(f"{path.parent}/", "")


def test_command_joins_a_dataset(call, write):
    """Recordings are scored by what the dataset expects of them, and what nobody recorded is named."""
    write(
        "sessions.jsonl",
        [
            [
                {"role": "user", "content": "x"},
                {"role": "assistant", "content": "", "tool_calls": [{"id": "1", "function": {"name": "find"}}]},
                {"role": "tool", "tool_call_id": "1", "content": "found"},
                {"role": "assistant", "content": "Yes."},
            ]
        ],
    )
    write("support.yaml", "conversations: [{id: sessions, turns: [{user: x, tools: [find]}, {user: y, tools: []}]}]")
    code, report, said = call(
        "evaluate", "sessions.jsonl", "--ground-truth", "support.yaml", "--metrics", "tool_selection_accuracy"
    )
    assert 3 == code
    assert report.startswith("sessions  PASSED  overall 1.00\n")
    assert "uaef: support.yaml: nothing was recorded of 'sessions#2', of which something is expected.\n" in said
