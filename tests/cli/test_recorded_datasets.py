"""``uaef evaluate --ground-truth DATASET``: recordings are held to what a dataset asserts."""

from __future__ import annotations

import pytest

from uaef.reporting.json import results_from_json

DATASET = """\
conversations:
  - id: parcel
    checks: [{max_tool_calls: 1}]
    turns:
      - user: Where is my parcel?
        reply: What is the number?
        checks: [{includes: number}]
      - user: It is 48.
        checks: [{includes: "48"}]
        metrics: [latency_score]
  - id: hours
    turns:
      - user: When do you open?
        thresholds: [{similarity: {reference: at ten, at_least: 0.9}}]
"""


def recorded(name, *exchanges, **fields):
    """A conversation as chat messages."""
    messages = [
        {"role": role, "content": text}
        for pair in exchanges
        for role, text in zip(("user", "assistant"), pair, strict=True)
    ]
    return {"session_id": name, "messages": messages, **fields}


GOOD = recorded("parcel", ("Where is my parcel?", "Which number?"), ("It is 48.", "48 is on its way."))
LOST = recorded("parcel", ("Where is my parcel?", "Which number?"), ("It is 48.", "Which number?"))
SLOW = recorded("hours", ("When do you open?", "Soon."))
OPEN = recorded("hours", ("When do you open?", "At ten."))


@pytest.fixture(autouse=True)
def _dataset(write):
    write("shop.yaml", DATASET)


@pytest.mark.parametrize(
    ("sessions", "code"),
    [([GOOD, OPEN], 0), ([LOST, OPEN], 1), ([GOOD, SLOW], 0), ([GOOD], 3)],
)
def test_exit_codes(call, write, sessions, code):
    """A gate that is missed is 1, a threshold alone is not, and a conversation that nobody recorded is 3."""
    write("sessions.jsonl", sessions)
    assert code == call("evaluate", "sessions.jsonl", "--ground-truth", "shop.yaml")[0]


def test_each_turn_is_held_to_its_own(call, write, folder):
    """What the dataset names is measured where it says, and nothing else."""
    write("sessions.jsonl", [LOST, OPEN])
    _, report, _ = call("evaluate", "sessions.jsonl", "--ground-truth", "shop.yaml", "--json", "found.json")
    parcel, hours = results_from_json((folder / "found.json").read_text("utf-8"))
    assert ("failed", "passed") == (parcel.verdict, hours.verdict)
    assert {
        ("parcel", "max_tool_calls(1)"),
        ("parcel#1", "includes('number')"),
        ("parcel#2", "includes('48')"),
        ("parcel#2", "latency_score"),
    } == {(m.slice_name, m.metric) for m in parcel.measurements}
    assert 2 == parcel.broken_turn
    assert "turn 2 broke" in report


def test_turns_that_were_not_recorded_are_missed_by_nobody(call, write):
    """A recording without the second turn: what was asserted of it is open, and the turn is named."""
    write("sessions.jsonl", [recorded("parcel", ("Where is my parcel?", "Which number?")), OPEN])
    code, _, stderr = call("evaluate", "sessions.jsonl", "--ground-truth", "shop.yaml")
    assert 3 == code
    assert "parcel" in stderr


def test_another_question_is_pointed_out(call, write):
    """The turn of that number asks something else: the recording may be another conversation's."""
    write("sessions.jsonl", [recorded("parcel", ("Hello?", "number?"), ("It is 48.", "48.")), OPEN])
    stderr = call("evaluate", "sessions.jsonl", "--ground-truth", "shop.yaml")[2]
    assert "'parcel#1' asked something else" in stderr


def test_named_metrics_are_measured_instead(call, write, folder):
    """The dataset then only says what is expected."""
    write("sessions.jsonl", [GOOD, OPEN])
    call(
        "evaluate",
        "sessions.jsonl",
        "--ground-truth",
        "shop.yaml",
        "--metrics",
        "turn_efficiency",
        "--json",
        "f.json",
    )
    results = results_from_json((folder / "f.json").read_text("utf-8"))
    assert {"turn_efficiency"} == {m.metric for r in results for m in r.measurements}


def test_weights_go_with_named_metrics(call, write):
    """Where the dataset says what is measured, there is nothing to weigh."""
    write("sessions.jsonl", [GOOD, OPEN])
    code, _, stderr = call("evaluate", "sessions.jsonl", "--ground-truth", "shop.yaml", "--weight", "Performance=1")
    assert 2 == code
    assert "--metrics" in stderr


@pytest.mark.parametrize("where", ["case", "turn"])
def test_a_tagged_scope_reaches_recordings(call, write, folder, where):
    """The cohorts of a dataset are those of what was recorded, of the whole conversation or of a turn."""
    case, turn = ("tags: [late]", "") if where == "case" else ("", "tags: [late]")
    write(
        "tags.yaml",
        f"""\
gates: [{{max_words: {{most: 5, scope: "tagged:late"}}}}]
conversations:
  - id: hours
    {case}
    turns:
      - user: When do you open?
        {turn}
""",
    )
    write("sessions.jsonl", [OPEN])
    done = call("evaluate", "sessions.jsonl", "--ground-truth", "tags.yaml", "--json", "out.json")
    assert done[0] == 0, done
    (result,) = results_from_json((folder / "out.json").read_text("utf-8"))
    assert [(m.slice_name, m.metric, m.tags) for m in result.measurements] == [("hours", "max_words(5)", ("late",))]
