"""Multi-Turn: the fifteen metrics of the dimension, of which one is worked out by hand and the others are judged."""

from __future__ import annotations

import pytest

from uaef.api import evaluate
from uaef.errors import MetricError
from uaef.metrics import each_turn, get_metric, list_metrics_by_dimension, turn_efficiency, whole
from uaef.models import AgentTrace, Conversation, GroundTruth, Message, MetricScore, ScoreStatus
from uaef.testing import ScriptedJudge, turn

FIFTEEN = list_metrics_by_dimension()["Multi-Turn"]


def talk(turns, calls=()):
    """A conversation of so many turns, each with these calls."""
    return Conversation.of([turn(f"question {n}", f"answer {n}", calls) for n in range(1, turns + 1)], name="talk")


@pytest.mark.parametrize("name", FIFTEEN)
def test_each_is_measured_where_the_page_says(name):
    """Per-turn metrics on each turn, all others once on the whole."""
    assert (each_turn if name.startswith("per_turn_") else whole) is get_metric(name).scope


# --- turn_efficiency ------------------------------------------------------------------


def efficiency(conversation, metric="turn_efficiency", **answers):
    """The score of turn_efficiency, measured along with what the judge is to answer."""
    options = {"judge": ScriptedJudge(answers)} if answers else {}
    result = evaluate(conversation, metrics=[metric, *answers], **options)
    return next(m.score for m in result.measurements if m.metric.startswith("turn_efficiency"))


@pytest.mark.parametrize(
    ("turns", "metric", "score"),
    [
        (1, "turn_efficiency", 1.0),
        (5, "turn_efficiency", 1.0),
        (8, "turn_efficiency", 5 / 8),
        (8, turn_efficiency(expected_turns=4), 4 / 8),
        (8, turn_efficiency(expected_turns=8), 1.0),
    ],
)
def test_turn_efficiency_of_a_complete_conversation(turns, metric, score):
    """min(1, expected / turns), with five expected unless the caller says otherwise."""
    assert score == efficiency(talk(turns), metric).score


def test_turns_are_counted_by_the_user():
    """Each tool step adds messages, and adds no turn: half the number of messages used to be taken for it."""
    result = efficiency(talk(5, ["find", "book"]))
    assert (1.0, 5) == (result.score, result.metadata["turn_count"])
    messages = [
        Message(role="user", content="Any rooms?"),
        *[Message(role="assistant", content=""), Message(role="tool", content="2")] * 6,
        Message(role="assistant", content="Two"),
    ]
    result = efficiency(Conversation.from_messages(messages))
    assert (1.0, 1) == (result.score, result.metadata["turn_count"])


def test_completeness_weighs_in():
    """What was measured as completeness multiplies."""
    result = efficiency(talk(10), conversation_completeness=0.5)
    assert (0.25, 0.5) == (result.score, result.metadata["completeness"])
    assert "10 turns, 5 expected, at completeness 0.50" == result.reasoning


def test_completeness_that_was_not_asked_for_counts_as_complete():
    """And the reason says that it was assumed."""
    assert "2 turns, 5 expected, at completeness 1.00 (assumed: it was not measured)" == efficiency(talk(2)).reasoning


def test_completeness_that_failed_is_not_complete():
    """A conversation whose completeness could not be judged used to get full efficiency."""
    result = efficiency(talk(2), conversation_completeness=OSError("down"))
    assert (None, ScoreStatus.NOT_APPLICABLE, "missing_data") == (
        result.score,
        result.status,
        result.metadata["warning"],
    )
    assert result.reasoning.startswith("conversation_completeness failed: ")


def test_completeness_that_does_not_apply_counts_as_complete():
    """A judge that finds nothing to complete does not take the efficiency away."""
    declined = MetricScore(metric_name="conversation_completeness", metadata={"warning": "not_applicable"})
    assert 1.0 == efficiency(talk(2), conversation_completeness=declined).score


@pytest.mark.parametrize(("recorded", "score"), [(0.5, 0.5), (0, 0.0), (1.5, 1.0), ("0.5", 1.0), (None, 1.0)])
def test_completeness_may_be_recorded(recorded, score):
    """A completeness_score in the trace's metadata is honoured where it is one, and what is none is not used."""
    result = efficiency(turn("a", "b", metadata={"completeness_score": recorded}))
    assert score == result.score


def test_measured_completeness_comes_first():
    """The measurement of this evaluation, not what an earlier one left behind."""
    trace = turn("a", "b", metadata={"completeness_score": 0.1})
    assert 0.75 == efficiency(trace, conversation_completeness=0.75).score
    assert {"completeness_score": 0.1} == trace.metadata


def test_turn_efficiency_without_a_user():
    """Where nobody asked anything there is no turn to count."""
    result = efficiency(AgentTrace(messages=[Message(role="assistant", content="Hello")]))
    assert (None, "missing_data", "the user said nothing") == (
        result.score,
        result.metadata["warning"],
        result.reasoning,
    )


@pytest.mark.parametrize("expected", [0, -1, 2.5, "4"])
def test_expected_turns_are_a_whole_number_of_at_least_one(expected):
    """Other numbers of turns are refused."""
    with pytest.raises(MetricError, match=r"^turn_efficiency\(expected_turns="):
        turn_efficiency(expected_turns=expected)


# --- judged ---------------------------------------------------------------------------


def judged(item, name, truth=None):
    """What a judge that always says 0.5 is asked, and the score."""
    judge = ScriptedJudge({}, default=0.5)
    result = evaluate(item, truth, metrics=[name], judge=judge)
    return judge.asked, result.dimension_results[0].metric_scores[0]


@pytest.mark.parametrize("name", ["context_retention", "coherence"])
def test_one_turn_has_nothing_to_carry_over(name):
    """On a single turn they do not apply, and no judge is asked."""
    asked, score = judged(talk(1), name)
    assert ([], None, "not_applicable") == (asked, score.score, score.metadata["warning"])
    assert "there is a single turn, so nothing to carry over" == score.reasoning
    assert [(name, "talk")] == judged(talk(2), name)[0]


@pytest.mark.parametrize("truth", [None, GroundTruth(expected_output="a room is booked")])
def test_completeness_is_judged_with_and_without_ground_truth(truth):
    """Without ground truth the judge finds the goals itself; the metric used to vanish then."""
    assert [("conversation_completeness", "talk")] == judged(talk(2), "conversation_completeness", truth)[0]


@pytest.mark.parametrize(
    ("name", "arguments", "reasoning"),
    [
        ("role_adherence", {}, "no role is given (expected_arguments['chatbot_role'])"),
        ("role_adherence", {"chatbot_role": " "}, "no role is given (expected_arguments['chatbot_role'])"),
        (
            "instruction_compliance",
            {"chatbot_role": "clerk"},
            "no instructions are given (expected_arguments['system_instructions'] or expected_output)",
        ),
    ],
)
def test_role_and_instructions_must_be_given(name, arguments, reasoning):
    """Without them no judge is called."""
    for truth in (None, GroundTruth(expected_arguments=arguments)):
        asked, score = judged(talk(2), name, truth)
        assert ([], None, "not_applicable", reasoning) == (
            asked,
            score.score,
            score.metadata["warning"],
            score.reasoning,
        )


@pytest.mark.parametrize(
    ("name", "truth"),
    [
        ("role_adherence", GroundTruth(expected_arguments={"chatbot_role": "clerk"})),
        ("instruction_compliance", GroundTruth(expected_arguments={"system_instructions": "Be brief"})),
        ("instruction_compliance", GroundTruth(expected_output="a room is booked")),
    ],
)
def test_role_and_instructions_that_are_given_are_judged(name, truth):
    """Instructions fall back on the expected output, a role on nothing."""
    assert [(name, "talk")] == judged(talk(2), name, truth)[0]


@pytest.mark.parametrize("name", ["per_turn_sentiment", "per_turn_agent_tone", "per_turn_naturalness"])
def test_per_turn_metrics_judge_each_exchange(name):
    """One call a turn, the mean of them, and the turns under the documented key, with the turn's number."""
    judge = ScriptedJudge({name: [0.25, 0.75]})
    result = evaluate(talk(2, ["find"]), metrics=[name], judge=judge)
    assert [(name, "talk#1"), (name, "talk#2")] == judge.asked
    (score,) = result.dimension_results[0].metric_scores
    assert 0.5 == score.score
    assert [
        {"turn": 1, "score": 0.25, "reasoning": "scripted: 0.25"},
        {"turn": 2, "score": 0.75, "reasoning": "scripted: 0.75"},
    ] == score.metadata["per_turn_scores"]
    assert "per_turn" not in score.metadata


def test_per_turn_metrics_stay_out_of_the_turn_by_turn_part():
    """They belong to the conversation's place of the result, as on the page."""
    judge = ScriptedJudge({}, default=0.5)
    result = evaluate(talk(2), metrics=["per_turn_sentiment", "answer_relevance"], judge=judge)
    assert [{"answer_relevance"}] * 2 == [set(entry["metric_scores"]) for entry in result.metadata["per_turn"]]
    assert {"answer_relevance": 0.5} == result.metadata["per_turn_averages"]


def test_judge_of_a_turn_sees_the_whole_answer_and_the_history():
    """The first assistant message of a turn with tools is empty; it used to be judged instead of the answer."""
    seen = []

    def look(window):
        seen.append((window.answer, [m.content for m in window.history], [c.name for c in window.tool_calls]))
        return 1.0

    evaluate(talk(2, ["find"]), metrics=["per_turn_agent_tone"], judge=ScriptedJudge({"per_turn_agent_tone": look}))
    assert [("answer 1", [], ["find"]), ("answer 2", ["question 1", "", "answer 1"], ["find"])] == seen


def test_judge_of_the_whole_sees_every_turn():
    """The transcript of a conversation of several agents is whole and in order; it used to be grouped by agent."""
    seen = []
    messages = [
        Message(role="user", content="Any rooms?"),
        Message(role="assistant", content="Asking the shop", agent="desk"),
        Message(role="assistant", content="Two", agent="shop"),
        Message(role="user", content="Book one"),
        Message(role="assistant", content="Booked", agent="desk"),
    ]

    def look(window):
        seen.append([(m.agent, m.content) for m in window.messages])
        return 1.0

    evaluate(Conversation.from_messages(messages), metrics=["coherence"], judge=ScriptedJudge({"coherence": look}))
    assert [[(m.agent, m.content) for m in messages]] == seen
