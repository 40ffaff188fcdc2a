"""Metrics of the user's own on the command line: ``--metrics mypkg.checks:is_brief``."""

from __future__ import annotations

import sys

import pytest

TRACE = {
    "trace_id": "t",
    "messages": [{"role": "user", "content": "Is it free?"}, {"role": "assistant", "content": "Yes."}],
    "latency": 4.0,
}


CHECKS = '''
from uaef import metric
from uaef.metrics import Metric

LIMIT = 3

@metric(dimension="Style")
def is_brief(window, *, most_words: int = LIMIT):
    """Whether the answer is short."""
    return len(window.answer.split()) <= most_words

class Answered(Metric):
    """Whether there is an answer."""
    name = "answered"
    dimension = "Style"

    def measure(self, window):
        return bool(window.answer)
'''


@pytest.fixture(autouse=True)
def _checks(folder, write, monkeypatch):
    """A recording, and a package of the user's own in the current directory; nothing is left of it after the test."""
    write("slow.json", TRACE)
    package = folder / "own_pkg"
    package.mkdir()
    texts = {"checks": CHECKS, "needy": "import no_such_package", "quits": "raise SystemExit('no')", "bad": "1 / 0"}
    for name, text in texts.items():
        (package / f"{name}.py").write_text(text)
    monkeypatch.setattr(sys, "path", sys.path[:])
    yield
    for name in [name for name in sys.modules if name.partition(".")[0] == "own_pkg"]:
        del sys.modules[name]


def test_own_metrics_are_loaded_from_a_module(call, run):
    """A metric of one's own, function or class, is named by where it is, takes parameters and makes the exit code."""
    names = "own_pkg.checks:is_brief, latency_score ,own_pkg.checks:Answered"
    code, report, stderr = run("evaluate", "slow.json", "--metrics", names, "--threshold", "Style=1")
    assert (1, "") == (code, stderr)
    assert "Style" in report
    assert "turn 1 broke: latency_score 0.50" in report
    strict = ["--metrics", "own_pkg.checks:is_brief", "--param", "is_brief.most_words=0", "--threshold", "Style=1"]
    code, report, stderr = call("evaluate", "slow.json", *strict)
    assert (1, "") == (code, stderr)
    assert "turn 1 broke: is_brief 0.00" in report


NO_METRIC = "is no metric; decorate a function with @metric or derive from Metric."
DOTS = "write its name with dots and without .py."
SEARCHED = "it is looked for in the current directory and among what is installed."


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("own_pkg.checks:is_brif", "Unknown metric in own_pkg.checks: 'is_brif'. Did you mean 'is_brief'?"),
        ("own_pkg.checks:", "Unknown metric in own_pkg.checks: ''. Available: is_brief."),
        ("own_pkg.checks:LIMIT", f"own_pkg.checks:LIMIT: 3 {NO_METRIC}"),
        ("own_pkg.chex:is_brief", f"own_pkg.chex:is_brief: there is no module 'own_pkg.chex'; {SEARCHED}"),
        ("nowhere.checks:is_brief", f"nowhere.checks:is_brief: there is no module 'nowhere'; {SEARCHED}"),
        (
            "own_pkg/checks.py:is_brief",
            f"own_pkg/checks.py:is_brief: there is no module 'own_pkg/checks'; {DOTS}",
        ),
        (":is_brief", ":is_brief: cannot be imported: ValueError: Empty module name"),
        ("own_pkg.needy:m", "own_pkg.needy:m: cannot be imported: it needs 'no_such_package', which is absent."),
        ("own_pkg.quits:m", "own_pkg.quits:m: cannot be imported: SystemExit: no"),
        ("own_pkg.bad:m", "own_pkg.bad:m: cannot be imported: ZeroDivisionError: division by zero"),
    ],
)
def test_own_metrics_that_cannot_be_loaded(call, name, message):
    """Whatever is wrong with the module or with what it holds is one sentence, without a traceback."""
    assert (2, "", f"uaef: {message}\n") == call("evaluate", "slow.json", "--metrics", name)
