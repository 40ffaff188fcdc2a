"""Dependencies: what a metric wants to know of others, wherever they were measured."""

from __future__ import annotations

import pytest

from uaef.api import evaluate
from uaef.errors import MetricError
from uaef.metrics import each_turn, metric, whole
from uaef.testing import ScriptedJudge, turn

TRACE = turn("Any rooms?", "Two rooms are free")


@metric(dimension="Response Quality")
def is_brief(window, *, most_words: int = 50):
    """Whether the answer is brief."""
    return len(window.answer.split()) <= most_words


def refusal(call):
    """The text of the error that a call raises."""
    with pytest.raises(MetricError) as raised:
        call()
    return str(raised.value)


@metric(depends_on=("is_brief",), dimension="Custom")
def knows(window):
    """What it was told of is_brief."""
    told = window.given.get("is_brief")
    return None if told is None else (told.score, str(window.metadata["is_brief"]))


@pytest.mark.parametrize("metrics", [[knows, is_brief], [is_brief, knows]])
def test_dependency_is_measured_first(metrics):
    """Whatever the order of naming."""
    result = evaluate(TRACE, metrics=metrics)
    found = {m.metric: m.score for m in result.measurements}
    assert (1.0, "1.0") == (found["knows"].score, found["knows"].reasoning)


def test_dependency_is_never_run_unasked():
    """Wanting to know is not asking for it to be measured."""
    result = evaluate(TRACE, metrics=[knows])
    assert [("knows", None)] == [(m.metric, m.score.score) for m in result.measurements]


def test_metrics_in_a_circle_are_refused():
    """Neither could be measured first."""

    @metric(depends_on=("hen",))
    def egg(_):
        return 1

    @metric(depends_on=("egg",))
    def hen(_):
        return 1

    message = refusal(lambda: evaluate(TRACE, metrics=[egg, hen]))
    assert message.startswith("Metrics depend on each other in a circle: ")
    assert {"egg", "hen"} == set(message.removesuffix(".").split(": ")[1].split(" > "))


def test_dependency_on_one_of_several_is_refused():
    """Which parameters are meant must be clear."""
    message = refusal(lambda: evaluate(TRACE, metrics=[knows, is_brief, is_brief(most_words=3)]))
    assert (
        "Metric 'knows' depends on 'is_brief', of which there are several: is_brief, is_brief(most_words=3)."
        == message
    )


def test_chain_of_dependencies():
    """Each link is measured after the one before it; two levels used to be all."""
    names = ["first", "second", "third", "fourth"]

    def link(name, before):
        def follow(window):
            known = window.given.get(before)
            return 0.125 if known is None else known.score * 2

        return metric(name=name, depends_on=[before] if before else [])(follow)

    metrics = [link(name, before) for name, before in zip(names, [None, *names], strict=False)]
    result = evaluate(TRACE, metrics=metrics[::-1])
    assert {"first": 0.125, "second": 0.25, "third": 0.5, "fourth": 1.0} == {
        m.metric: m.score.score for m in result.measurements
    }


@pytest.mark.parametrize(
    ("of", "seen"),
    [
        ("each turn", [0.0, 1.0]),  # what it is there
        ("whole", [0.5]),  # the mean inside
    ],
)
def test_value_of_a_dependency_for_a_window(of, seen):
    """The score of the same window; else the mean of those inside."""
    values = []

    @metric(depends_on=("has_rooms",), scope=whole if of == "whole" else each_turn)
    def watching(window):
        values.append(window.given["has_rooms"].score)
        return 1

    @metric()
    def has_rooms(window):
        return "rooms" in window.answer

    evaluate({"per_turn_traces": [turn("a", "b"), TRACE]}, metrics=[watching, has_rooms])
    assert seen == values


def test_value_of_a_dependency_around_a_window():
    """A turn that wants to know of the whole is told of the whole."""
    values = []

    @metric(depends_on=("of_all",))
    def watching(window):
        values.append((window.name, window.given["of_all"].score))
        return 1

    @metric(scope=whole)
    def of_all(_):
        return 0.25

    evaluate({"session_id": "s", "per_turn_traces": [TRACE, TRACE]}, metrics=[watching, of_all])
    assert [("s#1", 0.25), ("s#2", 0.25)] == values


def test_metadata_keeps_what_was_recorded():
    """Scores are laid over a copy; the recording stays as it was."""
    trace = turn("a", "b", metadata={"is_brief": "recorded", "note": 1})
    seen = []

    @metric(depends_on=("is_brief",))
    def looking(window):
        seen.append(window.metadata)
        return 1

    evaluate(trace, metrics=[looking, is_brief])
    assert [{"is_brief": 1.0, "note": 1}] == seen
    assert {"is_brief": "recorded", "note": 1} == trace.metadata


def test_needs_are_checked_before_measuring():
    """A metric that needs an answer is not asked about a turn without one."""
    calls = []

    @metric(needs=["answer"])
    def counted(window):
        calls.append(window.name)
        return 1

    found = evaluate(turn("a", " "), metrics=[counted]).measurements[0].score
    assert ([], "the assistant said nothing", "missing_data") == (calls, found.reasoning, found.metadata["warning"])


def test_metric_of_another_metrics_judge():
    """A metric of one's own may depend on a judged one."""

    @metric(depends_on=("answer_relevance",))
    def half(window):
        return window.given["answer_relevance"].score / 2

    result = evaluate(TRACE, metrics=[half, "answer_relevance"], judge=ScriptedJudge({"answer_relevance": 0.5}))
    assert 0.25 == next(m.score.score for m in result.measurements if m.metric == "half")
