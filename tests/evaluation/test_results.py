"""What a result says: averages with every turn in them, structured and printed, and what to know of them."""

from __future__ import annotations

import uuid

import pytest

from uaef.api import evaluate
from uaef.metrics import from_turn, latency_score, metric, whole
from uaef.models import Conversation, GroundTruth, MultiAgentTrace, ScoreStatus
from uaef.testing import ScriptedJudge, turn

TRACE = turn("a", "b")
BROKEN = RuntimeError("no idea")


def session(turns=3, **recorded):
    """A session dict of so many turns."""
    traces = [turn(f"question {n}", f"answer {n}", **recorded) for n in range(1, turns + 1)]
    return {"session_id": "hotel", "per_turn_traces": traces}


def fixed(*values, name="m", dimension="Performance"):
    """A metric that gives these values turn by turn; an exception is raised."""

    def found(window):
        value = values[window.numbers[0] - 1]
        if isinstance(value, Exception):
            raise value
        return value

    return metric(name=name, dimension=dimension)(found)


def averaged(*values):
    """The average over turns with these values."""
    (score,) = evaluate(session(len(values)), metrics=[fixed(*values)]).dimension_results[0].metric_scores
    return score


def test_printed_average():
    """Line by line as documented: two digits, the reason after a colon, N/A where there is no number."""
    assert (
        "Average across 5 turns:\n"
        "  Turn 1 (0.80): the right tool\n"
        "  Turn 2 (0.50)\n"
        "  Turn 3 (N/A): nothing asked\n"
        "  Turn 4 (N/A): m raised RuntimeError: no idea\n"
        "  Turn 5 (0.99): almost"
    ) == averaged((0.8, "the right tool"), 0.5, (None, "nothing asked"), BROKEN, (0.9996, "almost")).reasoning


def test_structured_average():
    """The same for programs, with what was counted and the worst of them."""
    assert {
        "per_turn": [
            {"turn": 1, "score": 0.8, "reasoning": "good"},
            {"turn": 2, "score": None, "reasoning": "nothing asked"},
            {"turn": 3, "score": 0.5, "reasoning": None},
            {"turn": 4, "score": None, "reasoning": "m raised RuntimeError: no idea"},
        ],
        "n_scored": 2,
        "n_not_applicable": 1,
        "n_failed": 1,
        "worst_turn": 3,
    } == averaged((0.8, "good"), (None, "nothing asked"), 0.5, BROKEN).metadata


@pytest.mark.parametrize(
    ("values", "score", "status", "warning"),
    [
        ((1.0, 0.5), 0.75, ScoreStatus.SCORED, None),
        ((1.0, None), 1.0, ScoreStatus.SCORED, None),  # what does not apply leaves the denominator
        ((1.0, BROKEN), 1.0, ScoreStatus.SCORED, None),  # and what failed is counted, and counts for nothing
        ((0.0, None), 0.0, ScoreStatus.SCORED, None),
        ((None, None), None, ScoreStatus.NOT_APPLICABLE, "not_applicable"),
        ((None, BROKEN), None, ScoreStatus.FAILED, "metric_error"),
        ((BROKEN, BROKEN), None, ScoreStatus.FAILED, "metric_error"),
    ],
)
def test_average(values, score, status, warning):
    """The mean of what scored; without any, failed if anything failed; it is there in every case."""
    found = averaged(*values)
    assert (score, status, warning) == (found.score, found.status, found.metadata.get("warning"))


def test_turn_by_turn():
    """One entry a turn with everything measured there, under the turn's own number; what is whole stays out."""
    data = session(2)
    data["per_turn_traces"] = [turn("a", "b", metadata={"turn_id": n}) for n in (4, 7)]
    found = evaluate(
        data,
        metrics=[metric(name="m")(lambda w: (w.numbers[0] / 10, "as it is")), "turn_efficiency", "latency_score"],
    )
    unknown = "the latency was not recorded"
    assert [
        {
            "turn": number,
            "metric_scores": {"m": score, "latency_score": None},
            "reasoning": {"m": "as it is", "latency_score": unknown},
        }
        for number, score in ((4, 0.4), (7, 0.7))
    ] == found.metadata["per_turn"]
    assert {"m": 0.55, "latency_score": None} == found.metadata["per_turn_averages"]


def test_documented_metadata():
    """The keys of the page, and how much was covered."""
    metrics = [fixed(1.0, None, BROKEN), "prompt_injection_detection", "turn_efficiency"]
    found = evaluate(session(), metrics=metrics).metadata
    documented = {
        "num_metrics": 3,
        "num_dimensions": 3,
        "num_turns": 3,
        "is_multi_agent": False,
        "dimension_weights": {"Performance": 0.1, "Responsible AI": 0.2, "Multi-Turn": 0.1},
        "thresholds": {"Performance": 0.6, "Responsible AI": 0.8, "Multi-Turn": 0.6},
        "coverage": {"scored": 5, "not_applicable": 1, "failed": 1},
        "per_turn_averages": {"m": 1.0, "prompt_injection_detection": 1.0},
    }
    assert documented == {key: found[key] for key in documented}
    assert 3 == len(found["per_turn"])
    assert evaluate(MultiAgentTrace(messages=TRACE.messages), metrics=["throughput"]).metadata["is_multi_agent"]


def test_single_turn_is_reported_as_it_was_found():
    """One turn needs no average: its reason is its own, and it is in the turn-by-turn part all the same."""
    found = evaluate(TRACE, metrics=[fixed((0.75, "good"))])
    (score,) = found.dimension_results[0].metric_scores
    assert (0.75, "good") == (score.score, score.reasoning)
    assert [{"turn": 1, "score": 0.75, "reasoning": "good"}] == score.metadata["per_turn"]
    assert [{"turn": 1, "metric_scores": {"m": 0.75}, "reasoning": {"m": "good"}}] == found.metadata["per_turn"]


def test_whole_scope_keeps_its_one_reason():
    """What is measured once is no average, even if its own details have a key of that name."""
    mine = metric(name="m", scope=whole)(lambda _: mine.scored(0.5, "once", per_turn="my own"))
    found = evaluate(session(), metrics=[mine])
    (score,) = found.dimension_results[0].metric_scores
    assert ("once", {"per_turn": "my own"}) == (score.reasoning, score.metadata)
    assert ({}, [{}] * 3) == (
        found.metadata["per_turn_averages"],
        [entry["metric_scores"] for entry in found.metadata["per_turn"]],
    )


def test_own_scope_of_everything_is_the_whole():
    """A scope of one's own that holds all turns speaks for the whole, and is no average over turns."""
    found = evaluate(session(), metrics=[latency_score.on(from_turn(1))])
    (score,) = found.dimension_results[0].metric_scores
    assert ("the latency was not recorded", {"warning": "missing_data"}) == (score.reasoning, score.metadata)
    assert {} == found.metadata["per_turn_averages"]


def test_window_can_be_evaluated_like_a_conversation():
    """A slice is a conversation: evaluated, it is the whole of what was evaluated, under its own name."""
    conversation = Conversation.from_session(session(latency=4.0))
    for window, name, latency in ((conversation[1], "hotel#2", 4.0), (conversation[1:], "hotel#2-3", 8.0)):
        found = evaluate(window, metrics=["turn_efficiency", latency_score.on(whole)])
        assert [name, name] == [m.slice_name for m in found.measurements]
        assert [True, True] == [m.whole for m in found.measurements]
        assert 2 / latency == found.dimension_results[1].aggregate_score
        assert len(window) == found.metadata["num_turns"]


def test_worst_measurement():
    """The lowest of all, the first of several; nothing where nothing scored."""
    found = evaluate(session(), metrics=[fixed(0.5, 0.25, 0.25), "prompt_injection_detection"])
    assert ("hotel#2", "m", 0.25) == (found.worst.slice_name, found.worst.metric, found.worst.score.score)
    assert evaluate(TRACE, metrics=["latency_score"]).worst is None


def test_dimensions_are_in_the_order_of_the_metrics():
    """As named; each with its mean, and its metrics as named."""
    metrics = [fixed(0.5, name="b", dimension="Tone"), fixed(1.0, name="c"), fixed(1.0, name="a", dimension="Tone")]
    found = evaluate(TRACE, metrics=metrics)
    assert [("Tone", ["b", "a"], 0.75), ("Performance", ["c"], 1.0)] == [
        (d.dimension_name, [s.metric_name for s in d.metric_scores], d.aggregate_score)
        for d in found.dimension_results
    ]


def test_dimension_keeps_metrics_without_a_number():
    """Not applicable and failed metrics are in their dimension, with their reasons; they used to vanish."""
    found = evaluate(TRACE, metrics=[fixed(None, name="a"), fixed(BROKEN, name="b"), fixed(0.5, name="c")])
    assert [None, None, 0.5] == [s.score for s in found.dimension_results[0].metric_scores]
    assert 0.5 == found.dimension_results[0].aggregate_score


def test_result_knows_what_it_is_of():
    """The trace's id, the conversation, an id of its own."""
    data = session()
    found = evaluate(data | {"full_trace": {**Conversation.from_session(data).trace.to_dict(), "trace_id": "t"}})
    assert ("t", "hotel") == (found.trace_id, found.conversation.name)
    assert uuid.UUID(found.evaluation_id) != uuid.UUID(evaluate(TRACE).evaluation_id)
    assert "mine" == evaluate(turn("a", "b", trace_id="mine")).trace_id


def test_warnings_that_were_recorded_are_passed_on():
    """What an adapter had to say of a turn is said with the result."""
    data = session(2)
    data["per_turn_traces"][1].metadata["warnings"] = ["turn 2 has no user message"]
    assert ["turn 2 has no user message"] == evaluate(data, metrics=["prompt_injection_detection"]).warnings


@pytest.mark.parametrize(
    ("numbers", "warnings"),
    [
        ([1, 2, 3], []),
        ([2], []),
        ([4], ["The ground truth expects something of turn 4, which 'hotel' lacks."]),
        ([9, 1, 4], ["The ground truth expects something of turns 4, 9, which 'hotel' lacks."]),
    ],
)
def test_expectations_of_turns_that_are_not_there(numbers, warnings):
    """A turn that the recording lacks is not measured, and that is said; it used to shift all the others."""
    truth = GroundTruth(turns={n: GroundTruth(expected_tool_calls=[]) for n in numbers})
    found = evaluate(session(), truth, metrics=["tool_selection_accuracy", "prompt_injection_detection"])
    assert warnings == found.warnings
    measured = [
        m.turns for m in found.measurements if m.metric == "tool_selection_accuracy" and m.score.score is not None
    ]
    assert [(n,) for n in (1, 2, 3) if n in numbers] == measured


def test_ground_truth_of_the_conversation_is_used():
    """Expectations given with the conversation hold, unless the call brings others; context displaces none."""
    seen = []

    def look(window):
        seen.append((window.expected.expected_output, window.expected.context_documents))
        return 1.0

    judge = ScriptedJudge({"accuracy": look})
    conversation = Conversation.of(TRACE, expected=GroundTruth(expected_output="given before"))
    evaluate(conversation, metrics=["accuracy"], judge=judge)
    evaluate(conversation, metrics=["accuracy"], judge=judge, context=["document"])
    evaluate(conversation, {"expected_output": "given now"}, metrics=["accuracy"], judge=judge)
    assert [("given before", []), ("given before", ["document"]), ("given now", [])] == seen
    assert "given before" == conversation.expected.expected_output
