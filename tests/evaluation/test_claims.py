"""Weights, thresholds, verdicts: which number counts how much, and what follows from it."""

from __future__ import annotations

import math

import pytest

from uaef.api import batch_evaluate, evaluate
from uaef.evaluation import MultiAgentEvaluator, MultiTurnEvaluator, SingleAgentEvaluator
from uaef.metrics import each_turn, metric, whole
from uaef.models import MultiAgentTrace, Verdict
from uaef.testing import turn

TRACE = turn("a", "b")


def fixed(name, dimension, *values, scope=each_turn):
    """A metric that gives these values turn by turn; an exception is raised."""

    def found(window):
        value = values[window.numbers[0] - 1]
        if isinstance(value, Exception):
            raise value
        return value

    return metric(name=name, dimension=dimension, scope=scope)(found)


def result(scores, **options):
    """The result of one turn with one metric for each of these dimensions."""
    metrics = [fixed(f"m{i}", dimension, value) for i, (dimension, value) in enumerate(scores.items())]
    return evaluate(TRACE, metrics=metrics, **options)


BROKEN = RuntimeError("no idea")


# --- weights --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("evaluator", "weights", "thresholds"),
    [
        (
            SingleAgentEvaluator,
            {"Tool Calling": 0.25, "Response Quality": 0.25, "Responsible AI": 0.2, "Performance": 0.1}
            | {"Multi-Turn": 0.1, "Reasoning": 0.1},
            {"Tool Calling": 0.7, "Response Quality": 0.7, "Responsible AI": 0.8, "Performance": 0.6}
            | {"Multi-Turn": 0.6, "Reasoning": 0.6},
        ),
        (
            MultiAgentEvaluator,
            {"Tool Calling": 0.2, "Response Quality": 0.2, "Responsible AI": 0.15, "Performance": 0.1}
            | {"Multi-Turn": 0.1, "Multi-Agent": 0.2, "Reasoning": 0.05},
            {"Tool Calling": 0.7, "Response Quality": 0.7, "Responsible AI": 0.8, "Performance": 0.6}
            | {"Multi-Turn": 0.6, "Multi-Agent": 0.7, "Reasoning": 0.6},
        ),
        (MultiTurnEvaluator, {"Multi-Turn": 1.0}, {"Multi-Turn": 0.7}),
    ],
)
def test_defaults(evaluator, weights, thresholds):
    """The documented defaults, under the names that results bear, so that they count."""
    assert (weights, thresholds) == (evaluator().dimension_weights, evaluator().thresholds)
    assert 1.0 == pytest.approx(math.fsum(weights.values()))


def test_default_weights_are_applied():
    """They used to be spelt differently from the dimensions, so that every one of them weighed the same."""
    found = result({"Tool Calling": 1.0, "Performance": 0.65})
    assert (0.25 * 1.0 + 0.10 * 0.65) / 0.35 == pytest.approx(found.overall_score)
    assert {"Tool Calling": 0.25, "Performance": 0.10} == found.metadata["dimension_weights"]


def test_default_weights_of_several_agents_are_applied_in_a_batch_too():
    """One evaluator for one kind of trace, however it is called: they used to differ."""
    team = MultiAgentTrace(messages=TRACE.messages)
    metrics = [fixed("m", "Multi-Agent", 1.0), fixed("n", "Reasoning", 0.8)]
    alone, (batched,) = evaluate(team, metrics=metrics), batch_evaluate([team], metrics=metrics)
    assert (0.2 * 1.0 + 0.05 * 0.8) / 0.25 == pytest.approx(alone.overall_score)
    assert alone.overall_score == batched.overall_score


def test_weights_given_in_part_are_laid_over_the_defaults():
    """Dimensions that the caller does not name keep their weight; they used to get 1.0 and outweigh the rest."""
    found = result({"Tool Calling": 1.0, "Performance": 0.0}, dimension_weights={"Performance": 0.75})
    assert 0.25 == found.overall_score


def test_weights_may_be_any_size():
    """Only their ratio counts; more than 1 used to be refused."""
    found = result({"Tool Calling": 1.0, "Performance": 0.0}, dimension_weights={"Tool Calling": 3, "Performance": 1})
    assert 0.75 == found.overall_score


def test_dimension_without_a_score_does_not_enter_the_overall():
    """It used to count as 0; now the weights of the others are all there is."""
    found = result({"Tool Calling": 0.9, "Performance": None, "Reasoning": BROKEN})
    assert 0.9 == found.overall_score
    assert [0.9, None, None] == [d.aggregate_score for d in found.dimension_results]


def test_nothing_scored_means_no_overall():
    """No number at all, and not 0 with passed=True."""
    found = result({"Performance": None})
    assert (None, False, None) == (found.overall_score, found.passed, found.verdict)


def test_weights_of_nothing():
    """Where nothing that scored weighs anything, their plain mean is the overall score."""
    weights = {"Tool Calling": 0, "Performance": 0}
    assert 0.5 == result({"Tool Calling": 1.0, "Performance": 0.0}, dimension_weights=weights).overall_score


def test_own_dimension_weighs_as_much_as_the_lightest():
    """A dimension of the caller's own counts, without outweighing what has a documented weight."""
    found = result({"Tool Calling": 1.0, "Tone": 0.0})
    assert 0.25 / 0.35 == pytest.approx(found.overall_score)
    assert 0.5 == result({"Tool Calling": 1.0, "Tone": 0.0}, dimension_weights={"Tone": 0.25}).overall_score


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"dimension_weights": {"tool_calling": 1}},
            "Unknown dimension in weights 'tool_calling'. Did you mean 'Tool Calling'?",
        ),
        (
            {"thresholds": {"tool_calling": 1}},
            "Unknown dimension in thresholds 'tool_calling'. Did you mean 'Tool Calling'?",
        ),
        (
            {"thresholds": {"multi turn": 1}},
            "Unknown dimension in thresholds 'multi turn'. Did you mean 'Multi-Turn'?",
        ),
        (
            {"dimension_weights": {"Performance": -1}},
            "The weight of 'Performance' must be a number of at least 0, got -1.",
        ),
        (
            {"dimension_weights": {"Performance": "1"}},
            "The weight of 'Performance' must be a number of at least 0, got '1'.",
        ),
        (
            {"dimension_weights": {"Performance": True}},
            "The weight of 'Performance' must be a number of at least 0, got True.",
        ),
        (
            {"dimension_weights": {"Performance": math.inf}},
            "The weight of 'Performance' must be a number of at least 0, got inf.",
        ),
        (
            {"thresholds": {"Performance": 1.5}},
            "The threshold of 'Performance' must be a number of at least 0 and at most 1, got 1.5.",
        ),
        (
            {"thresholds": {"Performance": math.nan}},
            "The threshold of 'Performance' must be a number of at least 0 and at most 1, got nan.",
        ),
    ],
)
def test_weights_and_thresholds_that_cannot_be_are_refused(options, message):
    """Keys match exactly, with a suggestion; for a call, for a batch, and for an evaluator's own defaults."""
    with pytest.raises(ValueError) as raised:  # noqa: PT011 - the text is compared
        evaluate(TRACE, metrics=["latency_score"], **options)
    assert message == str(raised.value)
    with pytest.raises(ValueError) as raised:  # noqa: PT011 - as above
        batch_evaluate([TRACE], metrics=["latency_score"], **options)
    assert message == str(raised.value)
    with pytest.raises(ValueError) as raised:  # noqa: PT011 - as above
        SingleAgentEvaluator(**{f"default_{name}": value for name, value in options.items()})
    assert message == str(raised.value)


# --- thresholds -----------------------------------------------------------------------


def test_default_thresholds_are_applied():
    """They used to be spelt differently from the dimensions, so that everything passed."""
    found = result({"Tool Calling": 0.69, "Responsible AI": 0.79, "Performance": 0.6})
    assert (Verdict.FAILED, False, ["Tool Calling", "Responsible AI"]) == (found.verdict, found.passed, found.missed)
    assert [
        "Tool Calling: score 0.690 below threshold 0.700",
        "Responsible AI: score 0.790 below threshold 0.800",
    ] == found.failures
    assert {"Tool Calling": 0.7, "Responsible AI": 0.8, "Performance": 0.6} == found.metadata["thresholds"]


def test_caller_thresholds_are_laid_over_the_defaults():
    """What the caller does not name keeps its default."""
    found = result({"Tool Calling": 0.5, "Performance": 0.5}, thresholds={"Tool Calling": 0.5})
    assert ["Performance"] == found.missed
    assert {"Tool Calling": 0.5, "Performance": 0.6} == found.metadata["thresholds"]


def test_bar_of_one_means_one():
    """A score just below is shown as below, and does not pass."""
    found = result({"Performance": 0.9996}, thresholds={"Performance": 1})
    assert ["Performance: score 0.9996 below threshold 1.0000"] == found.failures
    assert result({"Performance": 1.0}, thresholds={"Performance": 1}).passed


@pytest.mark.parametrize(
    ("value", "thresholds", "verdict", "warning"),
    [
        (0.9, {}, Verdict.PASSED, None),
        (0.1, {}, Verdict.FAILED, None),
        (BROKEN, {}, Verdict.FAILED, None),
        (None, {}, None, "No threshold applies to what was measured, so nothing could pass."),
        (0.9, {"Performance": 0.5}, Verdict.PASSED, None),
        (0.1, {"Performance": 0.5}, Verdict.FAILED, None),
        (BROKEN, {"Performance": 0.5}, Verdict.FAILED, None),
        (None, {"Performance": 0.5}, None, "No threshold applies to what was measured, so nothing could pass."),
    ],
)
def test_verdict_on_one_dimension(value, thresholds, verdict, warning):
    """Reached, missed, not measured, not applicable: of the evaluator's own thresholds and of the caller's."""
    found = result({"Performance": value}, thresholds=thresholds)
    assert (verdict, verdict is Verdict.PASSED) == (found.verdict, found.passed)
    assert ([] if warning is None else [warning]) == found.warnings


@pytest.mark.parametrize(
    ("value", "reason"),
    [(None, "not applicable there"), (BROKEN, "failed there")],
)
def test_default_is_decided_on_what_scored_and_a_claim_on_everything(value, reason):
    """A dimension with one good score and one that is ... passes by default, and for a claim of the caller's ..."""
    metrics = [fixed("good", "Performance", 0.9), fixed("other", "Performance", value)]
    by_default = evaluate(TRACE, metrics=metrics)
    claimed = evaluate(TRACE, metrics=metrics, thresholds={"Performance": 0.6})
    assert by_default.passed
    assert (reason == "not applicable there") is claimed.passed
    if reason == "failed there":
        assert (["Performance"], []) == (claimed.unmeasured, claimed.missed)
        assert ["Performance: could not be decided, 1 measurement failed"] == claimed.failures


def test_claim_on_an_average_needs_every_turn():
    """One turn of three failed to be measured: the default looks at the others, a claim stays undecided."""
    metrics = [fixed("m", "Performance", 1.0, BROKEN, 1.0)]
    session = {"per_turn_traces": [TRACE] * 3}
    assert evaluate(session, metrics=metrics).passed
    claimed = evaluate(session, metrics=metrics, thresholds={"Performance": 0.6})
    assert (Verdict.FAILED, ["Performance"]) == (claimed.verdict, claimed.unmeasured)


def test_dimension_in_which_everything_failed_does_not_pass():
    """If all safety metrics crash, safety has not passed; it used to."""
    metrics = [fixed("m", "Responsible AI", BROKEN, BROKEN), fixed("n", "Performance", 1.0, 1.0)]
    found = evaluate({"per_turn_traces": [TRACE] * 2}, metrics=metrics)
    assert (Verdict.FAILED, ["Responsible AI"]) == (found.verdict, found.unmeasured)
    assert ["Responsible AI: could not be decided, 2 measurements failed"] == found.failures


def test_claim_on_a_dimension_that_was_not_measured_is_open():
    """What the caller requires and nothing measured is no pass: the verdict stays open, and says why."""
    found = result({"Performance": 1.0}, thresholds={"Responsible AI": 0.9})
    assert (None, False) == (found.verdict, found.passed)
    assert [
        "Responsible AI: nothing was measured that its threshold applies to, so the verdict is open."
    ] == found.warnings
    assert {"Performance": 0.6, "Responsible AI": 0.9} == found.metadata["thresholds"]


def test_claim_on_a_dimension_that_does_not_apply_is_open():
    """The same where it was looked for and there was nothing."""
    found = result({"Performance": 1.0, "Tool Calling": None}, thresholds={"Tool Calling": 0.9})
    assert None is found.verdict
    assert [
        "Tool Calling: nothing was measured that its threshold applies to, so the verdict is open."
    ] == found.warnings


def test_open_claim_does_not_hide_a_missed_one():
    """Failed is worse than open."""
    found = result({"Performance": 0.1}, thresholds={"Responsible AI": 0.9})
    assert (Verdict.FAILED, ["Performance"]) == (found.verdict, found.missed)


def test_default_on_a_dimension_that_was_not_measured_is_no_claim():
    """Nobody asked for it."""
    assert result({"Performance": 1.0}).passed


def test_own_dimension_without_a_threshold_claims_nothing():
    """Measured and shown; to make it count, give it a threshold."""
    found = result({"Tone": 0.1})
    assert (None, ["No threshold applies to what was measured, so nothing could pass."]) == (
        found.verdict,
        found.warnings,
    )
    assert result({"Tone": 0.1}, thresholds={"Tone": 0.1}).passed
    assert ["Tone"] == result({"Tone": 0.1}, thresholds={"Tone": 0.2}).missed


# --- the turn that broke --------------------------------------------------------------


@pytest.mark.parametrize(
    ("values", "broken"),
    [
        ((1.0, 0.6, 1.0), None),
        ((1.0, 0.59, 0.1), 2),
        ((None, 1.0, 0.1), 3),
        ((BROKEN, 1.0, 1.0), None),  # not measured is not broken
        ((0.0, 0.0, 0.0), 1),
    ],
)
def test_first_turn_below_the_threshold_broke(values, broken):
    """A turn passes if its measurements reach their dimension's threshold."""
    found = evaluate({"per_turn_traces": [TRACE] * 3}, metrics=[fixed("m", "Performance", *values)])
    assert broken == found.broken_turn


def test_turns_are_judged_though_the_mean_is_fine():
    """The mean of 1.0, 1.0 and 0.5 passes; turn 3 broke all the same."""
    found = evaluate({"per_turn_traces": [TRACE] * 3}, metrics=[fixed("m", "Performance", 1.0, 1.0, 0.5)])
    assert (True, 3) == (found.passed, found.broken_turn)


def test_yes_or_no_breaks_at_no_where_nothing_is_claimed():
    """In a dimension without a threshold, False is a turn that broke; a number is just a number."""
    session = {"per_turn_traces": [TRACE] * 3}
    for values, broken in (((True, False, True), 2), ((1.0, 0.0, 1.0), None), (((True, "a"), (False, "b"), None), 2)):
        assert broken == evaluate(session, metrics=[fixed("m", "Tone", *values)]).broken_turn


def test_broken_turn_bears_its_own_number():
    """Turn 7 is turn 7, though it is the second that was recorded."""
    session = {"per_turn_traces": [turn("a", "b", metadata={"turn_id": n}) for n in (1, 7)]}
    found = evaluate(session, metrics=[metric(name="m", dimension="Performance")(lambda w: w.numbers == (1,))])
    assert 7 == found.broken_turn


def test_whole_scope_breaks_no_turn():
    """What is said of the whole conversation is said of no turn."""
    session = {"per_turn_traces": [TRACE] * 2}
    found = evaluate(session, metrics=[fixed("m", "Performance", 0.0, scope=whole)])
    assert (False, None) == (found.passed, found.broken_turn)
