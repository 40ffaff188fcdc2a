"""The measuring of the local judge: what it says where the data is missing, and what it makes of scores."""

from __future__ import annotations

import pytest
from benchmarks.local_judge import Reply, figure

from benchmarks import local_judge


def test_missing_data_says_where_it_is_to_be_had(monkeypatch, tmp_path):
    """An address, and where the data is looked for."""
    monkeypatch.setattr(local_judge, "BEGIN", tmp_path / "nowhere")
    with pytest.raises(SystemExit) as raised:
        local_judge.main()
    assert str(tmp_path / "nowhere") in str(raised.value)
    assert local_judge.SOURCE in str(raised.value)
    assert local_judge.SOURCE in local_judge.PAGE.read_text("utf-8")


def test_a_reply_without_a_score_is_not_counted_as_0():
    """It leaves the figure, on both sides of a comparison."""
    labels = ["Fully attributable", "Fully attributable", "Not attributable", "Not attributable"]
    data = [Reply("one passage", "", f"{n}", label, "m") for n, label in enumerate(labels)]
    scores = {"0": 0.9, "1": None, "2": 0.1, "3": 0.0}
    ours, plain, difference = figure(data, lambda reply: scores[reply.response], lambda _: 0.0)
    assert (1.0, 1, 2) == (ours.auc, ours.positive, ours.negative)
    assert (0.5, 1, 2) == (plain.auc, plain.positive, plain.negative)
    assert 0.5 == difference.auc
