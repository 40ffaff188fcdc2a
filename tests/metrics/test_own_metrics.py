"""A metric of one's own: a function or a small class, cheap or slow, right or wrong."""

from __future__ import annotations

import asyncio
import math
import threading
from typing import Annotated

import pytest
from msgspec import Meta

from uaef.api import evaluate
from uaef.errors import MetricError, UnknownNameError
from uaef.metrics import Metric, get_metric, metric, whole
from uaef.models import Conversation, MetricScore, ScoreStatus
from uaef.testing import turn

TRACE = turn("Any rooms?", "Two rooms are free")


@metric(dimension="Response Quality")
def is_brief(window, *, most_words: Annotated[int, Meta(ge=1)] = 50, least_words: int = 0):
    """Whether the answer is brief.

    1 if it has no more words than allowed, else 0.
    """
    words = len(window.answer.split())
    return least_words <= words <= most_words, f"{words} words"


class Mentions(Metric):
    """Whether the answer mentions a word."""

    name = "mentions"
    dimension = "Response Quality"

    def __init__(self, word, *, share: float = 1.0):
        self.word, self.share = word, share

    def measure(self, window):
        """The share, if the word is there."""
        return self.share if self.word in window.answer else 0.0


def score_of(*metrics, trace=TRACE, **options):
    """The score of the first measurement."""
    return evaluate(trace, metrics=metrics, **options).measurements[0].score


def returning(value, **declared):
    """A metric that returns this value."""

    def returned(_):
        return value

    return metric(**declared)(returned)


def refusal(call):
    """The text of the error that a call raises."""
    with pytest.raises(ValueError) as raised:  # noqa: PT011 - the text is compared by the caller
        call()
    return str(raised.value)


# --- functions ------------------------------------------------------------------------


def test_function_is_a_metric():
    """Name, description and formula come from the function, the rest from the decorator."""
    assert ("is_brief", "is_brief", "Response Quality") == (is_brief.name, is_brief.key, is_brief.dimension)
    assert "Whether the answer is brief." == is_brief.description
    assert "1 if it has no more words than allowed, else 0." == is_brief.formula
    assert (1.0, "4 words") == (score_of(is_brief).score, score_of(is_brief).reasoning)
    assert "<Metric is_brief>" == repr(is_brief)


def test_parameters_are_given_by_calling_or_with_the_evaluation():
    """The same metric with other parameters has another key, with what differs from the defaults."""
    strict = is_brief(most_words=3)
    assert "is_brief(most_words=3)" == strict.key
    assert (
        "is_brief(least_words=1, most_words=3)"
        == strict(least_words=1).key
        == is_brief(most_words=3, least_words=1).key
    )
    assert "is_brief" == is_brief(most_words=50).key
    assert 0.0 == score_of(strict).score
    result = evaluate(TRACE, metrics=["latency_score", is_brief], metric_params={"is_brief": {"most_words": 3}})
    assert ["latency_score", "is_brief(most_words=3)"] == [m.metric for m in result.measurements]
    assert {"latency_score", "is_brief"} == {s.metric_name for d in result.dimension_results for s in d.metric_scores}


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: is_brief(most_word=3), "Unknown parameter of is_brief 'most_word'. Did you mean 'most_words'?"),
        (lambda: is_brief(window=3), "Unknown parameter of is_brief 'window'. Available: least_words, most_words."),
        (lambda: is_brief(most_words="3"), "is_brief(most_words='3'): Expected int, got str"),
        (lambda: is_brief(most_words=0), "is_brief(most_words=0): Expected int >= 1"),
        (lambda: get_metric("mcp_compliance", x=1), "Unknown parameter of mcp_compliance 'x'. Available: none."),
        (
            lambda: evaluate(TRACE, metrics=[is_brief], metric_params={"is_breif": {}}),
            "Unknown metric in metric_params 'is_breif'. Did you mean 'is_brief'?",
        ),
        (
            lambda: evaluate(TRACE, metrics=["turn_efficiency"], metric_params={"turn_efficiency": {"turns": 4}}),
            "Unknown parameter of turn_efficiency 'turns'. Available: expected_turns.",
        ),
        (
            lambda: evaluate(TRACE, metrics=["coherence"], metric_params={"coherence": {"strict": True}}),
            "Unknown parameter of coherence 'strict'. Available: none.",
        ),
        (lambda: metric(needs=["anwser"]), "Unknown need 'anwser'. Did you mean 'answer'?"),
    ],
)
def test_wrong_parameters_are_refused(call, message):
    """Before anything is measured, and with a suggestion where one is near."""
    assert message == refusal(call)


def test_annotation_that_cannot_be_resolved_is_not_checked():
    """An annotation for the type checker alone does not keep anybody from passing a value."""

    @metric()
    def lenient(window, *, limit: "OnlyForTheTypeChecker" = None):  # noqa: ARG001, F821, UP037
        return 0.5 if limit else None

    assert 0.5 == score_of(lenient(limit=object())).score


def test_name_may_be_given():
    """Another name for the same function makes another metric."""
    other = metric(name="is_short", dimension="Custom")(is_brief.definition)
    assert ["is_brief", "is_short"] == [m.metric for m in evaluate(TRACE, metrics=[is_brief, other]).measurements]


# --- what may be returned -------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "score", "reasoning"),
    [
        (0, 0.0, None),
        (1, 1.0, None),
        (0.25, 0.25, None),
        (True, 1.0, None),
        (False, 0.0, None),
        ((0.25, "a quarter"), 0.25, "a quarter"),
        ((True, "yes"), 1.0, "yes"),
        (MetricScore(metric_name="returned", score=0.5), 0.5, None),
        (MetricScore(metric_name="another", score=0.5, reasoning="half"), 0.5, "half"),
    ],
)
def test_scores(value, score, reasoning):
    """A number, a yes or no, a pair with a reason, or a whole score: always under the metric's own name."""
    found = score_of(returning(value))
    assert (score, reasoning, "returned", ScoreStatus.SCORED) == (
        found.score,
        found.reasoning,
        found.metric_name,
        found.status,
    )


@pytest.mark.parametrize(
    ("value", "reasoning"),
    [(None, "the metric found nothing to measure"), ((None, "no answer"), "no answer")],
)
def test_nothing_to_measure(value, reasoning):
    """None is no number, and no failure either."""
    found = score_of(returning(value))
    assert (None, ScoreStatus.NOT_APPLICABLE, reasoning) == (found.score, found.status, found.reasoning)


class Scalar:
    """What array libraries return: something with a plain value inside."""

    def __init__(self, value):
        self.value = value

    def item(self):
        """The plain value."""
        return self.value


def test_scalars_of_array_libraries_are_numbers():
    """A number of NumPy's or a tensor of one element is taken for what it is."""
    assert (0.5, 1.0) == (score_of(returning(Scalar(0.5))).score, score_of(returning(Scalar(value=True))).score)
    assert ScoreStatus.FAILED is score_of(returning(Scalar(math.nan))).status


@pytest.mark.parametrize(
    "value", [1.01, -0.5, 5, math.nan, math.inf, "0.5", [0.5], {"score": 1}, (0.5, "a", "b"), object]
)
def test_garbage_is_a_failure(value):
    """What is no score is said to be none; it is never rounded, cut off or taken for zero."""
    found = score_of(returning(value))
    assert (None, ScoreStatus.FAILED, "metric_error") == (found.score, found.status, found.metadata["warning"])
    assert f"returned returned {value!r}; a score is a number in [0, 1], True, False or None" == found.reasoning


def test_raising_is_a_failure_and_costs_nobody_else():
    """The error is named in the result, and every other metric is measured."""

    @metric(dimension="Response Quality")
    def broken(window):
        raise ZeroDivisionError(f"no words in {window.name}")

    result = evaluate({"session_id": "hotel", "per_turn_traces": [TRACE, TRACE]}, metrics=[broken, is_brief])
    failed = [m.score for m in result.measurements if m.metric == "broken"]
    assert [
        "broken raised ZeroDivisionError: no words in hotel#1",
        "broken raised ZeroDivisionError: no words in hotel#2",
    ] == [score.reasoning for score in failed]
    assert {"warning": "metric_error", "error_details": "ZeroDivisionError: no words in hotel#1"} == failed[
        0
    ].metadata
    assert {"scored": 2, "not_applicable": 0, "failed": 2} == result.metadata["coverage"]


def test_score_out_of_range_is_a_failure_in_a_full_score_too():
    """A metric that builds an impossible score fails like one that raises, since it does."""

    @metric()
    def generous(_):
        return generous.scored(2)

    assert (
        "generous raised ModelError: MetricScore.score: generous must lie in [0, 1], got 2.0"
        == score_of(generous).reasoning
    )


# --- how it is run --------------------------------------------------------------------


def test_async_functions_are_awaited():
    """A metric may wait for something."""

    @metric()
    async def patient(window):
        await asyncio.sleep(0)
        return len(window.user_messages) == 1, "asked once"

    assert (1.0, "asked once") == (score_of(patient).score, score_of(patient).reasoning)


def test_async_failure_is_a_failure():
    """An error after the first await is named like any other."""

    @metric()
    async def hasty(_):
        await asyncio.sleep(0)
        raise TimeoutError("too long")

    assert (ScoreStatus.FAILED, "hasty raised TimeoutError: too long") == (
        score_of(hasty).status,
        score_of(hasty).reasoning,
    )


def test_blocking_metrics_get_a_thread():
    """What blocks for long says so and runs beside everything else, all turns at once."""
    together = threading.Barrier(3)

    @metric(blocking=True)
    def slow(_):
        together.wait(timeout=30)
        return threading.current_thread() is not threading.main_thread()

    result = evaluate({"per_turn_traces": [TRACE] * 3}, metrics=[slow])
    assert [1.0, 1.0, 1.0] == [m.score.score for m in result.measurements]


def test_cheap_metrics_run_where_they_stand():
    """No thread is started for what takes a microsecond."""
    threads = set()

    @metric()
    def cheap(_):
        threads.add(threading.current_thread())
        return 1

    evaluate({"per_turn_traces": [TRACE] * 3}, metrics=[cheap])
    assert {threading.main_thread()} == threads


# --- classes --------------------------------------------------------------------------


def test_class_is_a_metric():
    """Its arguments are its parameters; a default that is repeated is a default."""
    assert "mentions(word='rooms')" == Mentions("rooms").key == Mentions(word="rooms", share=1.0).key
    assert "mentions(share=0.5, word='rooms')" == Mentions("rooms", share=0.5).key
    assert (1.0, 0.0) == (score_of(Mentions("rooms")).score, score_of(Mentions("pool")).score)


def test_class_without_arguments_needs_no_instance():
    """A class is made with its defaults."""

    class Flawless(Metric):
        name = "flawless"

        def measure(self, _):
            return 1

    result = evaluate(TRACE, metrics=[Flawless, Flawless()])
    assert [("flawless", "Custom", 1.0)] == [(m.metric, m.dimension, m.score.score) for m in result.measurements]


def test_class_may_be_async():
    """A measure that is a coroutine is awaited."""

    class Patient(Metric):
        name = "patient"

        async def measure(self, window):
            await asyncio.sleep(0)
            return bool(window.answer)

    assert 1.0 == score_of(Patient).score


def test_scope_of_a_class_is_not_bound():
    """A plain function as scope stays a function of the outline."""

    class OnTheWhole(Metric):
        name = "on_the_whole"
        scope = whole

        def measure(self, window):
            return len(window) / 2

    result = evaluate({"per_turn_traces": [TRACE, TRACE]}, metrics=[OnTheWhole])
    assert [1.0] == [m.score.score for m in result.measurements]


def test_classes_take_parameters_with_the_evaluation():
    """metric_params reach the constructor, and what was said about where to measure stays said."""
    session = {"per_turn_traces": [TRACE, turn("a", "b")]}
    metrics = [Mentions("pool").on(whole)]
    result = evaluate(session, metrics=metrics, metric_params={"mentions": {"word": "rooms"}})
    assert [("mentions(word='rooms')", True, 1.0)] == [
        (m.metric, m.whole, m.score.score) for m in result.measurements
    ]


class Picky(Metric):
    """A metric that does not take everything."""

    name = "picky"

    def __init__(self, *, share: float = 1.0):
        if share > 1:
            raise ValueError("share must be at most 1")

    def measure(self, _):
        """All is well."""
        return 1


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: evaluate(TRACE, metrics=[Picky], metric_params={"picky": {"share": 2}}),
            "picky cannot be made with {'share': 2}: share must be at most 1",
        ),
        (
            lambda: evaluate(TRACE, metrics=[Mentions]),
            (
                "Mentions cannot be made without arguments (Mentions.__init__() missing 1 required positional "
                "argument: 'word'); pass an instance."
            ),
        ),
        (
            lambda: evaluate(TRACE, metrics=[Mentions("a")], metric_params={"mentions": {"words": 1}}),
            "Unknown parameter of mentions 'words'. Did you mean 'word'?",
        ),
        (
            lambda: evaluate(TRACE, metrics=[type("Bare", (Metric,), {"name": "bare"})]),
            "Metric 'bare' does not define measure(window).",
        ),
        (
            lambda: evaluate(TRACE, metrics=[print]),
            "<built-in function print> is no metric; decorate a function with @metric or derive from Metric.",
        ),
        (
            lambda: evaluate(TRACE, metrics=[5]),
            "5 is no metric; decorate a function with @metric or derive from Metric.",
        ),
        (
            lambda: evaluate(TRACE, metrics=[returning(1, name="my metric")]),
            "A metric's name has letters, digits and underscores only, got 'my metric'.",
        ),
        (
            lambda: evaluate(TRACE, metrics=[type("Typo", (Picky,), {"needs": ("anwser",)})]),
            "Unknown need of metric 'picky': 'anwser'. Did you mean 'answer'?",
        ),
    ],
)
def test_metrics_that_cannot_work_are_refused(call, message):
    """Before anything is measured, in one sentence."""
    assert message == refusal(call)


# --- several of them ------------------------------------------------------------------


def test_same_metric_twice_is_measured_once():
    """By name, as an object, with defaults spelt out: it is one metric."""
    brief = is_brief(most_words=50)
    assert 1 == len(evaluate(TRACE, metrics=[is_brief, is_brief, brief]).measurements)
    assert 1 == len(evaluate(TRACE, metrics=["throughput", get_metric("throughput")]).measurements)


def test_two_metrics_under_one_key_are_a_mistake():
    """Which of the two a score belongs to, nobody could say."""
    twin = metric(name="is_brief")(lambda _: 1)
    message = "Two different metrics answer to 'is_brief'; give one of them another name."
    assert message == refusal(lambda: evaluate(TRACE, metrics=[is_brief, twin]))


def test_one_metric_is_measured_in_several_places():
    """On every turn and on the whole, in one call; what was measured once is measured once."""
    session = {"session_id": "s", "per_turn_traces": [TRACE, TRACE]}
    result = evaluate(session, metrics=[is_brief, is_brief.on(whole), is_brief])
    assert ["s#1", "s#2", "s"] == [m.slice_name for m in result.measurements]
    (score,) = result.dimension_results[0].metric_scores
    assert 2 == len(score.metadata["per_turn"])
    assert 1 == len(evaluate(TRACE, metrics=[is_brief, is_brief.on(whole)]).measurements)


def test_metric_with_several_parameters_stands_for_itself():
    """Measured with two sets of parameters, a metric is reported under its keys; alone, under its name."""
    result = evaluate({"per_turn_traces": [TRACE, TRACE]}, metrics=[is_brief, is_brief(most_words=3)])
    keys = ["is_brief", "is_brief(most_words=3)"]
    assert keys == [s.metric_name for s in result.dimension_results[0].metric_scores]
    assert (
        dict.fromkeys(keys) | {"is_brief": 1.0, "is_brief(most_words=3)": 0.0} == result.metadata["per_turn_averages"]
    )
    assert [keys, keys] == [list(entry["metric_scores"]) for entry in result.metadata["per_turn"]]
    alone = evaluate(TRACE, metrics=[is_brief(most_words=3)])
    assert ["is_brief"] == [s.metric_name for s in alone.dimension_results[0].metric_scores]


def test_unknown_metric_is_refused_with_a_suggestion():
    """Neither dropped nor skipped."""
    with pytest.raises(UnknownNameError) as raised:
        evaluate(TRACE, metrics=["coherance"])
    assert "Unknown metric 'coherance'. Did you mean 'coherence'?" == str(raised.value)
    assert isinstance(raised.value, ValueError)
    assert issubclass(MetricError, ValueError)


def test_metrics_measure_windows():
    """A metric can be tried without an evaluation."""
    assert (True, "4 words") == is_brief.measure(Conversation.of(TRACE))
