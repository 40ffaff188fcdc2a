"""``uaef runs``: what was kept, for people and for programs."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from pyarrow import parquet

from uaef.models.base import replaced
from uaef.models.case import ClaimKind
from uaef.models.results import ClaimResult, Decision, Verdict
from uaef.reporting.kept import render_list
from uaef.runs.store import open_store
from uaef.runs.store.export import COLUMNS

sys.path.append(str(Path(__file__).parents[1] / "runs" / "store"))

from kept_results import fill, info, many, result


@pytest.fixture
def kept(folder, monkeypatch):
    """A store in the folder with a complete run, a failed one, and one that was killed."""
    monkeypatch.delenv("UAEF_STORE", raising=False)
    missed = ClaimResult(
        name="relevance",
        kind=ClaimKind.GATE,
        decision=Decision.MISSED,
        slice_name="refund",
        broken_by=(2,),
        reason="low",
    )
    with open_store() as store:
        fill(store, info(0, label="nightly", tags=["x"], commit="abc+", branch="main"), many(3))
        fill(
            store, info(1, dataset="other", agent="bot", judge="openai:m", parameters={"limit": 3}), [], finish=False
        )
        store.add("run-001", 0, replaced(result(), claims=[missed], verdict=Verdict.FAILED))
        store.finish("run-001", verdict=Verdict.FAILED)
        fill(store, info(2, n_planned=5), many(2), finish=False)
    return folder


def rows(text):
    """The cells of the lines that begin with the name of a run."""
    return [line.split() for line in text.splitlines() if line.startswith("run-")]


@pytest.mark.usefixtures("kept")
def test_runs_are_listed(call):
    """The newest first: label, dataset, state, verdict, how far it came, how much was measured."""
    code, text, stderr = call("runs", "list")
    assert (0, "") == (code, stderr)
    assert [
        ["run-002", "support", "interrupted", "-", "2", "of", "5", "6", "0"],
        ["run-001", "other", "complete", "failed", "1", "of", "3", "3", "0"],
        ["run-000", "nightly", "support", "complete", "-", "3", "9", "0"],
    ] == rows(text)


@pytest.mark.usefixtures("kept")
@pytest.mark.parametrize(
    ("options", "names"),
    [
        (["--dataset", "other"], ["run-001"]),
        (["--label", "nightly"], ["run-000"]),
        (["--tag", "x"], ["run-000"]),
        (["--branch", "main"], ["run-000"]),
        (["--limit", "2"], ["run-002", "run-001"]),
    ],
)
def test_a_list_can_be_narrowed(call, options, names):
    """By each of its options, also as JSON, which has everything that is known."""
    assert names == [row[0] for row in rows(call("runs", "list", *options)[1])]
    listed = json.loads(call("runs", "list", "--json", *options)[1])
    assert names == [run["run_id"] for run in listed]
    assert {"status", "verdict", "commit", "results", "scored", "not_applicable", "failed"} <= set(listed[0])


@pytest.mark.usefixtures("kept")
def test_nothing_to_list_is_said(call):
    """In a word, and it is no error."""
    assert (0, "No such run is kept in .uaef/uaef.db.\n", "") == call("runs", "list", "--tag", "none")


@pytest.mark.parametrize("verb", [["list"], ["show"], ["export"], ["delete", "x"]])
def test_a_store_that_is_not_there_is_told_and_not_made(call, folder, monkeypatch, verb):
    """Only a run makes one."""
    monkeypatch.delenv("UAEF_STORE", raising=False)
    said = "uaef: .uaef/uaef.db: there is no store here yet; a run that is kept makes one.\n"
    assert (2, "", said) == call("runs", *verb)
    assert [] == list(folder.iterdir())


@pytest.mark.usefixtures("kept")
def test_a_run_is_shown_with_its_report(call):
    """What is known of it, what was required, and what broke."""
    code, text, stderr = call("runs", "show", "run-001")
    assert (0, "") == (code, stderr)
    facts = dict(line.split(maxsplit=1) for line in text.split("\n\n")[0].splitlines())
    assert ("complete", "failed", "bot", "openai:m", "limit=3", "1 of 3") == tuple(
        facts[name] for name in ("state", "verdict", "agent", "judge", "options", "conversations")
    )
    assert "1 conversation: 0 passed" in text
    run = json.loads(call("runs", "show", "run-001", "--json")[1])["run"]
    assert ["refund"] == [item["trace_id"] for item in run["items"]]
    assert "failed" == run["verdict"]


@pytest.mark.usefixtures("kept")
def test_the_latest_run_is_shown_by_default(call):
    """Of one that was interrupted, as far as it came."""
    text = call("runs", "show")[1]
    assert text.startswith("run           run-002")
    assert "2 of 5" in text


@pytest.mark.usefixtures("kept")
def test_a_run_is_written_out(call, folder):
    """As JSON lines to standard output or a file, or as Parquet: the same rows."""
    code, text, stderr = call("runs", "export", "nightly")
    lines = [json.loads(line) for line in text.splitlines()]
    assert (0, "", 9) == (code, stderr, len(lines))
    assert list(COLUMNS) == list(lines[0])
    assert (0, "", "") == call("runs", "export", "nightly", "-o", "run.jsonl")
    assert text == (folder / "run.jsonl").read_text("utf-8")
    assert (0, "", "") == call("runs", "export", "nightly", "--format", "parquet", "-o", "run.parquet")
    assert lines == parquet.read_table(folder / "run.parquet").to_pylist()
    assert 6 == len(call("runs", "export")[1].splitlines())


@pytest.mark.usefixtures("kept")
@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["export", "--format", "parquet"], "Parquet is no text: name a file with -o FILE."),
        (["export", "-o", "none/x.jsonl"], "none/x.jsonl: cannot be written: there is no directory 'none'."),
        (["export", "runn"], "Unknown run 'runn'. Available: run-000, run-001, run-002."),
        (["show", "run-0"], "3 runs have names that begin with 'run-0'; write more of it."),
        (["delete", "none"], "Unknown run 'none'. Available: run-000, run-001, run-002."),
        (["list", "--store", "mysql://u:hunter2@h/b"], "No store is kept at 'mysql'://"),
    ],
)
def test_what_cannot_be_done_is_one_sentence(call, arguments, said):
    """With exit code 2, and nothing is printed or removed."""
    code, text, stderr = call("runs", *arguments)
    assert (2, "") == (code, text)
    assert stderr.startswith(f"uaef: {said}")
    assert "hunter2" not in stderr
    assert 3 == len(rows(call("runs", "list")[1]))


@pytest.mark.usefixtures("kept")
def test_runs_are_deleted_by_name(call):
    """Several at once; one that is named twice once; not some of them if one is not there."""
    assert 2 == call("runs", "delete", "nightly", "none")[0]
    assert (0, "", "uaef: deleted run-000\nuaef: deleted run-002\n") == call(
        "runs", "delete", "nightly", "latest", "run-000"
    )
    assert ["run-001"] == [row[0] for row in rows(call("runs", "list")[1])]


@pytest.mark.usefixtures("kept")
def test_a_run_that_is_being_written_is_running_and_stays(call, monkeypatch):
    """Its process is at work."""
    monkeypatch.setattr("uaef.runs.store.holds._PATIENCE_S", 0.1)
    with open_store() as writing:
        writing.resume("run-002")
        assert "running" == rows(call("runs", "list")[1])[0][2]
        code, _, stderr = call("runs", "delete", "run-002")
        assert (2, "uaef: .uaef/uaef.db: the run run-002 is being written.\n") == (code, stderr)


def test_a_reader_that_leaves_early_is_no_error(kept):
    """``uaef runs export | head -1``."""
    with open_store(f"sqlite:///{kept / '.uaef' / 'uaef.db'}") as store:
        fill(store, info(9), many(2_000))
    program = [sys.executable, "-m", "uaef", "runs", "export", "run-009"]
    with subprocess.Popen(program, cwd=kept, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as exporting:  # noqa: S603
        assert "c0#1" == json.loads(exporting.stdout.readline())["slice"]
        exporting.stdout.close()
        assert (b"", 0) == (exporting.stderr.read(), exporting.wait())


@pytest.mark.usefixtures("kept")
def test_names_are_not_folded_where_there_is_room():
    """They are there to be copied, however long labels and datasets are."""
    long = replaced(info(3), run_id="20261201T061852123456-9f3c1a02", label="x" * 60, dataset="a long name " * 5)
    with open_store() as store:
        fill(store, long, [])
        shown = render_list(store.listed(), width=100)
    (row,) = (line.split() for line in shown.splitlines() if long.run_id in line)
    assert long.run_id == row[0]
    assert "complete" in row
