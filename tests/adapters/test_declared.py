"""Declared nodes that the recording does not know."""

from __future__ import annotations

import pytest

from uaef.adapters import AdapterTransformationError, LangGraphAdapter


def payload(session, number, *nodes, silent=()):
    """A turn in which some nodes speak and others only run."""
    events = [{"__human__": {"messages": [{"type": "human", "content": "And?"}]}}]
    events += [{node: {"messages": [{"type": "ai", "content": f"{node} here."}]}} for node in nodes]
    events += [{node: None} for node in silent]
    return {"session_id": session, "turn_id": number, "stream_events": events}


def misspelt(argument, name, near):
    """What is said of a misspelt node."""
    return (
        f"[langgraph] {argument} names {name!r}, of which the recording shows nothing; did you mean {near!r}? "
        f"If not, say what {near!r} is: put it into agent_nodes or ignore_nodes too."
    )


def absent(argument, name, *others):
    """What is said of a node that is only absent."""
    return (
        f"{argument} names {name!r}, of which the recording shows nothing; nodes that speak here and are not "
        f"declared: {', '.join(map(repr, others))}."
    )


@pytest.mark.parametrize(
    ("declared", "problems"),
    [
        (
            {"agent_nodes": ["bookign", "supervisr"]},
            [misspelt("agent_nodes", "bookign", "booking"), misspelt("agent_nodes", "supervisr", "supervisor")],
        ),
        ({"agent_nodes": "Booking"}, [misspelt("agent_nodes", "Booking", "booking")]),
        (
            {"agent_nodes": ["booking"], "ignore_nodes": ["super-visor"]},
            [misspelt("ignore_nodes", "super-visor", "supervisor")],
        ),
        ({"ignore_nodes": ["BookIng", "rooter"]}, [misspelt("ignore_nodes", "BookIng", "booking")]),
    ],
)
@pytest.mark.parametrize("several", [True, False], ids=["list", "dict"])
def test_a_misspelt_node_is_an_error(declared, problems, several):
    """A declared node that nobody knows, and that is spelt like one which speaks undeclared, is refused with it."""
    turn = payload("s", 1, "booking", "supervisor")
    with pytest.raises(AdapterTransformationError) as raised:
        LangGraphAdapter(**declared).transform_to_canonical([turn] if several else turn)
    assert "\n".join(problems) == str(raised.value)


def test_a_misspelt_node_and_a_mixed_session_are_named_together():
    """All that is wrong stands in one error."""
    turns = [payload("s", 1, "router"), payload("s", 2, "router", "booking")]
    with pytest.raises(AdapterTransformationError) as raised:
        LangGraphAdapter(ignore_nodes=["rooter"]).transform_to_canonical(turns)
    assert misspelt("ignore_nodes", "rooter", "router") == raised.value.problems[0]
    assert raised.value.problems[1].startswith("[langgraph] Session 's' mixes single-agent and multi-agent turns")


@pytest.mark.parametrize(
    ("declared", "warning"),
    [
        ({"agent_nodes": ["concierge", "desk"]}, absent("agent_nodes", "concierge", "booking")),
        ({"agent_nodes": ["helper"]}, absent("agent_nodes", "helper", "desk", "booking")),
        ({"ignore_nodes": ["summary"]}, absent("ignore_nodes", "summary", "desk", "booking")),
        ({"agent_nodes": ["desk", "boking_team_x"]}, absent("agent_nodes", "boking_team_x", "booking")),
    ],
)
def test_an_absent_node_is_a_warning_in_each_session(declared, warning):
    """Said once, in the first turn, with the nodes that speak in the session and are not declared."""
    turns = [payload(session, number, "desk", "booking") for session in "ab" for number in (1, 2)]
    adapter = LangGraphAdapter(**declared)
    sessions = adapter.transform_to_canonical(turns)
    assert [[warning], None] * 2 == [t.metadata.get("warnings") for s in sessions for t in s["per_turn_traces"]]
    assert [warning] == adapter.transform_to_canonical(turns[0]).metadata["warnings"]


@pytest.mark.parametrize(
    ("declared", "turns"),
    [
        pytest.param({"agent_nodes": ["desk", "booking"]}, [("desk",)], id="all that speak are declared"),
        pytest.param({"agent_nodes": ["desk", "booking"]}, [("desk", "x"), ("booking",)], id="seen in another turn"),
        pytest.param({"agent_nodes": ["desk", "desc"], "ignore_nodes": ["x"]}, [("desk", "x")], id="both declared"),
        pytest.param({"agent_nodes": ["desk", "booking"]}, [()], id="nobody speaks"),
    ],
)
def test_what_can_be_right_is_not_complained_of(declared, turns):
    """An agent that had nothing to do, in a recording in which every speaker is accounted for."""
    payloads = [payload("s", number, *nodes) for number, nodes in enumerate(turns, 1)]
    [session] = LangGraphAdapter(**declared).transform_to_canonical(payloads)
    warnings = [w for t in session["per_turn_traces"] for w in t.metadata.get("warnings", [])]
    assert not any("recording shows nothing" in warning for warning in warnings)


def test_a_node_that_runs_in_silence_is_known():
    """A router that says nothing occurs all the same."""
    trace = LangGraphAdapter(ignore_nodes=["router"]).transform_to_canonical(
        payload("s", 1, "desk", silent=["router"])
    )
    assert "warnings" not in trace.metadata


def test_a_stream_that_names_no_nodes_is_not_complained_of():
    """States do not say who speaks, so nothing can be missed."""
    state = {"messages": [{"type": "human", "content": "And?"}, {"type": "ai", "content": "Yes."}]}
    trace = LangGraphAdapter(agent_nodes=["desk"]).transform_to_canonical({"stream_events": [state]})
    assert "warnings" not in trace.metadata


def test_nodes_that_differ_in_their_number_are_two():
    """``worker_2`` is idle and no misspelling of ``worker_1``."""
    trace = LangGraphAdapter(agent_nodes=["desk", "worker_2"]).transform_to_canonical(
        payload("s", 1, "desk", "worker_1")
    )
    assert [absent("agent_nodes", "worker_2", "worker_1")] == trace.metadata["warnings"]


def test_agents_are_known_by_subgraph_and_by_signature():
    """A declared agent may be the node around a subgraph, or the name that signs a message."""
    events = [
        {"__human__": {"messages": [{"type": "human", "content": "And?"}]}},
        [["coder:1"], {"model": {"messages": [{"type": "ai", "content": "Done."}]}}],
        {"team": {"messages": [{"type": "ai", "content": "Checked.", "name": "tester"}]}},
        {"other": {"messages": [{"type": "ai", "content": "Bye."}]}},
    ]
    trace = LangGraphAdapter(agent_nodes=["coder", "tester"]).transform_to_canonical({"stream_events": events})
    assert "warnings" not in trace.metadata
