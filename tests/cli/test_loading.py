"""From files to conversations: every shape, told by itself."""

from __future__ import annotations

import json

import pytest

from uaef import AgentTrace, Conversation, Message, MultiAgentTrace
from uaef.cli.loading import load_conversations
from uaef.errors import DataError, UnknownNameError

CHAT = [
    {"role": "user", "content": "Is it free?"},
    {"role": "assistant", "content": "Yes."},
    {"role": "user", "content": "Take it."},
    {"role": "assistant", "content": "Done."},
]


def payload(session=None, turn=None, **fields):
    """What a caller records of one turn of a graph."""
    events = [{"__human__": {"messages": [{"type": "human", "content": "Hi"}]}}]
    events.append({"agent": {"messages": [{"type": "ai", "content": "Hello"}]}})
    known = {"session_id": session, "turn_id": turn}
    return {"stream_events": events, **{k: v for k, v in known.items() if v is not None}, **fields}


def trace(kind=AgentTrace, **fields):
    """A trace as plain data."""
    return kind(messages=[Message(role="user", content="Hi")], **fields).to_dict()


def loaded(*paths, **options):
    """The name and the number of turns of each conversation."""
    return [(c.conversation_id, len(c)) for c in load_conversations(list(map(str, paths)), **options)]


SESSION = {"session_id": "s", "per_turn_traces": [trace(trace_id="a"), trace(trace_id="b")]}


@pytest.mark.parametrize(
    ("name", "content", "expected"),
    [
        # chat messages
        ("chat.json", CHAT, [("chat", 2)]),
        ("chat.jsonl", CHAT, [("chat", 2)]),
        ("chat.json", {"messages": CHAT, "thread_id": "t"}, [("t", 2)]),
        ("chat.json", {"messages": CHAT}, [("chat", 2)]),
        ("chat.jsonl", [{"messages": CHAT, "id": "x"}, {"messages": CHAT, "id": "y"}], [("x", 2), ("y", 2)]),
        ("chat.jsonl", [CHAT, CHAT[:2]], [("chat-1", 2), ("chat-2", 1)]),
        ("chat.jsonl", [CHAT], [("chat", 2)]),
        # turn payloads
        ("runs.json", payload(), [("runs", 1)]),
        ("runs.json", payload("s", 3), [("s", 1)]),
        ("runs.json", payload(trace_id="mine"), [("mine", 1)]),
        ("runs.jsonl", [payload("s", 2), payload("t", 1), payload("s", 1)], [("s", 2), ("t", 1)]),
        ("runs.jsonl", [payload(), payload(trace_id="mine")], [("runs-1", 1), ("mine", 1)]),
        # sessions and traces as plain data
        ("s.json", SESSION, [("s", 2)]),
        ("s.json", {"per_turn_traces": [trace(trace_id="a")]}, [("s", 1)]),
        ("s.json", {"per_turn_traces": [trace(session_id="named")]}, [("named", 1)]),
        (
            "s.jsonl",
            [SESSION, trace(trace_id="a"), trace(MultiAgentTrace, session_id="b")],
            [("s", 2), ("a", 1), ("b", 1)],
        ),
        ("s.json", [trace(trace_id="a"), CHAT], [("a", 1), ("s-2", 2)]),
    ],
)
def test_every_shape_is_told_by_itself(write, name, content, expected):
    """A file needs no flag to say what it holds; what has no name is called by its file and its place."""
    assert expected == loaded(write(name, content))


def test_sessions_written_by_us_are_read_back(write):
    """What ``to_session`` gives, written as JSON, is the same conversation."""
    conversation = Conversation.of([AgentTrace(**{**trace(), "trace_id": name}) for name in "ab"], name="refund")
    session = {key: value for key, value in conversation.to_session().items() if key != "full_trace"}
    session["per_turn_traces"] = [t.to_dict() for t in session["per_turn_traces"]]
    (back,) = load_conversations([str(write("s.json", session))])
    assert conversation == back


def test_several_files_are_read_in_their_order(write):
    """Files of different shapes go together; their conversations keep the order of the files."""
    paths = [
        write("b.json", CHAT),
        write("a.jsonl", [payload("s", 1)]),
        write("c.json", SESSION | {"session_id": "t"}),
    ]
    assert [("b", 2), ("s", 1), ("t", 2)] == loaded(*paths)


def test_adapter_by_name(write):
    """An adapter that is named reads the file, value by value where each value is a conversation."""
    assert [("chat-1", 2), ("chat-2", 2)] == loaded(write("chat.jsonl", [CHAT, CHAT]), adapter="openai")
    assert [("runs", 1)] == loaded(write("runs.jsonl", [payload()]), adapter="langgraph")
    with pytest.raises(UnknownNameError, match=r"Unknown adapter 'langraph'. Did you mean 'langgraph'?"):
        loaded("chat.jsonl", adapter="langraph")


def test_conversations_of_one_name_are_pointed_out(write, capsys):
    """Turns that were saved one by one look like conversations of one name; that is said."""
    assert [("s", 1), ("s", 1)] == loaded(write("t.jsonl", [trace(session_id="s"), trace(session_id="s")]))
    assert (
        "uaef: warning: several conversations are called 's'; the turns of one belong in one session "
        "(per_turn_traces).\n"
    ) == capsys.readouterr().err


MIXED = "is the turn of a session among other things; keep turn payloads in a file of their own."
UNNUMBERED = "turn_id is missing; it is the turn's number within its session."
TAKEN = "turn_id 1 is taken by payload 1; number each turn of a session differently."
EXPECTED = (
    "expected turn payloads (stream_events, session_id, turn_id), a session (per_turn_traces), a trace (trace_id, "
    "messages), chat messages (role, content), or what --json wrote."
)


@pytest.mark.parametrize(
    ("name", "content", "problems"),
    [
        ("a.json", {"a": 1, "b": 2}, [f"a.json: found an object with the keys 'a', 'b'; {EXPECTED}"]),
        (
            "a.json",
            dict.fromkeys("abcdefghi"),
            [f"a.json: found an object with the keys 'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', ...; {EXPECTED}"],
        ),
        ("a.json", {}, [f"a.json: found an empty object; {EXPECTED}"]),
        ("a.json", [], [f"a.json: holds an empty list; {EXPECTED}"]),
        ("a.json", 3, [f"a.json: found the number 3; {EXPECTED}"]),
        ("a.json", "text", ["a.json, line 1, column 1: not valid JSON: Expecting value."]),
        (
            "a.jsonl",
            [CHAT, None, [], ["x"], True, "x" * 99, None, None],
            [
                f"a.jsonl, line 2 and 2 more like it: found null; {EXPECTED}",
                f"a.jsonl, line 3: found an empty list; {EXPECTED}",
                f"a.jsonl, line 4: found a list that begins with text; {EXPECTED}",
                f"a.jsonl, line 5: found true or false; {EXPECTED}",
                f"a.jsonl, line 6: found text; {EXPECTED}",
            ],
        ),
        (
            "a.json",
            [CHAT, payload("s", 1)],
            [f"a.json, item 2: {MIXED}"],
        ),
        (
            "a.json",
            {"per_turn_traces": [{"trace_id": "a", "mesages": []}]},
            ["a.json: per_turn_traces[0]: AgentTrace: Object contains unknown field mesages"],
        ),
        (
            "a.json",
            {"per_turn_traces": []},
            ["a.json: A conversation needs at least one turn; got an empty list of traces."],
        ),
        ("a.json", {"per_turn_traces": [], "session_id": 3}, ["a.json: session_id must be text, got 3."]),
        (
            "a.jsonl",
            [{"trace_id": "a", "messages": [{"role": "judge", "content": ""}]}],
            ["a.jsonl, line 1: trace: AgentTrace: Invalid enum value 'judge' - at $.messages[0].role"],
        ),
        (
            "a.jsonl",
            [payload("s", 1), payload("s", 1), payload("s")],
            [
                f"a.jsonl: [langgraph] payload 3 (session 's'): {UNNUMBERED}",
                f"a.jsonl: [langgraph] payload 2 (session 's', turn 1): {TAKEN}",
            ],
        ),
    ],
)
def test_what_is_no_conversation_is_named(write, name, content, problems):
    """Every value that cannot be read is named with its place, what was found there and what is expected."""
    write(name, content)
    with pytest.raises(DataError) as raised:
        load_conversations([name])
    assert problems == list(raised.value.problems)


def test_problems_of_all_files_come_at_once(write):
    """One bad file does not hide another."""
    write("a.json", "{")
    write("b.json", json.dumps({}))
    with pytest.raises(DataError) as raised:
        load_conversations(["a.json", "nowhere.json", "b.json"])
    assert ["a.json", "no such file", "b.json"] == [p.split(":")[0].split(",")[0] for p in raised.value.problems]
