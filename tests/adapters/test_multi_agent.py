"""Who the agents are: supervisors, workers, subgraphs, handoffs, and sessions that do not go together."""

from __future__ import annotations

import pytest
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langgraph.checkpoint.memory import MemorySaver
from langgraph.graph import START, MessagesState, StateGraph

from uaef.adapters import AdapterTransformationError, LangGraphAdapter
from uaef.errors import UaefError
from uaef.models import AgentTrace, MultiAgentTrace, WorkflowStatus

BOTH = ["supervisor", "coder"]
UNSIGNED = (
    "The stream does not say which agent wrote some of the messages, so they are given to the likeliest; "
    "record stream_mode='updates', which names the nodes."
)
ALL_MODES = ["updates", "values", "messages", "debug"]


def team(graphs, **options):
    """Turn 1: the supervisor asks the coder, who looks something up. Turn 2: the supervisor answers by itself."""
    return graphs.supervised(
        [graphs.line("Ask coder."), graphs.line("It is 42."), graphs.line("Bye.")],
        [graphs.line("", ("w1", "herons"), usage=(3, 1)), graphs.line("42", usage=(4, 1))],
        **options,
    )


def update(node, *messages):
    """An event of ``stream_mode="updates"``."""
    return {node: {"messages": list(messages)}}


def spoken(trace):
    """Who said what, without tools and the user."""
    return [(m.agent, m.content) for m in trace.messages if m.role.value == "assistant"]


def handed_over(trace):
    """The handoffs of a trace."""
    return [(e.from_agent, e.to_agent, e.event_type) for e in trace.coordination_events]


@pytest.mark.parametrize("mode", ["updates", "values", "messages", "debug", ALL_MODES], ids=str)
def test_a_worker_in_a_subgraph_counts_once(graphs, mode):
    """The worker's answer arrives from its own graph and again from the graph around it; it is said once."""
    payloads = graphs.play(team(graphs), "How much?", "Thanks!", stream_mode=mode, subgraphs=True)
    [session] = LangGraphAdapter(agent_nodes=BOTH).transform_to_canonical(payloads)
    first, second = session["per_turn_traces"]
    assert [("supervisor", "Ask coder."), ("coder", ""), ("coder", "42"), ("supervisor", "It is 42.")] == spoken(
        first
    )
    assert [("supervisor", "Bye.")] == spoken(second)
    assert ["How much?", "Thanks!"] == [m.content for m in session["full_trace"].messages if m.role.value == "user"]
    assert [("w1", "coder", "page about herons")] == [(c.call_id, c.agent, c.result) for c in first.tool_calls]
    assert [("supervisor", "coder", "HANDOFF"), ("coder", "supervisor", "HANDOFF")] == handed_over(first)
    assert [(27, 12), (10, 5)] == [(t.input_tokens, t.output_tokens) for t in (first, second)]
    assert [WorkflowStatus.COMPLETED] * 2 == [first.workflow_status, second.workflow_status]
    assert {MultiAgentTrace} == {type(t) for t in (first, second, session["full_trace"])}


@pytest.mark.parametrize(
    "answer_of",
    [
        pytest.param(lambda text: AIMessage(text, name="coder"), id="signed-ai"),
        pytest.param(AIMessage, id="unsigned-ai"),
        pytest.param(HumanMessage, id="unsigned-human"),
        pytest.param(lambda text: {"role": "assistant", "content": text}, id="dict"),
    ],
)
@pytest.mark.parametrize("mode", ["updates", "messages", ALL_MODES], ids=str)
def test_a_worker_may_hand_on_its_answer_in_any_form(graphs, mode, answer_of):
    """Whatever message the worker's node wraps its last answer in, it is the same answer."""
    payloads = graphs.play(team(graphs, answer_of=answer_of), "How much?", stream_mode=mode, subgraphs=True)
    [session] = LangGraphAdapter().transform_to_canonical(payloads)
    assert [("supervisor", "Ask coder."), ("coder", ""), ("coder", "42"), ("supervisor", "It is 42.")] == spoken(
        session["full_trace"]
    )
    assert ["How much?"] == [m.content for m in session["full_trace"].messages if m.role.value in ("user", "system")]


def test_without_subgraphs_a_signed_human_message_is_the_workers(graphs):
    """Seen from outside, the worker says one thing, under its name; its tools and tokens are not seen."""
    payloads = graphs.play(team(graphs), "How much?", stream_mode="updates")
    [session] = LangGraphAdapter().transform_to_canonical(payloads)
    trace = session["full_trace"]
    assert [("supervisor", "Ask coder."), ("coder", "42"), ("supervisor", "It is 42.")] == spoken(trace)
    assert ("supervisor", "coder") == trace.agents
    assert ("coder", {"node": "coder", "name": "coder"}) == (
        trace.messages[2].agent,
        {k: v for k, v in trace.messages[2].metadata.items() if k != "id"},
    )


@pytest.mark.parametrize("announce", [True, False], ids=["announced", "bare"])
@pytest.mark.parametrize("subgraphs", [True, False])
@pytest.mark.parametrize("mode", ["updates", ["updates", "values"], ALL_MODES], ids=str)
def test_subgraphs_as_nodes_return_the_whole_state(graphs, mode, subgraphs, announce):
    """A subgraph that is a node returns all messages, history included; each counts once, where it is new."""
    alice = graphs.booking(graphs.line("One moment."), graphs.line("Again?"), checkpointer=False)
    bob = graphs.booking(
        graphs.line("", ("c1", "herons")), graphs.line("Grey."), graphs.line("Still grey."), checkpointer=False
    )
    team = StateGraph(MessagesState).add_node("alice", alice).add_node("bob", bob)
    graph = team.add_edge(START, "alice").add_edge("alice", "bob").compile(checkpointer=MemorySaver())
    payloads = graphs.play(graph, "Herons?", "Sure?", stream_mode=mode, subgraphs=subgraphs, announce=announce)
    [session] = LangGraphAdapter().transform_to_canonical(payloads)
    assert [
        [
            ("user", None, "Herons?"),
            ("assistant", "alice", "One moment."),
            ("assistant", "bob", ""),
            ("tool", "bob", "page about herons"),
            ("assistant", "bob", "Grey."),
        ],
        [("user", None, "Sure?"), ("assistant", "alice", "Again?"), ("assistant", "bob", "Still grey.")],
    ] == [[(m.role.value, m.agent, m.content) for m in trace.messages] for trace in session["per_turn_traces"]]


def test_live_and_json_are_equal(graphs):
    """The whole session, compared field by field."""
    payloads = graphs.play(team(graphs), "How much?", "Thanks!", stream_mode=ALL_MODES, subgraphs=True)
    adapter = LangGraphAdapter(agent_nodes=BOTH)
    assert adapter.transform_to_canonical(payloads) == adapter.transform_to_canonical(graphs.as_json(payloads))


def test_values_alone_name_no_node_so_the_silent_agent_is_found_by_elimination(graphs):
    """Of two declared agents only the coder signs: what nobody signed is the supervisor's, and a warning says so."""
    payloads = graphs.play(team(graphs), "How much?", stream_mode="values")
    [session] = LangGraphAdapter(agent_nodes=BOTH).transform_to_canonical(payloads)
    trace = session["full_trace"]
    assert [("supervisor", "Ask coder."), ("coder", "42"), ("supervisor", "It is 42.")] == spoken(trace)
    assert [UNSIGNED] == trace.metadata["warnings"]


def test_undeclared_the_unsigned_stay_without_a_name(graphs):
    """A signed and an unsigned speaker are two: a multi-agent trace in which one has no name."""
    payloads = graphs.play(team(graphs), "How much?", stream_mode="values")
    [session] = LangGraphAdapter().transform_to_canonical(payloads)
    assert isinstance(session["full_trace"], MultiAgentTrace)
    assert [(None, "Ask coder."), ("coder", "42"), (None, "It is 42.")] == spoken(session["full_trace"])


@pytest.mark.parametrize(
    ("agents", "kind", "who"),
    [
        ([], MultiAgentTrace, ["desk", "workshop", "till"]),
        (["desk"], AgentTrace, ["desk", "desk", "desk"]),
        (["workshop"], AgentTrace, ["workshop", "workshop", "workshop"]),
        (["desk", "workshop"], MultiAgentTrace, ["desk", "workshop", "workshop"]),
        (["workshop", "till"], MultiAgentTrace, ["workshop", "workshop", "till"]),
    ],
)
def test_declared_nodes_are_the_agents(graphs, agents, kind, who):
    """One declared agent takes everything; of several, who acted last takes what other nodes say."""
    events = [
        graphs.human("My bell is broken."),
        update("desk", AIMessage("Let me ask.")),
        update("workshop", AIMessage("It takes a day.")),
        update("till", AIMessage("Five, please.")),
    ]
    trace = LangGraphAdapter(agent_nodes=agents).transform_to_canonical({"stream_events": events})
    assert (kind, who) == (type(trace), [agent for agent, _ in spoken(trace)])


def test_one_name_will_do():
    """A single node may be given as a bare text, and a node given twice counts once."""
    event = update("till", AIMessage("Five, please."))
    for nodes in ("till", ["till", "till"]):
        trace = LangGraphAdapter(agent_nodes=nodes).transform_to_canonical({"stream_events": [event]})
        assert isinstance(trace, AgentTrace)


def test_ignored_nodes_are_left_out_but_what_they_cost_counts(graphs):
    """A router's messages, calls and their results are not part of the conversation; its tokens were spent."""
    events = [
        graphs.human("My bell is broken."),
        update("router", graphs.line("repairs", ("r1", "routes"), usage=(7, 1))),
        update("tools", ToolMessage("repairs", tool_call_id="r1")),
        update("desk", graphs.line("Let me see.", usage=(5, 2))),
    ]
    trace = LangGraphAdapter(ignore_nodes=["router"]).transform_to_canonical({"stream_events": events})
    assert isinstance(trace, AgentTrace)
    assert ["My bell is broken.", "Let me see."] == [m.content for m in trace.messages]
    assert [] == trace.tool_calls
    assert (12, 3) == (trace.input_tokens, trace.output_tokens)
    assert {} == trace.metadata


def test_a_node_cannot_be_both():
    """An agent that is to be ignored is a contradiction."""
    with pytest.raises(UaefError) as raised:
        LangGraphAdapter(agent_nodes=["a", "b"], ignore_nodes=["b"])
    assert "'b' is in agent_nodes and in ignore_nodes; it can only be one of them." == str(raised.value)


def test_nodes_are_given_by_name():
    """Anything but names is refused."""
    with pytest.raises(UaefError) as raised:
        LangGraphAdapter(agent_nodes=["a", 3])
    assert "agent_nodes must be names of nodes, got ['a', 3]." == str(raised.value)


def test_handoff_tools_are_counted_once(graphs):
    """A handoff that a tool announces is one event, and the change of speaker that follows is no second one."""
    events = [
        graphs.human("Fix and pay."),
        update("desk", AIMessage("", tool_calls=[{"name": "transfer_to_bike_shop", "args": {}, "id": "t1"}])),
        update("tools", ToolMessage("Transferred.", tool_call_id="t1")),
        update("Bike Shop", AIMessage("Fixed.")),
        update("Bike Shop", AIMessage("", tool_calls=[{"name": "transfer_back_to_desk", "args": {}, "id": "t2"}])),
        update("desk", AIMessage("Done.")),
        update("till", AIMessage("Five, please.")),
        update("desk", AIMessage("", tool_calls=[{"name": "transfer_to_human_agents", "args": {}, "id": "t3"}])),
    ]
    trace = LangGraphAdapter().transform_to_canonical({"trace_id": "x", "stream_events": events})
    assert [
        ("desk", "Bike Shop", "desk calls transfer_to_bike_shop"),
        ("Bike Shop", "desk", "Bike Shop calls transfer_back_to_desk"),
        ("desk", "till", "till takes over from desk"),
        ("till", "desk", "desk takes over from till"),
    ] == [(e.from_agent, e.to_agent, e.message) for e in trace.coordination_events]
    assert [f"x/handoff-{n}" for n in (1, 2, 3, 4)] == [e.event_id for e in trace.coordination_events]


def test_an_announced_handoff_counts_though_the_agent_never_speaks(graphs):
    """A declared agent that was handed to but did not get to speak was handed to."""
    events = [
        graphs.human("Fix it."),
        update("desk", AIMessage("", tool_calls=[{"name": "transfer_to_workshop", "args": {}, "id": "t1"}])),
    ]
    adapter = LangGraphAdapter(agent_nodes=["desk", "workshop"])
    assert [("desk", "workshop", "HANDOFF")] == handed_over(adapter.transform_to_canonical({"stream_events": events}))


def test_an_agent_that_runs_inside_a_tool_goes_by_its_own_name(graphs):
    """The namespace of a tool node names no agent; the message's own name does."""
    inner = {"agent": {"messages": [AIMessage("Herons wade.", name="biologist")]}}
    events = [
        graphs.human("Herons?"),
        ((), update("agent", graphs.line("", ("c1", "herons")))),
        (("tools:77",), inner),
        ((), update("tools", ToolMessage("Herons wade.", tool_call_id="c1"))),
        ((), update("agent", graphs.line("They wade."))),
    ]
    trace = LangGraphAdapter().transform_to_canonical({"stream_events": events})
    assert [("agent", ""), ("biologist", "Herons wade."), ("agent", "They wade.")] == spoken(trace)


def test_a_model_that_a_node_keeps_to_itself_is_left_out_with_a_warning(graphs):
    """A node that streams a model's words and returns others said the others; the tokens were spent all the same."""
    router = graphs.ScriptedModel(lines=[graphs.line("billing", usage=(6, 1))])

    def desk(state):
        router.invoke(state["messages"])
        return {"messages": [AIMessage("Let me get billing.")]}

    graph = StateGraph(MessagesState).add_node(desk).add_edge(START, "desk").compile()
    payloads = graphs.play(graph, "My bill!", stream_mode=["updates", "messages"])
    [session] = LangGraphAdapter().transform_to_canonical(payloads)
    trace = session["full_trace"]
    assert ["My bill!", "Let me get billing."] == [m.content for m in trace.messages]
    assert (6, 1) == (trace.input_tokens, trace.output_tokens)
    assert ["Node 'desk' streamed a model's message that it did not return; it is left out."] == trace.metadata[
        "warnings"
    ]


def test_a_human_message_that_no_agent_wrote_is_an_instruction(graphs):
    """A node that rewrites the question speaks for nobody; an agent's node that does so speaks for itself."""
    events = [
        graphs.human("herons??"),
        update("rewrite", HumanMessage("Which herons live here?")),
        update("agent", AIMessage("Grey ones.")),
        update("agent", HumanMessage("And night herons.")),
    ]
    trace = LangGraphAdapter().transform_to_canonical({"stream_events": events})
    assert [
        ("user", None, "herons??"),
        ("system", None, "Which herons live here?"),
        ("assistant", "agent", "Grey ones."),
        ("assistant", "agent", "And night herons."),
    ] == [(m.role.value, m.agent, m.content) for m in trace.messages]


def test_a_named_user_is_a_user():
    """A human message with a name is the user's where a run begins, and a worker's after that."""
    alice = HumanMessage("Hello!", name="alice", id="1")
    events = [
        {"messages": [alice]},
        {"messages": [alice, HumanMessage("Done.", name="coder", id="2")]},
    ]
    trace = LangGraphAdapter().transform_to_canonical({"stream_events": events})
    assert [("user", None), ("assistant", "coder")] == [(m.role.value, m.agent) for m in trace.messages]
    repeated = update("agent", alice, AIMessage("Hello, Alice.", id="3"))
    trace = LangGraphAdapter().transform_to_canonical({"stream_events": [repeated]})
    assert [("user", None), ("assistant", "agent")] == [(m.role.value, m.agent) for m in trace.messages]


# --- sessions -----------------------------------------------------------------------------


def turn(session, number, *agents):
    """A payload in which these nodes speak."""
    events = [{"__human__": {"messages": [HumanMessage("And?")]}}]
    events += [update(agent, AIMessage(f"{agent} here.")) for agent in agents]
    return {"session_id": session, "turn_id": number, "stream_events": events}


def test_mixed_sessions_are_refused_together():
    """All bad sessions stand in one error: the turns of each kind, their agents, and the line to paste."""
    payloads = [
        turn("a", 1, "supervisor"),
        turn("a", 2, "supervisor", "coder"),
        turn("a", 3, "supervisor"),
        turn("b", 1, "desk"),
        turn("c", 7, "desk", "till"),
        turn("c", 4, "desk", "workshop"),
        turn("c", 5, "till"),
    ]
    with pytest.raises(AdapterTransformationError) as raised:
        LangGraphAdapter().transform_to_canonical(payloads)
    assert (
        "[langgraph] Session 'a' mixes single-agent and multi-agent turns: turns 1, 3 are single-agent (supervisor); "
        "turn 2 is multi-agent (supervisor, coder). Declare its agents and every turn is read alike: "
        'LangGraphAdapter(agent_nodes=["supervisor", "coder"])\n'
        "[langgraph] Session 'c' mixes single-agent and multi-agent turns: turn 5 is single-agent (till); "
        "turns 4, 7 are multi-agent (desk, workshop, till). Declare its agents and every turn is read alike: "
        'LangGraphAdapter(agent_nodes=["desk", "workshop", "till"])'
    ) == str(raised.value)
    assert "langgraph" == raised.value.adapter_name


def test_the_pasted_line_mends_it():
    """With the agents declared, a turn in which only the supervisor speaks stays multi-agent."""
    payloads = [turn("a", 1, "supervisor"), turn("a", 2, "supervisor", "coder")]
    [session] = LangGraphAdapter(agent_nodes=["supervisor", "coder"]).transform_to_canonical(payloads)
    assert {MultiAgentTrace} == {type(t) for t in (*session["per_turn_traces"], session["full_trace"])}
    assert [("supervisor",), ("supervisor", "coder")] == [t.agents for t in session["per_turn_traces"]]


def test_two_lone_agents_are_single_agent_turns():
    """Turns that two different agents handle alone are single-agent, each message with its agent's name."""
    [session] = LangGraphAdapter().transform_to_canonical([turn("a", 1, "desk"), turn("a", 2, "till")])
    assert {AgentTrace} == {type(t) for t in (*session["per_turn_traces"], session["full_trace"])}
    assert [(None), "desk", None, "till"] == [m.agent for m in session["full_trace"].messages]


def test_a_turn_in_which_nobody_speaks_goes_with_the_others():
    """A turn that ends before any agent speaks is no mixture."""
    [session] = LangGraphAdapter().transform_to_canonical([turn("a", 1, "desk", "till"), turn("a", 2)])
    assert [MultiAgentTrace, MultiAgentTrace] == [type(t) for t in session["per_turn_traces"]]
    assert [WorkflowStatus.COMPLETED, None] == [t.workflow_status for t in session["per_turn_traces"]]
