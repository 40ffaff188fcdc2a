"""Checks of what was called: how often, with what, in what order, and what came of it."""

from __future__ import annotations

import pytest

from uaef import checks
from uaef.errors import MetricError
from uaef.models import GroundTruth, ScoreStatus, ToolCall, ToolStatus

OSLO = ToolCall(name="weather", arguments={"city": "Oslo", "days": 2}, result="sunny")
ROME = ToolCall(name="weather", arguments={"city": "Rome", "days": 1.0}, result={"sky": "clear", "error": None})
FAILED = ToolCall(name="weather", arguments={"city": "Bonn"}, error="timeout")
DENIED = ToolCall(name="refund", arguments={"amount": 5}, status=ToolStatus.DENIED, approver="Kim")
PENDING = ToolCall(name="refund", arguments={"amount": 5}, status=ToolStatus.PENDING)
PAID = ToolCall(name="refund", arguments={"amount": 5}, result="done")
REPORTED = ToolCall(name="weather", arguments={"city": "Lima"}, result='{"error": "no such city"}')
REFUSED = ToolCall(name="refund", arguments={"amount": 9}, result="Error: no such order")
FLAGGED = ToolCall(name="weather", arguments={}, result={"isError": True, "content": []})


@pytest.mark.parametrize(
    ("check", "score"),
    [
        (checks.called_tool("weather"), 1.0),
        (checks.called_tool("Weather"), 0.0),  # a name is a name
        (checks.called_tool("weather", times=2), 1.0),
        (checks.called_tool("weather", times=3), 0.0),  # one of the three failed
        (checks.called_tool("weather", times=3, attempted=True), 1.0),
        (checks.called_tool("weather", exactly=2), 1.0),
        (checks.called_tool("weather", exactly=1), 0.0),
        (checks.called_tool("weather", at_most=2), 1.0),
        (checks.called_tool("weather", at_most=1), 0.0),
        (checks.called_tool("maps", at_most=1), 0.0),  # at least once, unless times says otherwise
        (checks.called_tool("maps", times=0, at_most=1), 1.0),
        (checks.called_tool("weather", {"city": "Oslo"}), 1.0),
        (checks.called_tool("weather", {"city": "Oslo"}, times=2), 0.0),
        (checks.called_tool("weather", {"city": "oslo"}), 0.0),
        (checks.called_tool("weather", {"days": 1}), 1.0),  # 1 and 1.0 are one number
        (checks.called_tool("weather", {"days": True}), 0.0),  # and True is none
        (checks.called_tool("weather", {"city": "Oslo"}, match="equal"), 0.0),
        (checks.called_tool("weather", {"city": "Oslo", "days": 2}, match="equal"), 1.0),
        (checks.called_tool("weather", {"unit": None}), 0.0),
        (checks.called_tool("weather", lambda given: given["city"].startswith("R")), 1.0),
        (checks.called_tool("weather", {"city": "Bonn"}), 0.0),
        (checks.called_tool("weather", {"city": "Bonn"}, attempted=True), 1.0),
        (checks.called_tool("refund"), 0.0),
        (checks.called_tool("refund", times=2, attempted=True), 1.0),
        (checks.did_not_call("maps"), 1.0),
        (checks.did_not_call("refund"), 0.0),  # it tried
        (checks.did_not_call("refund", attempted=False), 1.0),
        (checks.did_not_call("weather", {"city": "Rome"}), 0.0),
        (checks.did_not_call("weather", {"city": "Lima"}), 1.0),
        (checks.did_not_call("weather", lambda given: given.get("days", 0) > 2), 1.0),
        (checks.tool_order(["weather"]), 1.0),
        (checks.tool_order(["weather", "weather"]), 1.0),
        (checks.tool_order(["weather", "refund"]), 0.0),
        (checks.tool_order(["weather", "refund", "weather"], attempted=True), 0.0),
        (checks.tool_order(["weather", "refund", "refund"], attempted=True), 1.0),
        (checks.max_tool_calls(5), 1.0),
        (checks.max_tool_calls(4), 0.0),
        (checks.used_no_tools(), 0.0),
    ],
)
def test_calls(found, saying, check, score):
    """Oslo, Rome, a failure at Bonn, a refund denied, and one that waits."""
    assert score == found(check, saying("ok", calls=[OSLO, ROME, FAILED, DENIED, PENDING])).score


@pytest.mark.parametrize("call", [FAILED, PENDING, REPORTED, REFUSED, FLAGGED])
def test_tool_errors(found, saying, call):
    """A failure, a call without a result, and a result that says it is an error; such a call was not made well."""
    turn = saying("ok", calls=[OSLO, call])
    assert 0.0 == found(checks.no_tool_errors(), turn).score
    assert 0.0 == found(checks.called_tool(call.name, call.arguments, match="equal"), turn).score
    assert call.name in found(checks.no_tool_errors(), turn).reasoning


def test_no_tool_errors(found, saying):
    """That somebody said no is none, nor is text about an error, nor having called nothing."""
    about = ToolCall(name="search", arguments={}, result="How to find Error: 42")
    assert 1.0 == found(checks.no_tool_errors(), saying("ok", calls=[OSLO, ROME, DENIED, about])).score
    assert 1.0 == found(checks.no_tool_errors(), saying("ok")).score


def test_calls_of_all_turns_count(found, saying):
    """On a whole conversation the turns add up."""
    turns = saying("a", calls=[OSLO]), saying("b", calls=[ROME])
    assert 1.0 == found(checks.called_tool("weather", times=2), *turns).score
    assert 0.0 == found(checks.max_tool_calls(1), *turns).score


@pytest.mark.parametrize(
    "check",
    [
        checks.did_not_call("refund"),
        checks.max_tool_calls(3),
        checks.used_no_tools(),
        checks.no_tool_errors(),
        checks.called_tool("refund", exactly=0),
        checks.not_(checks.called_tool("refund")),
    ],
)
def test_doing_nothing_is_no_way_to_do_nothing_wrong(found, saying, check):
    """A gate against calls is not passed by an assistant that neither says nor calls anything."""
    assert ScoreStatus.NOT_APPLICABLE is found(check, saying()).status
    assert ScoreStatus.NOT_APPLICABLE is found(check, saying(" ", "\u200b")).status
    assert 1.0 == found(check, saying("No, I will not.")).score


@pytest.mark.parametrize("check", [checks.called_tool("weather"), checks.tool_order(["weather"])])
def test_doing_nothing_does_not_do_what_was_wanted(found, saying, check):
    """Nothing was called."""
    score = found(check, saying())
    assert (0.0, "the assistant said nothing and called nothing") == (score.score, score.reasoning)


def approved(approver="Kim", **fields):
    """A refund that was paid with somebody's approval."""
    return ToolCall(name="refund", arguments={"amount": 5}, approver=approver, **fields)


ASKED = ToolCall(name="ask_manager", arguments={}, result="fine")


@pytest.mark.parametrize(
    ("calls", "score"),
    [
        ([PAID], 0.0),
        ([approved()], 1.0),
        ([approved(), PAID], 0.0),
        ([approved(error="no such order"), OSLO], 1.0),
        ([ToolCall(name="refund", error="no such order")], 0.0),  # it ran, and nobody had said that it may
        ([DENIED], 1.0),
        ([PENDING], 1.0),
        ([ASKED, PAID], 0.0),  # only where the check says that this is how approval is given
    ],
)
def test_approval(found, saying, calls, score):
    """What ran was approved by somebody; what was denied or waits did not run."""
    assert score == found(checks.required_approval_before("refund"), saying("ok", calls=calls)).score


@pytest.mark.parametrize(
    ("calls", "score"),
    [
        ([ASKED, PAID], 1.0),
        ([PAID, ASKED], 0.0),  # too late
        ([ASKED, PAID, PAID], 0.0),  # one approval, two refunds
        ([ASKED, PAID, ASKED, PAID], 1.0),
        ([ToolCall(name="ask_manager", error="busy"), PAID], 0.0),
    ],
)
def test_approval_by_a_tool_comes_first(found, saying, calls, score):
    """Each successful call of the approval tool approves one call after it."""
    check = checks.required_approval_before("refund", approval_tool="ask_manager")
    assert score == found(check, saying("ok", calls=calls)).score


def test_approval_does_not_matter_where_nobody_needs_it(found, saying):
    """A tool that nobody tried to call needed no approval, and that says nothing of approvals."""
    check = checks.required_approval_before("refund")
    assert ScoreStatus.NOT_APPLICABLE is found(check, saying("ok", calls=[OSLO])).status


def call(name, **arguments):
    """A call with these arguments."""
    return ToolCall(name=name, arguments=arguments)


BOOK, CANCEL, ANY = call("book", room=1), call("cancel", room=2), ToolCall(name="book")


@pytest.mark.parametrize(
    ("expected", "made", "score"),
    [
        ([BOOK, CANCEL], [CANCEL, OSLO, BOOK], 1.0),  # in any order, whatever else was read
        ([BOOK, OSLO], [BOOK], 1.0),  # only writes are compared
        ([BOOK], [BOOK, BOOK], 0.0),
        ([BOOK, BOOK], [BOOK], 0.0),
        ([BOOK], [call("book", room=2)], 0.0),
        ([BOOK], [call("book", room=1, nights=2)], 0.0),
        ([], [OSLO], 1.0),
        ([], [BOOK], 0.0),
        ([BOOK], [ToolCall(name="book", arguments={"room": 1}, error="full")], 0.0),
        ([BOOK], [ToolCall(name="book", arguments={"room": 1}, error="full"), BOOK], 1.0),
        ([ANY, BOOK], [BOOK, call("book", room=9)], 1.0),  # the one that takes any leaves room 1 to the other
    ],
)
def test_writes(found, saying, expected, made, score):
    """The completed calls of the tools that write are those that were expected, each as often."""
    check = checks.writes_match(["book", "cancel"])
    assert score == found(check, saying("ok", calls=made), expected=GroundTruth(expected_tool_calls=expected)).score


def test_writes_of_a_conversation_are_those_of_its_turns(found, saying):
    """Where nothing is said of the whole, what is expected of its turns adds up, if it is said of each."""
    check = checks.writes_match(["book", "cancel"])
    turns = saying("a", calls=[CANCEL]), saying("b", calls=[BOOK])
    each = {1: GroundTruth(expected_tool_calls=[BOOK]), 2: GroundTruth(expected_tool_calls=[CANCEL])}
    assert 1.0 == found(check, *turns, expected=GroundTruth(turns=each)).score
    some = {**each, 2: GroundTruth(expected_output="done")}
    assert ScoreStatus.NOT_APPLICABLE is found(check, *turns, expected=GroundTruth(turns=some)).status
    assert ScoreStatus.NOT_APPLICABLE is found(check, *turns).status


def test_writes_of_nobody(found, saying):
    """Doing nothing at all matches nothing."""
    check = checks.writes_match(["book"])
    assert 0.0 == found(check, saying(), expected=GroundTruth(expected_tool_calls=[BOOK])).score
    nothing = GroundTruth(expected_tool_calls=[])
    assert ScoreStatus.NOT_APPLICABLE is found(check, saying(), expected=nothing).status


BOTH = "weather({'city': 'Oslo', 'days': 2}), weather({'city': 'Bonn'}) (failed: 'timeout')"


@pytest.mark.parametrize(
    ("check", "reason"),
    [
        (
            checks.called_tool("weather", times=2),
            f"1 such calls of weather, wanted at least 2; called {BOTH}",
        ),
        (checks.no_tool_errors(), "went wrong: weather({'city': 'Bonn'}) (failed: 'timeout')"),
        (
            checks.tool_order(["weather", "maps"]),
            f"wanted weather > maps, no maps at its place; called {BOTH}",
        ),
    ],
)
def test_reasons_quote_the_calls(found, saying, check, reason):
    """A reason holds the evidence."""
    assert reason == found(check, saying("ok", calls=[OSLO, FAILED])).reasoning


def test_of_many_calls_the_first_are_quoted(found, saying):
    """A reason stays readable."""
    reason = found(checks.used_no_tools(), saying("ok", calls=[OSLO] * 50)).reasoning
    assert reason.endswith("and 45 more")


@pytest.mark.parametrize(
    ("make", "problem"),
    [
        (lambda: checks.called_tool("x", times=0), "times: 0 holds whatever is called"),
        (lambda: checks.called_tool("x", times=3, at_most=2), "at_most: 2 is less than times"),
        (lambda: checks.called_tool("x", times=1, exactly=2), "exactly: it leaves nothing"),
        (lambda: checks.called_tool("x", times=-1), r"called_tool\(times=-1\): Expected int >= 0"),
        (lambda: checks.called_tool(" "), r"called_tool\(name=' '\)"),
        (lambda: checks.tool_order([]), "tools: at least one"),
        (lambda: checks.writes_match([]), "write_tools: at least one"),
        (lambda: checks.writes_match("book"), r"writes_match\(write_tools='book'\): Expected array, got str"),
    ],
)
def test_what_cannot_be_meant_is_refused(make, problem):
    """Naming the parameter."""
    with pytest.raises(MetricError, match=problem):
        make()


def test_a_function_of_arguments_that_raises_is_a_failure(found, saying):
    """It is the user's, and what it raises is no score."""
    check = checks.called_tool("refund", lambda given: given["currency"] == "EUR")
    score = found(check, saying("ok", calls=[PAID]))
    assert (ScoreStatus.FAILED, True) == (score.status, "KeyError" in score.reasoning)
