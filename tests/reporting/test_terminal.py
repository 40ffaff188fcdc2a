"""The report for a terminal: what it shows, and what it never does."""

from __future__ import annotations

import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from uaef import AgentTrace, Conversation, EvaluationResult, Message, MetricScore, metric
from uaef.api import batch_evaluate, evaluate
from uaef.metrics import whole
from uaef.reporting.terminal import DETAILED, LISTED, render_results

BAD_AT_THREE = """\
refund  FAILED  overall 0.73  turn 3 broke

  turn  right_tools  quick_enough
  -------------------------------
     1         1.00          1.00
     2         1.00          0.99
   > 3        0.00✗           N/A
     4        0.50✗        FAILED
   all        0.62✗          0.99

  dimension     score  threshold  weight
  --------------------------------------
  Tool Calling   0.62        0.7    0.25  missed
  Performance    0.99        0.6     0.1  met

  turn 3 broke: right_tools 0.00: missed cancel_booking
  turn 4 also below: right_tools 0.50: no reason was given
  failed: Tool Calling: score 0.625 below threshold 0.700
  not measured: quick_enough at turn 4: quick_enough raised OSError: the clock broke
  not applicable: quick_enough at turn 3: no clock ran

1 conversation: 0 passed, 1 failed
"""

OVERVIEW = """\
conversation  verdict     overall  broke at  why
------------------------------------------------------------------------------
good          passed         1.00
refund        failed         0.73  refund#3  right_tools 0.00: missed
                                             cancel_booking
idle          no verdict      N/A

3 conversations: 1 passed, 1 failed, 1 no verdict
"""


def squeezed(text):
    """The text with runs of blanks and dashes as one, since columns are as wide as their content."""
    return re.sub(r"-+", "-", re.sub(r" +", " ", text))


@metric(dimension="Performance")
def told(turn):
    """The number and the reason that the turn carries."""
    return turn.metadata["score"], turn.metadata["reason"]


def telling(name, *scored):
    """A result whose turns have these scores for these reasons."""
    traces = [
        AgentTrace(messages=[Message(role="user", content="?")], metadata={"score": score, "reason": reason})
        for score, reason in scored
    ]
    return evaluate(Conversation.of(traces, name=name), metrics=[told])


def test_bad_turn_is_obvious(bad_at_three):
    """The title names the turn that broke, its row is marked, and under the tables stands why."""
    assert squeezed(BAD_AT_THREE) == squeezed(render_results([bad_at_three]))


def test_overview_of_several(measured, bad_at_three):
    """Several conversations end in one line each: verdict, slice that broke, first reason; then the totals."""
    good = measured({1: {"right_tools": 1.0, "quick_enough": 1.0}}, name="good")
    idle = measured({1: {"right_tools": None, "quick_enough": None}}, name="idle")
    report = render_results([good, bad_at_three, idle], width=80)
    assert squeezed(report).endswith(squeezed(OVERVIEW))


def test_other_turns_below_their_bar_are_listed():
    """A small lapse in the first turn does not hide the turn that went really wrong, and no low turn goes unnamed."""
    scores = {1: 0.5, 2: 0.55, 3: 1.0, 4: 0.58, 5: 0.0, 6: 0.56, 7: 0.57}
    report = squeezed(render_results([telling("c", *((score, f"r{n}") for n, score in scores.items()))]))
    assert report.startswith("c FAILED overall 0.54 turn 1 broke\n")
    assert [
        " turn 1 broke: told 0.50: r1",
        " turn 2 also below: told 0.55: r2",
        " turn 5 also below: told 0.00: r5",
        " turn 6 also below: told 0.56: r6",
        " also below: turns 4, 7",
    ] == re.findall(r"^.*(?: broke| below): .*$", report, flags=re.MULTILINE)


def test_a_turn_that_is_also_below_has_one_line(measured):
    """The lowest score with its reason, the others without theirs, and not without end."""
    low = {"right_tools": (0.1, "wrong"), "quick_enough": (0.0, "slow " * 90)}
    report = render_results([measured({1: low, 2: low})])
    (first, second, third) = re.findall(r"^.*(?: broke| below): .*$", report, flags=re.MULTILINE)
    assert first.startswith("  turn 1 broke: quick_enough 0.00: slow slow")
    assert "  turn 1 broke: right_tools 0.10: wrong" == second
    assert f"  turn 2 also below: quick_enough 0.00: {'slow ' * 10}slow..." == third
    short = {"right_tools": (0.1, "wrong"), "quick_enough": (0.0, "slow")}
    report = render_results([measured({1: low, 2: short})])
    assert "  turn 2 also below: quick_enough 0.00: slow; right_tools 0.10\n" in report


def test_a_conversation_that_passed_has_a_weakest_turn(measured):
    """Nothing broke where the conversation passed: its lowest turn is marked and called its weakest."""
    scores = {1: 1.0, 2: 0.5, 3: (0.2, "slow"), 4: 1.0}
    result = measured({n: {"right_tools": 1.0, "quick_enough": score} for n, score in scores.items()}, name="good")
    report = squeezed(render_results([result, result]))
    assert report.startswith("good PASSED overall 0.91 weakest turn 3\n")
    assert "\n > 3 1.00 0.20✗\n" in report
    assert "\n weakest turn 3: quick_enough 0.20: slow\n turn 2 also below: quick_enough 0.50: no reason" in report
    assert "\ngood passed 0.91 weakest turn 3: quick_enough 0.20: slow\n" in report
    assert "broke:" not in report
    assert 2 == result.broken_turn


def test_whole_conversation_has_its_column():
    """What is measured on the whole stands in the last row, beside the averages over turns."""

    @metric(dimension="Multi-Turn", scope=whole)
    def coherent(_):
        return 0.25

    @metric(dimension="Performance")
    def brief(_):
        return 1.0

    result = evaluate(Conversation.of([AgentTrace(), AgentTrace()], name="c"), metrics=[brief, coherent])
    lines = [line.split() for line in render_results([result]).split("\n")]
    assert [["turn", "brief", "coherent"], ["1", "1.00"], ["2", "1.00"], ["all", "1.00", "0.25✗"]] == [
        *lines[2:3],
        *lines[4:7],
    ]


def test_wide_tables_are_split(measured):
    """Metrics that do not fit beside each other go into further tables, each with the turns."""
    result = measured({1: {"right_tools": 1.0, "quick_enough": 0.1}, 2: {"right_tools": 1.0, "quick_enough": 1.0}})
    report = render_results([result], width=24)
    assert ["right_tools", "quick_enough"] == re.findall(r"^  turn +(\S+)$", report, flags=re.MULTILINE)


def test_check_without_threshold_has_to_be_yes(measured):
    """An answer of yes or no passes at yes; a number in a dimension without a threshold is only a number."""

    @metric(dimension="Manners")
    def greets(_):
        return False, "no hello"

    result = measured({1: {"polite": 0.1}}, metrics=[greets])
    report = squeezed(render_results([result]))
    assert "turn 1 broke: greets 0.00: no hello" in report
    assert "Manners 0.00 0.1 no threshold" in report


def test_threshold_on_a_dimension_that_was_not_measured_has_a_row(measured):
    """A threshold that nothing answers to is shown with the reason why there is no verdict."""
    result = measured({1: {"right_tools": 1.0, "quick_enough": 1.0}}, thresholds={"Multi-Turn": 0.5})
    report = squeezed(render_results([result]))
    assert "refund NO VERDICT" in report
    assert "Multi-Turn N/A 0.5 not applicable" in report


def test_explicit_threshold_over_a_failure_is_not_decided(measured):
    """A threshold that the caller set is not decided where a measurement failed, and the report says so."""
    scores = {1: {"right_tools": 1.0, "quick_enough": OSError("gone")}}
    report = squeezed(render_results([measured(scores, thresholds={"Performance": 0.5})]))
    assert "Performance N/A 0.5 0.1 not decided" in report
    assert "failed: Performance: could not be decided, 1 measurement failed" in report
    assert "not measured: quick_enough: quick_enough raised OSError: gone" in report


@pytest.mark.parametrize("names", [None, ["answer_relevance"], ["answer_relevance", "latency_score"]])
def test_a_missing_judge_is_said_once(names):
    """Whatever lacks a judge, named or not, is one warning, and stands nowhere else as what was not measured."""
    trace = AgentTrace(messages=[Message(role="user", content="?"), Message(role="assistant", content="!")])
    result = evaluate(trace, metrics=names)
    (said,) = re.findall(r"^.*judge.*$", render_results([result], width=500), flags=re.MULTILINE)
    who = "answer_relevance needs" if names else f"{len(result.unjudged)} metrics need"
    assert f"  warning: {who} a judge; pass judge=... or set UAEF_JUDGE" == said


def test_a_judge_that_is_missing_at_some_turns_is_said_too():
    """A metric that has a number where nothing was answered lacks its judge at the other turns."""
    asked = Message(role="user", content="?")
    traces = [AgentTrace(messages=[asked, Message(role="assistant", content=text)]) for text in ("", "!")]
    report = render_results([evaluate(Conversation.of(traces, name="c"), metrics=["answer_relevance"])])
    assert ["0.00✗", "FAILED"] == re.findall(r"^ +>? ?[12] +(\S+)$", report, flags=re.MULTILINE)
    assert ["  warning: answer_relevance needs a judge; pass judge=... or set UAEF_JUDGE"] == re.findall(
        ".*judge.*", report
    )


def test_what_is_said_of_every_conversation_stands_once_below_all():
    """A judge that is missing everywhere is missing once; what only one recording warns of stays with it."""
    said = [Message(role="user", content="?"), Message(role="assistant", content="!")]
    traces = [AgentTrace(messages=said), AgentTrace(messages=said, metadata={"warnings": ["Half of it is lost."]})]
    report = render_results(batch_evaluate(traces, metrics=["answer_relevance"]))
    assert 1 == report.count("needs a judge")
    assert 1 == report.count("\n  warning: Half of it is lost.\n")
    assert (
        "\n\nin every conversation shown: answer_relevance needs a judge; pass judge=... or set UAEF_JUDGE\n\n2 conv"
        in report
    )


def test_what_applies_to_no_conversation_is_said_once(measured):
    """Reasons that all conversations share stand once below them; the others stay where they are."""
    clockless = {"right_tools": (None, "no tools"), "quick_enough": (None, "no clock")}
    report = render_results(
        [measured({1: clockless}, name="a"), measured({1: clockless | {"quick_enough": 1.0}}, name="b")]
    )
    a, b, overview, end = re.split(r"^(?=b  [A-Z]|conversation |never)", report, flags=re.MULTILINE)
    assert "  not applicable: quick_enough: no clock\n" in a
    assert "not applicable: " not in b + overview
    assert end.startswith("never applicable: right_tools: no tools\n\n2 conversations")


def test_recorded_warnings_are_shown():
    """What the recording warns of is shown as it is."""
    trace = AgentTrace(messages=[Message(role="user", content="?")], metadata={"warnings": ["Half of it is lost."]})
    report = render_results([evaluate(trace, metrics=["prompt_injection_detection"])])
    assert "  warning: Half of it is lost.\n" in report


def test_item_that_could_not_be_evaluated():
    """An item without a conversation is named, failed, and its reason shown."""
    (result,) = batch_evaluate([{"session_id": "lost"}])
    report = render_results([result])
    assert report.startswith("lost  FAILED  overall N/A\n\n  failed: Could not be evaluated: DataError: ")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[2J\x1b]0;owned\x07", r"\x1b[2J\x1b]0;owned\x07"),
        ("\u202egnirts\u2066", r"\u202egnirts\u2066"),
        ("[bold red]no markup[/] :smile:", "[bold red]no markup[/] :smile:"),
        ("two\r\nlines\tand\x0bmore", "two lines and more"),
        ("\ud800", r"\ud800"),
        ("订单已取消 👩‍👩‍👧 ё", "订单已取消 👩‍👩‍👧 ё"),
    ],
)
def test_recorded_text_is_harmless(text, shown):
    """Escapes, direction marks, markup, line ends and lone surrogates are shown, not obeyed, wherever they stand."""
    report = render_results([telling(f"n{text}", (0.1, f"r{text}")), telling("ok", (1.0, text))], width=160)
    assert f"n{shown}  FAILED" in report
    assert f"turn 1 broke: told 0.10: r{shown}\n" in report
    assert f"n{shown}#1" in report


def test_long_reasons_are_folded_and_cut():
    """A long reason goes over several lines, under itself; a very long one says how long it is."""
    report = render_results([telling("c", (0.1, "why " * 5_000))], width=60)
    lines = report.split("\n")
    start = next(i for i, line in enumerate(lines) if "broke: told" in line)
    assert lines[start + 1].startswith(" " * len("  turn 1 broke: ") + "why")
    assert "[... 20,011 characters in all]" in " ".join(report.split())


def test_colour_is_only_there_when_asked_for(bad_at_three):
    """Without colour there is no escape; with it, the text is the same."""
    plain, coloured = render_results([bad_at_three]), render_results([bad_at_three], colour=True)
    assert "\x1b" not in plain
    assert "\x1b[1;31m > 3\x1b[0m" in coloured
    stripped = re.sub(r"\x1b\[[\d;]*m", "", coloured)
    assert plain == "\n".join(line.rstrip() for line in stripped.split("\n"))


def test_environment_changes_nothing(bad_at_three, monkeypatch):
    """The report is a function of its arguments; whoever calls it decides what the environment means."""
    expected = render_results([bad_at_three])
    for name, value in {"COLUMNS": "30", "NO_COLOR": "1", "FORCE_COLOR": "1", "TERM": "dumb"}.items():
        monkeypatch.setenv(name, value)
    assert expected == render_results([bad_at_three])


def test_many_conversations_show_those_that_did_not_pass(measured):
    """Of many, only those that did not pass are listed, and so many of them shown in full."""
    good = measured({1: {"right_tools": 1.0, "quick_enough": 1.0}}, name="good")
    bad = measured({1: {"right_tools": 0.0, "quick_enough": 1.0}}, name="bad")
    report = render_results([good] * 5 + [bad] * (LISTED + 7))
    assert "good" not in report
    assert DETAILED == report.count("bad  FAILED")
    assert LISTED == report.count("bad#1")
    assert f"not listed; at most {DETAILED} are shown in full. 7 more did not pass.\n" in report
    assert report.endswith(f"{LISTED + 12} conversations: 5 passed, {LISTED + 7} failed\n")


def test_nothing_to_show():
    """No results are a report too."""
    assert "0 conversations: 0 passed, 0 failed\n" == render_results([])


def test_result_built_by_hand_is_shown():
    """A result that holds only its name, as a program might make one, is shown."""
    assert render_results([EvaluationResult(trace_id="x")]).startswith("x  NO VERDICT  overall N/A\n")


_TEXT = st.text(st.characters(exclude_categories=["Nd"]), max_size=60)
_BELOW_ONE = st.one_of(st.floats(0, 0.999), st.sampled_from([0.9949999, 0.995, 0.9951, 0.9996, 1 - 2**-53]))


@given(
    st.lists(st.tuples(_BELOW_ONE, _TEXT), min_size=1, max_size=4), _TEXT.map(lambda s: f"n{s}"), st.integers(24, 130)
)
def test_laws_of_the_display(scored, name, width):
    """No line is wider than asked for, nothing below 1 is shown as 1.00, and no character drives the terminal."""
    report = render_results([telling(name, *scored), telling("other", *scored)], width=width)
    assert [] == [line for line in report.split("\n") if cell_len(line) > width]
    assert "1.00" not in report
    unshown = {c for c in report if unicodedata.category(c) in {"Cc", "Cf", "Cs", "Co", "Zl", "Zp"}}
    assert unshown <= set("\n\u200c\u200d")


@given(st.floats(0, 1), st.floats(0, 1))
def test_a_number_below_its_bar_never_looks_like_it(score, bar):
    """A score that misses its threshold is shown with as many digits as tell the two apart."""
    result = evaluate(
        AgentTrace(messages=[Message(role="user", content="?")], metadata={"score": score, "reason": "r"}),
        metrics=[told],
        thresholds={"Performance": bar},
    )
    shown = re.search(r"told (\S+): r", render_results([result]))
    assert (score < bar) == bool(shown)
    if shown:
        assert float(shown[1]) < bar or score == float(shown[1])


def test_metric_score_of_a_foreign_name_is_labelled_by_its_metric():
    """Two metrics of one name are told apart by their parameters."""

    @metric(dimension="Performance")
    def slow(_, *, most: float = 1.0):
        return MetricScore(metric_name="slow", score=most / 2)

    result = evaluate(AgentTrace(), metrics=[slow, slow(most=0.5)])
    report = squeezed(render_results([result]))
    assert "turn 1 broke: slow 0.50: no reason was given" in report
    assert "turn 1 broke: slow(most=0.5) 0.25: no reason was given" in report
