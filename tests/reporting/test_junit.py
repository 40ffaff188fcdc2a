"""JUnit XML: what every dashboard reads has to agree with the exit code, and to be XML whatever was said."""

from __future__ import annotations

import math
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.reporting.played import SUN, answered, every_outcome, idle, outage, ruled
from tests.runs.weather import says

from uaef import checks, metric, run_evals
from uaef.cli.run_exits import run_exit_code
from uaef.evaluation.offline import failed_result
from uaef.models import Ask, Case
from uaef.models.base import replaced
from uaef.models.case import ClaimKind, NamedClaim
from uaef.reporting.junit import junit_xml

# What the schema of Jenkins allows, which GitLab, GitHub's actions and the others read.
ALLOWED = {
    "testsuites": ({"name", "tests", "failures", "errors", "disabled", "time"}, {"testsuite"}),
    "testsuite": (
        {"name", "tests", "failures", "errors", "skipped", "disabled", "time", "timestamp", "hostname", "id"},
        {"properties", "testcase", "system-out", "system-err"},
    ),
    "properties": (set(), {"property"}),
    "property": ({"name", "value"}, set()),
    "testcase": (
        {"name", "classname", "time", "status", "assertions"},
        {"skipped", "error", "failure", "system-out", "system-err"},
    ),
    "failure": ({"type", "message"}, set()),
    "error": ({"type", "message"}, set()),
    "skipped": ({"type", "message"}, set()),
    "system-out": (set(), set()),
}
NEEDED = {"testsuite": {"name", "tests"}, "testcase": {"name", "classname"}, "property": {"name", "value"}}
ANYTHING = st.text(st.characters(codec=None), min_size=1)
VALUES = st.sampled_from([1.0, 0.0, None, ConnectionError("away")])


def parsed(run, **options):
    """The document of a run, checked against what the schema allows, its counts included."""
    text = junit_xml(run, **options)
    root = ET.fromstring(text.encode("utf-8"))  # noqa: S314 - our own document
    assert "testsuites" == root.tag
    for element in root.iter():
        attributes, children = ALLOWED[element.tag]
        assert attributes >= element.attrib.keys() >= NEEDED.get(element.tag, set())
        assert children >= {child.tag for child in element}
        if "time" in element.attrib:
            assert 0 <= float(element.get("time")) < math.inf
    for suite in root:
        cases = suite.findall("testcase")
        assert len(cases) == int(suite.get("tests")) == len({(c.get("classname"), c.get("name")) for c in cases})
        for count, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
            assert len(suite.findall(f"testcase/{tag}")) == int(suite.get(count))
    for count in ("tests", "failures", "errors"):
        assert int(root.get(count)) == sum(int(suite.get(count)) for suite in root)
    return root


def states(root):
    """What became of each case: the tags below it that say so."""
    return {
        case.get("name"): next((c.tag for c in case if c.tag != "system-out"), "passed")
        for case in root.iter("testcase")
    }


def test_a_suite_is_a_conversation_and_a_case_a_turn():
    """Turns, then the claims on the whole by themselves, each with what became of it."""
    root = parsed(every_outcome())
    assert ["good", "bad", "low", "open", "down"] == [suite.get("name") for suite in root]
    whole = "excludes('snow') (gate)"
    assert {
        "good#1": "passed",
        "good#2": "skipped",
        f"good: {whole}": "passed",
        "bad#1": "passed",
        "bad#2": "failure",
        f"bad: {whole}": "passed",
        "low#1": "passed",
        f"low: {whole}": "passed",
        "open#1": "error",
        f"open: {whole}": "passed",
        "down#1": "failure",
        "down#2": "failure",
        f"down: {whole}": "failure",
    } == states(root)


def test_a_failure_carries_its_reason_and_its_evidence():
    """The message is the reason, the type the check; the text has question and answer too."""
    root = parsed(every_outcome())
    failure = root.find(".//testcase[@name='bad#2']/failure")
    assert "includes" == failure.get("type")
    assert "includes('sun'): does not say 'sun'; it said 'rain'" == failure.get("message")
    assert failure.text.endswith("user: fail\nassistant: rain")
    assert "the judge is away" in root.find(".//testcase[@name='open#1']/error").get("message")
    assert "OSError: no line" in root.find(".//testcase[@name='down#1']/failure").text


def test_a_missed_threshold_is_a_failure_only_if_the_run_is_strict():
    """As for the exit code; where it is none, the case says that it was missed."""
    run = every_outcome()
    case = parsed(run).find(".//testcase[@name='low#1']")
    assert "a threshold that was missed" in case.find("system-out").text
    assert "failure" == states(parsed(run, strict=True))["low#1"]


def test_what_does_not_apply_is_skipped():
    """With the reason; it is neither passed nor failed."""
    root = parsed(run_evals([{"id": "c", "inputs": ["a", "b"]}], says("x", "y"), gates=[idle]))
    case = root.find(".//testcase[@name='c: idle (gate)']/skipped")
    assert "does not apply: idle: the metric found nothing to measure" == case.get("message")


def test_a_claim_measured_turn_by_turn_names_each_turn_that_breaks_it():
    """A conversation's claim with a scope: each turn has what was found there, and the claim is a case too."""
    claim = NamedClaim(name="includes", arguments={"": "sun"}, kind=ClaimKind.GATE, scope="each_turn")
    case = Case(case_id="c", asks=[Ask(user="a"), Ask(user="b"), Ask(user="c")], claims=[claim])
    root = parsed(run_evals([case], says("rain", "sun", "hail"), history="none"))
    whole = "c: includes('sun') (gate)"
    assert {"c#1": "failure", "c#2": "passed", "c#3": "failure", whole: "failure"} == states(root)
    assert "it said 'rain'" in root.find(".//testcase[@name='c#1']/failure").get("message")
    assert "it said 'hail'" in root.find(".//testcase[@name='c#3']/failure").get("message")
    assert "(broken by turns 1, 3)" in root.find(f'.//testcase[@name="{whole}"]/failure').get("message")


@pytest.mark.parametrize(
    ("trials", "expected"),
    [
        ("all", ["passed", "failure", "passed"]),
        ("majority", ["passed", "passed", "passed"]),
        ("any", ["passed", "passed", "passed"]),
    ],
)
def test_a_trial_fails_only_where_the_trials_together_do(trials, expected):
    """Each trial has a suite of its own; one that does not count says so."""
    answers = iter(["sun", "rain", "sun"])

    async def agent(_):
        return next(answers)

    turns = [{"input": "a", "gates": [SUN]}]
    root = parsed(run_evals([{"id": "c", "turns": turns}], agent, repeat=3, trials=trials))
    assert ["c [trial 1]", "c [trial 2]", "c [trial 3]"] == [suite.get("name") for suite in root]
    assert expected == [
        next((e.tag for e in case if e.tag != "system-out"), "passed") for case in root.iter("testcase")
    ]
    told = [case.findtext("system-out", "") for case in root.iter("testcase")]
    assert (trials != "all") is ("missed in this trial alone, met over all trials" in told[1])


def test_the_same_claim_twice_is_two_cases():
    """Dashboards tell cases apart by their names."""
    twice = [checks.excludes("snow"), checks.excludes("snow")]
    root = parsed(run_evals([{"id": "c", "inputs": ["a", "b"]}], says("x", "y"), gates=twice))
    assert ["c: excludes('snow') (gate)", "c: excludes('snow') (gate) (2)"] == list(states(root))[2:]


def test_what_could_not_be_evaluated_is_an_error():
    """A conversation without a transcript is a case of its own."""
    lost = failed_result({"session_id": "c"}, OSError("gone"))
    root = parsed(replaced(every_outcome(), items=[lost], n_planned=1))
    assert {"c": "error"} == states(root)
    assert "not_evaluated" == root.find(".//error").get("type")


def test_a_run_that_was_interrupted_is_an_error():
    """What was not played is not green: a suite of its own says how much that is."""
    root = parsed(replaced(answered("sun"), n_planned=3))
    assert ["c", "interrupted"] == [suite.get("name") for suite in root]
    assert "2 of 3 conversations were not played" in root.find(".//testcase[@classname='interrupted']/error").get(
        "message"
    )


@given(said=ANYTHING, asked=ANYTHING.filter(str.strip), name=ANYTHING.filter(lambda t: t.strip() and "#" not in t))
def test_whatever_was_said_it_is_xml(said, asked, name):
    """Control characters, half surrogates and noncharacters become escapes that can be read."""
    root = parsed(answered(said, question=asked, name=name))
    shown = "".join(root.itertext())
    assert not any(c in shown for c in "\x00\x0b\x1b\u202e\ufffe\uffff")


def test_forbidden_characters_are_shown_as_escapes():
    """They are not dropped: what was said can be told from the file."""
    text = junit_xml(answered("a\x00b\x1bc\ud800d\uffffe\u202ef<&\"'>"))
    assert r"assistant: a\x00b\x1bc\ud800d\uffffe\u202ef&lt;&amp;" in text


def test_a_long_answer_is_cut():
    """A file for a dashboard does not grow with what an agent says."""
    assert len(junit_xml(answered("x" * 1_000_000, "y" * 1_000_000))) < 20_000


@settings(max_examples=60)
@given(gates=st.lists(VALUES, min_size=1, max_size=4), bounded=st.lists(VALUES, max_size=2), strict=st.booleans())
def test_failures_and_errors_agree_with_the_exit_code(gates, bounded, strict):
    """There is a failure where the exit code is 1; an error and no failure where it is 3, unless all is idle."""

    def giving(number, value):
        @metric(name=f"m{number}")
        def given_metric(_):
            if isinstance(value, Exception):
                raise value
            return value

        return given_metric

    turns = [{"input": "a", "gates": [giving(n, value)]} for n, value in enumerate(gates)]
    scorers = [{"scorer": giving(f"t{n}", value), "threshold": 0.5} for n, value in enumerate(bounded)]
    run = run_evals([{"id": "c", "turns": turns}], says(*"abcd"), scorers=scorers)
    root = parsed(run, strict=strict)
    failures, errors, idle_ones = (int(root.get("failures")), int(root.get("errors")), run.verdict is None)
    expected = 1 if failures else 3 if errors or idle_ones else 0
    assert expected == run_exit_code(run, (), strict=strict)


def test_an_outage_is_no_failure():
    """A judge that is away makes errors alone."""
    root = parsed(run_evals([{"id": "c", "inputs": ["a", "b"]}], says("x", "y"), gates=[outage]))
    assert ("0", "1") == (root.get("failures"), root.get("errors"))


def test_each_rule_of_the_gate_is_a_case():
    """A run that exits 1 by a rule has a failure; what was not decided is an error, with why and by what."""
    root = parsed(answered("sun"), gate=ruled("missed", "unmeasured", "not_applicable", "met"))
    suite = root[-1]
    assert ("uaef gate", "4", "1", "1", "1") == tuple(
        suite.get(key) for key in ("name", "tests", "failures", "errors", "skipped")
    )
    assert ("1", "1") == (root.get("failures"), root.get("errors"))
    assert ["pass_rate 1", "pass_rate 2", "pass_rate 3", "pass_rate 4"] == [c.get("name") for c in suite]
    assert ["failure", "error", "skipped", "system-out"] == [case[0].tag for case in suite]
    assert "gate" == suite[0][0].get("type")
    assert suite[0][0].get("message").startswith("too few")
    assert "a fell" in suite[0][0].text
    assert suite[2][0].get("message").startswith("too few")
    assert suite[3][0].text.startswith("too few")


def test_without_rules_there_is_no_suite_for_them():
    """Neither where nothing was asked, nor of an empty gate."""
    assert ["c"] == [suite.get("name") for suite in parsed(answered("sun"), gate=ruled())]
    assert ["c"] == [suite.get("name") for suite in parsed(answered("sun"))]


@pytest.mark.parametrize("name", ["uaef gate", "pass_rate 1"])
def test_rules_and_conversations_may_share_a_name(name):
    """All of them are there."""
    root = parsed(answered("rain", name=name), gate=ruled("missed", "missed", rule=name.rpartition(" ")[0]))
    assert "3" == root.get("failures")
