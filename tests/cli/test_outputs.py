"""Several outputs of one run: one document on standard output, and each written whatever becomes of the others."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from uaef.reporting.json import run_from_json
from uaef.runs.store import open_store

DATASET = """\
name: shop
conversations:
  - id: hours
    turns:
      - {user: When do you open?, checks: [{includes: "10"}]}
"""
AGENT = """\
print("loaded")

def chatty(input):
    print("noise")
    return "At 10."

def late(input):
    chatty(input)
    return "At 9."
"""
CHAT = [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello"}]
FULL = "/dev/full"
WHY = f"uaef: {FULL}: cannot be written: No space left on device.\n"
is_there = pytest.mark.skipif(not Path(FULL).exists(), reason="no such device here")


@pytest.fixture(autouse=True)
def _files(write, monkeypatch):
    monkeypatch.delenv("UAEF_STORE", raising=False)
    write("shop.yaml", DATASET)
    write("talkers.py", AGENT)
    write("chat.json", CHAT)


@pytest.mark.parametrize(
    ("option", "read"),
    [
        ("--json", run_from_json),
        ("--junit", ET.fromstring),
        ("--pr-comment", lambda text: text.startswith("<!-- uaef -->") or pytest.fail(text)),
    ],
)
@pytest.mark.parametrize(("agent", "code"), [("chatty", 0), ("late", 1)])
def test_a_document_on_standard_output_is_all_there_is(run, option, read, agent, code):
    """Neither the report, nor cohorts and comparison, nor what the agent prints; the rules are told beside it."""
    run("run", "shop.yaml", "--agent", "talkers:chatty")
    more = ("--compare", "latest", "--by", "turn", "--fail-on", "confirmed", "--junit", "u.xml", "--json", "u.json")
    more = [each for name, file in zip(more[::2], more[1::2], strict=True) if name != option for each in (name, file)]
    found, document, stderr = run("run", "shop.yaml", "--agent", f"talkers:{agent}", option, "-", *more)
    assert code == found, stderr
    read(document)
    assert "kept as" not in document
    assert {"loaded", "noise"} <= set(stderr.split())
    assert f"uaef: gate {'missed' if code else 'met'}: confirmed" in stderr


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--json", "-", "--junit", "-"], "--json and --junit cannot both write to standard output: name a file"),
        (["--pr-comment", "-", "--junit", "-"], "--junit and --pr-comment cannot both write to standard output"),
        (["--json", "a", "--pr-comment", "./a"], "--json and --pr-comment cannot both write to './a'"),
    ],
)
def test_two_documents_in_one_place_are_refused(call, folder, options, sentence):
    """Before anything is played: neither could be read."""
    code, report, stderr = call("run", "shop.yaml", "--agent", "talkers:chatty", *options)
    assert (2, "") == (code, report)
    assert sentence in stderr
    assert not (folder / ".uaef").exists()


@is_there
@pytest.mark.parametrize("option", ["--json", "--junit", "--pr-comment"])
def test_what_cannot_be_written_costs_nothing_else(call, folder, option):
    """Every other output is there, the run is kept, and the last line says which is not."""
    files = {"--json": "u.json", "--junit": "u.xml", "--pr-comment": "u.md"}
    given = [each for name, file in files.items() for each in (name, FULL if name == option else file)]
    code, report, stderr = call("run", "shop.yaml", "--agent", "talkers:late", *given)
    assert 2 == code
    assert stderr.endswith(WHY)
    assert "uaef: missed: \"includes('10') of hours\"" in stderr
    assert "verdict: FAILED" in report
    assert "kept as " in report
    assert {file for name, file in files.items() if name != option} == {each.name for each in folder.glob("u.*")}
    with open_store() as store:
        assert ["complete"] == [info.status for info in store.runs()]


@is_there
def test_a_report_and_a_summary_that_cannot_be_written(folder, write):
    """Those too cost nothing else; each is named."""
    write("quiet.py", "def answer(input):\n    return 'At 10.'\n")
    asked = ("run", "shop.yaml", "--agent", "quiet:answer", "--junit", FULL, "--json", "u.json")
    with Path(FULL).open("w", encoding="utf-8") as full:
        done = subprocess.run(  # noqa: S603 - our own program
            [sys.executable, "-m", "uaef", *asked],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            cwd=folder,
            env={**os.environ, "GITHUB_ACTIONS": "true", "GITHUB_STEP_SUMMARY": FULL},
            check=False,
        )
    assert 2 == done.returncode
    assert "Traceback" not in done.stderr
    assert [
        "uaef: Standard output cannot be written: No space left on device.",
        WHY.strip(),
        f"uaef: GITHUB_STEP_SUMMARY names {FULL}, which cannot be written: No space left on device.",
    ] == done.stderr.splitlines()[-3:]
    assert "passed" == run_from_json((folder / "u.json").read_text("utf-8")).verdict


@is_there
def test_recordings_are_kept_though_their_json_cannot_be_written(call):
    """The same for what was recorded."""
    metrics = ("--metrics", "turn_efficiency", "--save")
    code, report, stderr = call("evaluate", "chat.json", *metrics, "--json", FULL)
    assert 2 == code
    assert "chat  PASSED" in report
    assert "uaef: kept as " in stderr
    assert stderr.endswith(WHY)


def test_the_json_of_recordings_is_all_there_is(run, write):
    """Whatever a metric of one's own prints."""
    write(
        "mine.py",
        "print('loaded')\nimport uaef\n@uaef.metric\ndef brief(window):\n    print('noise')\n    return 1\n",
    )
    code, document, stderr = run("evaluate", "chat.json", "--metrics", "mine:brief", "--json", "-")
    assert 0 == code, stderr
    assert json.loads(document)["schema"]
    assert {"loaded", "noise"} <= set(stderr.split())


GOING = "os.chdir(os.environ['ELSEWHERE'])\n"


GOERS = [
    f"import os\n{GOING}def answer(input):\n    return 'At 10.'\n",
    f"import os\ndef answer(input):\n    {GOING}    return 'At 10.'\n",
]


@pytest.mark.parametrize("goer", GOERS)
def test_an_agent_that_goes_to_another_directory_takes_no_output_with_it(run, write, folder, tmp_path_factory, goer):
    """Whether it goes as it is loaded or as it answers: files, store and summary are where they were named."""
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    write("goer.py", goer)
    files = {"--json": "o.json", "--junit": "o.xml", "--pr-comment": "o.md"}
    options = [word for pair in files.items() for word in pair]
    where = {"ELSEWHERE": str(elsewhere), "GITHUB_ACTIONS": "true", "GITHUB_STEP_SUMMARY": "step.md"}
    code, _, stderr = run("run", "shop.yaml", "--agent", "goer:answer", *options, **where)
    assert 0 == code, stderr
    assert [] == list(elsewhere.iterdir())
    assert all((folder / file).stat().st_size for file in (*files.values(), "step.md", ".uaef/uaef.db"))
    assert "complete" in run("runs", "list")[1]
    compared = run("run", "shop.yaml", "--agent", "goer:answer", "--compare", "o.json", "--no-save", **where)
    assert 0 == compared[0], compared[2]


def test_nor_does_a_metric(run, write, folder, tmp_path_factory):
    """The same for what was recorded."""
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    write("mine.py", f"import os, uaef\n@uaef.metric\ndef goes(window):\n    {GOING}    return 1\n")
    options = ("--metrics", "mine:goes", "--json", "o.json", "--save", "--label", "recorded")
    code, _, stderr = run("evaluate", "chat.json", *options, ELSEWHERE=str(elsewhere))
    assert 0 == code, stderr
    assert [] == list(elsewhere.iterdir())
    assert (folder / "o.json").is_file()
    assert "recorded" in run("runs", "list")[1]


SHOP = "name: shop\nconversations:\n  - {id: a, turns: [{user: hi, checks: [{includes: hi}]}]}\n"


@pytest.mark.parametrize("option", ["--json", "--junit", "--pr-comment"])
@pytest.mark.parametrize("named", ["shop.yaml", "./shop.yaml"])
def test_no_output_is_written_over_what_is_read(call, write, folder, option, named):
    """A dataset, or recordings: they would be lost, and the next run with them."""
    write("shop.yaml", SHOP)
    code, out, err = call("run", "shop.yaml", "--agent", "control:echo", option, named, "--no-save")
    assert (code, out, err) == (
        2,
        "",
        f"uaef: {option} would write over {named!r}, which is read; name another file.\n",
    )
    assert SHOP == (folder / "shop.yaml").read_text("utf-8")
    if option == "--json":
        assert 2 == call("evaluate", "shop.yaml", option, named)[0]
        assert SHOP == (folder / "shop.yaml").read_text("utf-8")
