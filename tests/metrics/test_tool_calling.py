"""Tool Calling: each value worked out by hand; in tables, A, B and C are tools."""

from __future__ import annotations

import itertools
import json
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest
from hypothesis import given
from hypothesis import strategies as st

from uaef.api import evaluate
from uaef.metrics.tool_calling import same_value
from uaef.models import GroundTruth, ScoreStatus, ToolCall
from uaef.testing import turn


def found(name, called, expected):
    """The score of a turn in which these tools were called, held against those."""
    truth = GroundTruth(expected_tool_calls=expected)
    return evaluate(turn("question", "answer", called), truth, metrics=[name]).measurements[0].score


def calls(names):
    """One call without arguments for each letter."""
    return [ToolCall(name=name, arguments={}) for name in names]


@pytest.mark.parametrize(
    ("expected", "called", "score", "reasoning"),
    [
        ("A", "A", 1.0, "called A as expected"),
        ("AB", "BA", 1.0, "called A, B as expected"),  # order is not its business
        ("", "", 1.0, "no tool needed, none called"),
        ("", "A", 0.0, "called unasked A"),  # 0 matched of 1
        ("A", "", 0.0, "missed A"),
        ("A", "B", 0.0, "missed A; called unasked B"),
        ("AB", "A", 1 / 2, "missed B"),  # 1 matched / (2 + 1 - 1)
        ("A", "AB", 1 / 2, "called unasked B"),
        ("AB", "BC", 1 / 3, "missed A; called unasked C"),  # 1 / (2 + 2 - 1)
        ("AA", "A", 1 / 2, "missed A"),  # a call counts as often as it is expected
        ("A", "AAA", 1 / 3, "called unasked A, A"),
        ("AAB", "ABB", 2 / 4, "missed A; called unasked B"),  # 2 / (3 + 3 - 2)
    ],
)
def test_tool_selection_accuracy(expected, called, score, reasoning):
    """Multiset Jaccard index: matched / (expected + called - matched)."""
    result = found("tool_selection_accuracy", calls(called), calls(expected))
    assert (score, reasoning) == (result.score, result.reasoning)
    assert (len(expected), len(called), score) == tuple(
        result.metadata[key] for key in ("expected_count", "actual_count", "jaccard_score")
    )


def test_tool_selection_accuracy_counts_what_it_found():
    """The documented counts are there to be read."""
    assert {
        "expected_count": 3,
        "actual_count": 3,
        "matched_count": 2,
        "missing_count": 1,
        "extra_count": 1,
        "jaccard_score": 0.5,
    } == found("tool_selection_accuracy", calls("ABB"), calls("AAB")).metadata


@pytest.mark.parametrize(
    ("expected", "called", "score", "reasoning"),
    [
        ("AB", "AB", 1.0, "called A > B as expected"),
        ("", "", 1.0, "called nothing as expected"),
        ("AB", "BA", 1 / 2, "called B > A, expected A > B"),  # longest common: A or B, of 2
        ("ABC", "AC", 2 / 3, "called A > C, expected A > B > C"),
        ("AC", "ABC", 2 / 3, "called A > B > C, expected A > C"),
        ("A", "", 0.0, "called nothing, expected A"),
        ("", "A", 0.0, "called A, expected nothing"),
        ("ABCBDAB", "BDCABA", 4 / 7, "called B > D > C > A > B > A, expected A > B > C > B > D > A > B"),
    ],
)
def test_tool_sequence_correctness(expected, called, score, reasoning):
    """Longest common subsequence / max(expected, called)."""
    result = found("tool_sequence_correctness", calls(called), calls(expected))
    assert (score, reasoning) == (result.score, result.reasoning)
    assert {
        "expected_sequence": list(expected),
        "called_sequence": list(called),
        "lcs_length": round(score * max(len(expected), len(called))),
        "exact_match": expected == called,
    } == result.metadata


def by_turn(tools, **overall):
    """A ground truth that expects these tools, turn by turn."""
    turns = {number: GroundTruth(expected_tool_calls=calls(names)) for number, names in tools.items()}
    return GroundTruth(turns=turns, **overall)


def book(**arguments):
    """A call of the tool "book"."""
    return ToolCall(name="book", arguments=arguments)


@pytest.mark.parametrize(
    ("expected", "called", "score"),
    [
        ([], [], 1.0),
        ([], [book(n=1)], 0.0),
        ([book(n=1)], [], 0.0),
        ([book(n=1)], [book(n=1)], 1.0),
        ([book()], [book()], 1.0),  # no arguments, none expected
        ([book(n=1)], [book()], 0.0),
        ([book(n=1, m=2)], [book(n=1, m=3)], 1 / 2),  # 1 equal pair of the keys n, m
        ([book(n=1)], [book(n=1, m=3)], 1 / 2),  # the key m is one too many
        ([book(n=1)], [ToolCall(name="pay", arguments={"n": 1})], 0.0),  # another tool
        # 3 expected, 1 right and 1 wrong: 1 / 3; an old factor for extra calls made it 1 / 2
        ([book(n=1), book(n=2), book(n=3)], [book(n=1), book(n=9)], 1 / 3),
        # a call of the right name with no right argument is one miss, and not an extra call on top: 0 / 1
        ([book(n=1)], [book(n=2)], 0.0),
        ([book(n=1)], [book(n=1), book(n=1)], 1 / 2),
        # taking the best partner first would give the first call its 1/2 from the second: 1/2 + 0 instead of 1/2 + 1
        ([book(a=1, b=2), book(a=1, b=3)], [book(a=1, b=3), book(a=1, b=9)], (1 + 1 / 2) / 2),
        ([book(d={"x": [1, 2]})], [book(d={"x": [1, 2]})], 1.0),
        ([book(d={"x": [1, 2]})], [book(d={"x": [2, 1]})], 0.0),
    ],
)
def test_parameter_quality(expected, called, score):
    """Best assignment of calls of one name, sum of similarities / max(expected, called)."""
    assert score == pytest.approx(found("parameter_quality", called, expected).score)


ANY = ToolCall(name="book", any_arguments=True)


@pytest.mark.parametrize(
    ("expected", "called", "score", "reasoning"),
    [
        ([ANY], [book(n=1)], None, "it is not said which arguments are expected"),
        ([], [], 1.0, "no call expected, none made"),
        ([], [book(n=1)], 0.0, "expected no call, got book(n=1)"),
        ([book()], [book()], 1.0, "all arguments as expected"),
        ([ANY, book(n=1)], [book(n=1), book(m=2)], 1.0, "all arguments as expected"),
        ([ANY, book(n=1)], [book(n=2), book(m=2)], 0.5, "expected book(...), book(n=1), got book(n=2), book(m=2)"),
        ([ANY, book(n=1)], [book(n=1)], 0.5, "expected book(...), book(n=1), got book(n=1)"),
    ],
)
def test_parameter_quality_of_a_call_that_may_have_any_arguments(expected, called, score, reasoning):
    """A tool that is expected by its name alone is held to no arguments; if all are, there is nothing to measure."""
    result = found("parameter_quality", called, expected)
    assert (score, reasoning) == (result.score, result.reasoning)


def test_parameter_quality_says_what_it_saw():
    """Whoever reads the reason need not look up the calls."""
    right = found("parameter_quality", [book(n=1)], [book(n=1)])
    wrong = found("parameter_quality", [book(n=1)], [book(n=2, day="Friday")])
    assert "all arguments as expected" == right.reasoning
    assert "expected book(n=2, day='Friday'), got book(n=1)" == wrong.reasoning
    assert "expected book(n=1), got no call" == found("parameter_quality", [], [book(n=1)]).reasoning
    assert {"expected_count": 1, "actual_count": 1, "extra_calls": 0, "parameter_score": 0.0} == wrong.metadata


SOME_CALLS = st.lists(
    st.builds(
        ToolCall,
        name=st.sampled_from(["book", "pay"]),
        arguments=st.dictionaries(st.sampled_from("abc"), st.integers(0, 1)),
    ),
    max_size=4,
)


def likeness(left, right):
    """The share of equal pairs among all keys of two calls, nothing if they call different tools."""
    keys = left.arguments.keys() | right.arguments.keys()
    equal = sum(left.arguments.get(key, "none") == right.arguments.get(key, "no") for key in keys)
    return (equal / len(keys) if keys else 1.0) if left.name == right.name else 0.0


def best_of_all(expected, called):
    """The score by trying every pairing."""
    short, long = sorted((expected, called), key=len)
    if not long:
        return 1.0
    pairings = itertools.permutations(long, len(short))
    return max(sum(map(likeness, short, chosen)) for chosen in pairings) / len(long)


@given(SOME_CALLS, SOME_CALLS, st.randoms(use_true_random=False))
def test_parameter_quality_is_the_best_there_is(expected, called, random):
    """No pairing gives more, none gives more than 1, and the order of the calls does not matter."""
    score = found("parameter_quality", called, expected).score
    assert best_of_all(expected, called) == pytest.approx(score)
    assert 0 <= score <= 1
    shuffled = random.sample(called, len(called)), random.sample(expected, len(expected))
    assert score == pytest.approx(found("parameter_quality", *shuffled).score)


@pytest.mark.parametrize(
    ("left", "right", "same"),
    [
        (1, 1, True),
        (1, 1.0, True),
        (1, True, False),
        (0, False, False),
        (True, True, True),
        ("1", 1, False),
        (None, None, True),
        (None, False, False),
        ([1, True], [1, 1], False),
        ([1, 2], (1, 2), True),
        ([1], [1, 2], False),
        ({"a": {"b": 1}}, {"a": {"b": 1.0}}, True),
        ({"a": {"b": 1}}, {"a": {"b": True}}, False),
        ({"a": 1}, {"a": 1, "b": None}, False),
        ({}, [], False),
    ],
)
def test_values_are_compared_as_json_values(left, right, same):
    """1 and 1.0 are one number in JSON; 1 and true are not one value, as they are to Python."""
    assert same is same_value(left, right)
    assert same is same_value(right, left)


@pytest.mark.parametrize("name", ["tool_selection_accuracy", "tool_sequence_correctness", "parameter_quality"])
def test_without_an_expectation_there_is_nothing_to_measure(name):
    """Not specified is not the same as no tools: it is no number, and no failure."""
    result = found(name, calls("A"), None)
    assert (None, ScoreStatus.NOT_APPLICABLE, "missing_data", "it is not said which tools are expected") == (
        result.score,
        result.status,
        result.metadata["warning"],
        result.reasoning,
    )


@pytest.mark.parametrize("name", ["tool_selection_accuracy", "tool_sequence_correctness", "parameter_quality"])
@pytest.mark.parametrize(
    ("truth", "on_turns", "on_whole"),
    [
        # expected of the conversation as a whole: measured on the whole, once
        (GroundTruth(expected_tool_calls=calls("AB")), [None, None], 1.0),
        # expected of each turn: measured turn by turn
        (by_turn({1: "A", 2: ""}), [1.0, 0.0], None),
        # expected of one turn: the other is not specified
        (by_turn({2: "B"}, expected_tool_calls=calls("AB")), [None, 1.0], None),
    ],
)
def test_tools_of_several_turns(name, truth, on_turns, on_whole):
    """Tools that are expected of no turn in particular are looked for in the whole conversation, once."""
    turns = [turn("a", "b", calls("A")), turn("c", "d", calls("B"))]
    result = evaluate({"per_turn_traces": turns}, truth, metrics=[name])
    found_on = {m.turns: m.score.score for m in result.measurements}
    assert on_turns == [found_on[(1,)], found_on[(2,)]]
    assert on_whole == found_on.get((1, 2))
    (score,) = result.dimension_results[0].metric_scores
    known = [value for value in on_turns if value is not None]
    assert score.score == (on_whole if on_whole is not None else sum(known) / len(known))
    assert on_turns == [entry["score"] for entry in score.metadata["per_turn"]]


# --- MCP ------------------------------------------------------------------------------

SERVER = {"mcp_server": "hotel"}
SCHEMA = {"type": "object", "properties": {"nights": {"type": "integer"}}, "required": ["nights"]}


def compliance(*called):
    """What mcp_compliance says of these calls."""
    return evaluate(turn("a", "b", called), metrics=["mcp_compliance"]).measurements[0].score


@pytest.mark.parametrize(
    ("name", "score"),
    [
        ("find_rooms", 1.0),
        ("getUser", 1.0),  # upper case is allowed; it used to be a violation
        ("DATA_EXPORT_v2", 1.0),
        ("admin.tools.list", 1.0),
        ("a-b", 1.0),
        ("x" * 128, 1.0),
        ("x" * 129, 0.0),
        ("find rooms", 0.0),
        ("find,rooms", 0.0),
        ("user-profile/update", 0.0),
        ("zimmer_größe", 0.0),
        ("find_rooms\n", 0.0),
    ],
)
def test_mcp_tool_names(name, score):
    """1 to 128 of A-Z a-z 0-9 _ - . as the specification's section on tool names has it."""
    assert score == compliance(ToolCall(name=name, metadata=SERVER)).score


@pytest.mark.parametrize(
    ("arguments", "score", "reasoning"),
    [
        ({"nights": 2}, 1.0, "no violation"),
        ({"nights": "2"}, 0.0, "find: '2' is not of type 'integer'"),
        ({}, 0.0, "find: 'nights' is a required property"),
    ],
)
def test_mcp_arguments_are_held_against_the_recorded_schema(arguments, score, reasoning):
    """Where the schema is known, arguments that break it are a violation, in the validator's words."""
    call = ToolCall(name="find", arguments=arguments, metadata=SERVER | {"input_schema": SCHEMA})
    assert (score, reasoning) == (compliance(call).score, compliance(call).reasoning)


def test_mcp_schema_of_an_older_draft_is_read_as_such():
    """A schema that names its draft is held to that draft: before 2020, a list of items meant one each."""
    schema = {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "properties": {"at": {"items": [{"type": "string"}, {"type": "integer"}]}},
    }
    call = ToolCall(name="find", arguments={"at": ["a", "b"]}, metadata=SERVER | {"input_schema": schema})
    assert "find: 'b' is not of type 'integer'" == compliance(call).reasoning


@pytest.mark.parametrize(
    ("schema", "arguments", "reasoning"),
    [
        ({"additionalProperties": False, "properties": {"a": {}}}, {"a": 1}, "no violation"),
        (
            {"additionalProperties": False, "properties": {"a": {}}},
            {"b": 1},
            "find: Additional properties are not allowed ('b' was unexpected)",
        ),
        ({"properties": {"a": {"pattern": "^(x+x+)+y$"}}}, {"a": "x" * 60}, "no violation"),
        ({"patternProperties": {"^(x+x+)+y$": False}, "additionalProperties": False}, {"x" * 60: 1}, "no violation"),
    ],
)
def test_mcp_schema_runs_no_regular_expression(schema, arguments, reasoning):
    """An expression that came with a recording could keep the reader busy for ever, so none is run."""
    call = ToolCall(name="find", arguments=arguments, metadata=SERVER | {"input_schema": schema})
    assert reasoning == compliance(call).reasoning


def test_mcp_compliance_is_the_share_of_calls():
    """Calls that name no server are not MCP calls, whatever else the word "mcp" may stand in."""
    called = [
        ToolCall(name="ok", metadata=SERVER),
        ToolCall(name="not ok", metadata=SERVER),
        ToolCall(name="neither is this", arguments={"mcp": "mcp:"}),
    ]
    result = compliance(*called)
    assert (0.5, "'not ok' is no MCP tool name") == (result.score, result.reasoning)
    assert {
        "total_tools": 2,
        "compliant_tools": 1,
        "violations": ["'not ok' is no MCP tool name"],
    } == result.metadata


@pytest.mark.parametrize("called", [[], [ToolCall(name="mcp_find", arguments={"url": "mcp://x"})]])
def test_mcp_compliance_needs_a_call_of_an_mcp_server(called):
    """The word "mcp" somewhere is no server; it used to be."""
    result = compliance(*called)
    assert (None, ScoreStatus.NOT_APPLICABLE) == (result.score, result.status)
    assert "no call names an MCP server (metadata['mcp_server'])" == result.reasoning


def test_mcp_schema_fetches_nothing():
    """A recording whose schema points at an address does not make the reader go there."""
    asked = []

    class Answering(BaseHTTPRequestHandler):
        def do_GET(self):
            asked.append(self.path)
            self.send_response(200)
            self.end_headers()
            self.wfile.write(json.dumps({"type": "string"}).encode())

    with HTTPServer(("127.0.0.1", 0), Answering) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        schema = {"$ref": f"http://127.0.0.1:{server.server_port}/schema"}
        result = compliance(ToolCall(name="find", metadata=SERVER | {"input_schema": schema}))
        server.shutdown()
        thread.join()
    assert [] == asked
    assert ScoreStatus.FAILED is result.status
