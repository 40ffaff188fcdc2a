"""The catalogue of judge metrics: rubric files that parse, say what they ask, and are measured where they say."""

from __future__ import annotations

import json
import re
from importlib.resources import files

import pytest

from uaef.api import evaluate
from uaef.llm_judge.prompt import question
from uaef.metrics.judged import PER_TURN_SCORES, JudgeMetric, judged
from uaef.metrics.registry import get_metric, list_metrics_by_dimension, registered_metrics
from uaef.metrics.use_case import METRICS as USE_CASE
from uaef.models import AgentTrace, Conversation, GroundTruth, Message, MultiAgentTrace, ToolCall
from uaef.models.scores import MetricScore
from uaef.models.traces import CoordinationEvent
from uaef.testing import ScriptedJudge

# What issue 3 lists, by dimension: name -> scale, and where it is asked.
CATALOGUE = {
    "Multi-Turn": {
        "context_retention": ("0-1", "whole"),
        "coherence": ("0-1", "whole"),
        "conversation_completeness": ("0-1", "whole"),
        "role_adherence": ("items", "whole"),
        "holistic_llm_judge": ("0-1", "whole"),
        "user_satisfaction": ("1-5", "whole"),
        "sentiment": ("1-5", "whole"),
        "agent_tone": ("1-5", "whole"),
        "naturalness": ("1-5", "whole"),
        "instruction_compliance": ("items", "whole"),
        "optimum_turns": ("count", "whole"),
        "containment": ("yes/no", "whole"),
        "resolution": ("yes/no", "whole"),
    },
    "Response Quality": {
        "answer_relevance": ("0-1", "turn"),
        "completeness": ("0-1", "turn"),
        "hallucination_score": ("0-1", "turn"),
        "accuracy": ("0-1", "turn"),
        "meets_expectation": ("items", "turn"),
    },
    "Responsible AI": {
        "safety_score": ("0-1", "turn"),
        "bias_score": ("0-1", "turn"),
        "toxicity_score": ("0-1", "turn"),
        "prompt_injection_resistance": ("yes/no", "turn"),
    },
    "Multi-Agent": {"delegation_quality": ("0-1", "turn"), "workflow_completion": ("0-1", "turn")},
    "Reasoning": {
        "chain_of_thought_coherence": ("0-1", "turn"),
        "logical_consistency": ("0-1", "turn"),
        "reasoning_step_correctness": ("0-1", "turn"),
        "fallacy_detection": ("0-1", "turn"),
    },
}
PER_TURN = ("per_turn_sentiment", "per_turn_agent_tone", "per_turn_naturalness")
FILES = sorted(
    path.name.removesuffix(".md") for path in files("uaef.metrics.rubrics").iterdir() if path.name[-3:] == ".md"
)


def _turn(question_: str, answer: str | None, *calls: ToolCall) -> AgentTrace:
    messages = [Message(role="user", content=question_)]
    if answer is not None:
        messages.append(Message(role="assistant", content=answer, tool_calls=list(calls)))
    return AgentTrace(messages=messages)


TALK = Conversation.of(
    [_turn("Hi.", "Hello."), _turn("Move it.", "Done."), _turn("Thanks.", "Welcome.")], name="talk"
)


def _scores(told, metric, answer=1.0, expected=None, **options) -> tuple[list[MetricScore], list]:
    """The scores of one metric, and what the judge was asked for them."""
    judge = ScriptedJudge({}, default=answer)
    result = evaluate(told, expected, metrics=[metric], judge=judge, **options)
    return [m.score for m in result.measurements], judge.asked


# --- the files -------------------------------------------------------------------------------


def test_there_is_a_file_for_each_and_no_other():
    """The catalogue, name by name."""
    assert sorted(name for metrics in CATALOGUE.values() for name in metrics) == FILES


@pytest.mark.parametrize("name", FILES)
def test_a_file_is_a_rubric(name):
    """It has a question as its first paragraph, a version, and the dimension, scale and scope of the catalogue."""
    rubric = judged(name).rubric
    dimension = next(d for d, metrics in CATALOGUE.items() if name in metrics)
    assert (name, dimension, *CATALOGUE[dimension][name]) == (
        rubric.name,
        rubric.dimension,
        rubric.scale,
        rubric.scope,
    )
    assert re.search(r"\?(\s|$)", rubric.question)
    assert rubric.question in " ".join(rubric.text.split())
    assert len(rubric.text) > len(rubric.question) + 100
    assert rubric.version == "1"
    assert rubric.needs


@pytest.mark.parametrize("name", FILES)
def test_a_file_asks_for_what_it_speaks_of(name):
    """Every block that the text names is an input, and every input that is needed to answer is a need."""
    rubric = judged(name).rubric
    named = set(re.findall(r'block "(\w+)"', rubric.text)) - {"items", "judged"}
    assert named <= set(rubric.inputs)
    assert ('block "items"' in rubric.text) is (rubric.items is not None)
    assert {"accuracy", "completeness", "hallucination_score"} >= {name} or rubric.silence in (None, 0.0)


@pytest.mark.parametrize("name", FILES)
def test_a_rubric_makes_a_question(name):
    """Of one turn as of a whole conversation, with everything expected and with nothing."""
    expected = GroundTruth(
        expected_output="Moved.",
        context_documents=["It can be moved."],
        criteria=["It is moved."],
        expected_arguments={"chatbot_role": "a clerk", "system_instructions": "Be brief."},
    )
    rubric = judged(name).rubric
    for window in (TALK, TALK[1], TALK.expecting(expected), TALK.expecting(expected)[1]):
        assert rubric.text in question(rubric, window).prompt.system


def test_later_turns_weigh_more_where_the_page_says_so():
    """In the rubric's own words."""
    for name in ("sentiment", "agent_tone", "naturalness"):
        assert "later ones weigh more than earlier ones" in judged(name).rubric.text
    assert "the last turns weigh most" in judged("user_satisfaction").rubric.text


# --- the catalogue -----------------------------------------------------------------------------


def test_the_registry_holds_the_catalogue():
    """Under its dimensions; the two of contact centres are added on demand."""
    listed = list_metrics_by_dimension()
    opt_in = {metric.name for metric in USE_CASE}
    assert {"containment", "resolution"} == opt_in
    for dimension, metrics in CATALOGUE.items():
        assert set(metrics) - opt_in <= set(listed[dimension])
    assert set(PER_TURN) <= set(listed["Multi-Turn"])
    judges = {m.name for m in registered_metrics() if isinstance(m, JudgeMetric)} - opt_in
    assert {*(n for metrics in CATALOGUE.values() for n in metrics), *PER_TURN} - opt_in == judges


def test_only_one_judge_metric_waits_to_be_named():
    """The resistance to attacks, which needs an attack."""
    assert ["prompt_injection_resistance"] == [
        m.name for m in registered_metrics() if isinstance(m, JudgeMetric) and not m.by_default
    ]
    result = evaluate(TALK, judge=ScriptedJudge({}, default=1.0))
    assert "prompt_injection_resistance" not in {m.metric for m in result.measurements}
    assert "safety_score" in {m.metric for m in result.measurements}


def test_a_metric_has_another_name_in_the_field():
    """``llm-as-judge`` is ``meets_expectation``."""
    assert get_metric("meets_expectation") is get_metric("llm-as-judge")
    scores, asked = _scores(TALK, "llm-as-judge", expected=GroundTruth(turns={2: GroundTruth(criteria=["Moved."])}))
    assert "meets_expectation" == scores[1].metric_name
    assert [("meets_expectation", "talk#2")] == asked


def test_without_a_judge_what_was_named_is_failed_and_what_was_not_is_not_applicable():
    """And says how to give one."""
    named = evaluate(TALK, metrics=["coherence"]).measurements[0].score
    default = next(m.score for m in evaluate(TALK).measurements if m.metric == "coherence")
    assert ("failed", "not_applicable") == (str(named.status), str(default.status))
    assert "no_judge" == named.metadata["warning"] == default.metadata["warning"]
    assert named.reasoning.startswith("needs a judge: pass judge='openai:MODEL'")


@pytest.mark.parametrize(
    "answer", [None, "unsure", "", {}, [], 1.0001, -0.5, float("nan"), 5, object(), (None, "why")]
)
def test_a_judge_of_ones_own_that_answers_nonsense_gives_no_score(answer):
    """What is neither a score nor a number in [0, 1] is an invalid verdict, not "not applicable"."""

    class Own:
        label = "own"

        def judge(self, rubric, window):  # noqa: ARG002 - whatever it is asked
            return answer

    result = evaluate(TALK, metrics=["coherence"], judge=Own(), thresholds={"Multi-Turn": 0.0})
    score = result.measurements[0].score
    assert (None, "failed", "invalid_verdict", False) == (
        score.score,
        str(score.status),
        score.metadata["warning"],
        result.passed,
    )


# --- what is answered without asking ---------------------------------------------------------------


@pytest.mark.parametrize(
    ("metric", "told", "expected", "status"),
    [
        ("context_retention", TALK[1], None, "not_applicable"),
        ("coherence", Conversation.of(_turn("Hi.", "Hello.")), None, "not_applicable"),
        ("role_adherence", TALK, None, "not_applicable"),
        ("role_adherence", TALK, GroundTruth(expected_arguments={"chatbot_role": " "}), "not_applicable"),
        ("instruction_compliance", TALK, None, "not_applicable"),
        ("instruction_compliance", TALK, GroundTruth(expected_output=" "), "not_applicable"),
        ("accuracy", TALK, None, "missing_data"),
        ("completeness", TALK, GroundTruth(expected_output=" "), "missing_data"),
        ("hallucination_score", TALK, None, "missing_data"),
        ("meets_expectation", TALK, None, "missing_data"),
        ("delegation_quality", TALK, None, "not_applicable"),
        ("workflow_completion", TALK, GroundTruth(expected_output="x"), "not_applicable"),
        ("answer_relevance", Conversation.of(_turn("Hi.", None)), None, "missing_data"),
        ("safety_score", Conversation.of(_turn("Hi.", None)), None, "missing_data"),
        ("fallacy_detection", Conversation.of(_turn("Hi.", None)), None, "missing_data"),
    ],
)
def test_what_cannot_be_asked_is_not(metric, told, expected, status):
    """Not applicable, without a call, and with the reason that the page gives."""
    scores, asked = _scores(told, metric, expected=expected)
    assert {("not_applicable", status)} == {(str(s.status), s.metadata["warning"]) for s in scores}
    assert [] == asked


@pytest.mark.parametrize("metric", ["answer_relevance", "accuracy", "completeness", "hallucination_score"])
def test_an_answer_that_is_silent_is_nothing(metric):
    """0 without a call."""
    expected = GroundTruth(expected_output="Moved.", context_documents=["It can be moved."])
    scores, asked = _scores(Conversation.of(_turn("Move it.", " ")), metric, expected=expected)
    assert (0.0, "the assistant said nothing", []) == (scores[0].score, scores[0].reasoning, asked)


def test_what_was_done_in_silence_may_meet_an_expectation():
    """Calls count as much as words; only where there are neither, nothing was met."""
    expected = GroundTruth(criteria=["The booking is moved."])
    acted = Conversation.of(_turn("Move it.", "", ToolCall(name="move")))
    idle = Conversation.of(_turn("Move it.", ""))
    assert 1 == len(_scores(acted, "meets_expectation", expected=expected)[1])
    scores, asked = _scores(idle, "meets_expectation", expected=expected)
    assert (0.0, []) == (scores[0].score, asked)


# --- what each is asked ---------------------------------------------------------------------------


def test_instructions_fall_back_on_the_expected_output():
    """As the page says."""
    assert 1 == len(_scores(TALK, "instruction_compliance", expected=GroundTruth(expected_output="Be brief."))[1])


@pytest.mark.parametrize("expected", [None, GroundTruth(expected_output="The booking is moved.")])
def test_completeness_works_with_and_without_ground_truth(expected):
    """With success criteria in a block of their own, without them by the user's goals."""
    scores, asked = _scores(TALK, "conversation_completeness", expected=expected)
    assert (1.0, [("conversation_completeness", "talk")]) == (scores[0].score, asked)
    rubric = judged("conversation_completeness").rubric
    assert ("expected_output>>" in question(rubric, TALK.expecting(expected)).prompt.messages[0][1]) is bool(expected)


@pytest.mark.parametrize("metric", PER_TURN)
def test_each_exchange_is_judged_and_reported_with_the_whole(metric):
    """``[{turn, score, reasoning}]`` with None kept; the mean of those that scored; the rubric of the whole."""

    def answer(window):
        if window.numbers == (2,):
            return MetricScore(metric_name="x", reasoning="hard to say", metadata={"warning": "not_applicable"})
        return 0.25 * window.numbers[0]

    judge = ScriptedJudge({}, default=answer)
    result = evaluate(TALK, metrics=[metric], judge=judge)
    (score,) = result.dimension_results[0].metric_scores
    assert (metric, 0.5) == (score.metric_name, score.score)
    assert [
        {"turn": 1, "score": 0.25, "reasoning": "scripted: 0.25"},
        {"turn": 2, "score": None, "reasoning": "hard to say"},
        {"turn": 3, "score": 0.75, "reasoning": "scripted: 0.75"},
    ] == score.metadata[PER_TURN_SCORES]
    assert (2, 1, 1) == (score.metadata["n_scored"], score.metadata["n_not_applicable"], score.metadata["worst_turn"])
    assert [(metric, f"talk#{n}") for n in (1, 2, 3)] == judge.asked
    assert get_metric(metric).rubric.text == get_metric(metric.removeprefix("per_turn_")).rubric.text


def test_the_pair_and_the_whole_are_two_metrics():
    """``sentiment`` and ``per_turn_sentiment`` may be asked for together."""
    judge = ScriptedJudge({}, default=1.0)
    evaluate(TALK, metrics=["sentiment", "per_turn_sentiment"], judge=judge)
    assert ["talk", "talk#1", "talk#2", "talk#3"] == [name for _, name in judge.asked]


def test_agents_are_judged_where_there_are_several():
    """With who handed over to whom."""
    event = CoordinationEvent(from_agent="boss", to_agent="clerk", event_type="HANDOFF", message="yours")
    said = [Message(role="assistant", content="Done.", agent=agent) for agent in ("boss", "clerk")]
    trace = MultiAgentTrace(messages=[Message(role="user", content="Move it."), *said], coordination_events=[event])
    for metric in ("delegation_quality", "workflow_completion"):
        scores, asked = _scores(Conversation.of(trace), metric, expected=GroundTruth(expected_output="Moved."))
        assert (1.0, 1) == (scores[0].score, len(asked))


def _saying(score: object):
    """A function that judges so, whatever it is asked."""

    def judge(text: str) -> str:
        token = text.partition('{"token": "')[2].partition('"')[0]
        return json.dumps({"token": token, "reasoning": "so it is", "score": score})

    return judge


_KEPT = {"verdict": "yes", "broken_in_turns": []}
_BROKEN = {"verdict": "no", "broken_in_turns": [3, 1]}


@pytest.mark.parametrize(
    ("name", "answer", "score", "details"),
    [
        (
            "role_adherence",
            {"turn_1": "yes", "turn_2": "no", "turn_3": "yes"},
            2 / 3,
            {"out_of_character_turns": [2]},
        ),
        (
            "instruction_compliance",
            {"instruction_1": _KEPT, "instruction_2": _BROKEN},
            0.5,
            {"out_of_character_turns": [1, 3], "missed": ["Be kind."]},
        ),
        ("optimum_turns", 2, 2 / 3, {"optimum_turns": 2, "actual_turns": 3}),
        ("sentiment", 2, 0.25, {"raw_score": 2}),
        ("user_satisfaction", 5, 1.0, {"raw_score": 5}),
        ("containment", "no", 0.0, {"raw": 0}),
        ("resolution", "yes", 1.0, {"raw": 1}),
        ("conversation_completeness", 0.5, 0.5, {}),
        ("context_retention", "cannot tell", None, {"warning": "not_applicable"}),
    ],
)
def test_an_answer_becomes_the_score_of_its_metric(name, answer, score, details):
    """By our arithmetic, with what the page promises in the metadata."""
    expected = GroundTruth(
        expected_arguments={"chatbot_role": "a clerk", "system_instructions": "Be brief. Be kind."}
    )
    told = TALK.expecting(expected)
    found = evaluate(told, metrics=[judged(name)], judge=_saying(answer)).measurements[0].score
    assert score == found.score
    assert details.items() <= found.metadata.items()
