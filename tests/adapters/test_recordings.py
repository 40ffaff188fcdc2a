"""Recordings from elsewhere, read as their READMEs describe them; what is compared is counted in the raw JSON."""

from __future__ import annotations

import pytest

from uaef.adapters import LangGraphAdapter, OpenAIMessagesAdapter
from uaef.models import AgentTrace, MessageRole, MultiAgentTrace, ToolStatus

NOTEBOOKS = "langgraph-notebook-streams"
HANDED_BACK = ["agent_supervisor.cell13", "agent_supervisor.cell14"]


def read(recording, name):
    """The trace of a notebook's output cell, and its raw events."""
    events = recording(f"{NOTEBOOKS}/{name}.json")["events"]
    return LangGraphAdapter().transform_to_canonical({"stream_events": events}), events


def raw_messages(node):
    """Every raw message anywhere in the JSON, in order, each id once; those without an id all count."""
    found = {}

    def walk(value):
        if isinstance(value, dict):
            if value.get("type") in ("ai", "tool", "human") and "content" in value:
                found.setdefault(value.get("id", len(found)), value)
            for part in value.values():
                walk(part)
        elif isinstance(value, list):
            for part in value:
                walk(part)

    walk(node)
    return list(found.values())


@pytest.mark.parametrize(
    ("name", "kind", "agents"),
    [
        ("agent_supervisor.cell13", AgentTrace, ("coder",)),
        ("agent_supervisor.cell14", MultiAgentTrace, ("researcher", "coder")),
        ("multi_agent_collaboration.cell15", MultiAgentTrace, ("researcher", "chart_generator")),
        ("review_tool_calls_hitl.cell10", AgentTrace, ("call_llm",)),
        ("review_tool_calls_hitl.cell13", AgentTrace, ("call_llm",)),
        ("review_tool_calls_hitl.cell17", AgentTrace, ("call_llm",)),
        ("sql_agent.cell26", MultiAgentTrace, ("first_tool_call", "model_get_schema", "query_gen", "correct_query")),
        ("stream_multiple_updates_debug.cell10", AgentTrace, ("agent",)),
        ("subgraphs_manage_state.cell13", AgentTrace, ("normal_llm_node",)),
        ("subgraphs_manage_state.cell15", AgentTrace, ()),
        ("subgraphs_manage_state.cell17", AgentTrace, ()),
        ("subgraphs_manage_state.cell25", AgentTrace, ("weather_graph",)),
        ("subgraphs_manage_state.cell32", AgentTrace, ()),
        ("subgraphs_manage_state.cell35", AgentTrace, ()),
        ("tool_calling_errors.cell20", MultiAgentTrace, ("agent", "fallback_agent")),
        ("update_state_from_tools.cell19", AgentTrace, ("agent",)),
        ("update_state_from_tools.cell21", AgentTrace, ("agent",)),
    ],
)
def test_notebooks_have_their_agents_messages_and_tokens(recording, name, kind, agents):
    """Each notebook's stream: its topology, each message once, and the tokens that its messages count."""
    trace, events = read(recording, name)
    raw = raw_messages(events)
    handed_back = [m for m in raw if m["type"] == "human" and m.get("name")] if name in HANDED_BACK else []
    dicts = [u for e in events if isinstance(e, dict) for u in e.values() if isinstance(u, dict)]
    plain = [m for u in dicts for m in u.get("messages", []) if isinstance(m, dict) and "role" in m]
    usage = [m["usage_metadata"] for m in raw if m.get("usage_metadata")]
    assert (kind, agents) == (type(trace), trace.agents)
    if "debug" in name:  # the same tool result, once with and once without an id
        raw = raw[:-2] if raw[-2]["type"] == "tool" else raw
    else:
        assert len(raw) - len(handed_back) + len(plain) == len(trace.messages)
    assert (sum(u["input_tokens"] for u in usage) or None) == trace.input_tokens
    assert (sum(u["output_tokens"] for u in usage) or None) == trace.output_tokens


def test_a_signed_human_message_is_the_agents(recording):
    """In the collaboration, what is signed ``researcher`` is the researcher's, what is not is the user's."""
    trace, _ = read(recording, "multi_agent_collaboration.cell15")
    [question] = [m.content for m in trace.messages if m.role is MessageRole.USER]
    assert question.startswith("First, get the UK's GDP over the past 5 years")
    assert ["researcher", "chart_generator"] == [
        m.agent for m in trace.messages if m.metadata.get("name") in trace.agents
    ]
    assert [("researcher", "chart_generator")] == [(e.from_agent, e.to_agent) for e in trace.coordination_events]


def test_a_wrong_tool_is_answered_by_its_own_call(recording):
    """The SQL agent's six calls: five have a result, by id; the last, which submits the answer, has none."""
    trace, _ = read(recording, "sql_agent.cell26")
    assert [
        ("sql_db_list_tables", "first_tool_call", ToolStatus.COMPLETED),
        ("sql_db_schema", "model_get_schema", ToolStatus.COMPLETED),
        ("sql_db_schema", "query_gen", ToolStatus.COMPLETED),
        ("sql_db_schema", "query_gen", ToolStatus.COMPLETED),
        ("db_query_tool", "correct_query", ToolStatus.COMPLETED),
        ("SubmitFinalAnswer", "query_gen", ToolStatus.PENDING),
    ] == [(call.name, call.agent, call.status) for call in trace.tool_calls]
    assert "[('Steve', 'Johnson', 164.34)]" == trace.tool_calls[4].result


def test_a_removed_attempt_was_made_all_the_same(recording):
    """A state may forget a failed attempt; that it was made stays recorded."""
    trace, _ = read(recording, "tool_calling_errors.cell20")
    assert ["agent", "fallback_agent"] == [call.agent for call in trace.tool_calls]
    assert "Here is a haiku about water:" == trace.messages[0].content


def test_review_waits_and_goes_on(recording):
    """The two runs of a review, as two turns: what is asked, and the result that a plain dict brings."""
    events = [recording(f"{NOTEBOOKS}/review_tool_calls_hitl.cell{cell}.json")["events"] for cell in (13, 17)]
    payloads = [{"session_id": "s", "turn_id": n, "stream_events": part} for n, part in enumerate(events, 1)]
    [session] = LangGraphAdapter().transform_to_canonical(payloads)
    first, second = session["per_turn_traces"]
    assert "Is this correct?" == first.metadata["interrupts"][0]["question"]
    assert [ToolStatus.PENDING] == [call.status for call in first.tool_calls]
    assert ["Sunny!", "According to the search, it's sunny in San Francisco today!"] == [
        m.content for m in second.messages
    ]
    assert [("weather_search", "Sunny!")] == [(c.name, c.result) for c in session["full_trace"].tool_calls]


@pytest.mark.parametrize("modes", [("values", "messages"), ("values",), ("messages",)], ids=str)
def test_a_version_1_stream(recording, modes):
    """Two parallel calls streamed in pieces, and tokens: 346 + 879 read and 126 + 48 written, in either mode."""
    stream = recording("langgraph-v1-stream/REACT_AGENT_TOOL_CALLING.json")
    question = "What's the weather in Tokyo and what time is it there?"
    events = [{"__human__": {"messages": [question]}}, *(event for event in stream if event[0] in modes)]
    final = stream[-1][1]["messages"]
    usage = [m["kwargs"]["usage_metadata"] for m in final if m["kwargs"].get("usage_metadata")]
    trace = LangGraphAdapter(agent_nodes=["model_request"]).transform_to_canonical({"stream_events": events})
    assert ["user", "assistant", "tool", "tool", "assistant"] == [m.role.value for m in trace.messages]
    assert [
        question,
        "",
        *(m["kwargs"]["content"] for m in final[2:4]),
        final[4]["kwargs"]["content"][0]["text"],
    ] == [m.content for m in trace.messages]
    assert [
        ("get_weather", {"city": "Tokyo", "units": "celsius"}, final[2]["kwargs"]["content"]),
        ("get_datetime", {"timezone": "Asia/Tokyo", "format": "full"}, final[3]["kwargs"]["content"]),
    ] == [(call.name, call.arguments, call.result) for call in trace.tool_calls]
    assert (1225, 174) == (trace.input_tokens, trace.output_tokens)
    assert 1225 == sum(u["input_tokens"] for u in usage)
    assert 174 == sum(u["output_tokens"] for u in usage)


# --- tau-bench ----------------------------------------------------------------------------


def kinds(payload):
    """Each raw message of a payload: its class name and fields, in order."""
    return [
        (message["id"][-1], message["kwargs"])
        for event in payload["stream_events"]
        for update in event.values()
        for message in update["messages"]
    ]


def test_116_payloads_are_16_sessions(recording):
    """Sessions, turns, roles, calls and results, each counted in the payloads."""
    payloads = recording("tau-bench-airline/langgraph_replay.turn_payloads.jsonl")
    sessions = LangGraphAdapter().transform_to_canonical(payloads)
    assert (116, 16) == (len(payloads), len(sessions))
    assert list(dict.fromkeys(p["session_id"] for p in payloads)) == [s["session_id"] for s in sessions]
    traces = [trace for session in sessions for trace in session["per_turn_traces"]]
    roles = {"HumanMessage": "user", "AIMessage": "assistant", "ToolMessage": "tool"}
    for payload, trace in zip(payloads, traces, strict=True):
        raw = kinds(payload)
        calls = [call for _, fields in raw for call in fields.get("tool_calls", [])]
        # One call at a time, each answered at once; one turn uses an id twice, so ids alone would not do here.
        results = [(fields["tool_call_id"], fields["content"]) for kind, fields in raw if kind == "ToolMessage"]
        assert (payload["session_id"], payload["turn_id"]) == (trace.session_id, trace.metadata["turn_id"])
        assert [(roles[kind], fields["content"]) for kind, fields in raw] == [
            (m.role.value, m.content) for m in trace.messages
        ]
        assert [(c["name"], c["args"]) for c in calls] == [(c.name, c.arguments) for c in trace.tool_calls]
        assert results == [(c.call_id, c.result) for c in trace.tool_calls]
        assert {"agent"} >= set(trace.agents)
    assert {AgentTrace} == {type(trace) for trace in traces}
    assert [sum(m.role is MessageRole.USER for m in s["full_trace"].messages) for s in sessions] == [
        len(s["per_turn_traces"]) for s in sessions
    ]


def test_replay_and_trajectory_tell_the_same(recording):
    """The same conversations as OpenAI messages and as LangGraph events: the same turns, calls and results."""
    payloads = recording("tau-bench-airline/langgraph_replay.turn_payloads.jsonl")
    replayed = {s["session_id"]: s for s in LangGraphAdapter().transform_to_canonical(payloads)}
    compared = 0
    for row in recording("tau-bench-airline/trajectories.jsonl"):
        session = replayed.get(f"tau-airline-{row['task_id']}-{row['trial']}")
        if session is None:
            continue
        messages = [m for m in row["traj"] if m["role"] != "system"]
        chat = OpenAIMessagesAdapter().transform_to_canonical(messages)
        turns = list(zip(session["per_turn_traces"], chat["per_turn_traces"], strict=False))
        assert len(session["per_turn_traces"]) <= len(chat["per_turn_traces"])
        for replay, trace in turns:
            assert [(m.role, m.content, m.tool_call_id) for m in replay.messages] == [
                (m.role, m.content, m.tool_call_id) for m in trace.messages
            ]
            assert [(c.call_id, c.arguments, c.result) for c in replay.tool_calls] == [
                (c.call_id, c.arguments, c.result) for c in trace.tool_calls
            ]
        compared += 1
    assert 16 == compared


def test_every_trajectory_is_read(recording):
    """All 64 trajectories: a turn for each user message, a call for each raw call, a result for each answer."""
    rows = recording("tau-bench-airline/trajectories.jsonl")
    assert 64 == len(rows)
    for row in rows:
        raw = row["traj"]
        session = OpenAIMessagesAdapter().transform_to_canonical(
            {"messages": raw, "id": f"{row['task_id']}/{row['trial']}"}
        )
        trace = session["full_trace"]
        assert sum(m["role"] == "user" for m in raw) == len(session["per_turn_traces"])
        assert [c["function"]["name"] for m in raw for c in m.get("tool_calls") or []] == [
            c.name for c in trace.tool_calls
        ]
        assert sum(m["role"] == "tool" for m in raw) == sum(
            c.status is ToolStatus.COMPLETED for c in trace.tool_calls
        )
