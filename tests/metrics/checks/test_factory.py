"""What is common to all checks: arguments, keys, where they are measured."""

from __future__ import annotations

import inspect
import re

import pytest

from uaef import Conversation, checks, evaluate
from uaef.errors import MetricError, UnknownNameError
from uaef.metrics import tagged, whole
from uaef.metrics.checks import CHECKS
from uaef.testing import turn

TALK = Conversation.of([turn("a", "Oslo"), turn("b", "Rome", metadata={"tags": ["south"]})], name="talk")


def test_every_check_is_public():
    """Those of the catalogue and those of the module are the same, by the same names."""
    assert set(CHECKS) == set(checks.__all__)
    assert all(getattr(checks, name) is made for name, made in CHECKS.items())


@pytest.mark.parametrize("name", CHECKS)
def test_every_check_says_what_it_does(name):
    """In a sentence, without a line break."""
    made = CHECKS[name]
    assert made.description.startswith(("Whether ", "How much ", "What "))
    assert made.description.endswith(".") or name == "check"
    assert inspect.getdoc(made) == made.__doc__ or made.__doc__


@pytest.mark.parametrize(
    ("check", "key"),
    [
        (checks.includes("Oslo"), "includes('Oslo')"),
        (checks.includes(text="Oslo", ignore_case=True, where="all"), "includes('Oslo')"),
        (
            checks.includes("Oslo", ignore_case=False, where="final"),
            "includes('Oslo', ignore_case=False, where='final')",
        ),
        (checks.called_tool("x", {"a": 1}, times=2), "called_tool('x', {'a': 1}, times=2)"),
        (checks.tool_order(["a", "b"]), "tool_order(['a', 'b'])"),
        (checks.no_tool_errors(), "no_tool_errors()"),
        (checks.matches("a|b"), "matches('a|b')"),
        (checks.matches(re.compile("a")), "matches(re.compile('a', re.UNICODE))"),
    ],
)
def test_a_key_is_how_the_check_is_written(check, key):
    """Arguments that are the default are left out."""
    assert key == check.key


def test_other_arguments_make_another_check():
    """Each is measured, and shown by what it is; the same one is measured once."""
    metrics = [
        checks.includes("Oslo"),
        checks.includes("Rome"),
        checks.includes("oslo", ignore_case=False),
        checks.includes("Oslo", ignore_case=True),
        checks.includes("x" * 200 + "y"),
        checks.includes("x" * 200 + "z"),
        checks.matches(re.compile("x" * 300 + "y")),
        checks.matches(re.compile("x" * 300 + "z")),
        checks.numbers_match([1]),
        checks.numbers_match([1.0]),
    ]
    keys = [m.metric for m in evaluate(TALK[0], metrics=metrics).measurements]
    assert len(metrics) - 1 == len(keys) == len(set(keys))
    assert max(map(len, keys)) < 120


def test_the_place_of_use_says_where():
    """Each turn unless said otherwise."""
    check = checks.includes("Oslo")
    assert ["talk#1", "talk#2"] == [m.slice_name for m in evaluate(TALK, metrics=[check]).measurements]
    assert ["talk"] == [m.slice_name for m in evaluate(TALK, metrics=[check.on(whole)]).measurements]
    assert ["talk#2"] == [m.slice_name for m in evaluate(TALK, metrics=[check.on(tagged("south"))]).measurements]


def test_a_check_is_counted_in_its_dimension():
    """Checks are a dimension of their own, and a yes or no is marked as one."""
    measurement = evaluate(TALK[0], metrics=[checks.includes("Oslo")]).measurements[0]
    assert ("Checks", {"check": True}) == (measurement.dimension, measurement.score.metadata)
    assert "check" not in evaluate(TALK[0], metrics=[checks.similarity("Oslo")]).measurements[0].score.metadata


@pytest.mark.parametrize(
    ("make", "error", "problem"),
    [
        (lambda: checks.includes(5), MetricError, r"^includes\(text=5\): Expected str, got int$"),
        (checks.includes, MetricError, "^includes: missing a required argument: 'text'"),
        (lambda: checks.includes("a", "b"), MetricError, "^includes: too many positional arguments"),
        (lambda: checks.includes("a", ignorecase=True), UnknownNameError, "Did you mean 'ignore_case'"),
        (lambda: checks.includes("a", ignore_case="no"), MetricError, r"includes\(ignore_case='no'\): Expected bool"),
        (
            lambda: checks.includes("a", where="last"),
            MetricError,
            r"includes\(where='last'\): Invalid enum value 'last'",
        ),
        (lambda: checks.matches(5), MetricError, r"matches\(pattern=5\): Expected str, got int, or a pattern"),
        (
            lambda: checks.called_tool("a", 5),
            MetricError,
            r"called_tool\(arguments=5\): Expected object | null, got int",
        ),
        (lambda: checks.called_tool("a", times=1.5), MetricError, r"called_tool\(times=1.5\): Expected int | null"),
        (lambda: checks.similarity("a", mode="x"), MetricError, "Invalid enum value 'x'"),
        (lambda: checks.tool_order(["a", 5]), MetricError, r"Expected str, got int - at tools\[1\]"),
        (
            lambda: checks.includes("a").configured(text="b"),
            UnknownNameError,
            r"Unknown parameter of includes\('a'\) 'text'",
        ),
    ],
)
def test_wrong_arguments_are_refused_by_name(make, error, problem):
    """Naming the check, the parameter, and what it takes."""
    with pytest.raises(error, match=problem):
        make()
