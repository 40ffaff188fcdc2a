"""The engine: everything that waits waits together, judges within their limit, and nothing is lost or swallowed."""

from __future__ import annotations

import asyncio
import signal
import threading

import pytest

from uaef.api import abatch_evaluate, aevaluate, batch_evaluate, evaluate
from uaef.evaluation import OfflineEvaluator
from uaef.evaluation.scoring import nearest
from uaef.llm_judge import Panel
from uaef.metrics import metric, whole
from uaef.models import AgentTrace, Conversation, GroundTruth, Message, MetricScore, MultiAgentTrace, ScoreStatus
from uaef.testing import ScriptedJudge, turn

TRACE = turn("Any rooms?", "Two")
FIVE = {"session_id": "hotel", "per_turn_traces": [turn(f"question {n}", f"answer {n}") for n in range(1, 6)]}
TEAM = MultiAgentTrace(messages=[*TRACE.messages, Message(role="assistant", content="Two", agent="desk")])


class Counting:
    """Counts how many are under way at once."""

    label = "counting"

    def __init__(self):
        self.now = self.most = self.calls = 0

    async def pause(self):
        """Be under way until everyone else who may be is under way too."""
        self.now += 1
        self.calls += 1
        self.most = max(self.most, self.now)
        for _ in range(200):
            await asyncio.sleep(0)
        self.now -= 1

    async def judge(self, rubric, window):  # noqa: ARG002 - as any judge
        """The same score for everyone."""
        await self.pause()
        return MetricScore(metric_name=rubric.name, score=0.5)


def waiting(name, counting, **declared):
    """A metric that waits, and is counted while it does."""

    async def wait(_):
        await counting.pause()
        return 1

    return metric(name=name, **declared)(wait)


def test_all_that_waits_waits_together():
    """25 metrics over five turns: all 125 are under way at once, so that they take as long as one."""
    counting = Counting()
    metrics = [waiting(f"m{i}", counting) for i in range(25)]
    result = evaluate(FIVE, metrics=metrics)
    assert (125, 125) == (counting.calls, counting.most)
    assert {"scored": 125, "not_applicable": 0, "failed": 0} == result.metadata["coverage"]


@pytest.mark.parametrize("most", [1, 2, 3, 32])
def test_judge_calls_keep_to_their_limit(most):
    """max_concurrency judge calls are under way, never more, and no fewer where there are enough."""
    judge = Counting()
    names = ["answer_relevance", "safety_score", "bias_score"]
    evaluate(FIVE, metrics=names, judge=judge, max_concurrency=most)
    assert (15, min(most, 15)) == (judge.calls, judge.most)


def test_limit_holds_for_the_whole_batch():
    """However many conversations, of one agent or of several: the limit is that of the call."""
    judge = Counting()
    batch_evaluate([FIVE, TEAM, TRACE, TEAM] * 3, metrics=["answer_relevance"], judge=judge, max_concurrency=4)
    assert (24, 4) == (judge.calls, judge.most)


def test_limit_is_for_judges_only():
    """What is no judge call is not held back."""
    judge, others = Counting(), Counting()
    metrics = ["answer_relevance", *[waiting(f"m{i}", others) for i in range(3)]]
    evaluate(FIVE, metrics=metrics, judge=judge, max_concurrency=1)
    assert (1, 15) == (judge.most, others.most)


def test_conversations_of_a_batch_wait_together():
    """One slow conversation keeps no other waiting."""
    counting = Counting()
    batch_evaluate([TRACE] * 10, metrics=[waiting("m", counting)])
    assert (10, 10) == (counting.calls, counting.most)


def test_results_are_in_the_order_given():
    """Not in the order in which they were ready."""

    @metric()
    async def later_first(window):
        for _ in range(100 - 10 * int(window.question)):
            await asyncio.sleep(0)
        return int(window.question) / 10

    ready = []
    traces = [turn(str(n), "answer", trace_id=f"t{n}") for n in range(10)]

    async def run():
        return await OfflineEvaluator().abatch_evaluate(
            traces, metrics=[later_first], on_result=lambda result: ready.append(result.trace_id)
        )

    results = asyncio.run(run())
    assert [f"t{n}" for n in range(10)] == [result.trace_id for result in results]
    assert [f"t{n}" for n in range(9, -1, -1)] == ready
    assert [n / 10 for n in range(10)] == [result.overall_score for result in results]


def test_measurements_are_in_the_order_of_the_plan():
    """Metric by metric as named, turn by turn, whatever is ready first."""

    @metric()
    async def slow(window):
        for _ in range(60 - 10 * window.numbers[0]):
            await asyncio.sleep(0)
        return 1

    @metric()
    def quick(_):
        return 1

    result = evaluate(FIVE, metrics=[slow, quick])
    assert [(name, n) for name in ("slow", "quick") for n in range(1, 6)] == [
        (m.metric, m.turns[0]) for m in result.measurements
    ]


def test_measurement_says_where_it_was_made():
    """Slice, turns, metric, dimension, cohorts and time: a report is a query on these."""
    session = FIVE | {"per_turn_traces": [turn("a", "b", metadata={"tags": ["vip"]}), TRACE]}
    result = evaluate(session, metrics=["prompt_injection_detection", "turn_efficiency"])
    assert [
        ("hotel#1", (1,), False, "prompt_injection_detection", "Responsible AI", ("vip",)),
        ("hotel#2", (2,), False, "prompt_injection_detection", "Responsible AI", ()),
        ("hotel", (1, 2), True, "turn_efficiency", "Multi-Turn", ("vip",)),
    ] == [(m.slice_name, m.turns, m.whole, m.metric, m.dimension, m.tags) for m in result.measurements]
    assert all(m.seconds >= 0 for m in result.measurements)


def test_evaluating_inside_a_running_loop():
    """A notebook has a loop already; the documented calls work there, and so do those to be awaited."""

    async def cell():
        sync = evaluate(FIVE, metrics=[waiting("m", Counting())])
        batch = batch_evaluate([FIVE], metrics=[waiting("m", Counting())])
        awaited = await aevaluate(FIVE, metrics=[waiting("m", Counting())])
        many = await abatch_evaluate([FIVE], metrics=[waiting("m", Counting())])
        return [sync, *batch, awaited, *many]

    assert [1.0] * 4 == [result.overall_score for result in asyncio.run(cell())]


def test_several_loops_may_evaluate_at_once():
    """Nothing is shared between calls that would tie one to another's loop."""
    judge = Counting()
    found = []

    def work():
        found.append(evaluate(FIVE, metrics=["answer_relevance"], judge=judge, max_concurrency=2).overall_score)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [0.5] * 4 == found


# --- stopping -------------------------------------------------------------------------


def test_cancelling_stops_an_evaluation():
    """Cancelled, it ends as cancelled, and not as a result with failures in it."""

    async def run(evaluation, item):
        started = asyncio.Event()

        @metric()
        async def endless(_):
            started.set()
            await asyncio.Event().wait()

        task = asyncio.ensure_future(evaluation(item, metrics=[endless]))
        await started.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        return len(asyncio.all_tasks())

    assert 1 == asyncio.run(run(aevaluate, FIVE))
    assert 1 == asyncio.run(run(abatch_evaluate, [FIVE, TRACE]))


def test_interrupting_is_no_failure_of_a_metric():
    """Ctrl-C in the middle of a metric reaches the caller."""

    @metric()
    def interrupted(_):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        evaluate(TRACE, metrics=[interrupted])


class _SpeechlessError(Exception):
    def __str__(self):
        raise RuntimeError("not even that")


@pytest.mark.parametrize(
    "raised", [SystemExit, GeneratorExit, asyncio.CancelledError, StopIteration, RecursionError, _SpeechlessError]
)
@pytest.mark.parametrize("kind", ["sync", "async", "blocking"])
def test_whatever_a_metric_raises_costs_its_own_cell_only(raised, kind):
    """Also what ends a program, a generator or a task; the other items of the batch keep their results."""

    def sync(_):
        raise raised

    async def waiting(_):
        await asyncio.sleep(0)
        raise RuntimeError if raised is StopIteration else raised  # Python itself turns one into the other

    function = waiting if kind == "async" else sync
    broken = metric(blocking=kind == "blocking", name="broken")(function)
    results = batch_evaluate([TRACE] * 3, metrics=[broken, "prompt_injection_detection"])
    assert [["failed", "scored"]] * 3 == [[str(m.score.status) for m in r.measurements] for r in results]


def test_an_agent_that_failed_misses_what_is_claimed_of_its_turn():
    """What was recorded as an error is no answer: nothing is measured on it, and the verdict is ``failed``."""
    crashed = AgentTrace(messages=TRACE.messages, latency=1.0, metadata={"error": "TimeoutError: no answer"})
    result = evaluate(crashed, metrics=["latency_score", "prompt_injection_detection"])
    assert ("failed", ["Performance", "Responsible AI"]) == (result.verdict, sorted(result.missed))
    assert ["The agent failed at turn 1: TimeoutError: no answer"] == result.warnings
    assert {"agent_error"} == {m.score.metadata["warning"] for m in result.measurements}
    healthy = AgentTrace(messages=TRACE.messages, latency=1.0)
    both = evaluate({"per_turn_traces": [healthy, crashed]}, metrics=["latency_score"])
    assert ("failed", [1.0, None]) == (both.verdict, [m.score.score for m in both.measurements])


def test_a_threshold_missed_whatever_the_failed_measurements_would_be_is_missed():
    """Certainty first: below the bar even if everything that failed had scored 1."""

    @metric(dimension="Own")
    def low(_):
        return 0.0

    @metric(dimension="Own")
    def failing(_):
        raise RuntimeError

    result = evaluate(TRACE, metrics=[low, failing], thresholds={"Own": 0.6})
    assert (["Own"], []) == (result.missed, result.unmeasured)
    result = evaluate(TRACE, metrics=[low, failing], thresholds={"Own": 0.5})
    assert ([], ["Own"]) == (result.missed, result.unmeasured)


def test_a_stretch_is_evaluated_as_what_it_is():
    """Ground truth given for turns 2 and 3 is about these two, and a session dict keeps their numbers."""
    stretch = Conversation.from_session({"per_turn_traces": [TRACE] * 3})[1:3]
    truth = GroundTruth(expected_tool_calls=["find", "find"])
    result = evaluate(stretch, truth, metrics=["tool_selection_accuracy", "turn_efficiency"])
    on_all = {m.metric: m for m in result.measurements if m.whole}
    assert {"tool_selection_accuracy", "turn_efficiency"} == set(on_all)
    assert {(2, 3)} == {m.turns for m in on_all.values()}
    assert on_all["tool_selection_accuracy"].score.score is not None
    assert (2, 3) == Conversation.from_session(stretch.to_session()).numbers


@pytest.mark.parametrize("turn_id", [3, 3.0, "3"])
def test_a_turn_number_counts_however_it_is_written(turn_id):
    """A whole number as text or as a float is that number; expectations do not shift."""
    trace = AgentTrace(messages=TRACE.messages, metadata={"turn_id": turn_id})
    assert (3,) == Conversation.of(trace).numbers


def test_quality_that_failed_to_be_measured_is_not_replaced_by_an_old_value():
    """What the caller recorded stands in only where no quality metric was asked for."""
    trace = AgentTrace(messages=TRACE.messages, cost=0.001, metadata={"quality_score": 1.0})
    judge = ScriptedJudge({"answer_relevance": RuntimeError("down")})
    result = evaluate(trace, metrics=["answer_relevance", "cost_efficiency"], judge=judge)
    assert [None, None] == [m.score.score for m in result.measurements]
    assert [1.0] == [m.score.score for m in evaluate(trace, metrics=["cost_efficiency"]).measurements]


@pytest.mark.parametrize("run", [evaluate, lambda item, **options: batch_evaluate([item], **options)])
def test_ctrl_c_while_waiting_reaches_the_caller(run):
    """The signal that a terminal sends ends a call that waits for a judge."""

    @metric()
    async def pressing(_):
        signal.raise_signal(signal.SIGINT)
        await asyncio.Event().wait()

    with pytest.raises(KeyboardInterrupt):
        run(TRACE, metrics=[pressing])


def test_ctrl_c_stops_a_batch_in_which_nothing_waits():
    """Between two conversations at the latest, and not after the last of a hundred thousand."""
    seen = []

    @metric()
    def pressing(window):
        seen.append(window.name)
        if len(seen) == 3:
            signal.raise_signal(signal.SIGINT)
        return 1

    with pytest.raises(KeyboardInterrupt):
        batch_evaluate([TRACE] * 1000, metrics=[pressing])
    assert 100 > len(seen)


def test_batch_leaves_the_loop_to_others():
    """Whoever awaits a batch in a server's loop goes on serving."""
    served = []

    async def serve():
        while True:
            served.append(1)
            await asyncio.sleep(0)

    async def run():
        server = asyncio.ensure_future(serve())
        await abatch_evaluate([TRACE] * 200, metrics=["prompt_injection_detection"])
        server.cancel()

    asyncio.run(run())
    assert 1 < len(served)


def test_interrupting_inside_a_running_loop_reaches_the_caller():
    """Though the work is done in another thread there."""

    @metric()
    def interrupted(_):
        raise KeyboardInterrupt

    async def cell():
        evaluate(TRACE, metrics=[interrupted])

    with pytest.raises(KeyboardInterrupt):
        asyncio.run(cell())


def test_ctrl_c_in_a_notebook_ends_the_work():
    """Not only the waiting for it: judge calls that nobody waits for any more would still be paid for."""
    ended = []

    @metric()
    async def pressing(_):
        signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)  # which waits for this thread
        try:
            await asyncio.Event().wait()
        finally:
            ended.append(1)

    async def cell():
        evaluate(TRACE, metrics=[pressing])

    loop = asyncio.new_event_loop()  # as a kernel runs it: without asyncio.run, which would catch the signal
    try:
        with pytest.raises(KeyboardInterrupt):
            loop.run_until_complete(cell())
    finally:
        loop.close()
    for thread in threading.enumerate():
        if thread.name == "uaef":
            thread.join(30)
    assert [1] == ended


# --- failing --------------------------------------------------------------------------


def test_outage_of_a_judge_costs_only_what_was_judged():
    """Everything measured by code is there, and the result says what is not."""
    judge = ScriptedJudge({}, default=OSError("down"))
    session = FIVE | {"per_turn_traces": [turn("a", "b", latency=1.0)] * 2}
    result = evaluate(session, metrics=["latency_score", "answer_relevance", "coherence"], judge=judge)
    found = {m.metric: m.score.status for m in result.measurements}
    assert (ScoreStatus.SCORED, ScoreStatus.FAILED, ScoreStatus.FAILED) == tuple(found.values())
    assert ("failed", ["Response Quality", "Multi-Turn"]) == (result.verdict, result.unmeasured)
    assert [
        "Response Quality: could not be decided, 2 measurements failed",
        "Multi-Turn: could not be decided, 1 measurement failed",
    ] == result.failures
    assert 1.0 == result.overall_score


def test_one_failing_item_costs_no_other():
    """Whatever an item is, the others are evaluated, and its own result names what is wrong with it."""
    items = [TRACE, "nonsense", {"per_turn_traces": []}, {"session_id": "s"}, None, FIVE]
    results = batch_evaluate(items, metrics=["prompt_injection_detection"])
    assert [1.0, None, None, None, None, 1.0] == [result.overall_score for result in results]
    assert [True, False, False, False, False, True] == [result.passed for result in results]
    assert [
        (
            "Could not be evaluated: DataError: Expected an AgentTrace, a MultiAgentTrace, a session dict "
            "(per_turn_traces, full_trace) or a Conversation, got str."
        )
    ] == results[1].failures
    assert ("unknown", "s", "failed", ["everything"], None) == (
        results[1].trace_id,
        results[3].trace_id,
        results[3].verdict,
        results[3].unmeasured,
        results[3].conversation,
    )


def test_wrong_ground_truth_costs_its_item_only():
    """A dict that is no ground truth fails the item it belongs to."""
    results = batch_evaluate(
        [TRACE, TRACE], [{"expected_ouput": "a"}, {"expected_output": "a"}], metrics=["prompt_injection_detection"]
    )
    assert ["Could not be evaluated: ModelError: GroundTruth: Object contains unknown field expected_ouput"] == (
        results[0].failures
    )
    assert results[1].passed


@pytest.mark.parametrize(
    ("truths", "message"),
    [
        ([None], "There are 2 traces and 1 ground truths; give one for each, None where there is none."),
        ([], "There are 2 traces and 0 ground truths; give one for each, None where there is none."),
        ("ab", "ground_truths is a list with one for each trace, or a dict by conversation; got str."),
    ],
)
def test_ground_truths_are_one_for_each(truths, message):
    """A length that differs is an error of the call."""
    with pytest.raises(ValueError) as raised:  # noqa: PT011 - the text is compared
        batch_evaluate([TRACE, TRACE], truths, metrics=["latency_score"])
    assert message == str(raised.value)


def test_ground_truths_may_be_missing():
    """None stands for an item without one."""
    truth = {"expected_tool_calls": []}
    results = batch_evaluate([TRACE, TRACE], [None, truth], metrics=["tool_selection_accuracy"])
    assert [None, 1.0] == [result.overall_score for result in results]


def test_wrong_option_is_an_error_of_the_call():
    """Not of every item, and not even without any."""
    for items in ([TRACE, TRACE], [], ["nonsense"]):
        with pytest.raises(ValueError, match=r"^Unknown metric 'coherance'"):
            batch_evaluate(items, metrics=["coherance"])


def test_nothing_to_evaluate():
    """An empty batch has no results."""
    assert [] == batch_evaluate([], metrics=["latency_score"])


def test_what_on_result_raises_reaches_the_caller():
    """As it is, and not wrapped into a group of exceptions."""

    def refuse(_):
        raise LookupError("no room")

    with pytest.raises(LookupError, match=r"^'?no room"):
        asyncio.run(OfflineEvaluator().abatch_evaluate([TRACE], metrics=["latency_score"], on_result=refuse))


# --- which value of a dependency ------------------------------------------------------


@pytest.mark.parametrize(
    ("scores", "span", "found"),
    [
        ({(1, 2): 0.3, (0, 3): 0.9}, (1, 2), 0.3),  # the score there
        ({(1, 2): None, (0, 3): 0.9}, (1, 2), None),  # also if it is none
        ({(0, 1): 0.2, (1, 2): 0.4, (2, 3): None}, (0, 3), pytest.approx(0.3)),  # the mean inside
        ({(0, 1): None}, (0, 3), None),
        ({(0, 9): 0.9, (1, 4): 0.4, (0, 5): 0.5}, (2, 3), 0.4),  # the smallest window around
        ({(0, 1): 0.5}, (2, 3), None),  # neither there, inside nor around
        ({}, (2, 3), None),
    ],
)
def test_nearest_value(scores, span, found):
    """The score of the window; else the mean inside; else that of the smallest window around it."""
    known = {at: MetricScore(metric_name="m", score=score) for at, score in scores.items()}
    score = nearest("m", known, span)
    assert found == (None if score is None else score.score)


def test_nearest_failure():
    """Where all inside failed, the failure is what is known."""
    failed = MetricScore(metric_name="m", metadata={"warning": "api_error"})
    assert failed is nearest("m", {(0, 1): failed, (1, 2): failed}, (0, 2))
    assert 0.5 == nearest("m", {(0, 1): failed, (1, 2): MetricScore(metric_name="m", score=0.5)}, (0, 2)).score


def test_dependency_that_failed_everywhere_does_not_stop_the_others():
    """A metric that wants to know of it is asked all the same, and finds the failure."""
    seen = []

    @metric(depends_on=("coherence",), scope=whole)
    def curious(window):
        seen.append(window.given["coherence"].status)
        return 1

    judge = ScriptedJudge({"coherence": OSError("down")})
    evaluate(FIVE, metrics=[curious, "coherence"], judge=judge)
    assert [ScoreStatus.FAILED] == seen


def test_a_measurement_says_what_it_cost():
    """Code costs nothing, a judge what it says; what the agent cost is another matter, and unknown is not 0."""
    trace = AgentTrace(messages=TRACE.messages, cost=0.5, metadata={"quality_score": 1.0})
    priced = MetricScore(metric_name="coherence", score=1.0, metadata={"cost_usd": 0.25})
    judge = ScriptedJudge({"answer_relevance": priced, "safety_score": 1.0})
    metrics = ["answer_relevance", "safety_score", "cost_efficiency"]
    costs = {m.metric: m.cost for m in evaluate(trace, metrics=metrics, judge=judge).measurements}
    assert {"answer_relevance": 0.25, "safety_score": None, "cost_efficiency": 0.0} == costs


class Stuck(ScriptedJudge):
    """A judge that cannot be closed."""

    async def __aenter__(self):
        return self

    fault = OSError("the connection was gone")

    async def __aexit__(self, *exception):
        raise self.fault


@pytest.mark.parametrize("fault", [SystemExit(3), asyncio.CancelledError(), GeneratorExit()], ids=repr)
def test_no_way_to_fail_while_closing_loses_a_result(fault):
    """Also what is no ``Exception``."""
    judge = Stuck({"coherence": 0.75})
    judge.fault = fault
    with pytest.warns(RuntimeWarning, match=f"could not be closed: {type(fault).__name__}"):
        assert 0.75 == evaluate(FIVE, metrics=["coherence"], judge=judge).overall_score


@pytest.mark.parametrize(
    "judge_of", [lambda judge: judge, lambda judge: Panel([judge, judge])], ids=["alone", "panel"]
)
def test_judge_that_cannot_be_closed_loses_no_result(judge_of):
    """One or many: everything measured is there, and the fault is told."""
    judge = judge_of(Stuck({"coherence": 0.75}))
    with pytest.warns(RuntimeWarning, match="could not be closed: OSError: the connection was gone"):
        one = evaluate(FIVE, metrics=["coherence"], judge=judge)
    with pytest.warns(RuntimeWarning, match="could not be closed"):
        many = batch_evaluate([FIVE, FIVE], metrics=["coherence"], judge=judge)
    assert [0.75] * 3 == [result.overall_score for result in (one, *many)]


def test_judge_that_cannot_be_closed_hides_no_interruption():
    """What ended the run is what the caller sees, with the fault of closing beside it."""

    def stop(_):
        raise KeyError("mine")

    with pytest.warns(RuntimeWarning, match="could not be closed"), pytest.raises(KeyError, match="mine"):
        batch_evaluate([TRACE], metrics=["coherence"], judge=Stuck({"coherence": 1}), on_result=stop)
