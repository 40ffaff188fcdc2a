"""The metrics page: the fifteen metrics, their needs and nulls, judge outages, curated sets, opt-in metrics."""

from __future__ import annotations

import asyncio

import pytest

from uaef.api import evaluate
from uaef.metrics import (
    get_metric,
    list_metrics,
    list_metrics_by_dimension,
    register_use_case_specific_metrics,
    whole,
)
from uaef.metrics.utils import extract_json_from_llm_response
from uaef.models import MetricScore
from uaef.models.ground_truth import GroundTruth
from uaef.registry import Registry
from uaef.testing import ScriptedJudge

TABLE = [
    # metric, phase, ground truth, judge
    ("context_retention", "full-trace", None, True),
    ("coherence", "full-trace", None, True),
    ("conversation_completeness", "full-trace", None, True),
    ("turn_efficiency", "full-trace", None, False),
    ("role_adherence", "full-trace", "chatbot_role", True),
    ("holistic_llm_judge", "full-trace", None, True),
    ("user_satisfaction", "full-trace", None, True),
    ("sentiment", "full-trace", None, True),
    ("agent_tone", "full-trace", None, True),
    ("naturalness", "full-trace", None, True),
    ("per_turn_sentiment", "per-turn", None, True),
    ("per_turn_agent_tone", "per-turn", None, True),
    ("per_turn_naturalness", "per-turn", None, True),
    ("instruction_compliance", "full-trace", "system_instructions", True),
    ("optimum_turns", "full-trace", None, True),
]
NAMES = [row[0] for row in TABLE]
JUDGED = [row[0] for row in TABLE if row[3]]

EXPECTED = GroundTruth(
    expected_output="Book an appointment for the tandem.",
    expected_arguments={
        "chatbot_role": "You answer for a bicycle workshop. You book repairs and never sell bicycles.",
        "system_instructions": "Name the day of the appointment. Send whoever wants a refund to the counter.",
    },
)


def scores_of(result):
    """Every metric's score object by name."""
    return {s.metric_name: s for d in result.dimension_results for s in d.metric_scores}


# --- the catalogue --------------------------------------------------------------------------------------------------


def test_dimension_holds_exactly_these_metrics():
    """Multi-Turn is the fifteen of the page and nothing else."""
    assert sorted(NAMES) == list_metrics_by_dimension()["Multi-Turn"]


@pytest.mark.parametrize(("name", "phase", "ground_truth", "judge"), TABLE, ids=NAMES)
def test_metrics_declare_what_the_table_says(name, phase, ground_truth, judge):
    """Where it is measured, which ground truth it cannot do without, and whether it needs a judge."""
    metric = get_metric(name)
    assert name == metric.get_name()
    assert ("full-trace" if metric.scope is whole else "per-turn") == phase
    assert judge is ("judge" in metric.needs)
    required = {"expected_output", "expected_tool_calls", "chatbot_role", "system_instructions"}
    assert ({ground_truth} if ground_truth else set()) == required.intersection(metric.needs)


@pytest.mark.parametrize(("name", "phase", "ground_truth", "judge"), TABLE, ids=NAMES)
def test_metrics_score_with_what_they_need(session, name, phase, ground_truth, judge):
    """Given what the table says, and nothing more, each has a number: from one call, or one a turn."""
    scripted = ScriptedJudge({name: 0.75} if judge else {})
    expected = (
        {"expected_arguments": {ground_truth: EXPECTED.expected_arguments[ground_truth]}} if ground_truth else None
    )
    score = scores_of(evaluate(session, expected, metrics=[name], judge=scripted))[name]
    assert (0.75 if judge else 1.0) == score.score
    assert (0 if not judge else 1 if phase == "full-trace" else 3) == len(scripted.asked)


def test_everything_is_measured_when_nothing_is_named(session):
    """Without ``metrics`` and ``metric_set``, all fifteen run: one judge call each, one a turn for three."""
    judge = ScriptedJudge({}, default=0.5)
    result = evaluate(session, EXPECTED, judge=judge)
    assert sorted(NAMES) == sorted(
        s.metric_name for d in result.dimension_results if d.dimension_name == "Multi-Turn" for s in d.metric_scores
    )
    calls = [name for name, _ in judge.asked if name in NAMES]
    assert 11 + 3 * 3 == len(calls)


# --- what single metrics do -----------------------------------------------------------------------------------------


def test_context_retention_may_find_nothing_to_retain(session):
    """A judge that finds no shared context gives no number, and that is no failure."""
    nothing = MetricScore(metric_name="context_retention", metadata={"warning": "not_applicable"})
    result = evaluate(session, metrics=["context_retention"], judge=ScriptedJudge({"context_retention": nothing}))
    score = scores_of(result)["context_retention"]
    assert (None, "not_applicable") == (score.score, score.status)
    assert result.overall_score is None


@pytest.mark.parametrize("goal", ["an appointment", None])
def test_completeness_reads_the_goal_where_there_is_one(session, goal):
    """The judge is shown the expected output as the criterion; without one it is asked all the same."""
    shown = []

    def judged(window):
        shown.append(window.expected and window.expected.expected_output)
        return 0.5

    expected = GroundTruth(expected_output=goal) if goal else None
    judge = ScriptedJudge({"conversation_completeness": judged})
    assert 0.5 == evaluate(session, expected, ["conversation_completeness"], judge=judge).overall_score
    assert [goal] == shown


EFFICIENCY = [
    # completeness, turns expected, score over three turns
    ("measured 0.5", 5, 0.5),
    ("recorded 0.8", 5, 0.8),
    ("measured 0.5", 2, 0.5 * 2 / 3),
    ("not asked for", 5, 1.0),
    ("not asked for", 1, 1 / 3),
]


@pytest.mark.parametrize(("completeness", "expected_turns", "expected"), EFFICIENCY)
def test_turn_efficiency_is_completeness_times_the_share_of_turns(session, completeness, expected_turns, expected):
    """Completeness x min(1, expected turns / turns); completeness is measured, recorded, or taken as 1."""
    how, _, number = completeness.partition(" ")
    metrics = ["turn_efficiency"] + ["conversation_completeness"] * (how == "measured")
    if how == "recorded":
        session["full_trace"].metadata["completeness_score"] = float(number)
    result = evaluate(
        session,
        metrics=metrics,
        judge=ScriptedJudge({"conversation_completeness": 0.5}),
        metric_params={"turn_efficiency": {"expected_turns": expected_turns}},
    )
    assert expected == pytest.approx(scores_of(result)["turn_efficiency"].score)


DETAILS = [
    ("user_satisfaction", 0.75, {"raw_score": 4}),
    ("sentiment", 0.0, {"raw_score": 1}),
    ("agent_tone", 1.0, {"raw_score": 5}),
    ("naturalness", 0.5, {"raw_score": 3}),
    ("optimum_turns", 2 / 3, {"optimum_turns": 2}),
]


@pytest.mark.parametrize(("name", "normalised", "details"), DETAILS, ids=[row[0] for row in DETAILS])
def test_raw_verdicts_stay_in_the_metadata(session, name, normalised, details):
    """What a judge says beside the number reaches the result as it was said."""
    said = MetricScore(metric_name=name, score=normalised, reasoning="because", metadata=details)
    score = scores_of(evaluate(session, metrics=[name], judge=ScriptedJudge({name: said})))[name]
    assert (normalised, "because", details) == (score.score, score.reasoning, score.metadata)


@pytest.mark.parametrize("name", ["per_turn_sentiment", "per_turn_agent_tone", "per_turn_naturalness"])
def test_per_turn_flavours_point_at_the_turn_that_went_bad(session, name):
    """They judge every exchange, average, and keep each score in ``per_turn_scores``."""
    judge = ScriptedJudge({name: [1.0, 0.25, 0.75]})
    score = scores_of(evaluate(session, metrics=[name], judge=judge))[name]
    assert 2 / 3 == pytest.approx(score.score)
    assert [(1, 1.0), (2, 0.25), (3, 0.75)] == [
        (entry["turn"], entry["score"]) for entry in score.metadata["per_turn_scores"]
    ]
    assert [f"tandem#{n}" for n in (1, 2, 3)] == [where for _, where in judge.asked]


class Together:
    """A judge that answers nobody before three have asked."""

    label = "together"

    def __init__(self):
        self._all_here = asyncio.Barrier(3)

    async def judge(self, rubric, window):
        """A score, once the others are there too."""
        async with asyncio.timeout(10):
            await self._all_here.wait()
        return MetricScore(metric_name=rubric.name, score=1.0, reasoning=window.name)


def test_per_turn_flavours_ask_for_all_turns_at_once(session):
    """The calls of the three turns are under way together, so a longer conversation takes no longer."""
    result = evaluate(session, metrics=["per_turn_sentiment"], judge=Together())
    assert 1.0 == scores_of(result)["per_turn_sentiment"].score


# --- nulls and outages ----------------------------------------------------------------------------------------------

WITHOUT = [
    ("role_adherence", None),
    ("role_adherence", GroundTruth(expected_output="no substitute for a role")),
    ("instruction_compliance", None),
    ("instruction_compliance", GroundTruth(expected_arguments={"chatbot_role": "no instruction"})),
]


@pytest.mark.parametrize(("name", "ground_truth"), WITHOUT)
def test_missing_arguments_short_circuit(session, name, ground_truth):
    """Without what it is to be compared with there is no number, and the judge is not asked."""
    judge = ScriptedJudge({}, default=1.0)
    score = scores_of(evaluate(session, ground_truth, [name], judge=judge))[name]
    assert (None, "not_applicable") == (score.score, score.metadata["warning"])
    assert [] == judge.asked


def test_instruction_compliance_falls_back_on_the_expected_output(session):
    """Where no instructions are given, the expected output stands for them."""
    judge = ScriptedJudge({"instruction_compliance": 0.5})
    result = evaluate(session, GroundTruth(expected_output="Name the day."), ["instruction_compliance"], judge=judge)
    assert 0.5 == scores_of(result)["instruction_compliance"].score


@pytest.mark.parametrize("name", JUDGED)
def test_judge_outages_are_handled_alike(session, name):
    """A judge that cannot be reached costs each metric its number, with the same warning, and raises nothing."""
    judge = ScriptedJudge({name: ConnectionError("the judge is away")})
    result = evaluate(session, EXPECTED, [name, "prompt_injection_detection"], judge=judge)
    score = scores_of(result)[name]
    assert (None, "api_error", "failed") == (score.score, score.metadata["warning"], score.status)
    assert "the judge is away" in score.reasoning
    assert 1.0 == scores_of(result)["prompt_injection_detection"].score
    assert ["Multi-Turn"] == result.unmeasured


# --- choosing -------------------------------------------------------------------------------------------------------


def test_metric_set_picks_by_dimension(session):
    """A curated set: three on the whole, and relevance turn by turn from another dimension."""
    judge = ScriptedJudge({}, default=0.5)
    result = evaluate(
        trace=session,
        ground_truth=EXPECTED,
        metric_set={
            "Multi-Turn": ["context_retention", "coherence", "role_adherence"],
            "Response Quality": ["answer_relevance"],
        },
        judge=judge,
    )
    assert {
        "Multi-Turn": ["context_retention", "coherence", "role_adherence"],
        "Response Quality": ["answer_relevance"],
    } == {d.dimension_name: [s.metric_name for s in d.metric_scores] for d in result.dimension_results}
    assert {"Multi-Turn": 0.10, "Response Quality": 0.25} == result.metadata["dimension_weights"]
    assert {"Multi-Turn": 0.6, "Response Quality": 0.7} == result.metadata["thresholds"]
    assert 3 + 3 == len(judge.asked)
    assert 3 == len(scores_of(result)["answer_relevance"].metadata["per_turn"])


@pytest.fixture
def own_registry(monkeypatch):
    """A registry of this test's own, so that what it adds is gone after it."""
    fresh = Registry("metric", "uaef.metrics", lambda _, loaded: ((m.name, m) for m in loaded))
    monkeypatch.setattr("uaef.metrics.registry._default", fresh)


@pytest.mark.usefixtures("own_registry")
def test_use_case_metrics_are_opt_in(session):
    """Containment and resolution appear when they are registered, once or twice, and judge the whole."""
    assert {"containment", "resolution"}.isdisjoint(list_metrics())
    register_use_case_specific_metrics()
    register_use_case_specific_metrics()
    assert {"containment", "resolution"}.issubset(list_metrics())
    said = MetricScore(metric_name="containment", score=1.0, metadata={"raw": 1})
    judge = ScriptedJudge({"containment": said, "resolution": 0.0})
    scores = scores_of(evaluate(session, metrics=["containment", "resolution"], judge=judge))
    assert (1.0, {"raw": 1}) == (scores["containment"].score, scores["containment"].metadata)
    assert [("containment", "tandem"), ("resolution", "tandem")] == judge.asked


def test_replies_are_parsed_and_never_executed():
    """The helper finds the object in a reply, and takes code for what it is: no object."""
    assert {"Score": 4} == extract_json_from_llm_response('Here you are:\n```json\n{"Score": 4}\n```')
    assert extract_json_from_llm_response("dict(Score=4)") is None
