"""Scores: how they are made, what becomes of what was returned, and sums of which a part is unknown."""

from __future__ import annotations

import pytest

from uaef.metrics import Metric
from uaef.models import MetricScore
from uaef.models.scores import failed, not_applicable, score_of, scored, total_if_known


class Mine(Metric):
    """A metric with a name."""

    name = "mine"


def test_a_metric_makes_scores_as_everybody_does():
    """The same score, whoever makes it; metadata may have any key."""
    own = Mine()
    details = {"name": "a", "judge": "b"}
    assert scored("mine", 1, "why", **details) == own.scored(1, "why", **details)
    assert not_applicable("mine", "why", **details) == own.not_applicable("why", **details)
    assert failed("mine", "why", **details) == own.failed("why", **details)
    assert ("not_applicable", "metric_error") == (
        not_applicable("mine", "why").metadata["warning"],
        failed("mine", "why").metadata["warning"],
    )
    assert "api_error" == failed("mine", "why", warning="api_error").metadata["warning"]


@pytest.mark.parametrize(
    ("found", "score", "status"),
    [
        (0.5, 0.5, "scored"),
        (True, 1.0, "scored"),
        ((False, "no"), 0.0, "scored"),
        (MetricScore(metric_name="other", score=0.25), 0.25, "scored"),
        (None, None, "not_applicable"),
        (2, None, "failed"),
        ("1", None, "failed"),
    ],
)
def test_what_was_returned_is_a_score(found, score, status):
    """Under the metric's name, whatever it was."""
    made = score_of("mine", found)
    assert ("mine", score, status) == (made.metric_name, made.score, str(made.status))
    assert made == Mine().score_of(found)


@pytest.mark.parametrize(
    ("values", "total"), [([], 0), ([1, 2], 3), ([0.5, 1], 1.5), ([1, None], None), ([None], None), ([1, "2"], None)]
)
def test_half_a_sum_is_no_sum(values, total):
    """What nobody took is 0; what nobody knows is unknown."""
    assert total == total_if_known(values)
