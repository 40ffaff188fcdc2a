"""``--judge`` and what goes with it: who is asked, what is kept, what it may cost, what a dry run says of that."""

from __future__ import annotations

import importlib.util
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from provider_server import Answer, agree

CHAT = [
    {"role": "user", "content": "Is it free? Write to ann@example.com."},
    {"role": "assistant", "content": "Yes, it is free."},
]
RELEVANCE = ("chat.json", "--metrics", "answer_relevance")


@pytest.fixture(autouse=True)
def _chat(write):
    write("chat.json", CHAT)
    write("expected.csv", "question,answer\nIs it free? Write to ann@example.com.,It is free.\n")


def scores(folder):
    """The measurements of the run that wrote ``found.json``."""
    return [m["score"] for r in json.loads((folder / "found.json").read_text())["results"] for m in r["measurements"]]


def test_a_model_judges(call, providers):
    """The verdict of the server's model decides the exit code, and the report holds it."""
    code, report, stderr = call("evaluate", *RELEVANCE, "--judge", "openai:m")
    assert (0, "") == (code, stderr)
    assert "Response Quality   1.00" in report
    assert 1 == len(providers.asked)


def test_the_local_judge_needs_nothing(call):
    """Words are compared, and no server, key or cache is needed."""
    options = ("--metrics", "accuracy", "--ground-truth", "expected.csv", "--judge", "local", "--json", "found.json")
    code, report, stderr = call("evaluate", "chat.json", *options)
    assert (0, "") == (code, stderr)
    assert "Response Quality   1.00" in report
    assert ["local/1"] == [score["metadata"]["judge"] for score in scores(Path())]


@pytest.mark.parametrize("options", [("--judge", "none"), ()])
def test_nobody_judges_unless_somebody_is_named(call, monkeypatch, options):
    """A judge metric that was asked for stays open, and a line says how to set a judge; ``none`` beats UAEF_JUDGE."""
    if options:
        monkeypatch.setenv("UAEF_JUDGE", "local")
    code, report, _ = call("evaluate", *RELEVANCE, *options)
    assert 3 == code
    assert "answer_relevance needs a judge; pass judge=... or set UAEF_JUDGE" in report


@pytest.mark.parametrize("where", ["UAEF_JUDGE", "pyproject.toml"])
def test_the_judge_of_the_environment_or_the_project(call, providers, monkeypatch, write, where):
    """It judges where the command line names none."""
    if where == "UAEF_JUDGE":
        monkeypatch.setenv(where, "anthropic:m")
    else:
        write(where, '[tool.uaef]\njudge = "anthropic:m"\n')
    assert 0 == call("evaluate", *RELEVANCE)[0]
    assert ["anthropic"] == [asked.wire for asked in providers.asked]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ("--judge openia:m", "Unknown judge 'openia:m'. Did you mean 'openai:m'?"),
        ("--judge gpt", "Unknown judge 'gpt'. Available: anthropic:MODEL, bedrock:MODEL, local, openai:MODEL."),
        ("--judge openai:", "The judge 'openai:' lacks a model; write openai:MODEL."),
        ("--judge openai:m", "The judge 'openai:m' needs a key: set OPENAI_API_KEY."),
        ("--judge anthropic:m", "The judge 'anthropic:m' needs a key: set ANTHROPIC_API_KEY."),
        ("--judge bedrock:m", "The judge 'bedrock:m' needs a region: set AWS_REGION."),
        ("--judge local --max-concurrency 0", "Invalid value for '--max-concurrency': 0 is not in the range x>=1."),
        ("--judge local --max-cost-usd -1", "Invalid value for '--max-cost-usd': -1.0 is not in the range x>=0."),
    ],
)
def test_a_judge_that_cannot_be_had_is_one_sentence(call, options, said):
    """Exit code 2, before anything is measured."""
    code, report, stderr = call("evaluate", *RELEVANCE, *options.split())
    assert (2, "") == (code, report)
    assert stderr.startswith(f"uaef: {said}")
    assert 1 == stderr.count("\n")


def test_a_limit_needs_a_price(call, providers):
    """A model that no price list knows is not judged by on a budget."""
    code, _, stderr = call("evaluate", *RELEVANCE, "--judge", "openai:m", "--max-cost-usd", "1")
    assert 2 == code
    assert stderr.startswith("uaef: max_cost_usd needs a price, and that of 'openai:m' is not known; ")
    assert [] == providers.asked


def test_a_budget_that_is_too_small_leaves_it_open(call, providers):
    """What would exceed it is not asked, counts as failed, and no threshold is met by it."""
    pytest.importorskip("genai_prices")
    options = ("--judge", "openai:gpt-4.1-mini", "--max-cost-usd", "0")
    code, report, _ = call("evaluate", *RELEVANCE, *options)
    assert 3 == code
    assert "not asked: $0.0000 are spent, and a call of up to" in " ".join(report.split())
    assert [] == providers.asked


def test_a_dry_run_asks_nothing(call, providers):
    """It says how often who would be asked, and how much of it is known."""
    code, report, stderr = call("evaluate", *RELEVANCE, "--judge", "openai:m", "--dry-run")
    assert (0, "") == (code, stderr)
    assert report.startswith("openai:m would be asked once, twice as often if every answer had to be repaired: ")
    assert report.endswith(" tokens read and 200 written, at a price that is not known.\n")
    assert [] == providers.asked


@pytest.mark.parametrize(
    ("judge", "said"),
    [("local", "200 written, about $0.0000.\n"), ("none", "No judge would be asked: none is named.")],
)
def test_a_dry_run_without_a_model(call, judge, said):
    """The local judge is free; nobody is asked nothing."""
    assert said in call("evaluate", *RELEVANCE, "--judge", judge, "--dry-run")[1]


@pytest.mark.parametrize("named", [True, False])
def test_answers_are_kept_between_runs(call, providers, folder, monkeypatch, named):
    """By default, in the user's cache folder or where UAEF_CACHE says; the second run calls nobody and says so."""
    path = folder / ("mine.sqlite" if named else "cache/uaef/replies.sqlite")
    if named:
        monkeypatch.setenv("UAEF_CACHE", str(path))
    for _ in range(2):
        assert 0 == call("evaluate", *RELEVANCE, "--judge", "openai:m", "--json", "found.json")[0]
    assert 1 == len(providers.asked)
    assert path.is_file()
    assert [(1.0, True, 0)] == [(s["score"], s["metadata"]["cached"], s["metadata"]["calls"]) for s in scores(folder)]


@pytest.mark.parametrize("how", ["--no-cache", "UAEF_CACHE"])
def test_a_cache_can_be_declined(call, providers, folder, monkeypatch, how):
    """By an option or by the environment; then no file is made either."""
    if how == "UAEF_CACHE":
        monkeypatch.setenv(how, "off")
    for _ in range(2):
        call("evaluate", *RELEVANCE, "--judge", "openai:m", *(["--no-cache"] if how == "--no-cache" else []))
    assert 2 == len(providers.asked)
    assert [] == list(folder.rglob("*.sqlite"))


def test_a_cache_that_is_none_is_one_sentence(call, providers, write, monkeypatch):
    """A file that is something else is named, and left alone."""
    monkeypatch.setenv("UAEF_CACHE", str(write("notes.txt", "These are my notes, and no database. " * 200)))
    code, _, stderr = call("evaluate", *RELEVANCE, "--judge", "openai:m")
    assert 2 == code
    assert "notes.txt cannot be used: file is not a database." in stderr
    assert [] == providers.asked


@pytest.mark.skipif(importlib.util.find_spec("datafog") is None, reason="uaef[pii] is not installed")
@pytest.mark.parametrize("dry", [True, False])
def test_identities_can_be_withheld(call, providers, dry):
    """The model never sees the address; a dry run with the option works as well."""
    code = call("evaluate", *RELEVANCE, "--judge", "openai:m", "--redact-pii", *(["--dry-run"] if dry else []))[0]
    assert 0 == code
    assert (0 if dry else 1) == len(providers.asked)
    assert not any(b"ann@example.com" in asked.raw for asked in providers.asked)


def test_no_more_calls_than_allowed_are_under_way(call, providers, write):
    """``--max-concurrency`` bounds them over the whole run."""
    write("many.json", [{"id": f"c{i}", "messages": CHAT} for i in range(6)])
    providers.script = lambda asked: Answer(**{**vars(agree(asked)), "delay_s": 0.05})
    options = ("--judge", "openai:m", "--no-cache", "--max-concurrency", "2")
    assert 0 == call("evaluate", "many.json", "--metrics", "answer_relevance", *options)[0]
    assert (6, 2) == (len(providers.asked), providers.most_in_flight)


def test_the_demo_is_judged_by_whom_one_names(call, providers):
    """Coherence, of which the local judge says nothing, is a model's to judge."""
    code, report, _ = call("demo", "--judge", "openai:m", "--no-cache")
    assert 0 == code
    assert "coherence" in report
    assert "needs an LLM judge" not in report
    assert len(providers.asked) > 20


def test_an_interruption_keeps_what_was_measured(providers, folder, write):
    """Ctrl-C while a judge hangs: the finished conversation is reported and written, and the exit code is 130."""
    other = [{"role": "user", "content": "Will you ever answer?"}, {"role": "assistant", "content": "Never."}]
    write("two.json", [{"id": "quick", "messages": CHAT}, {"id": "stuck", "messages": other}])
    providers.script = lambda asked: Answer(hang=True) if "Will you ever answer?" in asked.user else agree(asked)
    options = ("--metrics", "answer_relevance", "--judge", "openai:m", "--no-cache", "--json", "found.json")
    running = subprocess.Popen(  # noqa: S603 - our own program
        [sys.executable, "-m", "uaef", "evaluate", "two.json", *options],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
        cwd=folder,
        env={**os.environ, "PYTHONUTF8": "1"},
    )
    until = time.monotonic() + 30
    while len(providers.asked) < 2 and time.monotonic() < until:
        time.sleep(0.02)
    time.sleep(0.5)  # in which the answer that came is read
    running.send_signal(signal.SIGINT)
    report, stderr = running.communicate(timeout=30)
    assert 130 == running.returncode
    assert "quick  PASSED  overall 1.00" in report
    assert "stuck" not in report
    assert "uaef: 1 of 2 conversations were evaluated before the interruption.\n" in stderr
    assert "Traceback" not in stderr
    assert [1.0] == [score["score"] for score in scores(folder)]
