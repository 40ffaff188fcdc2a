"""The report on a run: what broke, what was required, how it was played; and the run as JSON."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from uaef import checks, run_evals
from uaef.errors import DataError
from uaef.models import AgentTrace, Ask, Case, Message, ToolCall
from uaef.reporting.json import run_from_json, run_to_json
from uaef.reporting.runs import render_run


async def agent(text, *, history):
    """Says what it was asked, and how much came before."""
    return f"{text} after {len(history)}"


def shown(data, **options):
    """The report on a run as one line of words."""
    return " ".join(render_run(run_evals(data, agent, **options)).split())


def test_required_checks_are_one_column():
    """How many hold, turn by turn; each that does not is told with its evidence."""
    turns = [{"input": "a", "gates": [checks.includes("a"), checks.includes("z"), checks.max_words(9)]}]
    report = render_run(run_evals([{"turns": [*turns, {"input": "b", "gates": [checks.includes("b")]}]}], agent))
    lines = [line.split() for line in report.splitlines()]
    assert [">", "1", "2/3✗"] in lines
    assert ["2", "1/1"] in lines
    assert "turn 1 broke: includes('z') 0.00: does not say 'z'" in report


def test_what_is_only_measured_is_a_column_of_its_own():
    """A scorer is required by nobody."""
    report = shown([{"input": "a"}], scorers=[checks.includes("zzz"), "latency_score"])
    assert "checks" not in report
    assert "0.00✗" in report


def test_claims_of_several_conversations_are_told_where_they_were_not_met():
    """Each with its bound, its mean, how many have a score, and where it failed."""
    data = [{"input": "a", "id": "one"}, {"input": "b", "id": "two"}]
    scorers = [{"scorer": checks.includes("b"), "threshold": 0.5}]
    report = shown(data, gates=[checks.includes("after")], scorers=scorers)
    assert "includes('after') conversation gate >= 1 1.00 2" in report
    assert "includes('b') conversation threshold >= 0.5 0.50 2 one#1" in report


def test_many_claims_that_hold_are_not_listed():
    """A dataset of hundreds of checks is told by those that do not hold."""
    many = [{"input": "a", "id": f"c{i}"} for i in range(2)]
    gates = [checks.max_words(50 + i) for i in range(20)]
    assert "max_words(50)" not in shown(many, gates=gates)
    report = shown(many, gates=[*gates, checks.includes("zzz")])
    assert "includes('zzz') conversation gate >= 1 0.00 2 c0#1, c1#1" in report
    assert "max_words(50)" not in report


def test_how_it_was_played_is_told():
    """The agent, what it was shown, the trials."""
    data = [{"inputs": ["a", "b"]}]
    gates = [checks.includes("a")]
    assert "(agent agent; history: thread)" in shown(data, gates=gates)
    assert "history: actual; 3 trials, all must hold" in shown(data, gates=gates, history="actual", repeat=3)
    assert "2 trials, any decides" in shown(data, gates=gates, repeat=2, trials="any")


def test_cascades_are_told():
    """Which turn fails by itself, and which because of an earlier one."""

    async def copies(_, *, history):
        return history[-1]["content"] if history else "wrong"

    case = Case(
        case_id="c",
        asks=[Ask(user="a", reply="right"), Ask(user="b", reply="right")],
        claims=[{"name": "includes", "arguments": {"": "right"}, "kind": "gate", "scope": "each_turn"}],
    )
    report = " ".join(render_run(run_evals([case], copies, history="both")).split())
    assert "c#1 fails fails its own" in report
    assert "c#2 passes fails an earlier turn" in report


def test_warnings_of_the_run_are_told():
    """An agent without memory is one."""

    async def stateless(text):
        return text

    report = " ".join(render_run(run_evals([{"inputs": ["a", "b"]}], stateless, [checks.includes("a")])).split())
    assert "warning: The agent 'stateless' keeps no thread" in report


@given(st.text(min_size=1).filter(str.strip))
def test_what_an_agent_says_cannot_drive_the_terminal(text):
    """Control characters are shown, not obeyed; the report can be printed whatever was said."""

    async def says(_):
        return f"\x1b[31m{text}\x1b]8;;http://x\x07"

    report = render_run(run_evals([{"input": "a"}], says, gates=[checks.equals("never")]))
    assert "\x1b" not in report
    assert "\x07" not in report


@given(st.text(min_size=1).filter(str.strip))
def test_a_run_comes_back_from_json(text):
    """Every conversation, measurement and claim; whatever characters were said."""

    async def says(_):
        return text

    run = run_evals([{"input": text}], says, [checks.max_words(3)], [checks.includes("a")], repeat=2)
    again = run_from_json(run_to_json(run))
    assert json.loads(run_to_json(run)) == json.loads(run_to_json(again))
    assert run.claims == again.claims
    assert run.items[0].conversation == again.items[0].conversation


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{", "not valid JSON"),
        ("[]", "Expected an object with schema 'uaef.run/1' and an object run, got a list"),
        ('{"schema": "uaef.results/1", "results": []}', "got schema 'uaef.results/1'"),
        ('{"schema": "uaef.run/1", "run": {"verdict": "great"}}', "run: "),
    ],
)
def test_what_is_no_run_is_refused(text, words):
    """With what was expected."""
    with pytest.raises(DataError, match=words):
        run_from_json(text)


def test_an_agent_that_fails_is_told_once():
    """At the turn, with where it was raised; not again for every claim, gap and warning."""

    async def breaks(text, *, history):
        if text == "b":
            raise LookupError("no such order")
        return f"{text}{len(history)}"

    gates = [checks.includes("a"), checks.max_words(3), checks.excludes("z"), checks.json_valid()]
    report = render_run(run_evals([{"inputs": ["a", "b", "c"]}], breaks, gates=gates))
    assert 1 == report.count("no such order")
    assert "turn 2 broke: the agent failed: LookupError: no such order (test_runs.py:" in " ".join(report.split())


def test_a_number_above_its_bound_is_as_bad_as_one_below():
    """A threshold has two ends."""
    scorers = [{"scorer": checks.includes("a"), "threshold": {"min": 0.2, "max": 0.8}}]
    report = render_run(run_evals([{"input": "a"}, {"input": "b"}], agent, scorers))
    assert "0/1✗" in report
    assert "0.2 to 0.8" in report


def test_the_verdict_of_trials_is_not_that_of_each():
    """Two of three hold, which a majority makes of them; the report says both, and which trial is which."""
    answers = iter(["a", "b", "a"])

    async def moody(_):
        return next(answers)

    run = run_evals([{"input": "q"}], moody, gates=[checks.includes("a")], repeat=3, trials="majority", concurrency=1)
    report = render_run(run)
    assert "item-0 (trial 2)  FAILED" in report
    assert report.endswith("verdict: PASSED\n")


def repeated_run(answers, repeat, **options):
    """The report on two turns that are answered so, trial after trial."""
    said = iter(answers)
    turns = [{"input": "q", "gates": [checks.includes("a")]}, {"input": "q", "gates": [checks.includes("a")]}]
    data = [{"id": "refund", "turns": turns}, {"id": "hours", "input": "q"}]
    options = {"history": "none", "concurrency": 1, "repeat": repeat, **options}
    return render_run(run_evals(data, lambda _: next(said), gates=[checks.max_words(3)], **options))


def test_trials_say_how_often_they_pass_and_which_turn_is_flaky():
    """By hand: refund passes in 1 of 2 trials, hours in both, so pass@1 is 3/4, pass@2 1 and pass^2 1/2."""
    report = repeated_run(["a", "a", "a", "b", "a", "a"], 2)
    assert "trials: pass@1 0.75, pass@2 1.00, pass^2 0.50 of 2 conversations; flaky: refund#2 (1 of 2)\n" in report


def test_without_trials_nothing_is_said_of_them():
    """Nor are turns flaky that always pass, or never."""
    assert "trials:" not in repeated_run(["a", "b", "a"], 1)
    assert "flaky" not in repeated_run(["a", "b", "a", "b", "a", "a"], 2)


@pytest.mark.parametrize("kind", ["huge", "deep", "circular"])
def test_odd_data_of_an_agent_can_be_written(kind):
    """What no JSON holds is cut or spelt otherwise; the run is not lost for it."""
    deep = []
    for _ in range(20_000):
        deep = [deep]
    circle = {}
    circle["self"] = circle
    value = {"huge": 10**5000, "deep": deep, "circular": circle}[kind]

    async def odd(text):
        return AgentTrace(
            messages=[
                Message(role="user", content=text),
                Message(role="assistant", content="ok", tool_calls=[ToolCall(name="t", arguments={"x": value})]),
            ]
        )

    run = run_evals([{"input": "a"}], odd, gates=[checks.called_tool("t")])
    assert "passed" == run_from_json(run_to_json(run)).verdict
