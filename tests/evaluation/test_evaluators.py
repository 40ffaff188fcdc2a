"""The evaluators: thin, each for its kind of trace, each able to measure less, all with one engine."""

from __future__ import annotations

import asyncio

import pytest

from uaef.api import aevaluate, batch_evaluate, evaluate
from uaef.evaluation import (
    BaseEvaluator,
    MultiAgentEvaluator,
    MultiTurnEvaluator,
    OfflineEvaluator,
    SingleAgentEvaluator,
)
from uaef.metrics import metric, register_metric
from uaef.models import Conversation, Message, MultiAgentTrace
from uaef.testing import ScriptedJudge, turn

TRACE = turn("a", "b", latency=4.0)
TEAM = MultiAgentTrace(messages=TRACE.messages, total_latency=4.0)
METRICS = ["latency_score", "prompt_injection_detection"]


def numbers(result):
    """What was measured, without what differs from run to run."""
    found = [(m.slice_name, m.metric, m.score.score, m.score.status, m.score.reasoning) for m in result.measurements]
    return found, result.overall_score, result.verdict, result.metadata["per_turn_averages"]


def refusal(call):
    """The text of the error that a call raises."""
    with pytest.raises(ValueError) as raised:  # noqa: PT011 - the text is compared by the caller
        call()
    return str(raised.value)


class Narrow(SingleAgentEvaluator):
    """Measures nothing but time, and is strict about it."""

    thresholds = {"Performance": 0.9}  # noqa: RUF012 - as the evaluators have it

    def available_metrics(self):
        """Two of them."""
        return [m for m in super().available_metrics() if m.name in {"latency_score", "throughput"}]


@pytest.mark.parametrize(
    ("evaluator", "item"),
    [
        (SingleAgentEvaluator, TRACE),
        (MultiAgentEvaluator, TEAM),
        (SingleAgentEvaluator, {"per_turn_traces": [TRACE, TRACE], "session_id": "s"}),
        (MultiAgentEvaluator, {"per_turn_traces": [TEAM, TEAM], "session_id": "s"}),
        (SingleAgentEvaluator, Conversation.of([TRACE, TRACE], name="s")),
    ],
)
def test_every_way_in_gives_the_same_numbers(evaluator, item):
    """The documented functions, the evaluator itself, a batch of one, awaited or not."""
    results = [
        evaluate(item, metrics=METRICS),
        evaluator().evaluate(item, metrics=METRICS),
        *batch_evaluate([item], metrics=METRICS),
        *OfflineEvaluator().batch_evaluate([item], metrics=METRICS),
        asyncio.run(aevaluate(item, metrics=METRICS)),
        asyncio.run(evaluator().aevaluate(item, metrics=METRICS)),
    ]
    assert [numbers(results[0])] * 6 == [numbers(result) for result in results]


def test_turns_and_whole_may_be_given_apart():
    """The documented method: turns, and the recording of the whole if there is one."""
    whole = Conversation.of([TRACE, TRACE]).trace
    apart = SingleAgentEvaluator().evaluate_multi_turn([TRACE, TRACE], whole, metrics=METRICS)
    together = evaluate({"per_turn_traces": [TRACE, TRACE], "full_trace": whole}, metrics=METRICS)
    assert numbers(together) == numbers(apart)
    assert 2 == SingleAgentEvaluator().evaluate_multi_turn([TRACE, TRACE], metrics=METRICS).metadata["num_turns"]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: SingleAgentEvaluator().evaluate(TEAM),
            "SingleAgentEvaluator does not accept a MultiAgentTrace (trace); use MultiAgentEvaluator.",
        ),
        (
            lambda: MultiAgentEvaluator().evaluate(TRACE),
            "MultiAgentEvaluator does not accept an AgentTrace (trace); use SingleAgentEvaluator.",
        ),
        (
            lambda: SingleAgentEvaluator().evaluate_multi_turn([TEAM, TEAM]),
            "SingleAgentEvaluator does not accept a MultiAgentTrace (per_turn_traces[0]); use MultiAgentEvaluator.",
        ),
        (
            lambda: SingleAgentEvaluator().evaluate_multi_turn([TRACE, TEAM]),
            (
                "SingleAgentEvaluator does not accept a MultiAgentTrace (per_turn_traces[1]); in one conversation "
                "make all traces AgentTraces or all MultiAgentTraces."
            ),
        ),
        (
            lambda: evaluate({"per_turn_traces": [TEAM, TRACE]}),
            (
                "MultiAgentEvaluator does not accept an AgentTrace (per_turn_traces[1]); in one conversation make "
                "all traces AgentTraces or all MultiAgentTraces."
            ),
        ),
        (
            lambda: evaluate({"per_turn_traces": [TRACE], "full_trace": TEAM}),
            (
                "SingleAgentEvaluator does not accept a MultiAgentTrace (full_trace); in one conversation make all "
                "traces AgentTraces or all MultiAgentTraces."
            ),
        ),
        (
            lambda: SingleAgentEvaluator().evaluate_multi_turn([]),
            "A conversation needs at least one turn; got an empty list of traces.",
        ),
        (
            lambda: SingleAgentEvaluator().evaluate_multi_turn([TRACE, "b"]),
            "per_turn_traces[1] must be an AgentTrace or a MultiAgentTrace, got str.",
        ),
    ],
)
def test_wrong_kinds_of_traces_are_refused(call, message):
    """The place is named, and the evaluator that would take it; a mixture is told apart from a wrong choice."""
    assert message == refusal(call)


def test_evaluator_may_measure_less():
    """What is not named by the caller is what the evaluator has available."""
    found = Narrow().evaluate(TRACE)
    assert ["latency_score", "throughput"] == [m.metric for m in found.measurements]
    assert (["Performance"], {"Performance": 0.9}) == (found.missed, found.metadata["thresholds"])
    assert ["turn_efficiency"] == [
        m.metric for m in Narrow().evaluate(TRACE, metrics=["turn_efficiency"]).measurements
    ]


def test_defaults_of_an_evaluator_may_be_set():
    """Laid over the class's, below what the call says."""
    evaluator = SingleAgentEvaluator(
        default_dimension_weights={"Performance": 0.6}, default_thresholds={"Performance": 0.4}
    )
    found = evaluator.evaluate(TRACE, metrics=METRICS)
    assert {"Performance": 0.6, "Responsible AI": 0.2} == found.metadata["dimension_weights"]
    assert (0.6 * 0.5 + 0.2 * 1.0) / 0.8 == pytest.approx(found.overall_score)
    assert found.passed
    assert ["Performance"] == evaluator.evaluate(TRACE, metrics=METRICS, thresholds={"Performance": 0.7}).missed
    assert 0.1 == SingleAgentEvaluator().dimension_weights["Performance"]


def test_evaluator_with_a_dimension_of_its_own():
    """A subclass weighs what it likes, and knows the names that it weighs."""

    @metric(dimension="Tone")
    def friendly(_):
        return 0.5

    class Tone(BaseEvaluator):
        dimension_weights = {"Tone": 1.0}  # noqa: RUF012 - as the evaluators have it
        thresholds = {"Tone": 0.7}  # noqa: RUF012 - as above

        def available_metrics(self):
            return [friendly]

    for item in (TRACE, TEAM):
        found = Tone().evaluate(item, thresholds={"Tone": 0.6})
        assert (0.5, ["Tone: score 0.500 below threshold 0.600"]) == (found.overall_score, found.failures)


# --- batches --------------------------------------------------------------------------


def test_batch_with_evaluators_of_ones_own():
    """Each conversation goes to the evaluator that is given for it, with that evaluator's own settings."""
    evaluators = [SingleAgentEvaluator(default_thresholds={"Performance": bar}) for bar in (0.4, 0.6)]

    def choose(conversation):
        return evaluators[conversation.name == "strict"]

    items = [turn("a", "b", latency=4.0, session_id=name) for name in ("lenient", "strict", "lenient")]
    results = OfflineEvaluator(choose).batch_evaluate(items, metrics=METRICS)
    assert [True, False, True] == [result.passed for result in results]


def test_batch_with_an_evaluator_made_each_time():
    """Two evaluators of one class need not be alike; the first one's thresholds used to hold for all."""
    bars = iter([0.4, 0.6])
    batch = OfflineEvaluator(lambda _: SingleAgentEvaluator(default_thresholds={"Performance": next(bars)}))
    assert [True, False] == [result.passed for result in batch.batch_evaluate([TRACE, TRACE], metrics=METRICS)]


def test_batch_with_a_dimension_of_ones_own():
    """Options are checked against the evaluator that will use them, and a wrong one is an error of the call."""

    class Tone(BaseEvaluator):
        dimension_weights = {"Tone": 1.0}  # noqa: RUF012 - as the evaluators have it

    batch = OfflineEvaluator(lambda _: Tone())
    (found,) = batch.batch_evaluate([TRACE], metrics=["latency_score"], thresholds={"Tone": 0.5})
    assert found.verdict is None
    assert "Unknown dimension in thresholds 'Tune'. Did you mean 'Tone'?" == refusal(
        lambda: batch.batch_evaluate([TRACE], metrics=["latency_score"], thresholds={"Tune": 0.5})
    )


def test_batch_with_a_chooser_that_fails():
    """Whatever the caller's function raises fails the item that it was asked about."""

    def choose(conversation):
        return {"known": SingleAgentEvaluator()}[conversation.name]

    items = [turn("a", "b", session_id=name) for name in ("unknown", "known")]
    results = OfflineEvaluator(choose).batch_evaluate(items, metrics=METRICS)
    assert [["Could not be evaluated: KeyError: 'unknown'"], []] == [result.failures for result in results]


def test_ground_truths_by_name():
    """A dict of ground truths goes by the conversations' names; a name that none has is an error."""
    items = [turn("a", "b", calls, session_id=name) for name, calls in (("x", ["t"]), ("y", []))]
    truths = {"y": {"expected_tool_calls": []}, "x": {"expected_tool_calls": []}}
    results = batch_evaluate(items, truths, metrics=["tool_selection_accuracy"])
    assert [0.0, 1.0] == [result.overall_score for result in results]
    assert refusal(lambda: batch_evaluate(items, {"zz": None}, metrics=METRICS)).startswith(
        "Unknown conversation in ground_truths 'zz'."
    )


def test_mixed_batch():
    """Traces of one agent and of several, sessions and conversations: each by its own evaluator's weights."""
    items = [TRACE, TEAM, {"per_turn_traces": [TEAM, TEAM]}, Conversation.of([TRACE, TRACE])]
    results = batch_evaluate(items, metrics=METRICS)
    assert [0.2, 0.15, 0.15, 0.2] == [result.metadata["dimension_weights"]["Responsible AI"] for result in results]


# --- conversation first ---------------------------------------------------------------

MESSAGES = [
    Message(role="user", content="Any rooms?"),
    Message(role="assistant", content="Two"),
    Message(role="user", content="Book one"),
    Message(role="assistant", content="Booked"),
]


def test_conversation_first():
    """Messages in, the Multi-Turn dimension out, with its own weight and threshold."""
    judge = ScriptedJudge({}, default=0.75)
    found = MultiTurnEvaluator().evaluate_conversation(MESSAGES, judge=judge)
    assert ["Multi-Turn"] == [d.dimension_name for d in found.dimension_results]
    assert ({"Multi-Turn": 1.0}, {"Multi-Turn": 0.7}) == (
        found.metadata["dimension_weights"],
        found.metadata["thresholds"],
    )
    assert (2, True) == (found.metadata["num_turns"], found.passed)
    assert 2 == len([call for call in judge.asked if call[0] == "per_turn_sentiment"])


@pytest.mark.parametrize(
    ("truth", "expected"),
    [(None, "a goal"), ({"expected_output": "given"}, "given"), ({"context_documents": ["d"]}, "a goal")],
)
def test_goal_is_what_is_expected(truth, expected):
    """A goal is the expected output where the ground truth gives none."""
    seen = []

    def look(window):
        seen.append(window.expected.expected_output)
        return 1.0

    judge = ScriptedJudge({"conversation_completeness": look})
    MultiTurnEvaluator().evaluate_conversation(
        messages=MESSAGES,
        goal="a goal",
        ground_truth=truth,
        metrics=["conversation_completeness"],
        judge=judge,
    )
    assert [expected] == seen


@pytest.mark.parametrize("item", [TRACE, TEAM, {"per_turn_traces": [TRACE, TEAM]}])
def test_conversation_first_takes_every_kind(item):
    """It has no opinion on how many agents there are."""
    found = MultiTurnEvaluator().evaluate(item, metrics=["turn_efficiency"])
    assert 1.0 == found.overall_score


@pytest.mark.usefixtures("own_registry")
def test_conversation_first_measures_its_dimension_only():
    """A metric of one's own in another dimension stays out; one in this dimension is in."""
    register_metric(metric(name="tone", dimension="Tone")(lambda _: 1))
    register_metric(metric(name="patience", dimension="Multi-Turn")(lambda _: 1))
    names = {m.name for m in MultiTurnEvaluator().available_metrics()}
    assert ("tone" in names, "patience" in names, len(names)) == (False, True, 16)
