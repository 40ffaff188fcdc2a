"""What pipelines show agrees with the exit code where a rule of the gate decided it."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET

import pytest

DATASET = """\
name: shop
conversations:
  - id: refund
    turns:
      - {user: One?, metrics: [{includes: "1"}]}
  - id: hours
    turns:
      - {user: Two?, metrics: [{includes: "2"}]}
"""
AGENTS = """\
def good(input):
    return "1 2"

def worse(input):
    return "1"
"""


@pytest.fixture
def reported(call, write, tmp_path, monkeypatch):
    """What ``uaef run`` comes to: its exit code, and every report."""
    monkeypatch.delenv("UAEF_STORE", raising=False)
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    write("shown.yaml", DATASET)
    write("required.yaml", DATASET.replace("metrics", "checks"))
    write("bots.py", AGENTS)

    def reported(agent, *options, dataset="shown.yaml"):
        summary = tmp_path / "summary.md"
        summary.unlink(missing_ok=True)
        monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(summary))
        files = ("--junit", "u.xml", "--pr-comment", "u.md", "--json", "u.json")
        code, _, stderr = call("run", dataset, "--agent", f"bots:{agent}", *options, *files)
        junit = ET.parse("u.xml").getroot()  # noqa: S314 - our own document
        texts = [path.read_text("utf-8") for path in (tmp_path / "u.md", summary)]
        return code, junit, texts, json.loads((tmp_path / "u.json").read_text("utf-8")), stderr

    return reported


@pytest.mark.parametrize(
    "rule",
    [["--min-pass-rate", "0.9"], ["--require-baseline", "--compare", "baseline"]],
    ids=lambda rule: rule[0],
)
def test_a_rule_that_was_missed_is_missed_everywhere(reported, rule):
    """Exit code 1, a failure, a heading that says so, and an error on the step."""
    code, junit, texts, written, stderr = reported("worse", *rule)
    assert 1 == code, stderr
    assert "1" == junit.get("failures")
    assert "uaef gate" == junit[-1].get("name")
    assert all("## uaef: failed, a rule of the gate was missed\n" in text for text in texts)
    assert "::error title=uaef gate::gate missed: " in stderr
    assert ["missed"] == [each["decision"] for each in written["gate"]]


def test_what_was_compared_is_written_too(reported):
    """Counts and what regressed; a rule that is met is a case that passes."""
    assert 0 == reported("good", dataset="required.yaml")[0]
    compared = ("--compare", "latest", "--fail-on", "any")
    code, junit, texts, written, stderr = reported("worse", *compared, dataset="required.yaml")
    assert 1 == code, stderr
    assert "1" == junit[-1].get("failures")
    assert {"regressed": 1, "unchanged": 1} == written["comparison"]["counts"]
    assert ["hours#1"] == written["comparison"]["regressed"]
    assert "::error title=uaef gate::gate missed: any: " in stderr
    assert all("### The gate" in text for text in texts)
    code, junit, *_ = reported("good", "--min-pass-rate", "0.9")
    assert (0, "0", "1") == (code, junit.get("failures"), junit[-1].get("tests"))
