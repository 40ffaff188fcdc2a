"""``uaef metrics``: the catalogue."""

from __future__ import annotations

import json

import pytest

from uaef import metric
from uaef.metrics import list_metrics, registry, tagged


@pytest.fixture
def own_metric(monkeypatch):
    """A metric of the user's own, the only one for one test."""

    @metric(dimension="Tone", scope=tagged("vip"), needs=("answer",))
    def courteous(_, *, strict: bool = False, words: tuple[str, ...] = ("please",)):
        """Whether it is courteous.

        The share of courteous sentences.
        """

    monkeypatch.setattr(registry, "registered_metrics", lambda: [courteous])


def test_every_metric_is_listed(call):
    """The catalogue holds every registered metric, by name."""
    code, text, stderr = call("metrics")
    assert (0, "") == (code, stderr)
    assert set(list_metrics()) == {line for line in text.split("\n") if line and not line.startswith(" ")}


@pytest.mark.usefixtures("own_metric")
def test_a_metric_says_everything_about_itself(call):
    """Dimension, scope, kind, needs, parameters with defaults, description; in JSON the formula as well."""
    assert (
        "courteous\n"
        "    Tone, tagged('vip'), deterministic; needs answer\n"
        "    parameters: strict=False, words=\"('please',)\"\n"
        "    Whether it is courteous.\n"
    ) in call("metrics")[1]
    (entry,) = [entry for entry in json.loads(call("metrics", "--json")[1]) if entry["name"] == "courteous"]
    assert {
        "name": "courteous",
        "dimension": "Tone",
        "scope": "tagged('vip')",
        "kind": "deterministic",
        "needs": ["answer"],
        "parameters": {"strict": False, "words": "('please',)"},
        "description": "Whether it is courteous.",
        "formula": "The share of courteous sentences.",
    } == entry


def test_judges_are_told_apart(call):
    """A metric that a judge measures says so, in its kind and in its needs."""
    by_name = {entry["name"]: entry for entry in json.loads(call("metrics", "--json")[1])}
    assert ("judge", "deterministic") == (by_name["coherence"]["kind"], by_name["latency_score"]["kind"])
    assert "judge" in by_name["coherence"]["needs"]
    assert {"target_s": 2.0} == by_name["latency_score"]["parameters"]
