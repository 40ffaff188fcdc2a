"""A project whose tests are marked ``uaef``, and pytest as its users start it: as a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

DATASET = """\
name: shop
conversations:
  - id: refund
    tags: [returns]
    gates: [{excludes: sorry}]
    turns:
      - user: I want to return my boots.
        reply: What is the order number?
        checks: [{includes: order number}]
      - user: It is 48.
        reply: You have 30 days.
        checks: [{includes: 30 days}]
        tags: [policy]
      - user: Send it to my office.
        checks: [{includes: office}]
  - id: hours
    turns:
      - user: When do you open?
        checks: [{includes: "10"}]
  - id: größe
    turns:
      - user: Which size?
        metrics: [{max_words: 2}]
"""
AGENTS = """\
import os

ANSWERS = {
    "I want to return my boots.": "What is your order number?",
    "It is 48.": "You have 30 days.",
    "Send it to my office.": "It goes to your office.",
    "When do you open?": "At 10.",
    "Which size?": "Size 48, as always.",
}

def good(input):
    with open(os.path.join(os.path.dirname(__file__), "asked.txt"), "a") as file:
        print(os.environ.get("PYTEST_XDIST_WORKER", "main"), input, sep=": ", file=file)
    return ANSWERS[input]

def forgetful(input):
    return "What is ##[error] your order number?" if "office" in input else good(input)

def broken(input):
    raise ConnectionError("no line")
"""


@pytest.fixture
def project(tmp_path):
    """A folder with a dataset and its agents."""
    tests = tmp_path / "tests"
    tests.mkdir()
    (tmp_path / "pytest.ini").write_text("[pytest]\naddopts = --strict-markers\nfilterwarnings = error\n", "utf-8")
    (tests / "shop.yaml").write_text(DATASET, "utf-8")
    (tests / "agents.py").write_text(AGENTS, "utf-8")
    return tmp_path


@pytest.fixture
def run(project):
    """What pytest does with a test file: its exit code and its output."""

    def run(source, *arguments, **environ):
        (project / "tests" / "test_it.py").write_text(f"import pytest\n{source}", "utf-8")
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST_", "UAEF_"))}
        done = subprocess.run(  # noqa: S603 - our own pytest
            [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-rA", "--color=no", *arguments],
            cwd=project,
            env={**kept, "PYTHONUTF8": "1", "PYTHONDONTWRITEBYTECODE": "1", "COLUMNS": "200", **environ},
            capture_output=True,
            encoding="utf-8",
            check=False,
        )
        return done.returncode, done.stdout + done.stderr

    return run


@pytest.fixture
def asked(project):
    """What the agent was asked, with who played."""

    def asked():
        file = project / "tests" / "asked.txt"
        return sorted(file.read_text("utf-8").splitlines()) if file.exists() else []

    return asked
