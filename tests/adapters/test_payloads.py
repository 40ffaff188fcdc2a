"""What a turn payload must and may hold, and what is said of those that cannot be read."""

from __future__ import annotations

import uuid
from fractions import Fraction
from numbers import Integral

import pytest
from langchain_core.messages import AIMessage, HumanMessage

from uaef.adapters import AdapterTransformationError, LangGraphAdapter
from uaef.models import AgentTrace

EVENTS = [{"__human__": {"messages": [HumanMessage("Hi")]}}, {"agent": {"messages": [AIMessage("Yes?")]}}]


def payload(**changes):
    """A payload that is in order, with changes; ``...`` takes a key away."""
    fields = {"session_id": "b", "turn_id": 2, "stream_events": EVENTS} | changes
    return {key: value for key, value in fields.items() if value is not ...}


def problems(*payloads):
    """What is wrong with them, sentence by sentence."""
    with pytest.raises(AdapterTransformationError) as raised:
        LangGraphAdapter().transform_to_canonical(list(payloads))
    assert "langgraph" == raised.value.adapter_name
    assert "\n".join(raised.value.problems) == str(raised.value)
    assert all(problem.startswith("[langgraph] ") for problem in raised.value.problems)
    return [problem.removeprefix("[langgraph] ") for problem in raised.value.problems]


NO_USER = (
    "The turn has no user message; put {'__human__': {'messages': [HumanMessage(...)]}} first in its stream_events."
)
NO_MODE = "has the shape of no LangGraph stream mode:"
NO_EVENT = "is a message and not a stream event"
NONE = "holds messages that are none:"
PLACE = "payload 1 (session 'b', turn 2): "
NOT_BLANK = "payload 1 (turn 2): session_id must be a text that is not blank, got "
TURN = "payload 1 (session 'b'): turn_id must be an integer; write int(...) around it, got "
EVENT_LIST = f"{PLACE}stream_events must be a list with at least one event, got "
SECONDS = f"{PLACE}latency must be a finite number of seconds of at least 0, got "
DOLLARS = f"{PLACE}cost_usd must be a finite number of dollars of at least 0, got "


OWN = "Your own keys go into metadata."


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        (
            {"session_id": ...},
            "payload 1 (turn 2): session_id is missing; it says which conversation the turn belongs to.",
        ),
        ({"session_id": "  "}, f"{NOT_BLANK}'  '."),
        ({"session_id": 2.5}, f"{NOT_BLANK}2.5."),
        ({"session_id": True}, f"{NOT_BLANK}True."),
        (
            {"turn_id": ...},
            "payload 1 (session 'b'): turn_id is missing; it is the turn's number within its session.",
        ),
        (
            {"turn_id": None},
            "payload 1 (session 'b'): turn_id is missing; it is the turn's number within its session.",
        ),
        ({"turn_id": True}, f"{TURN}True."),
        ({"turn_id": "1"}, f"{TURN}'1'."),
        ({"turn_id": 1.0}, f"{TURN}1.0."),
        (
            {"stream_events": ...},
            f"{PLACE}stream_events is missing; it is the list of what graph.stream yielded.",
        ),
        ({"stream_events": []}, f"{EVENT_LIST}[]."),
        ({"stream_events": {"agent": {}}}, f"{EVENT_LIST}{{'agent': {{}}}}."),
        ({"latency": -0.1}, f"{SECONDS}-0.1."),
        ({"latency": float("nan")}, f"{SECONDS}nan."),
        ({"latency": float("inf")}, f"{SECONDS}inf."),
        ({"latency": "1.2"}, f"{SECONDS}'1.2'."),
        ({"latency": True}, f"{SECONDS}True."),
        ({"cost_usd": -1}, f"{DOLLARS}-1."),
        ({"cost_usd": "free"}, f"{DOLLARS}'free'."),
        (
            {"input_tokens": 1.5},
            f"{PLACE}input_tokens must be a whole number of at least 0, got 1.5.",
        ),
        (
            {"output_tokens": -3},
            f"{PLACE}output_tokens must be a whole number of at least 0, got -3.",
        ),
        ({"tags": "vip"}, f"{PLACE}tags must be a list of texts, got 'vip'."),
        ({"tags": ["vip", 3]}, f"{PLACE}tags must be a list of texts, got ['vip', 3]."),
        ({"metadata": ["x"]}, f"{PLACE}metadata must be a dict, got ['x']."),
        ({"error": 3}, f"{PLACE}error must be a text, got 3."),
        ({"trace_id": ""}, f"{PLACE}trace_id must be a text that is not blank, got ''."),
        ({"latencey": 1.0}, f"{PLACE}unknown key 'latencey'; did you mean 'latency'?"),
        ({"Latency": 1.0}, f"{PLACE}unknown key 'Latency'; did you mean 'latency'?"),
        ({"cost_us": 1.0}, f"{PLACE}unknown key 'cost_us'; did you mean 'cost_usd'?"),
        (
            {"inputtokns": 1},
            f"{PLACE}unknown key 'inputtokns'; did you mean 'input_tokens'?",
        ),
        ({"cost": 0.1}, f"{PLACE}unknown key 'cost'; did you mean 'cost_usd' (in dollars)? {OWN}"),
        ({"Cost": 0.1, "cost_usd": None}, f"{PLACE}unknown key 'Cost'; did you mean 'cost_usd' (in dollars)? {OWN}"),
        ({"total_cost": 0.1}, f"{PLACE}unknown key 'total_cost'; did you mean 'cost_usd' (in dollars)? {OWN}"),
        ({"latency_s": 1.0}, f"{PLACE}unknown key 'latency_s'; did you mean 'latency'?"),
        ({"latency_ms": 900}, f"{PLACE}unknown key 'latency_ms'; did you mean 'latency' (in seconds)? {OWN}"),
        ({"duration": 1.0}, f"{PLACE}unknown key 'duration'; did you mean 'latency' (in seconds)? {OWN}"),
        ({"tokens_in": 1}, f"{PLACE}unknown key 'tokens_in'; did you mean 'input_tokens'? {OWN}"),
        ({"completion_tokens": 1}, f"{PLACE}unknown key 'completion_tokens'; did you mean 'output_tokens'? {OWN}"),
    ],
    ids=lambda value: str(value) if isinstance(value, dict) else "",
)
def test_each_fault_is_named_with_its_place(changes, expected):
    """One sentence a fault: which payload, session and turn, which key, what is wrong, what was got."""
    assert [expected] == problems(payload(**changes))


def test_faults_of_all_payloads_stand_in_one_error():
    """Nothing is fixed one error at a time."""
    assert [
        "payload 1: a turn payload is a dict with session_id, turn_id, stream_events, got str.",
        "payload 3 (session 'b'): turn_id is missing; it is the turn's number within its session.",
        "payload 3 (session 'b'): unknown key 'turnid'; did you mean 'turn_id'?",
        "payload 4: session_id is missing; it says which conversation the turn belongs to.",
        "payload 4: turn_id is missing; it is the turn's number within its session.",
        "payload 4: stream_events is missing; it is the list of what graph.stream yielded.",
        f"payload 4: unknown key 'thread_id'; did you mean 'session_id'? {OWN}",
        f"payload 4: unknown key 'turn'; did you mean 'turn_id'? {OWN}",
        f"payload 4: unknown key 'events'; did you mean 'stream_events'? {OWN}",
        f"{PLACE.replace('1', '5')}turn_id 2 is taken by payload 2; number each turn of a session differently.",
    ] == problems(
        "hello",
        payload(),
        payload(turn_id=..., turnid=3),
        {"thread_id": "b", "turn": 2, "events": EVENTS},
        payload(),
        payload(session_id="c"),
    )


def test_a_key_further_than_two_edits_away_is_kept():
    """Other keys are the caller's own and stand in the trace's metadata, under payload metadata and tags."""
    trace = LangGraphAdapter().transform_to_canonical(
        payload(agent_version="3.1", customer=7, metadata={"customer": 8, "shop": "Rye"}, tags=("vip",))
    )
    assert {"agent_version": "3.1", "customer": 8, "shop": "Rye", "tags": ["vip"], "turn_id": 2} == trace.metadata


def test_a_key_that_resembles_a_known_one_in_meaning_is_kept_beside_it():
    """Who gives the cost in dollars may also keep what else they call cost; and so with each of the other names."""
    given = {"latency": 1.0, "cost_usd": 0.5, "input_tokens": 1, "output_tokens": 1}
    own = {"cost": "low", "duration": 3, "tokens_in": 9, "thread_id": "t", "turn": 0, "events": []}
    trace = LangGraphAdapter().transform_to_canonical(payload(**given, **own))
    assert own | {"turn_id": 2} == trace.metadata


def test_the_payloads_figures_go_before_those_of_the_messages():
    """Tokens that the caller counted replace those of the messages, 0 included; cost 0 is a price."""
    counted = AIMessage("Yes?", usage_metadata={"input_tokens": 5, "output_tokens": 3, "total_tokens": 8})
    events = [EVENTS[0], {"agent": {"messages": [counted]}}]
    trace = LangGraphAdapter().transform_to_canonical(
        payload(stream_events=events, latency=2, input_tokens=0, cost_usd=0, trace_id="mine")
    )
    assert (0, 3, 2.0, 0.0, "mine") == (
        trace.input_tokens,
        trace.output_tokens,
        trace.latency,
        trace.cost,
        trace.trace_id,
    )
    assert ("b", "langgraph") == (trace.session_id, trace.framework)


def test_what_nobody_said_is_unknown():
    """Absent figures are ``None``, of the turn and of the whole; one unknown part makes the sum unknown."""
    [session] = LangGraphAdapter().transform_to_canonical([payload(turn_id=1), payload(latency=1.5)])
    first, whole = session["per_turn_traces"][0], session["full_trace"]
    assert [None] * 4 == [first.latency, first.cost, first.input_tokens, first.output_tokens]
    assert [None] * 4 == [whole.latency, whole.cost, whole.input_tokens, whole.output_tokens]


def test_the_whole_sums_its_turns():
    """Latency, cost and tokens of a session are those of its turns together."""
    payloads = [payload(turn_id=n, latency=0.5, cost_usd=0.1, input_tokens=3, output_tokens=2) for n in (3, 1, 2)]
    [session] = LangGraphAdapter().transform_to_canonical(payloads)
    whole = session["full_trace"]
    assert [1, 2, 3] == [t.metadata["turn_id"] for t in session["per_turn_traces"]]
    assert ["b#1", "b#2", "b#3"] == [t.trace_id for t in session["per_turn_traces"]]
    assert (1.5, 0.1 * 3, 9, 6) == (whole.latency, pytest.approx(whole.cost), whole.input_tokens, whole.output_tokens)
    assert ("b", "b", {"num_turns": 3}) == (whole.trace_id, whole.session_id, whole.metadata)


def test_a_session_of_one_turn_is_that_turn():
    """The whole of a single-turn session is the turn's trace itself."""
    [session] = LangGraphAdapter().transform_to_canonical([payload()])
    assert ["session_id", "per_turn_traces", "full_trace"] == list(session)
    assert session["full_trace"] is session["per_turn_traces"][0]


def test_a_single_dict_needs_events_only():
    """Session and turn are optional for a trace that stands by itself; a name for it is made up."""
    trace = LangGraphAdapter().transform_to_canonical({"stream_events": EVENTS})
    assert isinstance(trace, AgentTrace)
    assert (None, {}) == (trace.session_id, trace.metadata)
    assert uuid.UUID(trace.trace_id)


def test_a_single_dict_is_checked_like_any_payload():
    """Its faults are named without a number, since there is only one."""
    with pytest.raises(AdapterTransformationError) as raised:
        LangGraphAdapter().transform_to_canonical({"stream_event": EVENTS, "turn_id": "4", "session_id": "b"})
    assert (
        "[langgraph] payload (session 'b'): stream_events is missing; it is the list of what graph.stream yielded.\n"
        "[langgraph] payload (session 'b'): unknown key 'stream_event'; did you mean 'stream_events'?\n"
        "[langgraph] payload (session 'b'): turn_id must be an integer; write int(...) around it, got '4'."
    ) == str(raised.value)


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ([], "There is nothing to read: the list of turn payloads is empty."),
        ("events", "Expected a dict with stream_events or a list of turn payloads, got str."),
        (None, "Expected a dict with stream_events or a list of turn payloads, got NoneType."),
    ],
)
def test_anything_else_is_refused(raw, expected):
    """An adapter says what it takes."""
    with pytest.raises(AdapterTransformationError) as raised:
        LangGraphAdapter().transform_to_canonical(raw)
    assert f"[langgraph] {expected}" == str(raised.value)


@Integral.register
class Int64:
    """An integer that is no ``int``, as NumPy has them."""

    def __init__(self, value):
        self.value = value

    def __int__(self):
        return self.value


def test_numbers_of_other_libraries_are_numbers():
    """Integers that are no ``int``, UUIDs and row numbers as sessions, and fractions are taken for what they are."""
    session = uuid.UUID(int=7)
    payloads = [
        payload(session_id=session, turn_id=Int64(1), latency=Fraction(1, 2), input_tokens=Int64(3)),
        payload(session_id=12, turn_id=1, latency=1),
    ]
    first, second = LangGraphAdapter().transform_to_canonical(payloads)
    assert [str(session), "12"] == [first["session_id"], second["session_id"]]
    assert [(int, float, int)] == [
        (type(t.metadata["turn_id"]), type(t.latency), type(t.input_tokens)) for t in first["per_turn_traces"]
    ]
    assert 1.0 == second["full_trace"].latency


def test_a_turn_without_a_user_message_is_kept_with_a_warning():
    """It is what was recorded; the warning says how to record better."""
    [session] = LangGraphAdapter().transform_to_canonical([payload(stream_events=EVENTS[1:])])
    assert ["Yes?"] == [m.content for m in session["full_trace"].messages]
    assert [NO_USER] == session["full_trace"].metadata["warnings"]


@pytest.mark.parametrize(
    "event", [{"foo": "bar"}, {"agent": "hi"}, {"agent": 4}, {"review": None}, {"router": {"next": "coder"}}], ids=str
)
def test_a_turn_in_which_nobody_answers_is_kept_with_a_warning(event):
    """An update without messages says nothing; that the whole turn then says nothing is said."""
    trace = LangGraphAdapter().transform_to_canonical(payload(stream_events=[EVENTS[0], event]))
    assert ["Hi"] == [m.content for m in trace.messages]
    assert ["The turn has no assistant message."] == trace.metadata["warnings"]


# --- events -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("event", "expected"),
    [
        ("half done", f"{NO_MODE} 'half done'"),
        (42, f"{NO_MODE} 42"),
        (None, f"{NO_MODE} None"),
        (("ai", "Hi"), f"{NO_MODE} ('ai', 'Hi')"),
        ([1, 2, 3], f"{NO_MODE} [1, 2, 3]"),
        (("updatse", {"agent": None}), f"{NO_MODE} ('updatse', {{'agent': None}})"),
        ({1: {"messages": []}}, f"{NO_MODE} {{1: {{'messages': []}}}}"),
        (
            {"role": "user", "content": "Hi"},
            f"{NO_EVENT} ({{'role': 'user', 'content': 'Hi'}}); write {{node: {{'messages': [message]}}}}",
        ),
        ({"agent": {"messages": [42]}}, f"{NONE} 42"),
        ({"agent": {"messages": {"a": 1}}}, f"{NONE} {{'a': 1}}"),
        (
            {"agent": {"messages": [{"type": "widget", "content": ""}]}},
            f"{NONE} {{'type': 'widget', 'content': ''}}",
        ),
        (("updates", "text"), "is an update that names no node: 'text'"),
        (("messages", "text"), "is no (message, metadata) pair: 'text'"),
        (
            {"agent": {"messages": [{"type": "ai", "content": "", "tool_calls": [{"args": {}, "id": "1"}]}]}},
            "a tool call has no name: {'args': {}, 'id': '1'}",
        ),
        (
            {"agent": {"messages": [{"lc": 1, "type": "not_implemented", "id": ["app", "Mine"], "repr": "M"}]}},
            f"{NONE} {{'lc': 1, 'type': 'not_implemented', 'id': ['app', 'Mine'], 'repr': 'M'}}",
        ),
        ("x" * 300, f"{NO_MODE} '{'x' * 99}..."),
    ],
    ids=str,
)
def test_an_event_that_nothing_reads_is_an_error(event, expected):
    """It is named by payload and event; nothing is dropped in silence."""
    faulty = payload(stream_events=[*EVENTS, event])
    assert [f"payload 2 (session 'b', turn 2): stream event 3 {expected}."] == problems(payload(turn_id=1), faulty)


def test_events_with_the_same_fault_are_counted():
    """A recording that is wrong throughout is one sentence a turn, and other faults stand beside it."""
    faulty = payload(stream_events=[42, *EVENTS, 42, None, 42])
    assert [
        f"{PLACE}stream event 1 (and 2 more like it) {NO_MODE} 42.",
        f"{PLACE}stream event 5 {NO_MODE} None.",
    ] == problems(faulty)


@pytest.mark.parametrize(
    "event",
    [
        {"review": None},
        {"router": {"next": "coder"}},
        {"router": {"messages": []}},
        {"router": {"messages": None}},
        {"task": "text"},
        {"task": 4},
        {"task": [1, "two"]},
        {"task": []},
        {"__metadata__": {"cached": True}},
        {"forget": {"messages": [{"type": "remove", "content": "", "id": "1"}]}},
        {},
        ("custom", 1),
        (("a:1",), "custom", None),
        {"messages": []},
        ("values", {"count": 3}),
        ("values", None),
        {
            "type": "task",
            "timestamp": "",
            "step": 1,
            "payload": {"id": "1", "name": "a", "input": {"x": 1}, "triggers": []},
        },
        {"type": "checkpoint", "timestamp": "", "step": 1, "payload": {"config": {}, "values": {}, "next": []}},
        {"id": "1", "name": "a", "input": None, "triggers": []},
        {"id": "1", "name": "a", "result": [], "interrupts": []},
        {"config": {}, "values": None, "next": [], "metadata": {}},
    ],
    ids=str,
)
def test_an_event_that_says_nothing_is_harmless(event):
    """Updates without messages, updates of nothing, custom events and bookkeeping change nothing."""
    trace = LangGraphAdapter().transform_to_canonical(payload(stream_events=[*EVENTS, event]))
    assert ["Hi", "Yes?"] == [m.content for m in trace.messages]
    assert {"turn_id": 2} == trace.metadata
