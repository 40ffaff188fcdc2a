"""Scopes: where a metric is measured, said by a function of what is known before anything was said."""

from __future__ import annotations

import pytest

from uaef.api import batch_evaluate, evaluate
from uaef.errors import MetricError
from uaef.metrics import Outline, each_turn, from_turn, latency_score, metric, tagged, whole
from uaef.metrics.scopes import either, turn_numbered
from uaef.models import Conversation, ScoreStatus
from uaef.testing import turn

TAGS = {1: ["greeting"], 3: ["refund"], 4: ["refund", "angry"], 7: []}
TURNS = [turn("a", "b", latency=n, metadata={"turn_id": n, "tags": tags}) for n, tags in TAGS.items()]
CONVERSATION = Conversation.of(TURNS, name="talk")


def measured(scope):
    """The windows in which a metric with this scope is measured."""
    return [m.slice_name for m in evaluate(CONVERSATION, metrics=[latency_score.on(scope)]).measurements]


@pytest.mark.parametrize(
    ("scope", "windows"),
    [
        (whole, ["talk"]),
        (each_turn, ["talk#1", "talk#3", "talk#4", "talk#7"]),
        (tagged("refund"), ["talk#3", "talk#4"]),
        (tagged("nobody"), []),
        (from_turn(3), ["talk#3-7"]),
        (from_turn(2), ["talk#3-7"]),
        (from_turn(7), ["talk#7"]),
        (from_turn(1), ["talk"]),
        (from_turn(8), []),
        (turn_numbered(4), ["talk#4"]),
        (turn_numbered(2), []),
        (either(turn_numbered(3), whole, each_turn), ["talk#3", "talk", "talk#1", "talk#4", "talk#7"]),
        (lambda outline: [(i, i + 2) for i in range(len(outline) - 1)], ["talk#1-3", "talk#3-4", "talk#4-7"]),
        (lambda outline: ((i, i + 1) for i, n in enumerate(outline.numbers) if n > 3), ["talk#4", "talk#7"]),
        (lambda _: [(0, 1), (0, 1)], ["talk#1"]),
    ],
)
def test_scope_says_where(scope, windows):
    """Built in or written by a user, a scope is a function from the outline to spans of turns."""
    assert windows == measured(scope)


def test_outline_is_what_is_known_before():
    """Numbers, tags and expectations; nothing of what was said."""
    outline = Outline.of(CONVERSATION)
    assert ((1, 3, 4, 7), 4, (("greeting",), ("refund",), ("refund", "angry"), ())) == (
        outline.numbers,
        len(outline),
        outline.tags,
    )


def test_names_of_scopes_can_be_read():
    """For a catalogue."""
    assert ("tagged('vip')", "from_turn(3)") == (tagged("vip").__name__, from_turn(3).__name__)


@pytest.mark.parametrize(
    ("scope", "message"),
    [
        (lambda _: [(0, 5)], "gave (0, 5) for a conversation of 4 turns"),
        (lambda _: [(-1, 1)], "gave (-1, 1) for a conversation of 4 turns"),
        (lambda _: [(2, 2)], "gave (2, 2) for a conversation of 4 turns"),
        (lambda _: [(3, 1)], "gave (3, 1) for a conversation of 4 turns"),
        (lambda _: [2], "gave 2 for a conversation of 4 turns"),
        (lambda _: [("a", "b")], "gave ('a', 'b') for a conversation of 4 turns"),
        (lambda _: [(0, True)], "gave (0, True) for a conversation of 4 turns"),
        (lambda _: [(0, 1, 2)], "gave (0, 1, 2) for a conversation of 4 turns"),
        (lambda _: None, "raised TypeError: 'NoneType' object is not iterable"),
        (lambda outline: [(0, outline.length)], "raised AttributeError: 'Outline' object has no attribute 'length'"),
    ],
)
def test_scope_that_is_wrong_is_refused(scope, message):
    """The metric and what its scope gave are named."""
    with pytest.raises(MetricError) as raised:
        measured(scope)
    tail = "" if "raised" in message else "; a span is (start, stop) with 0 <= start < stop <= number of turns."
    assert f"The scope of 'latency_score' {message}{tail}" == str(raised.value)


def test_wrong_scope_costs_nothing_else_in_a_batch():
    """A span that one conversation lacks fails that conversation, and says why."""
    third = latency_score.on(lambda _: [(2, 3)])
    short, long = batch_evaluate([TURNS[0], CONVERSATION], metrics=[third])
    assert short.failures[0].startswith(
        "Could not be evaluated: MetricError: The scope of 'latency_score' gave (2, 3) for a conversation of 1 turns"
    )
    assert ["talk#4"] == [m.slice_name for m in long.measurements]


def test_wrong_scope_is_noticed_before_anything_is_measured():
    """What a later metric gets wrong must not cost the judge calls of an earlier one."""
    calls = []

    @metric()
    async def dear(window):
        calls.append(window.name)
        return 1

    @metric(depends_on=("dear",), scope=lambda _: [(0, 9)])
    def wrong(_):
        return 1

    with pytest.raises(MetricError):
        evaluate(CONVERSATION, metrics=[dear, wrong])
    assert [] == calls


def test_metric_whose_scope_holds_nothing_is_still_in_the_result():
    """It used to vanish; now it says that there was nothing for it."""
    result = evaluate(CONVERSATION, metrics=[latency_score.on(tagged("nobody"))])
    (score,) = result.dimension_results[0].metric_scores
    assert (None, ScoreStatus.NOT_APPLICABLE, "its scope holds no turn of this conversation") == (
        score.score,
        score.status,
        score.reasoning,
    )
    assert (1, None) == (result.metadata["num_metrics"], result.verdict)


def test_average_over_tagged_turns():
    """The average is over the turns that were measured, and the printed form numbers them."""
    result = evaluate(CONVERSATION, metrics=[latency_score.on(tagged("refund"))])
    (score,) = result.dimension_results[0].metric_scores
    assert (2 / 3 + 2 / 4) / 2 == score.score == result.metadata["per_turn_averages"]["latency_score"]
    assert [3, 4] == [entry["turn"] for entry in score.metadata["per_turn"]]
    assert "Average across 2 turns:\n  Turn 3 (0.67)" in score.reasoning
    assert [[], ["latency_score"], ["latency_score"], []] == [
        list(entry["metric_scores"]) for entry in result.metadata["per_turn"]
    ]


def test_stretches_are_numbered_by_their_ends():
    """A window of several turns is one line of the printed form, and no part of the turn-by-turn one."""
    result = evaluate(CONVERSATION, metrics=[latency_score.on(from_turn(3))])
    (score,) = result.dimension_results[0].metric_scores
    assert "Average across 1 turns:\n  Turn 3-7 (0.14): 14 s against a target of 2 s" == score.reasoning
    assert ({}, [{}] * 4) == (
        result.metadata["per_turn_averages"],
        [entry["metric_scores"] for entry in result.metadata["per_turn"]],
    )


def test_the_place_of_use_decides():
    """A metric's own scope is a default; the metric itself stays as it was."""
    on_whole = latency_score.on(whole)
    assert (whole, each_turn) == (on_whole.scope, latency_score.scope)
    assert "latency_score" == on_whole.key
    assert whole is on_whole(target_s=3).scope


def test_tags_of_the_whole_are_those_of_its_turns():
    """A scope may name them, and holds every turn."""
    talk = Conversation.of(TURNS, name="talk", tags=["vip"])
    found = evaluate(talk, metrics=[latency_score.on(tagged("vip"))]).measurements
    assert ["talk#1", "talk#3", "talk#4", "talk#7"] == [m.slice_name for m in found]
