"""One cell at a time: what is blank, what becomes text, what is refused and why."""

from __future__ import annotations

import datetime as dt
import json
import math

import pytest

from uaef.data import cells
from uaef.models import ToolCall


class NAType:
    """Stands where a pandas row has its missing value, which answers no question about itself."""

    def __eq__(self, other):
        raise TypeError

    __hash__ = None


@pytest.mark.parametrize("value", [None, "", "  \n\t", math.nan, NAType()])
def test_nothing_is_blank(value):
    """None, white space and missing values of a data frame are blank."""
    assert cells.is_blank(value)


@pytest.mark.parametrize("value", ["nan", "NaN", "None", "0", 0, False, [], 0.0])
def test_something_is_not_blank(value):
    """Typed text is never blank, nor are zero, false and an empty list."""
    assert not cells.is_blank(value)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("  as typed ", "  as typed "),
        (44192, "44192"),
        (44192.0, "44192"),
        (0.1 + 0.2, "0.3"),
        (12345678901234567, "12345678901234567"),
        (True, "true"),
        (False, "false"),
        (dt.datetime(2024, 5, 1), "2024-05-01"),  # noqa: DTZ001 - spreadsheets know no time zones
        (dt.datetime(2024, 5, 1, 9, 30), "2024-05-01T09:30:00"),  # noqa: DTZ001 - as above
        (dt.date(2024, 5, 1), "2024-05-01"),
        (dt.time(9, 30), "09:30:00"),
        (dt.timedelta(hours=30), "1 day, 6:00:00"),
    ],
)
def test_scalars_become_text(value, expected):
    """Numbers, dates and booleans become the text a person would write."""
    assert expected == cells.text(value)


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        (["a"], "must be text, got a list"),
        ({"a": 1}, "must be text, got an object"),
        (b"a", "must be text, got a bytes"),
    ],
)
def test_text_is_refused(value, reason):
    """A list or an object is no text."""
    with pytest.raises(cells.CellError) as caught:
        cells.text(value)
    assert reason == str(caught.value)


@pytest.mark.parametrize("value", [3, 3.0, "3", " 3 ", "3.0"])
def test_turn_numbers(value):
    """Every way in which files hold the number 3."""
    assert cells.turn_number(value) == 3


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("three", "'three'"),
        ("nan", "'nan'"),
        ("inf", "'inf'"),
        (1.5, "1.5"),
        (-1, "-1"),
        (True, "True"),
        ([1], "[1]"),
    ],
)
def test_turn_numbers_refused(value, shown):
    """A turn's number is whole and not negative."""
    with pytest.raises(cells.CellError) as caught:
        cells.turn_number(value)
    assert f"must be a whole number of at least 0, got {shown}" == str(caught.value)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("Rooms cost 90 a night.", ["Rooms cost 90 a night."]),
        (90, ["90"]),
        (["one", "two", "", None], ["one", "two"]),
        ('["one", "two"]', ["one", "two"]),
        ('[{"room": 7}]', ['[{"room": 7}]']),
        ("[see the price list]", ["[see the price list]"]),
        ([], []),
    ],
)
def test_documents(value, expected):
    """A list of texts stays a list, written as JSON too; any other text is one document."""
    assert expected == cells.documents(value)


def test_documents_refused():
    """A document is text."""
    with pytest.raises(cells.CellError, match=r"^must be text, got an object$"):
        cells.documents([{"room": 7}])


SEARCH = {"name": "search", "arguments": {"city": "Oslo"}}


@pytest.mark.parametrize(
    "call",
    [
        SEARCH,
        {"tool_name": "search", "parameters": {"city": "Oslo"}},
        {"tool_name": " search ", "arguments": {"city": "Oslo"}},
    ],
)
def test_spellings_of_a_call(call):
    """A call is the same in either spelling, as a list and as its JSON."""
    assert [SEARCH] == cells.expected_calls([call])
    assert [SEARCH] == cells.expected_calls(json.dumps([call]))


def test_call_objects():
    """Rows written by hand may hold real tool calls."""
    assert [SEARCH] == cells.expected_calls([ToolCall(name="search", arguments={"city": "Oslo"})])


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("[]", []),
        ([], []),
        ('["search"]', [{"name": "search"}]),
        ('[{"name": "search"}]', [{"name": "search"}]),
        ('[{"name": "search", "arguments": null}]', [{"name": "search"}]),
    ],
)
def test_calls_without_arguments(value, expected):
    """No call is expected, or one without arguments."""
    assert expected == cells.expected_calls(value)


HUGE = (
    "Exceeds the limit (4300 digits) for integer string conversion: value has 5000 digits; "
    "use sys.set_int_max_str_digits() to increase the limit"
)
_SHAPE = "a call has name (or tool_name) and arguments (or parameters)"
_WRITE = 'write calls as ["search", {"name": "book", "arguments": {"nights": 2}}], or [] for none'


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ("search", f"not JSON: Expecting value at character 1; {_WRITE}"),
        (
            "[{'name': 'search'}]",
            f"not JSON: Expecting property name enclosed in double quotes at character 3; {_WRITE}",
        ),
        ('[\n"a"\n"b"]', f"not JSON: Expecting ',' delimiter at line 3, character 1; {_WRITE}"),
        (
            "[" * 100_000,
            f"not JSON: nested too deeply; {_WRITE}",
        ),
        (f"[{'9' * 5000}]", f"not JSON: {HUGE}; {_WRITE}"),
        ('[{"name": "a", "name": "b"}]', f"not JSON: the key 'name' appears twice in one object; {_WRITE}"),
        ('{"name": "search"}', "must be a JSON array of calls, got an object"),
        ("null", "must be a JSON array of calls, got null"),
        (7, "must be a JSON array of calls, got a number (7)"),
        ('["search", 7]', "call 2: must be a name or an object, got a number (7)"),
        ('["search", ""]', f"call 2: no name; {_SHAPE}"),
        ('[{"arguments": {}}]', f"call 1: no name; {_SHAPE}"),
        ('[{"name": "search", "args": {}}]', f"call 1: unknown key 'args'; {_SHAPE}"),
        ('[{"name": "a", "tool_name": "b"}]', f"call 1: name is given twice; {_SHAPE}"),
        ('[{"name": "search", "arguments": "Oslo"}]', "call 1 (search): arguments must be an object, got text"),
    ],
)
def test_calls_refused(value, reason):
    """What is wrong with the cell is said, never taken for "no tools"."""
    with pytest.raises(cells.CellError) as caught:
        cells.expected_calls(value)
    assert reason == str(caught.value)
