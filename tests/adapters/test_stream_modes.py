"""Every stream mode of a real graph tells the same story."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage
from langgraph.func import entrypoint, task

from uaef.adapters import LangGraphAdapter
from uaef.models import AgentTrace, MessageRole, ToolStatus

MODES = ["updates", "values", "messages", "debug", "tasks", "checkpoints"]
TWO_CALLS = [
    [("user", None, "Herons and dragons?", [], None)],
    [
        (
            "assistant",
            "agent",
            "Let me look.",
            [
                ("c1", {"what": "herons"}, "completed", "page about herons", None),
                (
                    "c2",
                    {"what": "dragons"},
                    "failed",
                    None,
                    "Error: ValueError('no such page')\n Please fix your mistakes.",
                ),
            ],
            None,
        ),
        ("tool", "agent", "page about herons", [], "c1"),
        ("tool", "agent", "Error: ValueError('no such page')\n Please fix your mistakes.", [], "c2"),
        ("assistant", "agent", "Herons exist.", [], None),
    ],
]


def two_turns(graphs):
    """A graph with the lines of two turns, the first with two parallel calls of which one fails."""
    return graphs.booking(
        graphs.line("Let me look.", ("c1", "herons"), ("c2", "dragons"), usage=(10, 5)),
        graphs.line("Herons exist.", usage=(20, 6)),
        graphs.line("You are welcome.", usage=(30, 7)),
    )


@pytest.mark.parametrize("json_round_trip", [False, True], ids=["live", "json"])
@pytest.mark.parametrize("mode", [*MODES, ["updates"], ["updates", "values"], MODES], ids=str)
def test_every_mode_gives_the_same_two_turns(graphs, mode, json_round_trip):
    """Roles, agents, parallel calls, their results and errors, and tokens, whatever the mode, live or from JSON."""
    payloads = graphs.play(two_turns(graphs), "Herons and dragons?", "Thanks!", stream_mode=mode)
    if json_round_trip:
        payloads = graphs.as_json(payloads)
    [session] = LangGraphAdapter(agent_nodes=["agent"]).transform_to_canonical(payloads)
    first, second = session["per_turn_traces"]
    assert TWO_CALLS[0] + TWO_CALLS[1] == graphs.told(first)
    assert [
        ("user", None, "Thanks!", [], None),
        ("assistant", "agent", "You are welcome.", [], None),
    ] == graphs.told(second)
    assert [(30, 11), (30, 7), (60, 18)] == [
        (t.input_tokens, t.output_tokens) for t in (first, second, session["full_trace"])
    ]
    assert [{"turn_id": 1}, {"turn_id": 2}] == [t.metadata for t in (first, second)]


@pytest.mark.parametrize("mode", ["values", "debug", "checkpoints"])
def test_state_shows_the_users_message_by_itself(graphs, mode):
    """Modes that show the state need no synthetic event: what the run was given is the user's."""
    payloads = graphs.play(two_turns(graphs), "Herons and dragons?", "Thanks!", announce=False, stream_mode=mode)
    [session] = LangGraphAdapter().transform_to_canonical(payloads)
    assert [["Herons and dragons?"], ["Thanks!"]] == [
        [m.content for m in trace.messages if m.role is MessageRole.USER] for trace in session["per_turn_traces"]
    ]
    assert [4, 2] == [len(t.messages) - (t.messages[1].tool_calls != []) for t in session["per_turn_traces"]]


@pytest.mark.parametrize("mode", ["values", "debug", "checkpoints"])
@pytest.mark.parametrize("announce", [True, False], ids=["announced", "bare"])
def test_history_that_nobody_recorded_is_no_part_of_the_turn(graphs, mode, announce):
    """The second turn by itself shows the first one in its state; only what is new counts."""
    graph = two_turns(graphs)
    _, second = graphs.play(graph, "Herons and dragons?", "Thanks!", announce=announce, stream_mode=mode)
    trace = LangGraphAdapter().transform_to_canonical(second)
    assert ["Thanks!", "You are welcome."] == [m.content for m in trace.messages]
    assert (30, 7) == (trace.input_tokens, trace.output_tokens)


def test_the_final_state_alone_is_read_too(graphs):
    """The result of ``invoke`` is a state: the turn begins at the last thing that the user said."""
    graph = two_turns(graphs)
    _, second = graphs.play(graph, "Herons and dragons?", "Thanks!", announce=False, stream_mode="values")
    trace = LangGraphAdapter().transform_to_canonical({"stream_events": second["stream_events"][-1:]})
    assert ["Thanks!", "You are welcome."] == [m.content for m in trace.messages]


def test_a_prompt_that_wraps_the_users_words_is_still_the_users_message(graphs):
    """Where the state's input differs from what was announced, the user said what was announced, once."""
    graph = graphs.booking(graphs.line("Yes."))
    events = [
        graphs.human("Herons?"),
        *graph.stream(
            {"messages": [HumanMessage("Question: Herons?")]},
            {"configurable": {"thread_id": "1"}},
            stream_mode="values",
        ),
    ]
    trace = LangGraphAdapter().transform_to_canonical({"stream_events": events})
    assert ["Herons?", "Yes."] == [m.content for m in trace.messages]


def test_an_announced_message_may_have_an_id_of_its_own():
    """The user's words are known again though the state numbers them differently."""
    events = [
        {"__human__": {"messages": [HumanMessage("Hi", id="mine")]}},
        {"messages": [HumanMessage("Hi", id="theirs")]},
        {"messages": [HumanMessage("Hi", id="theirs"), AIMessage("Yes?", id="a")]},
    ]
    trace = LangGraphAdapter().transform_to_canonical({"stream_events": events})
    assert [("user", "Hi"), ("assistant", "Yes?")] == [(m.role.value, m.content) for m in trace.messages]


def test_a_system_prompt_in_the_input_belongs_to_the_turn():
    """What stands right before the user's message was given with it; older messages were not."""
    state = [
        HumanMessage("Old.", id="1"),
        AIMessage("Older.", id="2"),
        SystemMessage("Be brief.", id="3"),
        HumanMessage("Hi", id="4"),
    ]
    trace = LangGraphAdapter().transform_to_canonical({"stream_events": [{"messages": state}]})
    assert [("system", "Be brief."), ("user", "Hi")] == [(m.role.value, m.content) for m in trace.messages]


def test_values_without_ids_count_what_is_new():
    """A state of plain dicts has no ids: a message counts when it stands there once more than before."""

    def state(*said):
        roles = ("user", "assistant")
        return {"messages": [{"role": roles[i % 2], "content": text} for i, text in enumerate(said)]}

    payloads = [
        {"session_id": "s", "turn_id": 1, "stream_events": [state("yes"), state("yes", "ok")]},
        {
            "session_id": "s",
            "turn_id": 2,
            "stream_events": [state("yes", "ok", "yes"), state("yes", "ok", "yes", "ok")],
        },
        {"session_id": "s", "turn_id": 3, "stream_events": [state("yes", "ok", "yes", "ok", "no")]},
    ]
    [session] = LangGraphAdapter().transform_to_canonical(payloads)
    assert [["yes", "ok"], ["yes", "ok"], ["no"]] == [
        [m.content for m in trace.messages] for trace in session["per_turn_traces"]
    ]


def test_a_user_may_repeat_themselves():
    """What was announced is the last of the state's messages with those words, and the others are history."""
    said = [HumanMessage("yes", id="1"), AIMessage("ok", id="2"), HumanMessage("yes", id="3")]
    trace = LangGraphAdapter().transform_to_canonical(
        {"stream_events": [{"__human__": {"messages": [HumanMessage("yes")]}}, {"messages": said}]}
    )
    assert [("user", "yes", "3")] == [(m.role.value, m.content, m.metadata["id"]) for m in trace.messages]


def test_checkpoints_without_ids_count_what_is_new():
    """A checkpoint of the state before the run shows what is known, once, however often it shows it."""

    def checkpoint(source, *said):
        messages = [{"role": ("user", "assistant")[i % 2], "content": text} for i, text in enumerate(said)]
        return {"config": {}, "next": [], "metadata": {"source": source}, "values": {"messages": messages}}

    first = [checkpoint("input"), checkpoint("loop", "yes"), checkpoint("loop", "yes", "ok")]
    second = [checkpoint("input", "yes", "ok"), checkpoint("loop", "yes", "ok", "yes")]
    third = [checkpoint("input", "yes", "ok", "yes"), checkpoint("loop", "yes", "ok", "yes", "ok", "yes")]
    payloads = [
        {"session_id": "s", "turn_id": n, "stream_events": e} for n, e in enumerate((first, second, third), 1)
    ]
    [session] = LangGraphAdapter().transform_to_canonical(payloads)
    assert [["yes", "ok"], ["yes"], ["yes"]] == [
        [m.content for m in trace.messages] for trace in session["per_turn_traces"]
    ]
    alone = LangGraphAdapter().transform_to_canonical({"stream_events": second})
    assert ["yes"] == [m.content for m in alone.messages]


def test_an_agent_may_repeat_itself_without_ids():
    """Two updates with the same words are two messages; the state that holds both adds none."""
    said = {"role": "assistant", "content": "Working on it."}
    events = [
        {"__human__": {"messages": [{"role": "user", "content": "Go!"}]}},
        ["updates", {"agent": {"messages": [said]}}],
        ["updates", {"agent": {"messages": [said]}}],
        [
            "values",
            {"messages": [{"role": "user", "content": "Go!", "id": "u"}, said | {"id": "a"}, said | {"id": "b"}]},
        ],
    ]
    trace = LangGraphAdapter().transform_to_canonical({"stream_events": events})
    assert ["Go!", "Working on it.", "Working on it."] == [m.content for m in trace.messages]
    assert ["u", "a", "b"] == [m.metadata["id"] for m in trace.messages]


def test_version_2_parts_are_read(graphs):
    """The dicts of ``stream(version="v2")`` say the same as the bare events."""
    lines = [graphs.line("Let me look.", ("c1", "herons")), graphs.line("Found.")]
    for version in ("v1", "v2"):
        payloads = graphs.play(
            graphs.booking(*lines), "Herons?", stream_mode=["updates", "values", "messages"], version=version
        )
        [session] = LangGraphAdapter().transform_to_canonical(payloads)
        assert ["user", "assistant", "tool", "assistant"] == [m.role.value for m in session["full_trace"].messages]


@pytest.mark.parametrize(
    "mode", ["updates", "messages", "tasks", ["updates", "values", "messages", "debug"]], ids=str
)
def test_the_functional_api_is_read_too(graphs, mode):
    """A task that returns a message speaks; the workflow that returns it again adds nothing."""
    model = graphs.ScriptedModel(lines=[graphs.line("One."), graphs.line("Two.")])

    @task
    def ask(messages):
        return model.invoke(messages)

    @entrypoint()
    def flow(state):
        answers = [ask(state["messages"]).result() for _ in range(2)]
        return {"messages": [*state["messages"], *answers]}

    [session] = LangGraphAdapter().transform_to_canonical(graphs.play(flow, "Count!", stream_mode=mode))
    assert [("user", None, "Count!"), ("assistant", "ask", "One."), ("assistant", "ask", "Two.")] == [
        (m.role.value, m.agent, m.content) for m in session["full_trace"].messages
    ]


def test_custom_events_say_nothing(graphs):
    """What a node writes for its own purposes is no message."""
    events = [
        graphs.human("Hi"),
        ("custom", {"progress": 0.5}),
        ("custom", "half"),
        {"agent": {"messages": [AIMessage("Yes?")]}},
    ]
    trace = LangGraphAdapter().transform_to_canonical({"stream_events": events})
    assert ["Hi", "Yes?"] == [m.content for m in trace.messages]


def test_messages_of_one_turn_keep_their_ids_and_nodes(graphs):
    """The metadata of a message names its id and node; a single agent's messages name the agent."""
    [payload] = graphs.play(graphs.booking(graphs.line("Yes?")), "Hi", stream_mode="updates")
    [session] = LangGraphAdapter().transform_to_canonical([payload])
    said = payload["stream_events"][1]["agent"]["messages"][0]
    answer = session["full_trace"].messages[1]
    assert isinstance(session["full_trace"], AgentTrace)
    assert ("agent", {"id": said.id, "node": "agent"}) == (answer.agent, answer.metadata)


def test_a_provider_id_on_one_chunk_does_not_split_the_message(graphs):
    """A first chunk that carries the provider's id goes with the chunks that carry the run's."""

    def events(*chunks):
        about = {"langgraph_node": "agent", "langgraph_checkpoint_ns": "agent:7"}
        return [[{"type": "AIMessageChunk", "tool_call_chunks": [], **chunk}, about] for chunk in chunks]

    usage = {"usage_metadata": {"input_tokens": 3, "output_tokens": 2}}
    stream = events(
        {"id": "resp_1", "content": []},
        {"id": "lc_run--a", "content": "Two "},
        {"id": "lc_run--a", "content": "herons.", **usage},
        {"id": "resp_2", "content": []},
        {"id": "lc_run--b", "content": "And one more.", **usage},
    )
    trace = LangGraphAdapter().transform_to_canonical({"stream_events": [graphs.human("Count!"), *stream]})
    assert ["Count!", "Two herons.", "And one more."] == [m.content for m in trace.messages]
    assert (6, 4) == (trace.input_tokens, trace.output_tokens)


def test_chunks_need_no_id_and_a_late_one_adds_nothing(graphs):
    """Chunks without ids go on with their task's message; one that comes after the whole message is old news."""
    about = {"langgraph_node": "agent", "langgraph_checkpoint_ns": "agent:7"}
    whole = {"type": "ai", "content": "Two herons.", "id": "run-1"}
    events = [
        [{"type": "AIMessageChunk", "content": "Hm"}, about],
        [{"type": "AIMessageChunk", "content": "...", "chunk_position": "last"}, about],
        [{"type": "AIMessageChunk", "content": "Two ", "id": "run-1"}, about],
        {"agent": {"messages": [{"type": "ai", "content": "Hm..."}, whole]}},
        [{"type": "AIMessageChunk", "content": "herons.", "id": "run-1"}, about],
    ]
    trace = LangGraphAdapter().transform_to_canonical({"stream_events": [graphs.human("Count!"), *events]})
    assert ["Count!", "Hm...", "Two herons."] == [m.content for m in trace.messages]


@pytest.mark.parametrize(
    ("pieces", "expected"),
    [
        pytest.param(
            [(0, "a", "f", '{"x":'), (0, None, None, " 1}"), (1, "b", "g", "{}")],
            [("a", "f", {"x": 1}), ("b", "g", {})],
            id="by-index",
        ),
        pytest.param(
            [(0, "a", "f", '{"x": 1}'), (0, "b", "g", '{"y"'), (0, None, None, ": 2}")],
            [("a", "f", {"x": 1}), ("b", "g", {"y": 2})],
            id="all-numbered-0",
        ),
        pytest.param(
            [(None, "a", "f", "{"), (None, None, None, "}"), (None, "b", "g", "")],
            [("a", "f", {}), ("b", "g", {})],
            id="not-numbered",
        ),
        pytest.param([(0, None, None, "{}")], [(None, "unnamed", {})], id="beginning-lost"),
    ],
)
def test_pieces_of_arguments_are_joined(graphs, pieces, expected):
    """Argument pieces go to the call that their index or id says, as providers number them."""
    chunks = [
        {
            "type": "AIMessageChunk",
            "id": "run-1",
            "content": "",
            "tool_call_chunks": [{"index": index, "id": call_id, "name": name, "args": args}],
        }
        for index, call_id, name, args in pieces
    ]
    events = [graphs.human("Go!"), *([chunk, {"langgraph_node": "agent"}] for chunk in chunks)]
    trace = LangGraphAdapter().transform_to_canonical({"stream_events": events})
    assert expected == [(call.call_id, call.name, call.arguments) for call in trace.tool_calls]
    assert {ToolStatus.PENDING} == {call.status for call in trace.tool_calls}


turns = st.lists(
    st.tuples(
        st.sampled_from(["yes", "Herons?", "And dragons?"]),
        st.lists(st.lists(st.sampled_from(["herons", "dragons"]), min_size=1, max_size=3), max_size=2),
        st.sampled_from(["ok", "Sure thing.", ""]),
    ),
    min_size=1,
    max_size=3,
)


def record(graphs, script):
    """The payloads of a scripted conversation in which every mode was streamed at once, and what they count."""
    number = iter(range(1000))
    lines = [
        line
        for _, rounds, answer in script
        for line in (
            *(graphs.line("Looking.", *((f"c{next(number)}", what) for what in whats)) for whats in rounds),
            graphs.line(answer),
        )
    ]
    return graphs.play(graphs.booking(*lines), *(text for text, *_ in script), stream_mode=MODES)


def through(payloads, modes):
    """The payloads with the events of some modes only; those of a single mode are left bare."""

    def event(mode, payload):
        return payload if len(modes) == 1 else (mode, payload)

    return [
        payload
        | {
            "stream_events": [
                payload["stream_events"][0],
                *(event(*e) for e in payload["stream_events"][1:] if e[0] in modes),
            ]
        }
        for payload in payloads
    ]


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(script=turns, modes=st.sets(st.sampled_from(MODES), min_size=1))
def test_any_set_of_modes_tells_what_all_of_them_tell(graphs, script, modes):
    """Law: one run, seen through any set of its stream modes, gives the same traces."""
    payloads = record(graphs, script)
    adapter = LangGraphAdapter(agent_nodes=["agent"])
    [whole] = adapter.transform_to_canonical(payloads)
    [part] = adapter.transform_to_canonical(through(payloads, modes))
    pairs = list(zip(whole["per_turn_traces"], part["per_turn_traces"], strict=True))
    assert [graphs.told(a) for a, _ in pairs] == [graphs.told(b) for _, b in pairs]
    assert [(a.input_tokens, a.output_tokens) for a, _ in pairs] == [
        (b.input_tokens, b.output_tokens) for _, b in pairs
    ]
    for (text, rounds, answer), (trace, _) in zip(script, pairs, strict=True):
        assert (text, answer) == (trace.messages[0].content, trace.messages[-1].content)
        assert [what for whats in rounds for what in whats] == [c.arguments["what"] for c in trace.tool_calls]


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(script=turns, data=st.data())
def test_the_order_of_payloads_within_sessions_changes_nothing(graphs, script, data):
    """Law: sessions keep first-seen order, and however else payloads are mixed, the traces are the same."""
    payloads = record(graphs, script)
    other = [payload | {"session_id": "t"} for payload in payloads]
    mixed = data.draw(st.permutations([*payloads, *other]))
    in_order = {s["session_id"]: s for s in LangGraphAdapter().transform_to_canonical([*payloads, *other])}
    shuffled = LangGraphAdapter().transform_to_canonical(mixed)
    assert list(dict.fromkeys(p["session_id"] for p in mixed)) == [s["session_id"] for s in shuffled]
    for session in shuffled:
        assert in_order[session["session_id"]] == session
