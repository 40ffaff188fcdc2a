"""Ground truth from rows: single turns, conversations, sessions."""

from __future__ import annotations

import pytest

from uaef.data.columns import ALIASES
from uaef.data.ground_truth import (
    build_ground_truth,
    build_multi_turn_ground_truth,
    group_by_session,
    parse_ground_truth_row,
)
from uaef.errors import DataError
from uaef.models import GroundTruth, ToolCall

SEARCH = ToolCall(name="search", arguments={"city": "Oslo"})
BOOK = ToolCall(name="book", arguments={"nights": 2})
ROWS = [
    {"turn_id": 1, "query": "Find a hotel", "answer": "Fjord Inn", "tools": [SEARCH], "role": "clerk"},
    {"turn_id": 2, "query": "Thanks", "tools": "[]"},
    {"turn_id": 3, "query": "Book it", "answer": "Booked", "tools": [BOOK]},
]
EVENTS = [{"tools": {"messages": [{"type": "tool", "content": "Fjord Inn, 90 a night", "tool_call_id": "1"}]}}]


def refusal(call, *args):
    """The text of the error that the call raises."""
    with pytest.raises(DataError) as caught:
        call(*args)
    return str(caught.value)


def test_a_row_in_full():
    """All four parts of a row, under the names a spreadsheet has."""
    row = {" Question ": "Find a hotel", "ANSWER": "Fjord Inn", "Context": "Oslo has one", "tools": '["search"]'}
    assert (
        "Find a hotel",
        "Fjord Inn",
        ["Oslo has one"],
        [ToolCall(name="search", any_arguments=True)],
    ) == parse_ground_truth_row(row)


@pytest.mark.parametrize("column", ALIASES["expected_tool_calls"])
def test_tools_by_each_of_their_names(column):
    """The expected calls are read in each of their spellings."""
    assert [SEARCH] == parse_ground_truth_row({"query": "Find a hotel", column: [SEARCH]})[3]


def test_a_row_with_a_question_only():
    """What is not there is not specified, which is not the same as none."""
    assert ("Hello", None, [], None) == parse_ground_truth_row({"query": "Hello", "answer": float("nan")})
    assert ("Hello", None, [], []) == parse_ground_truth_row({"query": "Hello", "tools": []})


@pytest.mark.parametrize("column", ALIASES["query"])
def test_the_query_alone(column):
    """The query is read in each of its spellings, whatever the other cells hold."""
    assert parse_ground_truth_row({column: 44192, "tools": "broken"}, query_only=True) == "44192"


@pytest.mark.parametrize(
    ("row", "message"),
    [
        (
            {"tools": "[]"},
            "row: no question; each row needs one, in a column named one of question, query, input, user",
        ),
        (
            {"Question": "  "},
            (
                "row, column 'Question': no question; each row needs one, "
                "in a column named one of question, query, input, user"
            ),
        ),
        ({"query": ["a"]}, "row, column 'query': must be text, got a list"),
        ({"query": "a", "input": "b"}, "row: columns 'query' and 'input' mean the same (query); keep one of them"),
        ("Hello", "row: must be a dict of cells by column name, got text"),
    ],
)
def test_a_row_without_a_query(row, message):
    """No question, no row; the message says what was looked for."""
    for call in (parse_ground_truth_row, build_ground_truth):
        assert message == refusal(call, row)
    assert message == refusal(parse_ground_truth_row, row, True)  # noqa: FBT003 - as documented


@pytest.mark.parametrize(
    ("column", "meant"),
    [
        ("expected_tools_calls", "expected_tool_calls"),
        ("Expected Tool Call", "expected_tool_calls"),
        ("expected_tool", "expected_tools"),
        ("tool-call", "tool_calls"),
        ("expected_ouptut", "expected_output"),
        ("reference_", "reference"),
        ("SesionID", "session_id"),
        ("threadid", "thread_id"),
        ("context_document", "context_documents"),
        ("system_instruction", "system_instructions"),
        ("chatbotrole", "chatbot_role"),
    ],
)
def test_a_misspelt_column_is_refused(column, meant):
    """What would silently not be expected is said, for each column of a row that has no such column."""
    message = f"row: column {column!r}: did you mean {meant!r}?"
    assert message == refusal(build_ground_truth, {"query": "Hello", column: ""})
    assert message.replace("row", "rows[0]") == refusal(group_by_session, [{"query": "a", column: "x"}])


@pytest.mark.parametrize(
    "row",
    [
        {"preference": "a", "version_id": 1, "inference": "b"},  # real words, not typing errors
        {"turn_nr": 2, "rolle": "c", "tool": "d", "turns": "e"},  # too short to tell
        {"expected_tools_calls": "x", "tools": "[]"},  # the column is there already
        {"notes": "x", "expected_difficulty": "high", "session_name": "a"},
    ],
    ids=str,
)
def test_other_columns_are_the_callers_own(row):
    """A column that uaef does not know is kept as it is."""
    [[kept]] = group_by_session([{"query": "Hello", "thread_id": "s", **row}]).values()
    assert row.items() - {("tools", "[]")} <= kept.items()


def test_a_blank_cell_makes_no_other_column_misspelt():
    """A column that was there when a row was read stays known, although its blank cell is gone."""
    rows = [{"query": "Hello", "session_id": "s", "instructions": None, "instruction": "mine"}]
    [turns] = group_by_session(rows).values()
    assert [{"query": "Hello", "session_id": "s", "instruction": "mine"}] == turns
    assert {} == build_multi_turn_ground_truth(turns).extras


def test_every_bad_cell_of_a_row_is_named():
    """One error, one line for each cell."""
    row = {"query": "Hello", "answer": {"a": 1}, "Turn ID": "x"}
    assert (
        "row, column 'answer': must be text, got an object\n"
        "row, column 'Turn ID': must be a whole number of at least 0, got 'x'"
    ) == refusal(build_ground_truth, row)


def test_one_turn():
    """The ground truth of a row."""
    row = {"query": "Find", "answer": "Fjord Inn", "tools": [SEARCH], "role": "clerk", "instructions": "Be brief"}
    expected = GroundTruth(
        expected_output="Fjord Inn",
        expected_tool_calls=[SEARCH],
        expected_arguments={"chatbot_role": "clerk", "system_instructions": "Be brief"},
    )
    assert ("Find", expected) == build_ground_truth(row)


@pytest.mark.parametrize(
    ("context", "events", "expected"),
    [
        ("Price list", EVENTS, ["Price list"]),
        (None, EVENTS, ["Fjord Inn, 90 a night"]),
        (None, None, []),
    ],
)
def test_evidence_of_one_turn(context, events, expected):
    """A context column comes before the tool results of the run."""
    row = {"query": "Find", "context": context}
    assert expected == build_ground_truth(row, events=events)[1].context_documents
    assert expected == build_multi_turn_ground_truth([row], events=events).context_documents


def test_a_conversation():
    """Overall answer and calls, typed turns, and the documented arrays."""
    truth = build_multi_turn_ground_truth(ROWS)
    assert truth.expected_output == "[Turn 1] Fjord Inn\n[Turn 3] Booked"
    assert truth.expected_tool_calls == [SEARCH, BOOK]
    assert truth.turns == {
        1: GroundTruth(expected_output="Fjord Inn", expected_tool_calls=[SEARCH]),
        2: GroundTruth(expected_tool_calls=[]),
        3: GroundTruth(expected_output="Booked", expected_tool_calls=[BOOK]),
    }
    assert truth.expected_arguments == {
        "chatbot_role": "clerk",
        "per_turn_expected": ["Fjord Inn", None, "Booked"],
        "per_turn_tools": [[SEARCH], [], [BOOK]],
        "per_turn_ids": [1, 2, 3],
    }


def test_nothing_specified():
    """No answer and no tools anywhere: not specified, for the whole too."""
    truth = build_multi_turn_ground_truth([{"query": "a"}, {"query": "b", "answer": " "}])
    assert truth.expected_output is None
    assert truth.expected_tool_calls is None
    assert truth.expected_arguments["per_turn_tools"] == [None, None]


def test_no_tools_expected_anywhere():
    """A single empty list specifies the whole: no tools."""
    assert build_multi_turn_ground_truth([{"query": "a", "tools": []}, {"query": "b"}]).expected_tool_calls == []


@pytest.mark.parametrize("missing", [1, 2, 3])
def test_a_missing_turn_shifts_nothing(missing):
    """Whichever turn is left out, the others keep what is expected of them."""
    whole = build_multi_turn_ground_truth(ROWS)
    rest = build_multi_turn_ground_truth([row for row in ROWS if row["turn_id"] != missing])
    assert {n: turn for n, turn in whole.turns.items() if n != missing} == rest.turns


def test_turns_out_of_order():
    """Rows are put in the order of their numbers; those without a number count as they stand."""
    assert build_multi_turn_ground_truth(ROWS) == build_multi_turn_ground_truth(ROWS[::-1])
    unnumbered = [{k: v for k, v in row.items() if k != "turn_id"} for row in ROWS]
    assert build_multi_turn_ground_truth(ROWS) == build_multi_turn_ground_truth(unnumbered)


def test_a_turn_knows_the_evidence_so_far():
    """Each turn may rest on its own context and on that of the turns before, never on later ones."""
    truth = build_multi_turn_ground_truth(
        [
            {"query": "a", "context": "one"},
            {"query": "b"},
            {"query": "c", "context": '["one", "two"]'},
        ],
        events=EVENTS,
    )
    assert [["one"], ["one"], ["one", "two"]] == [turn.context_documents for turn in truth.turns.values()]
    assert truth.context_documents == ["one", "two"]


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([], "turns: has no rows; a conversation has at least one turn"),
        (
            [{"query": "a", "turn": 1}, {"query": "b"}, {"query": "c", "turn": 1}],
            (
                "turns[1], column 'turn_id': blank, but other turns of the session have a number\n"
                "turns[2], column 'turn': the session has turn 1 already, in turns[0]"
            ),
        ),
        (
            [{"query": "a", "thread_id": 1}, {"query": "b", "thread_id": 2}],
            "turns[1], column 'thread_id': differs from turns[0]; one conversation has one session_id",
        ),
        (
            [{"query": "a", "role": "clerk"}, {"query": "b"}, {"query": "c", "role": "cook"}],
            "turns[2], column 'role': differs from turns[0]; one conversation has one chatbot_role",
        ),
        (
            [{"query": "a", "tools": "7"}, "b"],
            (
                "turns[0], column 'tools': must be a JSON array of calls, got a number (7)\n"
                "turns[1]: must be a dict of cells by column name, got text"
            ),
        ),
    ],
)
def test_conversations_refused(rows, message):
    """Rows that make no conversation, each with its place."""
    assert message == refusal(build_multi_turn_ground_truth, rows)


def test_sessions():
    """First seen first, turns in order, under canonical keys, unknown columns kept."""
    rows = [
        {"thread_id": "b", "turn": "2", "Question": "b2", "note": None},
        {"thread_id": 7, "turn": None, "Question": "alone", "note": "x"},
        {"thread_id": " b ", "turn": 1, "Question": "b1", "note": 5},
    ]
    assert {
        "b": [
            {"session_id": "b", "turn_id": 1, "query": "b1", "note": 5},
            {"session_id": "b", "turn_id": 2, "query": "b2"},
        ],
        "7": [{"session_id": "7", "query": "alone", "note": "x"}],
    } == group_by_session(rows)
    assert ["b", "7"] == list(group_by_session(rows))


def test_grouping_twice_changes_nothing():
    """Rows that were read are read again to the same."""
    rows = [{**row, "session_id": "s"} for row in ROWS]
    once = group_by_session(rows)
    assert once == group_by_session(once["s"])
    assert build_multi_turn_ground_truth(rows) == build_multi_turn_ground_truth(once["s"])


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([{"query": "a"}, {"query": "b", "session_id": ""}], "rows[0]: no session_id\nrows[1]: no session_id"),
        (
            [
                {"query": "a", "session_id": "s", "turn_id": 1},
                {"query": "b", "session_id": "t", "turn_id": 1},
                {"query": "c", "session_id": "s", "turn_id": 1},
            ],
            "rows[2], column 'turn_id': the session has turn 1 already, in rows[0]",
        ),
    ],
)
def test_sessions_refused(rows, message):
    """A row that belongs to no session, and a turn that is there twice."""
    assert message == refusal(group_by_session, rows)
