"""What was not measured, grouped by its reason."""

from __future__ import annotations

import pytest

from uaef.models import Measurement, MetricScore
from uaef.reporting.gaps import Gap, gaps


def made(metric, turn, score=None, reason=None, warning=None):
    """One measurement on one turn of two."""
    metadata = {} if warning is None else {"warning": warning}
    return Measurement(
        slice_name=f"c#{turn}",
        turns=(turn,),
        whole=False,
        metric=metric,
        dimension="D",
        score=MetricScore(metric_name=metric, score=score, reasoning=reason, metadata=metadata),
    )


@pytest.mark.parametrize(
    ("gap", "sentence"),
    [
        (Gap(list("abcd"), [], "no clock", failed=False), "4 metrics: no clock"),
        (Gap(["a"], [3], "no clock", failed=True), "a at turn 3: no clock"),
        (Gap(["a", "b", "c"], [3, 5], "no clock", failed=True), "a, b, c at turns 3, 5: no clock"),
        (Gap(["a"], list(range(1, 10)), "no clock", failed=True), "a at 9 turns: no clock"),
    ],
)
def test_sentences(gap, sentence):
    """Few metrics and turns are named, many are counted."""
    assert sentence == gap.sentence


def test_metrics_of_one_reason_are_one_gap():
    """A metric without any number is grouped with others of the same reason, and needs no turns."""
    found = gaps([made(m, turn, reason="no clock") for m in ("a", "b") for turn in (1, 2)], {"b": "label of b"})
    assert [Gap(["a", "label of b"], [], "no clock", failed=False)] == found


def test_a_metric_with_numbers_says_where_they_are_missing():
    """A metric that has numbers elsewhere is listed with the turns at which it has none."""
    found = gaps([made("a", 1, 0.5), made("a", 2, reason="lost", warning="metric_error")], {})
    assert [Gap(["a"], [2], "lost", failed=True)] == found


def test_failed_and_not_applicable_are_told_apart():
    """What should have been measured is one gap, what there was no need to measure another."""
    failed, by_itself = made("a", 1, warning="metric_error"), made("b", 1, warning="invalid_data")
    assert [Gap(["a"], [], "metric_error", failed=True), Gap(["b"], [], "invalid_data", failed=False)] == gaps(
        [failed, by_itself], {}
    )


def test_a_missing_judge_is_no_gap():
    """The result itself warns of it."""
    assert [] == gaps([made("a", 1, warning="no_judge"), made("a", 2, 1.0)], {})


def test_no_reason_is_said_to_be_none():
    """A number that is missing without a word is reported without inventing one."""
    assert ["a: no reason was given"] == [gap.sentence for gap in gaps([made("a", 1)], {})]
