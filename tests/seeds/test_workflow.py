"""The workflow page: turn payloads, the adapter, dispatch, evaluators, what each accepts and refuses."""

from __future__ import annotations

import pytest

from uaef.adapters import AdapterTransformationError, LangGraphAdapter
from uaef.api import batch_evaluate, evaluate
from uaef.evaluation import MultiAgentEvaluator, MultiTurnEvaluator, SingleAgentEvaluator
from uaef.models import AgentTrace, GroundTruth, MessageRole, MultiAgentTrace, ToolCall

METRICS = ["tool_selection_accuracy", "latency_score"]


@pytest.fixture
def adapter():
    """The adapter of the page."""
    return LangGraphAdapter()


def scores(result):
    """Every metric's score by name."""
    return {s.metric_name: s.score for d in result.dimension_results for s in d.metric_scores}


# --- single-turn ----------------------------------------------------------------------------------------------------


def test_one_trace_goes_straight_to_evaluate(turn):
    """A single turn needs no payload, no session and no turn number."""
    trace = AgentTrace(messages=turn(1, "A tyre?", "28 inches.", tools=["stock"]).messages)
    ground_truth = GroundTruth(expected_tool_calls=[ToolCall(name="stock")])
    result = evaluate(trace=trace, ground_truth=ground_truth, metrics=["tool_selection_accuracy"])
    assert {"tool_selection_accuracy": 1.0} == scores(result)
    assert result.passed


# --- payloads and the adapter ---------------------------------------------------------------------------------------


def test_payload_figures_are_those_of_the_turn(adapter, payload):
    """Latency, tokens and cost of a payload are its turn's, and the whole sums them."""
    figures = {"latency": 1.23, "input_tokens": 100, "output_tokens": 200, "cost_usd": 0.0015}
    [session] = adapter.transform_to_canonical(
        [payload("tandem", n, f"Question {n}", f"Answer {n}", **figures) for n in (1, 2)]
    )
    first, whole = session["per_turn_traces"][0], session["full_trace"]
    assert (1.23, 100, 200, 0.0015) == (first.latency, first.input_tokens, first.output_tokens, first.cost)
    assert (2.46, 200, 400, 0.003) == (whole.latency, whole.input_tokens, whole.output_tokens, whole.cost)


def test_payload_needs_only_three_fields(adapter, payload):
    """Latency, tokens and cost are optional, and unknown where they are left out."""
    [session] = adapter.transform_to_canonical([payload("tandem", 1, "Open?", "Until six.")])
    trace = session["per_turn_traces"][0]
    assert (None, None, None, None) == (trace.latency, trace.input_tokens, trace.output_tokens, trace.cost)


def test_human_event_is_the_user(adapter, payload):
    """The synthetic event at index 0 becomes the user's message, once and first."""
    [session] = adapter.transform_to_canonical([payload("tandem", 1, "Open?", "Until six.")])
    messages = session["per_turn_traces"][0].messages
    assert [(MessageRole.USER, "Open?"), (MessageRole.ASSISTANT, "Until six.")] == [
        (m.role, m.content) for m in messages
    ]


def test_mixed_batch_gives_one_session_dict_per_session(adapter, payload):
    """Sessions come in first-seen order with their turns in order, however the payloads were mixed."""
    payloads = [
        payload("saddle", 1, "A saddle?", "Leather."),
        payload("tandem", 2, "And the brakes?", "Worn.", tools=["inspect"]),
        payload("tandem", 3, "Thanks!", "See you."),
        payload("bell", 1, "A bell?", "Brass."),
        payload("tandem", 1, "It creaks.", "Monday.", tools=["look_up"]),
    ]
    sessions = adapter.transform_to_canonical(payloads)
    assert ["saddle", "tandem", "bell"] == [s["session_id"] for s in sessions]
    assert [1, 3, 1] == [len(s["per_turn_traces"]) for s in sessions]
    assert [1, 2, 3] == [t.metadata["turn_id"] for t in sessions[1]["per_turn_traces"]]
    assert all({"session_id", "per_turn_traces", "full_trace"} == s.keys() for s in sessions)
    assert {dict} == {type(s) for s in sessions}
    assert {AgentTrace} == {type(t) for s in sessions for t in (*s["per_turn_traces"], s["full_trace"])}
    assert ["It creaks.", "And the brakes?", "Thanks!"] == [
        m.content for m in sessions[1]["full_trace"].messages if m.role is MessageRole.USER
    ]
    assert ["look_up", "inspect"] == [call.name for call in sessions[1]["full_trace"].tool_calls]


def test_one_dict_gives_one_trace(adapter, payload):
    """A single recording is a trace: of one agent, or of several where more than one agent node fires."""
    alone = payload("x", 1, "Open?", "Until six.")
    team = {
        "stream_events": [*alone["stream_events"], *payload("x", 1, "", "Yes.", agent="desk")["stream_events"][1:]]
    }
    assert AgentTrace is type(adapter.transform_to_canonical({"stream_events": alone["stream_events"]}))
    assert MultiAgentTrace is type(adapter.transform_to_canonical(team))


def team_payload(payload, turn_id):
    """A turn in which a desk and a workshop speak."""
    made = payload("team", turn_id, f"Question {turn_id}", "Workshop, please.", agent="desk")
    made["stream_events"] += payload("team", turn_id, "", "Done.", agent="workshop")["stream_events"][1:]
    return made


def test_several_agents_make_multi_agent_sessions(adapter, payload):
    """Turns in which several agents fire are multi-agent traces, and so is the whole."""
    [session] = adapter.transform_to_canonical([team_payload(payload, n) for n in (1, 2)])
    assert [MultiAgentTrace] * 3 == [type(t) for t in (*session["per_turn_traces"], session["full_trace"])]
    assert ("desk", "workshop") == session["full_trace"].agents
    result = evaluate(session, metrics=["agent_utilization"])
    assert result.metadata["is_multi_agent"] is True
    assert {"agent_utilization": 1.0} == scores(result)


def test_topology_must_stay_the_same(adapter, payload):
    """A session with single-agent and multi-agent turns is refused by name."""
    payloads = [team_payload(payload, 1), payload("team", 2, "And?", "Still done.", agent="desk")]
    with pytest.raises(AdapterTransformationError) as raised:
        adapter.transform_to_canonical(payloads)
    assert "team" in str(raised.value)
    assert "LangGraphAdapter(agent_nodes=" in str(raised.value)


@pytest.mark.parametrize("missing", ["session_id", "turn_id", "stream_events"])
def test_required_fields_are_required(adapter, payload, missing):
    """A payload without one of the three required fields is refused, with its position and the field."""
    incomplete = payload("tandem", 2, "And?", "So.")
    del incomplete[missing]
    with pytest.raises(AdapterTransformationError) as raised:
        adapter.transform_to_canonical([payload("tandem", 1, "Open?", "Until six."), incomplete])
    assert missing in str(raised.value)


# --- evaluate and batch_evaluate ------------------------------------------------------------------------------------


def test_evaluate_dispatches_on_what_it_is_given(turn, team_turn, session):
    """A trace of one agent, of several, and a session each find their evaluator."""
    team = {"per_turn_traces": [team_turn(1, "Hm?", "Ok.")], "full_trace": team_turn(1, "Hm?", "Ok.")}
    cases = [(turn(1, "Hm?", "Ok."), False), (team_turn(1, "Hm?", "Ok."), True), (session, False), (team, True)]
    for item, is_multi_agent in cases:
        result = evaluate(item, None, ["prompt_injection_detection"])
        assert is_multi_agent is result.metadata["is_multi_agent"]
        assert {"prompt_injection_detection": 1.0} == scores(result)


def test_evaluate_refuses_a_list(session):
    """A list belongs to ``batch_evaluate``, and the error says so."""
    with pytest.raises(ValueError, match=r"not a list of them; use batch_evaluate\(\)\."):
        evaluate([session], metrics=METRICS)


def test_batch_evaluate_takes_traces_and_sessions_mixed(turn, team_turn, session):
    """Each item goes to its own evaluator, results are in the order given, and no item costs another."""
    traces = [turn(1, "Hm?", "Ok.", latency=4.0), session, {"per_turn_traces": []}, team_turn(1, "Hm?", "Ok.")]
    ground_truths = [None, GroundTruth(), None, None]
    results = batch_evaluate(traces=traces, ground_truths=ground_truths, metrics=["latency_score"])
    assert [0.5, None, None, None] == [r.overall_score for r in results]
    assert [1, 3, None, 1] == [r.metadata.get("num_turns") for r in results]
    assert [False, False, None, True] == [r.metadata.get("is_multi_agent") for r in results]
    assert "Could not be evaluated: DataError" in results[2].failures[0]


def test_batch_evaluate_wants_one_ground_truth_each(session):
    """Lengths that differ are refused before anything is measured."""
    with pytest.raises(ValueError, match=r"^There are 1 traces and 2 ground truths;"):
        batch_evaluate([session], [None, None], METRICS)


# --- evaluators -----------------------------------------------------------------------------------------------------


def test_evaluators_accept_their_own_kind_of_trace(team_turn, session):
    """Each evaluator takes a conversation of its kind and refuses the other, naming the right one."""
    turns, team = session["per_turn_traces"], [team_turn(1, "Hm?", "Ok."), team_turn(2, "So?", "Yes.")]
    single, multi = SingleAgentEvaluator(), MultiAgentEvaluator()
    result = single.evaluate_multi_turn(turns, session["full_trace"], metrics=["turn_efficiency"])
    assert {"turn_efficiency": 1.0} == scores(result)
    result = multi.evaluate_multi_turn(per_turn_traces=team, full_trace=None, metrics=["turn_efficiency"])
    assert {"turn_efficiency": 1.0} == scores(result)
    with pytest.raises(ValueError, match="SingleAgentEvaluator does not accept a MultiAgentTrace"):
        single.evaluate_multi_turn(team, None)
    with pytest.raises(ValueError, match="MultiAgentEvaluator does not accept an AgentTrace"):
        multi.evaluate_multi_turn(turns, session["full_trace"])


def test_multi_turn_evaluator_starts_from_the_conversation(turn):
    """The conversation-first evaluator takes plain messages, or a trace, and scores Multi-Turn alone."""
    messages = [
        {"role": "user", "content": "It creaks."},
        {"role": "assistant", "content": "Where?"},
        {"role": "user", "content": "At the crank."},
        {"role": "assistant", "content": "Monday, then."},
    ]
    evaluator = MultiTurnEvaluator()
    result = evaluator.evaluate_conversation(messages=messages, goal="an appointment")
    assert ["Multi-Turn"] == [d.dimension_name for d in result.dimension_results]
    assert 2 == result.metadata["num_turns"]
    assert 1.0 == result.overall_score
    assert 1 == evaluator.evaluate(trace=turn(1, "Hm?", "Ok.")).metadata["num_turns"]


class TyresOnly(SingleAgentEvaluator):
    """An evaluator that narrows what it measures."""

    def available_metrics(self):
        """The performance metrics alone."""
        return [m for m in super().available_metrics() if m.dimension == "Performance"]


def test_evaluators_can_narrow_their_metrics(turn):
    """What a subclass leaves out is not measured when nothing is named."""
    result = TyresOnly().evaluate(turn(1, "Hm?", "Ok.", latency=1.0))
    assert ["Performance"] == [d.dimension_name for d in result.dimension_results]
