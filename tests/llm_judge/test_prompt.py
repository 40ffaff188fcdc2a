"""What a judge is asked: the same for the same, different for the different, and with the evidence known by then."""

from __future__ import annotations

import re

import msgspec
import pytest
from blocks import blocks_in
from judged_conversations import EXPECTED, RUBRICS, a_rubric, exchange, talk

from uaef.llm_judge.prompt import MOST_CHARACTERS, question, token_for
from uaef.models import AgentTrace, Conversation, GroundTruth, Message, MultiAgentTrace, ToolCall
from uaef.models.base import replaced
from uaef.models.traces import CoordinationEvent

ALL = ["role", "instructions", "expected_output", "context", "handovers"]


def _blocks(rubric, window):
    asked = question(rubric, window)
    return blocks_in(asked.prompt.system, asked.prompt.messages[0][1])


def _texts(lines):
    return [line["text"] for line in lines]


@pytest.mark.parametrize("scale", RUBRICS)
def test_the_same_question_is_the_same_to_the_byte(scale):
    """So that a kept answer is found again."""
    first, second = (msgspec.json.encode(question(RUBRICS[scale], talk()).prompt) for _ in range(2))
    assert first == second


def test_whatever_changes_changes_the_token():
    """Another word, another place of the same words, another expectation, another rubric: another question."""
    rubric = a_rubric(inputs=ALL)
    one = Conversation.of([exchange("a", "b"), exchange("c", "d")], expected=EXPECTED)
    changed = [
        question(rubric, one),
        question(rubric, one[1]),
        question(rubric, Conversation.of([exchange("a", "b"), exchange("c", "e")], expected=EXPECTED)),
        question(rubric, Conversation.of([exchange("a", "d"), exchange("c", "b")], expected=EXPECTED)),
        question(rubric, one.expecting(replaced(EXPECTED, expected_output="Something else."))),
        question(rubric, one.expecting(replaced(EXPECTED, expected_arguments={"chatbot_role": "a cook"}))),
        question(rubric, one.expecting(replaced(EXPECTED, context_documents=["a fact"]))),
        question(replaced(rubric, text="Was the user well served?"), one),
        question(replaced(rubric, name="other"), one),
    ]
    assert len(changed) == len({asked.token for asked in changed})
    fences = [re.search(r'"<<(\w+) NAME"', asked.prompt.system)[1] for asked in changed]
    assert len(set(fences)) == len(changed) - 1  # the wording of the rubric is no part of the material
    assert not set(fences) & {asked.token for asked in changed}


def test_a_token_never_stands_in_what_it_guards():
    """Where chance has it there, another one is taken."""
    tokens = [token_for("seed", "")]
    for _ in range(5):
        tokens.append(token_for("seed", " ".join(tokens)))
    assert 6 == len(set(tokens))
    assert {12} == {len(token) for token in tokens}


def test_a_turn_is_judged_with_what_came_before_and_nothing_that_came_later():
    """The block "before" holds the earlier turns, "judged" the turn; the later one is nowhere."""
    told = talk(expected=None)
    found = _blocks(a_rubric(scope="turn", inputs=ALL), told[1])
    assert {"before", "judged"} == set(found)
    assert ["Can you move my booking?", "To which day?"] == _texts(found["before"])
    assert ["To Friday.", "It is moved to Friday."] == _texts(found["judged"])
    assert [1, 1, 2, 2] == [line["turn"] for line in found["before"] + found["judged"]]


def test_a_turn_is_judged_by_the_evidence_of_its_own_turn():
    """Documents that come with a later turn do not excuse an earlier one."""
    expected = GroundTruth(
        turns={
            1: GroundTruth(context_documents=["known at once"]),
            2: GroundTruth(context_documents=["known at once", "known by then"]),
        }
    )
    told = talk(expected=expected)
    rubric = a_rubric(scope="turn", inputs=["context"])
    assert ["known at once"] == _blocks(rubric, told[0])["context"]
    assert ["known at once", "known by then"] == _blocks(rubric, told[1])["context"]


def test_only_the_inputs_that_the_rubric_asks_for_are_shown():
    """What is not asked for, or not there, makes no block."""
    told = talk()
    assert {"judged"} == set(_blocks(a_rubric(), told))
    assert {"judged", "role", "instructions", "expected_output"} == set(_blocks(a_rubric(inputs=ALL), told))
    assert ["a clerk of a hotel"] == _blocks(a_rubric(inputs=["role"]), told)["role"]
    blank = GroundTruth(expected_output=" ", expected_arguments={"chatbot_role": 5, "system_instructions": ""})
    assert {"judged"} == set(_blocks(a_rubric(inputs=ALL), talk(expected=blank)))


def test_instructions_fall_back_on_the_expected_output():
    """As the page on instruction_compliance says."""
    told = talk(expected=GroundTruth(expected_output="Be brief. Be kind."))
    found = _blocks(RUBRICS["instructions"], told)
    assert ["Be brief. Be kind."] == found["instructions"]
    assert ["Be brief.", "Be kind."] == _texts(found["items"])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Be brief.", ["Be brief."]),
        ("Be brief. Be kind! Ask?", ["Be brief.", "Be kind!", "Ask?"]),
        ("- Be brief. Always.\n- Be kind.", ["Be brief. Always.", "Be kind."]),
        ("1. Be brief\n\n2) Be kind\n* Ask\n• Wait", ["Be brief", "Be kind", "Ask", "Wait"]),
        ("Use v. 2.5 only", ["Use v. 2.5 only"]),
        ("1. Take at most 5. 2. Ask e.g. Hotels.", ["Take at most 5.", "Ask e.g. Hotels."]),
    ],
)
def test_instructions_are_judged_one_by_one(text, expected):
    """Lines where there are several, else sentences."""
    told = talk(expected=GroundTruth(expected_arguments={"system_instructions": text}))
    assert expected == _texts(_blocks(RUBRICS["instructions"], told)["items"])


def test_criteria_fall_back_on_the_expected_output():
    """Without criteria the expected output is the one."""
    told = talk(expected=GroundTruth(expected_output="It is moved."))
    assert [{"key": "criterion_1", "text": "It is moved."}] == _blocks(RUBRICS["criteria"], told)["items"]


def test_turns_without_an_answer_are_no_items():
    """A user who got no reply at all says nothing about a role."""
    silent = AgentTrace(messages=[Message(role="user", content="Hello?")])
    told = Conversation.of([silent, exchange("Hello!", "Good day.")], expected=EXPECTED)
    assert [{"key": "turn_2", "text": "turn 2"}] == _blocks(RUBRICS["turns"], told)["items"]


def test_there_is_room_for_an_answer_to_every_item():
    """A reply is never cut off because there was much to judge."""
    few, many = (talk(expected=GroundTruth(criteria=[f"fact {n}" for n in range(count)])) for count in (2, 500))
    rubric = RUBRICS["criteria"]
    assert question(rubric, few).prompt.max_tokens < question(rubric, many).prompt.max_tokens - 10_000


# --- tool calls ---------------------------------------------------------------------------


def _called(*messages, calls=None):
    trace = (
        AgentTrace(messages=list(messages))
        if calls is None
        else AgentTrace(messages=list(messages), tool_calls=calls)
    )
    return _blocks(a_rubric(), Conversation.of(trace))["judged"]


ASKS = Message(role="user", content="When?")
SAYS = Message(role="assistant", content="At 5.")
CALL = {"tool": "clock", "arguments": {"zone": "CET"}, "status": "completed"}


def test_a_call_is_shown_with_its_result():
    """Where no message of the tool's says it."""
    call = ToolCall(name="clock", arguments={"zone": "CET"}, result={"time": "17:00"})
    lines = _called(ASKS, Message(role="assistant", content="", tool_calls=[call]), SAYS)
    assert [{**CALL, "result": {"time": "17:00"}}] == lines[1]["calls"]


def test_a_result_that_a_message_holds_is_shown_once():
    """With the tool's name, so that results of calls made together can be told apart."""
    calls = [ToolCall(name=name, call_id=name, result=f"{name} says") for name in ("clock", "map")]
    lines = _called(
        ASKS,
        Message(role="assistant", content="", tool_calls=calls),
        Message(role="tool", content="map says", tool_call_id="map"),
        Message(role="tool", content="clock says", tool_call_id="clock"),
        SAYS,
    )
    assert [None, None] == [call.get("result") for call in lines[1]["calls"]]
    assert [("map", "map says"), ("clock", "clock says")] == [(x["tool"], x["text"]) for x in lines[2:4]]


def test_calls_that_no_message_carries_are_shown_after_the_question():
    """As the documented traces record them: messages and tool_calls side by side."""
    calls = [
        ToolCall(name="clock", arguments={"zone": "CET"}, result="17:00"),
        ToolCall(name="map", error="no signal"),
    ]
    lines = _called(ASKS, SAYS, calls=calls)
    assert ["user", "assistant", "assistant"] == [line["role"] for line in lines]
    failed = {"tool": "map", "arguments": {}, "status": "failed", "error": "no signal"}
    assert [{**CALL, "result": "17:00"}, failed] == lines[1]["calls"]


def test_what_the_trace_knows_of_a_call_is_shown_with_the_message_that_carries_it():
    """A message may hold the bare call and the trace its result; that is one call, not two."""
    bare = ToolCall(name="clock", arguments={"zone": "CET"})
    polled = [replaced(bare, result=time) for time in ("16:59", "17:00")]
    lines = _called(
        ASKS,
        Message(role="assistant", content="", tool_calls=[bare]),
        Message(role="assistant", content="", tool_calls=[bare]),
        SAYS,
        calls=[*polled, ToolCall(name="bell")],
    )
    assert [["bell"], ["16:59"], ["17:00"]] == [
        [call.get("result", call["tool"]) for call in line["calls"]] for line in lines if "calls" in line
    ]


def test_calls_are_shown_even_where_nobody_asked():
    """An agent that acts by itself."""
    lines = _called(SAYS, calls=[ToolCall(name="clock", arguments={"zone": "CET"})])
    assert [CALL] == lines[-1]["calls"]


@pytest.mark.parametrize(
    "arguments",
    [{"n": float("nan")}, {"a": {1: "x", (2, 3): "y"}}, {"when": object()}, {"b": b"bytes"}, {"s": {"x"}}],
)
def test_arguments_that_are_no_json_are_shown_as_text(arguments):
    """A judge sees what can be written down."""
    assert 1 == len(_called(ASKS, SAYS, calls=[ToolCall(name="odd", arguments=arguments)])[1]["calls"])


def test_agents_and_handovers_are_shown():
    """Who spoke, and who handed over to whom."""
    trace = MultiAgentTrace(
        messages=[ASKS, Message(role="assistant", content="At 5.", agent="clerk")],
        coordination_events=[
            CoordinationEvent(from_agent="boss", to_agent="clerk", event_type="HANDOFF", message="your turn")
        ],
    )
    found = _blocks(a_rubric(inputs=["handovers"]), Conversation.of(trace))
    assert [{"from": "boss", "to": "clerk", "said": "your turn"}] == found["handovers"]
    assert "clerk" == found["judged"][1]["agent"]


# --- the recording of the whole -------------------------------------------------------------


def test_the_whole_is_read_from_its_own_recording():
    """What full_trace holds beyond the turns is shown for the whole, and not for a turn."""
    turns = [exchange("a", "b"), exchange("c", "d")]
    notice = Message(role="assistant", content="handed over", agent="desk")
    full = AgentTrace(messages=[*turns[0].messages, notice, *turns[1].messages])
    told = Conversation.of(turns, full_trace=full)
    assert ["a", "b", "handed over", "c", "d"] == _texts(_blocks(a_rubric(), told)["judged"])
    assert [1, 1, 1, 2, 2] == [line["turn"] for line in _blocks(a_rubric(), told)["judged"]]
    assert ["c", "d"] == _texts(_blocks(a_rubric(), told[1])["judged"])


# --- what is too long -----------------------------------------------------------------------


def _long(turns: int, size: int) -> Conversation:
    return Conversation.of([exchange(f"q{n}", "x" * size) for n in range(1, turns + 1)], expected=EXPECTED)


def test_a_long_transcript_keeps_its_first_turn_and_its_latest():
    """As many as fit; the prompt says how many are missing, the result which."""
    asked = question(a_rubric(), _long(40, 4000))
    judged = blocks_in(asked.prompt.system, asked.prompt.messages[0][1])["judged"]
    assert ["q1", "q31", "q40"] == [judged[0]["text"], judged[3]["text"], judged[-2]["text"]]
    assert {"left_out": "29 turns"} == judged[2]
    assert {
        "left_out_turns": list(range(2, 31)),
        "left_out_messages": 0,
        "left_out_documents": 0,
        "shortened_texts": 0,
    } == asked.window
    assert MOST_CHARACTERS * 0.9 < len(asked.prompt.messages[0][1]) < MOST_CHARACTERS * 1.1


def test_a_turn_that_is_not_shown_is_not_judged():
    """Neither as an item of its own nor as a turn in which an instruction was broken."""
    turns = question(RUBRICS["turns"], _long(40, 4000))
    assert ["turn_1", *(f"turn_{n}" for n in range(31, 41))] == [item.key for item in turns.items]
    instructions = question(RUBRICS["instructions"], _long(40, 4000))
    assert (1, *range(31, 41)) == instructions.turns


def test_a_long_history_does_not_hide_what_is_judged():
    """It is shortened by itself; the turn stays, even where earlier ones were shown under other numbers."""
    long = _long(40, 3000)
    asked = question(replaced(RUBRICS["turns"], scope="turn"), long[39])
    found = blocks_in(asked.prompt.system, asked.prompt.messages[0][1])
    assert ["q40"] == [line["text"] for line in found["judged"] if line["role"] == "user"]
    assert [1, 38, 39] == sorted({line["turn"] for line in found["before"] if "turn" in line})
    assert list(range(2, 38)) == asked.window["left_out_turns"]
    shown = tuple(Message(role="user", content="y" * 7000) for _ in range(6))
    turn = replaced(long.turns[3], shown=shown)
    spliced = Conversation(replaced(long._whole, turns=(*long.turns[:3], turn)), 0, 4)  # noqa: SLF001 - as agents do
    asked = question(replaced(RUBRICS["turns"], scope="turn"), spliced[3])
    assert ["turn_4"] == [item.key for item in asked.items]
    assert 4 in asked.window["left_out_turns"]


def test_a_turn_that_is_too_long_by_itself_keeps_its_question_and_its_end():
    """A single turn with many messages is bounded too."""
    said = [Message(role="assistant", content=f"{n} " + "x" * 2000) for n in range(100)]
    asked = question(a_rubric(), Conversation.of(AgentTrace(messages=[ASKS, *said])))
    judged = blocks_in(asked.prompt.system, asked.prompt.messages[0][1])["judged"]
    assert ("When?", "99 ") == (judged[0]["text"], judged[-1]["text"][:3])
    assert {"left_out": f"{asked.window['left_out_messages']} messages"} == judged[1]
    assert 101 == asked.window["left_out_messages"] + len(judged) - 1
    assert len(asked.prompt.messages[0][1]) < MOST_CHARACTERS * 1.1


def test_documents_beyond_the_bound_are_left_out_and_counted():
    """Whole documents, the last ones first; a very long one loses its middle."""
    told = talk(expected=GroundTruth(context_documents=["d" * 9000, *(f"{n} " + "d" * 6000 for n in range(9))]))
    asked = question(a_rubric(inputs=["context"]), told)
    documents = blocks_in(asked.prompt.system, asked.prompt.messages[0][1])["context"]
    assert 10 == len(documents) + asked.window["left_out_documents"]
    assert (3, 1) == (asked.window["left_out_documents"], asked.window["shortened_texts"])
    assert "[1000 characters left out]" in documents[0]
