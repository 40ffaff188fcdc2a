"""Gates, thresholds and what they come to: over conversations, turns, trials, failures."""

from __future__ import annotations

import asyncio
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.runs.weather import says

from uaef import Threshold, arun_evals, checks, metric, run_evals
from uaef.cli.run_exits import run_exit_code
from uaef.errors import EvalConfigError
from uaef.metrics import each_turn
from uaef.models import Ask, Case, MetricScore
from uaef.reporting.outcomes import outcomes
from uaef.testing import ScriptedJudge

HI = checks.includes("hi")


def scoring(*values):
    """A metric that gives these values conversation by conversation; an exception is raised."""

    @metric
    def scored(window):
        value = values[int(window.conversation_id.removeprefix("item-"))]
        if isinstance(value, Exception):
            raise value
        return value

    return scored


def run(values, **options):
    """The run of as many conversations of one turn as there are values."""
    data = [{"input": "a"} for _ in values]
    return run_evals(data, says("b"), **options)


def gated(*values):
    """The run that is gated by these values."""
    return run(values, gates=[scoring(*values)])


def bounded(bound, *values):
    """The run in which these values have to lie within a bound."""
    return run(values, scorers=[{"scorer": scoring(*values), "threshold": bound}])


# --- one claim ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("values", "verdict"),
    [
        ([1.0], "passed"),
        ([math.nextafter(1, 0)], "failed"),
        ([1.0, 0.999999], "failed"),
        ([2, 0], "failed"),
        ([math.nan], "failed"),
        (["1"], "failed"),
        ([RuntimeError("broken")], "failed"),
        ([1.0, None], None),
        ([None, None], None),
    ],
)
def test_gates(values, verdict):
    """A gate holds in every conversation: values outside [0, 1] are no scores, and two never make one."""
    assert verdict == gated(*values).verdict


@pytest.mark.parametrize(
    ("bound", "values", "verdict"),
    [
        (0.5, [0.5], "passed"),
        (0.5, [0.4999999], "scored"),
        (0.6, [0.2, 1.0], "scored"),
        ({"min": 0.2, "max": 0.8}, [0.2, 0.8], "passed"),
        ({"min": 0.2, "max": 0.8}, [0.81], "scored"),
        ({"max": 0.0}, [0.0], "passed"),
        ({"max": 0.3}, [1.0], "scored"),
        (0.0, [RuntimeError("broken")], "scored"),
        (0.5, [None], None),
    ],
)
def test_thresholds(bound, values, verdict):
    """Bounds are inclusive, and a conversation that misses them is not averaged away by another."""
    assert verdict == bounded(bound, *values).verdict


def test_nothing_claimed_is_no_verdict():
    """Bare scorers are shown; a run of zeros is not a pass, and not a failure either."""
    result = run([0.0, 0.0], scorers=[scoring(0.0, 0.0)])
    assert (None, {"scored": 0.0}, []) == (result.verdict, result.scores, result.claims)


def test_a_threshold_object_is_a_threshold():
    """The same with names that say what they mean."""
    result = run([0.4], scorers=[Threshold(scoring(0.4), at_least=0.2, at_most=0.5)])
    assert ("passed", 0.2, 0.5) == (
        result.verdict,
        result.threshold_results[0].at_least,
        result.threshold_results[0].at_most,
    )


def test_a_missed_claim_names_conversations_and_turns():
    """Where it failed, and why, with what the check found."""
    turns = [{"turns": [{"input": "a"}, {"input": "b", "gates": [HI]}]}]
    broken = run_evals(turns, says("hi", "ho"))
    assert ["item-0#2"] == broken.turn_results[1].gate_results[0].failed_in
    assert ["turn 2: includes('hi'): does not say 'hi'; it said 'ho'"] == broken.items[0].failures


# --- turns ----------------------------------------------------------------------------


def test_conversations_are_not_averaged_by_turn_index():
    """0.2 and 1.0 against 0.6 used to be 0.6: passed, although one conversation is broken."""
    turns = [{"turns": [{"input": "a", "scorers": [{"scorer": scoring(0.2, 1.0), "threshold": 0.6}]}]}] * 2
    result = run_evals(turns, says("b"))
    assert "scored" == result.verdict
    assert (False, 0.6, ["item-0"]) == (
        result.turn_results[0].passed,
        result.turn_results[0].threshold_results[0].score,
        result.turn_results[0].threshold_results[0].failed_in,
    )


@pytest.mark.parametrize("slow", ["first", "second"])
def test_each_conversation_has_its_own_bound_whatever_the_timing(slow):
    """Two bounds for one check at one index: the first to arrive used to be laid on both."""

    async def agent(text):
        await asyncio.sleep(0.02 * (text == slow))
        return "b"

    def turns(text, bound):
        return {"turns": [{"input": text, "scorers": [{"scorer": scoring(0.5, 0.5), "threshold": bound}]}]}

    result = run_evals([turns("first", 0.1), turns("second", 1.0)], agent, concurrency=2)
    assert "scored" == result.verdict
    assert [["item-1"], []] == sorted(
        (claim.failed_in for claim in result.turn_results[0].threshold_results), reverse=True
    )


# --- failures -------------------------------------------------------------------------


def test_a_failing_agent_costs_its_own_conversation_and_nothing_else():
    """The claims at or after the turn are missed, what was measured before it is kept, and the others go on."""

    async def agent(text):
        if text == "boom":
            raise ConnectionError("the line is dead")
        return "hi"

    turns = [{"input": text, "gates": [HI]} for text in ("a", "boom", "c")]
    result = run_evals([{"turns": turns}, {"input": "a"}], agent, gates=[checks.max_words(10)])
    first, second = result.items
    assert ("failed", "failed", "passed") == (result.verdict, first.verdict, second.verdict)
    assert [1.0, None, None] == [m.score.score for m in first.measurements if m.metric == HI.key]
    assert 2 == first.broken_turn
    assert ["item-0#2", "item-0#3"] == [text.partition(":")[0] for text in first.errors]
    assert "ConnectionError: the line is dead" in first.errors[0]
    assert [["item-0#2"], ["item-0#3"]] == [turn.gate_results[0].failed_in for turn in result.turn_results[1:]]


def test_a_check_that_raises_is_neither_zero_nor_a_pass():
    """Its claim is undecided, and the run says so."""
    result = gated(RuntimeError("no idea"))
    (claim,) = result.claims
    assert ("unmeasured", None) == (claim.decision, claim.score)
    assert ["item-0: scored: scored raised RuntimeError: no idea"] == result.items[0].errors
    assert (0, 1) == (result.summary.scored, result.summary.failed)


def test_a_judge_that_fails_leaves_its_gate_open():
    """An outage is not a fail of the agent, and never a pass."""
    judge = ScriptedJudge({"answer_relevance": ConnectionError("down")})
    result = run_evals([{"input": "a"}], says("b"), gates=["answer_relevance"], judge=judge)
    assert ("failed", "unmeasured") == (result.verdict, result.claims[0].decision)


def test_without_a_judge_its_gate_is_open_and_says_how_to_get_one(monkeypatch):
    """Nobody is picked in silence."""
    monkeypatch.delenv("UAEF_JUDGE", raising=False)
    result = run_evals([{"input": "a"}], says("b"), gates=["answer_relevance"], judge="none")
    assert "unmeasured" == result.claims[0].decision
    assert "judge=" in result.claims[0].reason


def test_a_missed_gate_is_missed_even_if_something_else_failed():
    """What was measured decides, where it can."""
    result = run_evals([{"input": "a"}, {"input": "b"}], says("b"), gates=[scoring(RuntimeError("x"), 0.0)])
    assert ["unmeasured", "missed"] == [claim.decision for claim in result.claims]


def test_what_was_given_on_completion_survives():
    """Each result is handed over once, in the order in which they are ready."""
    seen = []
    result = run_evals(
        [{"input": "a"}, {"input": "b"}], says("hi"), gates=[HI], on_item_complete=lambda r: seen.append(r.name)
    )
    assert ["item-0", "item-1"] == sorted(seen) == [item.name for item in result.items]


def test_what_the_callback_raises_loses_no_result(caplog):
    """The run goes on, and says so; its results are more than the failure of whoever watches."""

    def refuse(result):
        raise LookupError(result.name)

    result = run_evals([{"input": "a"}, {"input": "b"}], says("hi"), gates=[HI], on_item_complete=refuse)
    assert ("passed", 2) == (result.verdict, len(result.items))
    assert ["item-0", "item-1"] == sorted(text.split("'")[1] for text in result.warnings)
    assert "LookupError" in caplog.text


def test_an_awaitable_callback_is_awaited():
    """In the asynchronous form and in the other."""
    seen = []

    async def note(result):
        await asyncio.sleep(0)
        seen.append(result.name)

    asyncio.run(arun_evals([{"input": "a"}], says("hi"), gates=[HI], on_item_complete=note))
    assert ["item-0"] == seen


# --- trials ---------------------------------------------------------------------------


def moody(*moods):
    """An agent that says "hi" in some trials."""
    left = iter(moods)

    async def agent(_):
        return "hi" if next(left) else "ho"

    return agent


@pytest.mark.parametrize(
    ("moods", "trials", "verdict"),
    [
        ([1, 1, 1], "all", "passed"),
        ([1, 0, 1], "all", "failed"),
        ([1, 0, 1], "majority", "passed"),
        ([1, 0, 0], "majority", "failed"),
        ([1, 0], "majority", "failed"),
        ([0, 0, 1], "any", "passed"),
        ([0, 0, 0], "any", "failed"),
    ],
)
def test_gates_over_trials(moods, trials, verdict):
    """Every trial must hold, unless something else is asked for; each trial is a result of its own."""
    result = run_evals([{"input": "a"}], moody(*moods), gates=[HI], repeat=len(moods), trials=trials, concurrency=1)
    assert verdict == result.verdict
    assert [float(mood) for mood in moods] == [item.measurements[0].score.score for item in result.items]
    assert list(range(len(moods))) == [item.trial for item in result.items]


@pytest.mark.parametrize(("moods", "verdict"), [([1, 1, 0, 1], "passed"), ([1, 0, 0, 1], "scored")])
def test_thresholds_over_trials_take_the_mean(moods, verdict):
    """Three of four reach 0.75."""
    scorers = [{"scorer": HI, "threshold": 0.75}]
    result = run_evals([{"input": "a"}], moody(*moods), scorers, repeat=4, concurrency=1)
    assert verdict == result.verdict
    assert sum(moods) / 4 == result.claims[0].score


# --- laws -----------------------------------------------------------------------------

VALUES = st.lists(st.sampled_from([0.0, 0.3, 0.5, 1.0, None, RuntimeError("x")]), min_size=1, max_size=4)
ORDER = {"failed": 0, "scored": 1, None: 2, "passed": 3}


@given(VALUES, st.sampled_from(["gates", "scorers"]))
def test_one_more_failure_never_raises_a_verdict(values, kind):
    """Whatever is there already, a conversation that fails makes it no better."""

    def verdict(values):
        found = gated(*values) if kind == "gates" else bounded(0.4, *values)
        return ORDER[found.verdict]

    assert verdict([*values, 0.0]) <= verdict(values)
    assert verdict([*values, RuntimeError("y")]) <= verdict(values)


@given(VALUES)
def test_counts_add_up(values):
    """Every measurement is scored, not applicable or failed, and n says how many have a score."""
    result = gated(*values)
    summary = result.summary
    assert len(values) == summary.scored + summary.not_applicable + summary.failed == summary.n
    assert summary.scored == result.gate_results[0].n


def test_a_single_turn_is_a_conversation_of_one():
    """`input`, `inputs` of one and `turns` of one measure alike."""
    forms = [{"input": "a"}, {"inputs": ["a"]}, {"turns": [{"input": "a"}]}]
    result = run_evals(forms, says("hi there"), [checks.max_words(1), "latency_score"], [HI])
    found = [[(m.metric, m.score.score, m.turns, m.whole) for m in item.measurements] for item in result.items]
    assert found[0] == found[1] == found[2]


def test_a_metric_score_of_its_own_is_kept():
    """What a check says in its metadata reaches the measurement."""

    def noted(window):
        return MetricScore(metric_name="noted", score=1.0, metadata={"why": window.name})

    result = run_evals([{"input": "a", "id": "refund"}], says("b"), gates=[checks.check(noted)])
    assert "refund" == result.measurements[0].score.metadata["why"]


# --- what must never pass -------------------------------------------------------------


def test_a_task_that_cancels_itself_is_no_conversation_less():
    """It used to vanish, and the rest passed."""

    async def agent(text):
        if text == "b":
            asyncio.current_task().cancel()
            await asyncio.sleep(0)
        return "hi"

    for concurrency in (1, 2):
        result = run_evals([{"input": text} for text in "abcd"], agent, gates=[HI], concurrency=concurrency)
        assert ("failed", 4) == (result.verdict, len(result.items))
        assert ["passed", "failed", "passed", "passed"] == [item.verdict for item in result.items]


@pytest.mark.parametrize("repeat", [1, 2, 3])
def test_a_threshold_on_turns_at_which_the_agent_fails_is_missed_in_every_number_of_trials(repeat):
    """What happened to score elsewhere does not make up for it."""

    async def agent(text):
        if text == "two":
            raise ValueError(text)
        return "hi"

    case = Case(
        case_id="c",
        asks=[Ask(user="one", reply="hi"), Ask(user="two")],
        claims=[
            {"name": "includes", "arguments": {"": "hi"}, "kind": "threshold", "at_least": 0.5, "scope": "each_turn"}
        ],
    )
    run = run_evals([case], agent, repeat=repeat)
    assert ["missed"] == [claim.decision for claim in run.claims]
    assert "failed" == run.verdict


@pytest.mark.parametrize(("history", "decision"), [("thread", "missed"), ("actual", "missed"), ("expected", "met")])
def test_a_claim_after_the_agent_failed_is_missed_where_its_turn_builds_on_that(history, decision):
    """Along the expected conversation a turn stands by itself; the conversation has failed whichever it is."""

    async def agent(text, *, history):
        if text == "one":
            raise ValueError(len(history))
        return "hi"

    case = Case(
        case_id="c",
        asks=[
            Ask(user="one", reply="hi"),
            Ask(user="two", claims=[{"name": "includes", "arguments": {"": "hi"}, "kind": "gate"}]),
        ],
    )
    result = run_evals([case], agent, history=history, on_turn_failure="continue")
    assert [decision] == [claim.decision for claim in result.claims]
    assert "failed" == result.verdict


@pytest.mark.parametrize(
    ("trials", "fails", "verdict"),
    [("all", 1, "failed"), ("majority", 1, "passed"), ("majority", 2, "failed"), ("any", 2, "passed")],
)
def test_an_agent_that_fails_where_nothing_is_required_has_failed(trials, fails, verdict):
    """In so many of three trials; a crash is no answer, and as few trials may have one as may miss a gate."""
    left = iter([True] * fails + [False] * 3)

    def agent(text):
        if text == "two" and next(left):
            raise OSError("no line")
        return "hi"

    turns = [{"input": "one", "gates": [HI]}, {"input": "two"}]
    run = run_evals([{"turns": turns}], agent, repeat=3, trials=trials, concurrency=1, history="none")
    assert verdict == run.verdict
    assert [False] * fails + [True] * (3 - fails) == [item.passed for item in run.items]
    assert ["met"] == [claim.decision for claim in run.claims]
    assert run_exit_code(run, (), strict=False) == (verdict == "failed")
    broken = [o.decision == "missed" for each in outcomes(run) for o in each.all]
    assert any(broken) == (verdict == "failed")


@pytest.mark.parametrize(("trials", "verdict"), [("all", None), ("majority", None), ("any", "passed")])
def test_trials_in_which_a_gate_does_not_apply_do_not_meet_it(trials, verdict):
    """Silent four times out of five is no agent that never says the forbidden word."""
    answers = iter(["fine", "", "", "", ""])

    async def agent(_):
        return next(answers)

    result = run_evals(
        [{"input": "a"}], agent, gates=[checks.excludes("bad")], repeat=5, concurrency=1, trials=trials
    )
    assert verdict == result.verdict


def test_a_trial_that_could_not_be_evaluated_leaves_its_claims_open():
    """And hides no gate that another trial missed."""
    broken = iter([False, True])

    @metric
    def odd(_):
        return True

    def scope(outline):
        return [(0, 9)] if next(broken) else [(0, len(outline))]

    result = run_evals([{"input": "a"}], says("hi"), gates=[odd.on(scope)], repeat=2, concurrency=1)
    assert "failed" == result.verdict
    assert {"unmeasured"} == {claim.decision for claim in result.claims}


def test_trials_are_averaged_before_conversations():
    """Three trials of one conversation do not outweigh the other."""
    weights = {"a": 1.0, "b": 0.0}
    cases = [Case(case_id=name, asks=[Ask(user=name)], repeat=times) for name, times in (("a", 3), ("b", 1))]

    @metric
    def weight(window):
        return weights[window.question]

    result = run_evals(cases, says("hi"), [{"scorer": weight, "threshold": 0.5}])
    (threshold,) = result.threshold_results
    assert (0.5, 0.5, 2, ["b#1"]) == (result.scores["weight"], threshold.score, threshold.n, threshold.failed_in)


def test_where_a_metric_is_measured_is_said_by_whoever_says_it_last():
    """``on`` is the place of use: it holds at top level, and is refused in a turn, which is a place itself."""
    each = checks.includes("a").on(each_turn)
    result = run_evals([{"inputs": ["a", "b"]}], says("a", "b"), gates=[each])
    assert ("failed", ["item-0#2"]) == (result.verdict, result.gate_results[0].failed_in)
    with pytest.raises(EvalConfigError, match="says itself where it is measured"):
        run_evals([{"turns": [{"input": "a", "gates": [each]}]}], says("a"))


def test_a_run_in_which_nothing_could_be_evaluated_is_a_result():
    """Not an error of the summary."""

    @metric
    def lost(_):
        return True

    broken = lost.on(lambda outline: [(0, len(outline) + 1)])
    result = run_evals([{"input": "a"}], says("hi"), gates=[broken])
    assert ("failed", [], 0) == (result.verdict, result.turn_results, result.summary.scored)
    assert "Could not be evaluated" in result.items[0].failures[0]
