"""The report on a comparison: a person reads which turn regressed, and what it rests on."""

from __future__ import annotations

import pytest
from tests.runs.comparison.stored import case, played, stored

from uaef.models import Conversation, ToolCall
from uaef.models.base import replaced
from uaef.reporting.cohorts import render_cohorts
from uaef.reporting.comparison import gate_remarks, render_comparison
from uaef.runs import statistics
from uaef.runs.comparison import compare, summaries, survival
from uaef.runs.gate import decide, gate
from uaef.testing import turn

GOOD, BAD = {"ok": 1}, {"ok": 0}
REFUND = case("refund", "I want a refund", "It is 48", "Send it to my office")


def report(before, after, **options):
    """The report on two runs."""
    return render_comparison(compare(stored("r1", *before), stored("r2", *after), **options))


def test_turn_3_of_the_refund_conversation_regressed():
    """The sentence, with its score, and what the agent said before and now."""
    lines = report([played(REFUND, GOOD, GOOD, GOOD)], [played(REFUND, GOOD, GOOD, BAD)]).splitlines()
    assert lines[:5] == [
        "Compared with run r1, agent bot.",
        "",
        "refund#3 regressed: ok 1.00 -> 0.00: it is 0",
        "  before: answer 3",
        "  now:    answer 3",
    ]
    assert lines[-1] == "3 turns compared: 1 regressed, 2 unchanged"


def test_every_status_is_said_with_what_it_means():
    """Nothing that is not compared is left out of sight."""
    others = [case(name, f"{name} asks") for name in ("gone", "judged", "down", "better")]
    before = [
        played(case("refund", "old words", "It is 48"), GOOD, GOOD),
        played(others[0], GOOD),
        played(others[1], GOOD, facts={"judge": "a"}),
        played(others[2], GOOD),
        played(others[3], BAD),
        played(case("first", "the same", "content"), GOOD, GOOD),
    ]
    after = [
        played(case("refund", "new words", "It is 48"), GOOD, GOOD),
        played(case("fresh", "hello"), GOOD),
        played(others[1], GOOD, facts={"judge": "b"}),
        played(others[2], {"ok": OSError("down")}),
        played(others[3], GOOD),
        played(case("second", "the same", "content"), GOOD, GOOD),
    ]
    found = report(before, after)
    for line in (
        "improved: better#1",
        "context-changed: refund#2 (an earlier turn was edited; unchanged otherwise)",
        "renamed: first#1 -> second#1, first#2 -> second#2 (the same content under another name)",
        "content-changed: refund#1 (another question under the same name; not compared)",
        "new: fresh#1 (not in the earlier run)",
        "removed: gone#1 (not in the later run)",
        "other-ruler: judged#1 (measured otherwise; not compared)",
        "unmeasured: down#1 (a measurement failed, so nothing can be said)",
        "ok: another judge: a before, b now (1 place)",
    ):
        assert line in found.splitlines()


def test_the_numbers_carry_their_interval_and_what_could_have_been_found():
    """The table, and one plain sentence."""
    asked = [case(f"c{i}", f"{i}") for i in range(30)]
    found = report(
        [played(each, GOOD) for each in asked],
        [played(each, BAD if i < 10 else GOOD) for i, each in enumerate(asked)],
        by=["turn"],
    )
    rows = [line.split() for line in found.splitlines()]
    row = next(row for row in rows if row[:3] == ["ok", "(pass", "rate)"] and len(row) > 8)
    assert row[3:6] == ["1.00", "0.67", "-0.33"]
    assert row[-1] == "30"
    assert any(line.startswith("A change of turns that pass by 0.") for line in found.splitlines())


def test_without_the_extra_it_says_what_to_install(monkeypatch):
    """And shows differences alone."""
    monkeypatch.setattr(statistics, "is_installed", lambda: False)
    found = report([played(REFUND, GOOD, GOOD, GOOD)], [played(REFUND, GOOD, GOOD, BAD)])
    assert "pip install 'uaef[stats]'" in found
    assert "-0.33" in found


def test_very_many_regressions_are_named_and_not_all_told():
    """The first in full, the rest by name."""
    asked = [case(f"c{i}", f"{i}") for i in range(30)]
    found = report([played(each, GOOD) for each in asked], [played(each, BAD) for each in asked])
    assert "and 10 more regressed: c20#1, c21#1, c22#1, c23#1, c24#1, c25#1 and 4 more" in found


def test_recorded_text_cannot_drive_the_terminal():
    """Neither what the agent said nor a name."""
    bad = case("re\x1b[31mfund", "hi")
    found = report([played(bad, GOOD)], [played(bad, {"ok": 0, "agent": "\x1b[2Jgone"})])
    assert "\x1b" not in found


def test_nothing_in_common_is_said():
    """And no table of nothing."""
    assert "No turn could be compared." in render_comparison(compare(stored("a"), stored("b")))


@pytest.mark.parametrize(
    ("rule", "said"),
    [
        ({"fail_on": ["any"]}, "gate missed: any: refund#3 regressed: ok 1.00 -> 0.00: it is 0."),
        ({"min_pass_rate": ["0"]}, "gate met: pass_rate >= 0: pass_rate is 0.00 over 1 conversation"),
        ({"min_pass_rate": ["turn:7=1"]}, "gate could not be decided: pass_rate@turn:7 >= 1: "),
    ],
)
def test_the_rule_that_decided_is_named_with_its_measurement(rule, said):
    """In one line each, those that were missed first."""
    before, after = stored("a", played(REFUND, GOOD, GOOD, GOOD)), stored("b", played(REFUND, GOOD, GOOD, BAD))
    (line,) = gate_remarks(decide(gate(**rule), after.items, compare(before, after)))
    assert line.startswith(said)


def test_cohorts_and_the_curve_of_one_run():
    """Counts beside every number, and how many conversations are still unbroken."""
    items = [
        replaced(
            played(case(f"c{i}", *"ab"), GOOD, BAD if i else {"ok": OSError("down")}),
            turns_passed={1: True, 2: False if i else None},
        )
        for i in range(2)
    ]
    found = render_cohorts(summaries(items, ["turn"]), survival(items))
    rows = [line.split() for line in found.splitlines()]
    assert ["ok", "(pass", "rate)", "turn:2", "0.00", "1", "1", "0", "1", "c1#2", "0.00"] in rows
    said = "Conversations unbroken so far, of those at risk (of all): 2 of 2 after turn 1 (100%), 0 of 1 after turn 2"
    assert f"{said} (0%)." in " ".join(found.split())


def test_what_changed_is_never_left_out_of_a_table():
    """Of hundreds of numbers those that moved are shown, whichever conversation alone they are of."""
    before = [played(case(f"c{i:03}", "a"), {f"check{i:03}": 1}) for i in range(200)]
    after = [played(case(f"c{i:03}", "a"), {f"check{i:03}": int(i != 150)}) for i in range(200)]
    found = report(before, after)
    (row,) = (line for line in found.splitlines() if line.startswith("check150 "))
    assert "-1.00" in row
    assert " more, unchanged" in found
    summed = render_cohorts(summaries(after, ["conversation"]))
    assert any(line.startswith("check150 ") for line in summed.splitlines())


def test_calls_are_shown_where_the_words_are_the_same():
    """The agent says the same and does something else."""

    def called(order, scores):
        item = played(REFUND, GOOD, GOOD, scores)
        ship = ToolCall(name="ship", arguments={"to": order})
        trace = turn("Send it to my office", "It is on its way.", calls=[ship])
        traces = [*(each.trace for each in item.conversation.turns[:2]), trace]
        return replaced(item, conversation=Conversation.of(traces, name="refund"))

    found = " ".join(report([called("office", GOOD)], [called("home", BAD)]).split())
    assert (
        "before: It is on its way. called ship({'to': 'office'}) now: It is on its way. called ship({'to': 'home'})"
        in found
    )


def test_p_values_are_told_apart_from_corrected_ones():
    """The same evidence has the same p, whatever else is tested."""
    asked = [case(f"c{i}", "a") for i in range(30)]
    before = [played(each, {"ok": 1, "fine": 1}) for each in asked]
    after = [played(each, {"ok": int(i > 4), "fine": 1}) for i, each in enumerate(asked)]
    lines = [line.split() for line in report(before, after).splitlines()]
    (head,) = (line for line in lines if line[:1] == ["compared"])
    assert head[-3:] == ["p", "corrected", "n"]
    assert [line[-3] for line in lines if line[:1] in (["turns"], ["ok"])] == ["0.062", "0.062"]


def test_only_what_was_compared_is_called_so():
    """A turn that one run alone has is counted, and not among them."""
    before = [played(case("a", "hi"), GOOD)]
    found = report(before, [*before, played(case("b", "bye"), GOOD)])
    assert found.splitlines()[-1] == "2 turns, 1 of them compared: 1 new, 1 unchanged"
