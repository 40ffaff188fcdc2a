"""Numbers of the command line that are none."""

from __future__ import annotations

import pytest

RUN = ("run", "shop.yaml", "--agent", "control:echo")
EVALUATE = ("evaluate", "chat.json", "--metrics", "latency_score")


@pytest.fixture(autouse=True)
def _files(write):
    write("shop.yaml", "conversations:\n  - {id: a, turns: [{user: Hi, checks: [{includes: Hi}]}]}\n")
    write("chat.json", [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello"}])


@pytest.mark.parametrize("number", ["nan", "NaN", "inf", "-inf", "1e999"])
@pytest.mark.parametrize(
    ("command", "option", "value"),
    [
        (RUN, "--deadline", "{}"),
        (RUN, "--max-cost-usd", "{}"),
        (RUN, "--turn-timeout", "{}"),
        (RUN, "--min-pass-rate", "{}"),
        (RUN, "--min", "includes('Hi')={}"),
        (("score", "latest"), "--deadline", "{}"),
        (EVALUATE, "--deadline", "{}"),
        (EVALUATE, "--max-cost-usd", "{}"),
        (EVALUATE, "--weight", "Performance={}"),
        (EVALUATE, "--threshold", "Performance={}"),
        (EVALUATE, "--param", "latency_score.target_s={}"),
    ],
)
def test_what_is_no_finite_number_is_refused(call, folder, command, option, value, number):
    """In one sentence that names it, exit code 2, whether or not anybody would have been bound by it."""
    code, report, stderr = call(*command, f"{option}={value.format(number)}")
    assert (2, "", 1) == (code, report, len(stderr.splitlines()))
    assert number.lower() in stderr.lower() or "inf" in stderr
    assert not (folder / ".uaef" / "uaef.db").exists() or command is RUN


@pytest.mark.parametrize("rule", ["min_pass_rate = nan", "min = {'includes' = inf}", "max_failed_judgements = nan"])
def test_so_is_one_in_the_gate_of_a_project(call, write, rule):
    """As on the command line."""
    write("pyproject.toml", f"[tool.uaef.gate]\n{rule}\n")
    code, report, stderr = call(*RUN)
    assert (2, "") == (code, report)
    assert "nan" in stderr or "inf" in stderr
