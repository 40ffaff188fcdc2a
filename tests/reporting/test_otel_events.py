"""Scores as events, before they are sent: what they say, what they hang on, and when they happened."""

from __future__ import annotations

import datetime as dt

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tests.reporting.conftest import polite, right_tools, turn

from uaef import Conversation, metric
from uaef.api import batch_evaluate, evaluate, run_evals
from uaef.metrics.scopes import whole
from uaef.models.base import replaced
from uaef.models.scores import scored
from uaef.reporting.json import results_from_json, results_to_json
from uaef.reporting.otel_events import LONGEST, Span, evaluation_events, recorded_span
from uaef.testing import ScriptedJudge

TRACE, OTHER_TRACE = "4bf92f3577b34da6a3ce929d0e0e4736", "0af7651916cd43dd8448eb211c80319c"
SPAN, OTHER_SPAN = "00f067aa0ba902b7", "b7ad6b7169203331"
HERE = Span(int(TRACE, 16), int(SPAN, 16))


@metric(scope=whole)
def half_of_it(conversation):
    """Half a point for each turn."""
    return len(conversation) / 2


def by_name(events):
    """The events by slice and metric."""
    return {(e.attributes["uaef.slice"], e.attributes["gen_ai.evaluation.name"]): e for e in events}


def of_turns(*traces, metrics=(right_tools,), **options):
    """The events of a conversation of these turns, by slice and metric."""
    result = evaluate(Conversation.of(traces, name="refund"), metrics=list(metrics), **options)
    return by_name(evaluation_events([result]))


def test_a_score_is_said_as_the_conventions_have_it(measured):
    """Name, number, label, explanation and conversation under their names; the rest under ours."""
    (event,) = evaluation_events([measured({1: {"right_tools": (0.5, "one is missing")}}, metrics=[right_tools])])
    assert {
        "gen_ai.evaluation.name": "right_tools",
        "gen_ai.evaluation.score.value": 0.5,
        "gen_ai.evaluation.score.label": "fail",
        "gen_ai.evaluation.explanation": "one is missing",
        "gen_ai.conversation.id": "refund",
        "uaef.slice": "refund",
        "uaef.dimension": "Tool Calling",
        "uaef.trial": 0,
        "uaef.turn": 1,
    } == event.attributes
    assert (None, None, False) == (event.parent, event.timestamp, event.failed)


def test_a_failure_has_a_type_and_no_number(measured):
    """What should have been measured and was not is an error of a known kind."""
    events = by_name(evaluation_events([measured({1: {"right_tools": 1.0, "quick_enough": OSError("no clock")}})]))
    failed = events["refund", "quick_enough"]
    assert failed.failed
    assert "metric_error" == failed.attributes["error.type"]
    assert "no clock" in failed.attributes["gen_ai.evaluation.explanation"]
    assert not {"gen_ai.evaluation.score.value", "gen_ai.evaluation.score.label"} & failed.attributes.keys()
    assert "error.type" not in events["refund", "right_tools"].attributes


def test_a_failure_of_a_kind_of_ones_own_is_another(measured):
    """An attribute that stores are indexed by takes no text that a metric made up."""
    result = measured({1: {"right_tools": OSError("no")}}, metrics=[right_tools])
    score = result.measurements[0].score
    odd = replaced(result.measurements[0], score=replaced(score, metadata={"warning": "disk 7 of 9 is full"}))
    (event,) = evaluation_events([replaced(result, measurements=[odd])])
    assert "_OTHER" == event.attributes["error.type"]


def test_what_does_not_apply_is_no_event(bad_at_three):
    """Eight measurements, one of which has nothing to measure: seven results."""
    events = by_name(evaluation_events([bad_at_three]))
    assert 8 == len(bad_at_three.measurements)
    assert 7 == len(events)
    assert ("refund#3", "quick_enough") not in events


@pytest.mark.parametrize(
    ("scores", "label"),
    [
        ({"polite": 0.4}, None),  # nothing is required of it
        ({"polite": True}, "pass"),
        ({"polite": False}, "fail"),
        ({"right_tools": 0.8}, "pass"),  # the default threshold of its dimension
        ({"right_tools": 0.6}, "fail"),
    ],
)
def test_the_label_says_what_is_known(measured, scores, label):
    """By the threshold of the dimension, else by yes or no, else not at all."""
    metrics = [m for m in (right_tools, polite) if m.name in scores]
    (event,) = evaluation_events([measured({1: scores}, metrics=metrics)])
    assert label == event.attributes.get("gen_ai.evaluation.score.label")


def test_the_label_keeps_to_the_claims_of_a_run():
    """A claim on the whole, on a turn, and with an upper bound; each bounds what it was made on and nothing else."""

    @metric
    def words(window):
        """The share of ten words."""
        return min(1.0, len(window.answer.split()) / 10)

    @metric
    def letters(window):
        """The share of ten letters."""
        return min(1.0, len(window.answer) / 10)

    run = run_evals(
        data=[
            {
                "id": "refund",
                "turns": [
                    {"input": "short", "scorers": [{"scorer": words, "threshold": {"max": 0.2}}]},
                    {"input": "three words here", "scorers": [{"scorer": words, "threshold": {"max": 0.2}}, letters]},
                ],
            }
        ],
        target=lambda text: text,
        gates=[letters],
    )
    events = by_name(evaluation_events(run.items))
    labels = {place: e.attributes.get("gen_ai.evaluation.score.label") for place, e in events.items()}
    assert {
        ("refund#1", "words"): "pass",
        ("refund#2", "words"): "fail",
        ("refund#2", "letters"): None,
        ("refund", "letters"): "pass",
    } == labels


def test_a_result_without_its_conversation_still_has_scores(measured):
    """As it is where only the numbers were kept: no span, and the name that is known."""
    kept = replaced(measured({1: {"right_tools": 1.0, "trace_id": TRACE}}, metrics=[right_tools]), conversation=None)
    (event,) = evaluation_events([kept])
    assert (None, None, "t1") == (event.parent, event.timestamp, event.attributes["gen_ai.conversation.id"])


def test_a_turn_hangs_on_its_span_and_the_whole_on_their_trace():
    """Each turn of a trace has a span of its own, so all that the whole has is the trace."""
    events = of_turns(
        turn(1, right_tools=1.0, traceparent=f"00-{TRACE}-{SPAN}-01"),
        turn(2, right_tools=1.0, trace_id=TRACE.upper(), span_id=f"0x{OTHER_SPAN}"),
        metrics=[right_tools, half_of_it],
    )
    assert Span(*HERE[:2], flags=1) == events["refund#1", "right_tools"].parent
    assert Span(int(TRACE, 16), int(OTHER_SPAN, 16)) == events["refund#2", "right_tools"].parent
    assert Span(int(TRACE, 16)) == events["refund", "half_of_it"].parent


def test_turns_of_several_traces_leave_the_whole_without_one():
    """There is no span that was evaluated, and inventing one would mislead."""
    events = of_turns(turn(1, trace_id=TRACE, span_id=SPAN), turn(2, trace_id=OTHER_TRACE), metrics=[half_of_it])
    assert events["refund", "half_of_it"].parent is None


def test_the_recording_of_the_whole_names_its_span():
    """A session whose full trace carries a span: what is measured on the whole hangs there."""
    turns = [turn(1, right_tools=1.0), turn(2, right_tools=1.0)]
    full = replaced(turns[0], messages=[*turns[0].messages, *turns[1].messages], metadata={"trace_id": TRACE})
    full = replaced(full, metadata={"traceparent": f"00-{TRACE}-{SPAN}-00"})
    conversation = Conversation.of(turns, name="refund", full_trace=full)
    events = by_name(evaluation_events([evaluate(conversation, metrics=[right_tools, half_of_it])]))
    assert HERE == events["refund", "half_of_it"].parent
    assert events["refund#1", "right_tools"].parent is None


@pytest.mark.parametrize(
    "metadata",
    [
        {},
        {"traceparent": f"00-{TRACE}-{SPAN}"},
        {"traceparent": f"ff-{TRACE}-{SPAN}-01"},
        {"traceparent": f"00-{'0' * 32}-{SPAN}-01"},
        {"traceparent": f"00-{TRACE}-{'0' * 16}-01"},
        {"traceparent": None},
        {"trace_id": "0" * 32, "span_id": SPAN},
        {"trace_id": TRACE[:-1], "span_id": SPAN},
        {"trace_id": int(TRACE, 16), "span_id": int(SPAN, 16)},
        {"trace_id": "4bf92f35-77b3-4da6-a3ce-929d0e0e4736", "span_id": SPAN},
        {"span_id": SPAN},
        {"trace_id": f"{TRACE[:-1]}٣", "span_id": SPAN},
    ],
)
def test_what_names_no_span_names_none(metadata):
    """Half an identifier, zeros, a number, a UUID: no parent, and no error."""
    assert recorded_span(metadata) is None


def test_a_later_version_of_traceparent_is_read_as_far_as_it_is_known():
    """As the W3C has it; and where it says nothing, the pair of ids is read."""
    assert Span(*HERE[:2], flags=1) == recorded_span({"traceparent": f"cc-{TRACE}-{SPAN}-01-what-the-future-holds"})
    assert HERE == recorded_span({"traceparent": "none", "trace_id": TRACE, "span_id": SPAN})
    assert Span(HERE.trace_id) == recorded_span({"trace_id": TRACE, "span_id": "abc"})


@given(
    st.dictionaries(st.sampled_from(["traceparent", "trace_id", "span_id"]), st.text() | st.integers() | st.none())
)
def test_any_metadata_is_survived(metadata):
    """Whatever was recorded there, an identifier that comes of it fits its bytes and is not zero."""
    span = recorded_span(metadata)
    assert span is None or (0 < span.trace_id < 2**128 and 0 <= span.span_id < 2**64)


@pytest.mark.parametrize(
    ("when", "nanoseconds"),
    [
        (dt.datetime(2025, 3, 1, 12, 0, 0, 123456, tzinfo=dt.UTC), 1_740_830_400_123_456_000),
        (dt.datetime(2025, 3, 1, 13, 0, tzinfo=dt.timezone(dt.timedelta(hours=1))), 1_740_830_400_000_000_000),
        (dt.datetime(1969, 7, 20, tzinfo=dt.UTC), None),
        (dt.datetime(9999, 1, 1, tzinfo=dt.UTC), None),
        (None, None),
    ],
)
def test_an_event_happens_when_its_turn_did(when, nanoseconds):
    """To the microsecond; a time that the protocol cannot say is not said."""
    events = of_turns(turn(1, right_tools=1.0), replaced(turn(2, right_tools=1.0), timestamp=when))
    assert events["refund#1", "right_tools"].timestamp is None
    assert nanoseconds == events["refund#2", "right_tools"].timestamp


def test_ids_that_a_turn_was_recorded_with_are_said():
    """The thread that the agent saw, and the completion, where it is one."""
    first = turn(1, right_tools=1.0, thread_id="thread-7", response_id="chatcmpl-1")
    second = turn(2, right_tools=1.0, thread_id="thread-7", response_id="chatcmpl-2")
    events = of_turns(first, second, metrics=[right_tools, half_of_it])
    ids = [
        (e.attributes["gen_ai.conversation.id"], e.attributes.get("gen_ai.response.id"))
        for e in (events["refund#1", "right_tools"], events["refund", "half_of_it"])
    ]
    assert [("thread-7", "chatcmpl-1"), ("thread-7", None)] == ids


def test_a_played_conversation_is_called_by_its_thread():
    """The spans of the agent know it by that name; ours stands beside it, with trial and tags."""
    run = run_evals(
        data=[{"id": "refund", "input": "Hi", "tags": ["vip"]}],
        target=lambda _: "Hello",
        scorers=[metric(dimension="Tone")(says_hello)],
        repeat=2,
    )
    first, second = (event.attributes for event in evaluation_events(run.items))
    threads = [item.conversation.turns[0].trace.metadata["thread_id"] for item in run.items]
    assert threads == [first["gen_ai.conversation.id"], second["gen_ai.conversation.id"]]
    assert ("refund", 0, ["vip"]) == (first["uaef.slice"], first["uaef.trial"], first["uaef.tags"])
    assert 1 == second["uaef.trial"]


def says_hello(turn):
    """Whether it does."""
    return "Hello" in turn.answer


def test_the_judge_and_the_rubric_are_said():
    """What a number was measured with belongs to it."""
    answer = scored("coherence", 0.5, judge="openai:small", rubric_version="3")
    judge = ScriptedJudge({"coherence": answer})
    result = evaluate(Conversation.of([turn(1), turn(2)], name="refund"), metrics=["coherence"], judge=judge)
    (event,) = evaluation_events([result])
    assert ("openai:small", "3") == (event.attributes["uaef.judge"], event.attributes["uaef.rubric_version"])
    assert "uaef.turn" not in event.attributes


def test_what_is_known_of_all_is_said_of_each(measured):
    """The run, for example; a name of the conventions cannot be taken by it."""
    (event,) = evaluation_events([measured({1: {"right_tools": 1.0}}, metrics=[right_tools])], {"run": "r-1", "n": 3})
    assert ("r-1", 3) == (event.attributes["uaef.run"], event.attributes["uaef.n"])


@pytest.mark.parametrize("length", [LONGEST - 1, LONGEST, LONGEST + 1, 1_000_000])
def test_explanations_are_of_bounded_length(measured, length):
    """What a judge writes is cut, and shows that it was."""
    result = measured({1: {"right_tools": (1.0, "é" * length)}}, metrics=[right_tools])
    (event,) = evaluation_events([result])
    sent = event.attributes["gen_ai.evaluation.explanation"]
    assert min(length, LONGEST) == len(sent)
    assert (length > LONGEST) is sent.endswith("…")


@given(st.text(max_size=40), st.text(min_size=1, max_size=40))
@example("half a pair: \ud83d", "\udc00")
def test_any_text_can_be_encoded(reason, tag):
    """Half of a surrogate pair, a null, a mark of direction: what is sent is valid UTF-8."""
    said = replaced(turn(1, right_tools=(1.0, reason)), metadata={"right_tools": (1.0, reason), "tags": [tag]})
    (event,) = of_turns(said).values()
    sent = [v for value in event.attributes.values() for v in (value if isinstance(value, list) else [value])]
    assert b"\0".join(str(value).encode() for value in sent)
    assert {"gen_ai.evaluation.name", "uaef.tags"} <= event.attributes.keys()


def test_a_conversation_that_could_not_be_read_has_no_scores():
    """Nothing was measured, so there is nothing to say, and nothing breaks."""
    results = batch_evaluate([{"per_turn_traces": []}], metrics=[right_tools])
    assert [] == list(evaluation_events(results))


def test_results_that_were_written_and_read_say_the_same(bad_at_three):
    """Events of a stored result are those of the result itself."""
    read = results_from_json(results_to_json([bad_at_three]))
    assert list(evaluation_events([bad_at_three])) == list(evaluation_events(read))
